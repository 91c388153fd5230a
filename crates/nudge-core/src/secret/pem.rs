//! Private key blocks: the whole block is the credential.

use super::Finding;
use super::token::find;

/// How far the end of a block is looked for; the longest key in use (RSA 16384) takes 13 KiB.
const LONGEST_BLOCK: usize = 16 * 1024;

/// Fewest characters of key material; less is a mention of the header, not a key.
const LEAST_MATERIAL: usize = 24;

/// Finds `-----BEGIN … PRIVATE KEY-----` blocks, whole or cut off, with real or escaped line ends.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut from = 0;
    let mut next_footer = Some(0);
    while let Some(start) = find(text, b"-----BEGIN ", from) {
        from = start + 1;
        let Some(body) = header_end(text, start + b"-----BEGIN ".len()) else { continue };
        let limit = text.len().min(body + LONGEST_BLOCK);
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
        if text[body..material].iter().filter(|b| b.is_ascii_alphanumeric()).count() >= LEAST_MATERIAL {
            found.push(Finding { rule: "private-key", start, end });
            from = end.max(start + 1);
        }
    }
}

/// Where the header line ends, when it names a private key.
fn header_end(text: &[u8], label: usize) -> Option<usize> {
    let dashes = find(&text[..text.len().min(label + 64)], b"-----", label)?;
    let name = &text[label..dashes];
    (name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK")).then_some(dashes + 5)
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
