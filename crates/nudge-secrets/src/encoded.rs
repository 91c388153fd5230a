//! Credentials in base 64: private keys of any form, and texts that contain a credential.

use super::finding::Finding;
use super::random::decode;
use super::token::find;

/// The shortest run that is decoded: a short password with its name.
const MIN_BYTES: usize = 20;

/// "Password:", as a mail server sends it.
const PASSWORD_PROMPT: &[u8] = b"UGFzc3dvcmQ6";

/// The most bytes of a run that are decoded to see what it is.
const MAX_DECODED: usize = 16 * 1024;

/// The shortest line of a wrapped run.
const MIN_LINE: usize = 48;

/// Finds runs that decode to a private key, or to a text with a credential in it.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if !is_symbol(text[at]) {
            at += 1;
            continue;
        }
        let length = text[at..].iter().take_while(|b| is_symbol(**b)).count();
        // Nearly all runs are words.
        if length < MIN_BYTES && length != PASSWORD_PROMPT.len() {
            at += length;
            continue;
        }
        let run = Run::at(text, at);
        // A mail server's question in base 64, followed by the answer: `334 UGFzc3dvcmQ6`.
        if run.symbols == PASSWORD_PROMPT {
            found.extend(answered(text, run.end));
        }
        if run.symbols.len() >= MIN_BYTES && run.is_telling() {
            found.push(Finding { rule: "encoded", start: at, end: run.end });
        }
        at = run.end.max(at + 1);
    }
}

/// The last word of the next line.
fn answered(text: &[u8], end: usize) -> Option<Finding> {
    let line = text[end..].iter().take(4).position(|b| *b == b'\n')? + end + 1;
    let length = text[line..]
        .iter()
        .take(200)
        .position(|b| b"\r\n".contains(b))
        .unwrap_or(text.len().min(line + 200) - line);
    let start = line + text[line..line + length].iter().rposition(|b| *b == b' ').map_or(0, |at| at + 1);
    (line + length - start >= 4).then_some(Finding { rule: "encoded", start, end: line + length })
}

/// Base 64 characters, wrapped or not.
struct Run {
    symbols: Vec<u8>,
    end: usize,
}

impl Run {
    fn at(text: &[u8], start: usize) -> Self {
        let mut end = start + text[start..].iter().take_while(|b| is_symbol(**b)).count();
        let first = end - start;
        let mut symbols: Vec<u8> = text[start..end.min(start + MAX_DECODED)].to_vec();
        if first < MIN_LINE {
            let padding = text[end..].iter().take(2).take_while(|b| **b == b'=').count();
            return Self { symbols, end: end + padding };
        }
        // Wrapped lines have the same length, except the last.
        loop {
            let gap = text[end..].iter().take(24).take_while(|b| b.is_ascii_whitespace()).count();
            let from = end + gap;
            let length = text[from..].iter().take_while(|b| is_symbol(**b)).count();
            let wrapped = gap > 0 && text[end..from].contains(&b'\n') && (1..=first).contains(&length);
            if !wrapped || length < first && text.get(from + length).is_some_and(|b| !b"=\r\n\"'".contains(b))
            {
                break;
            }
            end = from + length;
            if symbols.len() < MAX_DECODED {
                symbols.extend_from_slice(&text[from..end]);
            }
            if length < first {
                break;
            }
        }
        let padding = text[end..].iter().take(2).take_while(|b| **b == b'=').count();
        Self { symbols, end: end + padding }
    }

    fn is_telling(&self) -> bool {
        let Some(decoded) = decode(&self.symbols) else { return false };
        if is_private_key(&decoded) {
            return true;
        }
        let readable = decoded.iter().filter(|b| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
        if readable * 50 < decoded.len() * 49 {
            return false;
        }
        find(&decoded, b"PRIVATE KEY", 0).is_some() || holds_credential(&decoded)
    }
}

/// Whether a decoded text contains a credential. Text that is encoded again inside it is not
/// decoded.
fn holds_credential(decoded: &[u8]) -> bool {
    let mut found = Vec::new();
    super::detect_without_decoding(decoded, &mut found);
    found.iter().any(|finding| finding.start < finding.end)
}

fn is_symbol(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/-_".contains(&b)
}

/// Recognises private keys and key stores by their first bytes.
fn is_private_key(decoded: &[u8]) -> bool {
    if decoded.starts_with(b"openssh-key-v1\0") || decoded.starts_with(&[0xfe, 0xed, 0xfe, 0xed]) {
        return true;
    }
    // A sequence with the version of a key (0, 1) or of a store (3) as its first member.
    let Some((0x30, rest)) = decoded.split_first() else { return false };
    let length = match rest.first() {
        Some(0x82) => 3,
        Some(0x81) => 2,
        Some(0x2e | 0x77 | 0x30 | 0x53) => 1,
        _ => return false,
    };
    let inner = rest.get(length..).unwrap_or_default();
    let versioned = matches!(inner, [2, 1, 0 | 1 | 3, 2 | 4 | 0x30 | 0x81 | 0x82, ..]);
    // Encrypted keys begin with the identifier of PBES.
    let encrypted =
        find(&inner[..inner.len().min(24)], &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05], 0).is_some();
    decoded.len() >= 40 && (versioned || encrypted)
}
