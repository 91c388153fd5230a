//! A first look at the tags of a body, before the reader sees it.

/// The number of attributes of the element that has most: quoted values between `<` and `>`.
pub(super) fn most_attributes(body: &str) -> usize {
    let mut most = 0;
    let mut rest = body;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let (skipped, attributes) = tag(rest);
        most = most.max(attributes);
        rest = &rest[skipped..];
    }
    most
}

/// How long the tag is that begins `text`, and how many quoted values it has.
fn tag(text: &str) -> (usize, usize) {
    for (opens, closes) in [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")] {
        if text.starts_with(opens) {
            return (text.find(closes).unwrap_or(text.len()), 0);
        }
    }
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':') {
        return (0, 0);
    }
    let (mut quote, mut values) = (None, 0);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return (at, values),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                values += 1;
            }
            (Some(end), _) if end == byte => quote = None,
            _ => {}
        }
    }
    (text.len(), values)
}

/// Whether the document type has rules of its own, between `[` and `]`.
pub(super) fn has_own_rules(body: &str) -> bool {
    let Some(start) = body.find("<!DOCTYPE") else { return false };
    let mut quote = None;
    for byte in body[start..].bytes() {
        match (quote, byte) {
            (None, b'[') => return true,
            (None, b'>') => return false,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(end), _) if end == byte => quote = None,
            _ => {}
        }
    }
    true
}
