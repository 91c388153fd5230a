//! Makes stored text harmless to a terminal.
//!
//! A hint may come from an agent that read a hostile file. Escape sequences in it could recolour,
//! retitle or rewrite the screen, and direction marks could reorder it. They are spelled out
//! instead.

use std::borrow::Cow;
use std::fmt::Write;

use nudge_core::text::steers_terminal;

/// The text with control, direction, zero-width and tag characters spelled out; newlines and tabs
/// stay.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers_terminal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !steers_terminal(c) => out.push(c),
            '\r' => out.push_str("\\r"),
            c if u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c)).expect("a string takes all"),
            c => write!(out, "\\u{{{:x}}}", u32::from(c)).expect("a string takes all"),
        }
    }
    Cow::Owned(out)
}

/// The same for a single line: newlines are spelled out too.
pub(crate) fn sanitize_line(text: &str) -> String {
    sanitize(text).replace('\n', "\\n")
}

/// JSON text with the same characters as JSON escapes: a reader gets the same value.
pub(crate) fn sanitize_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(steers_terminal) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if steers_terminal(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a string takes all");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_not_obeyed() {
        assert_eq!(sanitize("\u{1b}[31mred\u{7}\u{9b}2J\u{202e}txt"), "\\x1b[31mred\\x07\\x9b2J\\u{202e}txt");
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        let text = "größe 日本語 👩‍💻\tline\nnext";
        assert!(matches!(sanitize(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a": "\u{9b}2J\u{202e}\u{e0041}\u{7f}"});
        let text = value.to_string();
        let safe = sanitize_json(&text);
        assert_eq!(safe, "{\"a\":\"\\u009b2J\\u202e\\udb40\\udc41\\u007f\"}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("still JSON"), value);
    }
}
