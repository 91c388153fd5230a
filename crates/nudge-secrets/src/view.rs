//! The text as a reader sees it: decoded, without colours, without signs before its lines.
//!
//! Credentials arrive escaped in JSON, once or twice, encoded in an address, coloured by a
//! terminal, in full-width letters, after `+`, `12:` or `> `, and cut into pieces that a program
//! joins again. One pass undoes all of this, and each byte keeps its original position, so that
//! findings can be replaced in the text itself.

mod lines;
mod literal;
mod step;

pub(super) use literal::all as literals;

use super::Finding;
use lines::Signs;

/// A decoded text and the origin of each byte.
pub(super) struct View {
    pub(super) text: Vec<u8>,
    /// For each byte, the range of the original text that it represents.
    from: Vec<(u32, u32)>,
}

impl View {
    /// The text without the signs before its lines; `None` unless nearly all have one.
    pub(super) fn without_line_signs(text: &[u8]) -> Option<Self> {
        let signs = Signs::of(text).filter(|signs| *signs != Signs::Place)?;
        Self::made(text, Some(signs), false)
    }

    /// The decoded text, without places before lines; `None` when there is nothing to decode.
    pub(super) fn decoded(text: &[u8]) -> Option<Self> {
        let signs = Signs::of(text).filter(|signs| *signs == Signs::Place);
        if signs.is_none() && !text.iter().any(|b| step::MAY_ENCODE[*b as usize]) {
            return None;
        }
        Self::made(text, signs, true)
    }

    fn made(text: &[u8], signs: Option<Signs>, decode: bool) -> Option<Self> {
        let mut view = Self { text: Vec::with_capacity(text.len()), from: Vec::with_capacity(text.len()) };
        let mut changed = false;
        let (mut at, mut begins) = (0, true);
        while at < text.len() {
            if begins && let Some(length) = signs.and_then(|signs| signs.length(&text[at..])) {
                changed |= length > 0;
                at += length;
                begins = false;
                continue;
            }
            let step = if decode { step::at(text, at, &view.text) } else { None };
            begins = text[at] == b'\n';
            match step {
                None => view.push(text[at], at, at + 1),
                Some(step) => {
                    changed = true;
                    for b in step.bytes() {
                        view.push(*b, at, at + step.length);
                    }
                }
            }
            at += step.map_or(1, |step| step.length);
        }
        changed.then_some(view)
    }

    const fn empty() -> Self {
        Self { text: Vec::new(), from: Vec::new() }
    }

    fn push(&mut self, b: u8, start: usize, end: usize) {
        self.text.push(b);
        self.from.push((start as u32, end as u32));
    }

    /// The finding's position in the original text.
    pub(super) fn original(&self, finding: Finding) -> Option<Finding> {
        let last = finding.end.checked_sub(1)?;
        let (start, end) = (self.from.get(finding.start)?.0 as usize, self.from.get(last)?.1 as usize);
        Some(Finding { start, end, ..finding })
    }
}

#[cfg(test)]
mod tests {
    use super::View;

    fn shown(text: &str) -> Option<String> {
        let unsigned = View::without_line_signs(text.as_bytes()).map(|view| view.text);
        let decoded = View::decoded(unsigned.as_deref().unwrap_or(text.as_bytes())).map(|view| view.text);
        decoded.or(unsigned).map(|text| String::from_utf8(text).expect("a text stays one"))
    }

    #[test]
    fn what_needs_no_decoding_has_no_view() {
        for text in ["", "plain words", "password: x\nuser: y\n", "a+b\nc-d", "1. one\n2. two and more"] {
            assert_eq!(shown(text), None, "{text:?}");
        }
    }

    #[test]
    fn escapes_are_undone_however_often_they_were_made() {
        for text in [r#"{"a":"b\nc"}"#, r#"{\"a\":\"b\\nc\"}"#, r#"{\\\"a\\\":\\\"b\\\\nc\\\"}"#] {
            assert_eq!(shown(text).as_deref(), Some("{\"a\":\"b\nc\"}"), "{text}");
        }
        assert_eq!(shown(r"\u0070w").as_deref(), Some("pw"));
        assert_eq!(shown("password%3Da%21b").as_deref(), Some("password=a!b"));
        assert_eq!(shown("a=&quot;b&quot;").as_deref(), Some("a=\"b\""));
    }

    #[test]
    fn colours_wide_letters_and_joints_are_gone() {
        assert_eq!(shown("\u{1b}[1mPW\u{1b}[0m=\u{1b}[32mx").as_deref(), Some("PW=x"));
        assert_eq!(shown("ｐｗ：x").as_deref(), Some("pw:x"));
        assert_eq!(shown("'ab' + 'cd'").as_deref(), Some("'abcd'"));
        assert_eq!(shown("(\"ab\"\n  \"cd\")").as_deref(), Some("(\"abcd\")"));
        assert_eq!(shown("pw=\\\nx").as_deref(), Some("pw=x"));
    }

    #[test]
    fn signs_before_lines_are_gone_where_most_lines_have_them() {
        assert_eq!(shown("+a:\n+  b\n+c").as_deref(), Some("a:\n  b\nc"));
        assert_eq!(shown("> a\n> b").as_deref(), Some("a\nb"));
        assert_eq!(shown("   1\ta\n   2\tb").as_deref(), Some("a\nb"));
        assert_eq!(shown("3:a\n4-b").as_deref(), Some("a\nb"));
        assert_eq!(shown("x/y.yml-3-a\nx/y.yml:4:b").as_deref(), Some("a\nb"));
        assert_eq!(shown("@@ -1 +1 @@\n-a\n+b\n c").as_deref(), Some("@@ -1 +1 @@\na\nb\nc"));
    }

    #[test]
    fn every_byte_knows_where_it_came_from() {
        let text = "x%3D\u{1b}[1mab";
        let view = View::decoded(text.as_bytes()).expect("a view");
        let at = view.text.windows(2).position(|pair| pair == b"ab").expect("there");
        let finding = super::Finding { rule: "r", start: at, end: at + 2 };
        let found = view.original(finding).expect("mapped");
        assert_eq!(&text[found.start..found.end], "ab");
    }
}
