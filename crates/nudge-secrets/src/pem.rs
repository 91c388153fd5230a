//! Private key blocks: the whole block is the credential.

use super::finding::Finding;
use super::token::{Classes, distinct, find};

/// How far the end of a block is searched; the longest key in use (RSA 16384) takes 13 KiB.
const MAX_BLOCK: usize = 16 * 1024;

/// The fewest characters of key material; less is a mention of the header, not a key.
const MIN_MATERIAL: usize = 24;

/// Finds `-----BEGIN … PRIVATE KEY-----` blocks, whole or cut off, with real or escaped line ends.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    let mut next_footer = Some(0);
    while let Some(start) = find(text, b"-----BEGIN ", from) {
        from = start + 1;
        let Some(body) = header_end(text, start + b"-----BEGIN ".len()) else { continue };
        let limit = text.len().min(body + MAX_BLOCK);
        if next_footer.is_some_and(|footer| footer < body) {
            next_footer = find(text, b"-----END ", body);
        }
        let (material, end) = match next_footer.filter(|footer| *footer < limit) {
            Some(close) => (close, footer_end(text, close)),
            None => {
                let cut = body + material_length(&text[body..limit]);
                (cut, cut)
            }
        };
        if text[body..material].iter().filter(|b| b.is_ascii_alphanumeric()).count() >= MIN_MATERIAL {
            found.push(Finding { rule: "private-key", start, end });
            from = end.max(start + 1);
        }
    }
}

/// Finds the inside of a private key without its first and last line: `sed -n 5,20p key.pem`.
///
/// Lines of a certificate look the same; unless something says that it is one, they are found too.
pub(super) fn detect_inside(text: &[u8], found: &mut Vec<Finding>) {
    let (mut at, mut public) = (0, false);
    let mut block: Option<(usize, usize, usize, usize)> = None;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let lead = line.iter().take_while(|b| b" \t".contains(b)).count();
        let content = line.trim_ascii();
        if let Some(begin) = find(content, b"-----BEGIN ", 0) {
            public = find(content, b"PRIVATE", begin).is_none();
        }
        let length = content.len();
        let from = start + lead;
        block = match block {
            Some((begin, _, lines, width)) if length == width && is_material(content) => {
                Some((begin, from + length, lines + 1, width))
            }
            Some((begin, end, lines, width)) => {
                let closed = content.starts_with(b"-----END ");
                let last = (1..width).contains(&length) && lines >= 2 && is_material_end(content);
                let public_end = closed && find(content, b"PRIVATE", 0).is_none();
                if lines >= MIN_LINES && !public && !public_end {
                    let end = if last { from + length } else { end };
                    found.push(Finding { rule: "private-key", start: begin, end });
                }
                None
            }
            None if LINE_LENGTHS.contains(&length) && is_material(content) => {
                Some((from, from + length, 1, length))
            }
            None => None,
        };
        if content.starts_with(b"-----END ") {
            public = false;
        }
    }
    if let Some((start, end, lines, _)) = block.filter(|(_, _, lines, _)| *lines >= MIN_LINES && !public) {
        let _ = lines;
        found.push(Finding { rule: "private-key", start, end });
    }
}

/// The line lengths of a key: as PEM and as OpenSSH wrap them.
const LINE_LENGTHS: [usize; 2] = [64, 70];

/// The fewest lines that count as the inside of a key.
const MIN_LINES: usize = 2;

/// Base 64 of random bytes.
fn is_material(line: &[u8]) -> bool {
    let classes = Classes::of(line);
    line.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b))
        && classes.lower >= 8
        && classes.upper >= 8
        && classes.digits >= 3
        && distinct(line) >= 24
}

fn is_material_end(line: &[u8]) -> bool {
    line.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b))
}

/// The end of the header line, if it names a private key.
fn header_end(text: &[u8], label: usize) -> Option<usize> {
    let dashes = find(&text[..text.len().min(label + 64)], b"-----", label)?;
    let name = &text[label..dashes];
    (name.ends_with(b"PRIVATE KEY")
        || name.ends_with(b"Static key V1")
        || name.ends_with(b"PRIVATE KEY BLOCK"))
    .then_some(dashes + 5)
}

fn footer_end(text: &[u8], close: usize) -> usize {
    let label = close + b"-----END ".len();
    find(&text[..text.len().min(label + 64)], b"-----", label).map_or(label, |dashes| dashes + 5)
}

/// How much of a block without a footer is still key: base64 lines and the headers before them.
fn material_length(rest: &[u8]) -> usize {
    let is_material = |b: &u8| b.is_ascii_alphanumeric() || b"+/=\r\n\\".contains(b);
    let mut length = 0;
    for line in rest.split_inclusive(|&b| b == b'\n') {
        let content = line.trim_ascii();
        let header = content.len() < 80 && find(content, b": ", 0).is_some();
        if header || content.iter().all(is_material) {
            length += line.len();
        } else {
            length += line.iter().take_while(|b| is_material(b)).count();
            break;
        }
    }
    rest[..length].trim_ascii_end().len()
}
