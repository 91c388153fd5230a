//! The frame around everything that Nudge puts into an agent's context. It makes the text
//! recognisable, so that it is never captured again.

use std::borrow::Cow;

/// The name of the element: `<nudge-memory id="…">…</nudge-memory id="…">`. The id is random and
/// the closing tag repeats it, so nothing inside can end the frame.
pub const FRAME: &str = "nudge-memory";

/// The text without frames. A frame that is not closed hides everything after it.
pub fn strip(text: &str) -> Cow<'_, str> {
    let Some(mut frame) = opening(text) else { return Cow::Borrowed(text) };
    let mut kept = String::new();
    let mut rest = text;
    loop {
        kept.push_str(&rest[..frame.at]);
        let close = format!("</{FRAME}{}>", frame.attributes);
        let inside = &rest[frame.end..];
        let Some(closed) = inside.find(&close) else { return Cow::Owned(kept) };
        rest = &inside[closed + close.len()..];
        match opening(rest) {
            Some(next) => frame = next,
            None => {
                kept.push_str(rest);
                return Cow::Owned(kept);
            }
        }
    }
}

struct Opening<'a> {
    at: usize,
    end: usize,
    attributes: &'a str,
}

/// The first opening tag; a tag that never ends reaches to the end of the text.
fn opening(text: &str) -> Option<Opening<'_>> {
    let mut from = 0;
    while let Some(found) = text[from..].find('<') {
        let at = from + found;
        from = at + 1;
        let Some(rest) = text[from..].strip_prefix(FRAME) else { continue };
        if rest.starts_with(|c: char| c == '>' || c.is_whitespace()) {
            let length = rest.find('>');
            let begin = from + FRAME.len();
            let end = length.map_or(text.len(), |length| begin + length + 1);
            return Some(Opening { at, end, attributes: length.map_or(rest, |length| &rest[..length]) });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_go_and_the_rest_stays() {
        let text = "a<nudge-memory id=\"x\">b</nudge-memory id=\"x\">c<nudge-memory id=\"y\">d</nudge-memory id=\"y\">e";
        assert_eq!(strip(text), "ace");
        assert!(matches!(strip("nothing of <ours>"), Cow::Borrowed("nothing of <ours>")));
        assert_eq!(strip("<nudge-memoryx>"), "<nudge-memoryx>");
    }

    #[test]
    fn nothing_inside_can_end_a_frame() {
        assert_eq!(strip("a<nudge-memory id=\"x\">b</nudge-memory id=\"z\">c</nudge-memory>d"), "a");
        assert_eq!(strip("a<nudge-memory id=\"x\">b<nudge-memory id=\"z\">c</nudge-memory id=\"x\">d"), "ad");
    }

    #[test]
    fn an_open_end_hides_to_the_end() {
        assert_eq!(strip("a<nudge-memory id=\"x\">b"), "a");
        assert_eq!(strip("a<nudge-memory id="), "a");
        assert_eq!(strip("<nudge-memory>b</nudge-memory> c"), " c");
    }
}
