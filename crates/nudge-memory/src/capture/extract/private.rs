//! `<private>` spans: text the user does not want remembered.

use std::borrow::Cow;

const NAME: &str = "private";

/// Whether a text contains private spans, or pieces of them.
pub(super) fn is_in(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| tag(&text[at + 1..]).is_some())
}

enum Tag {
    Open,
    /// The tag's length.
    Close(usize),
}

/// The text without its private spans. They may be nested; an unclosed span hides everything after
/// it.
pub(crate) fn strip(text: &str) -> Cow<'_, str> {
    let (mut kept, mut from, mut depth) = (String::new(), 0, 0_usize);
    let mut any = false;
    for (at, _) in text.match_indices('<') {
        match tag(&text[at + 1..]) {
            Some(Tag::Open) => {
                if depth == 0 {
                    kept.push_str(&text[from..at]);
                }
                any = true;
                depth += 1;
            }
            Some(Tag::Close(length)) if depth > 0 => {
                depth -= 1;
                from = at + 1 + length;
            }
            _ => {}
        }
    }
    if !any {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        kept.push_str(&text[from..]);
    }
    Cow::Owned(kept)
}

/// The tag that follows a `<`.
fn tag(rest: &str) -> Option<Tag> {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let after = name.get(NAME.len()..).filter(|_| name[..NAME.len()].eq_ignore_ascii_case(NAME))?;
    if name.len() == rest.len() {
        let is_open = after.is_empty() || after.starts_with(|c: char| c == '>' || c.is_whitespace());
        return is_open.then_some(Tag::Open);
    }
    let closed = after.trim_start();
    closed.starts_with('>').then(|| Tag::Close(rest.len() - closed.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_go_whatever_their_case_and_depth() {
        for (text, kept) in [
            ("a<private>b</private>c", "ac"),
            ("a<PRIVATE>b</Private >c", "ac"),
            ("a<private>b<private>c</private>d</private>e", "ae"),
            ("a<private reason=\"x\">b</private>c<private>d</private>e", "ace"),
            ("a<private>b", "a"),
            ("a<private>b<private>c</private>d", "a"),
            ("a<private", "a"),
            ("<private>all</private>", ""),
            ("a</private>b", "a</private>b"),
            ("Vec<privateer>", "Vec<privateer>"),
            ("a < b <pr <ä", "a < b <pr <ä"),
        ] {
            assert_eq!(strip(text), kept, "{text}");
            assert_eq!(is_in(text), text != kept || text.contains("</private>"), "{text}");
        }
    }
}
