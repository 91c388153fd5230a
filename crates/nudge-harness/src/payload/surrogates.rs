//! Reads JSON with lone surrogates, which JavaScript can write.
//!
//! A program that cuts a text after a number of UTF-16 units can cut through a character outside
//! the first plane, and `JSON.stringify` then writes the half as `\\ud83d`. That is valid JSON, but
//! not valid text: the half becomes the replacement character, and the rest stays.

use std::borrow::Cow;

use serde_json::Value;

/// Parses JSON. Searches for lone surrogates only if the text cannot be parsed otherwise.
pub(crate) fn read(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| match mended(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

/// The text with each lone surrogate replaced.
fn mended(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while at + 1 < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(bytes, at) {
            // A complete pair, which is one character.
            Some(0xd800..=0xdbff) if matches!(unit(bytes, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Any other escape: the character after the backslash does not begin a new one.
            _ => at += 2,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The UTF-16 unit that the escape at this position encodes.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_whole_characters_stay() {
        let read = |text: &str| read(text).ok().and_then(|value| value["a"].as_str().map(str::to_owned));
        assert_eq!(read(r#"{"a": "cut \ud83d"}"#).as_deref(), Some("cut \u{fffd}"));
        assert_eq!(read(r#"{"a": "\udc00x\ud83e\udd80\ud83d\n"}"#).as_deref(), Some("\u{fffd}x🦀\u{fffd}\n"));
        assert_eq!(read(r#"{"a": "\\ud83d"}"#).as_deref(), Some("\\ud83d"));
        assert_eq!(read(r#"{"a": "\ud83d"#), None);
        assert_eq!(mended("plain"), Cow::Borrowed("plain"));
    }
}
