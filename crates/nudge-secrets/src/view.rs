//! The text as a reader sees it: decoded, without colours, without signs before its lines.
//!
//! Credentials arrive escaped in JSON, once or twice, encoded in an address, coloured by a
//! terminal, in full-width letters, after `+`, `12:` or `> `, and cut into pieces that a program
//! joins again. One pass undoes all of this, and each byte keeps its original position, so that
//! findings can be replaced in the text itself.

use super::finding::Finding;

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
        if signs.is_none() && !text.iter().any(|b| MAY_ENCODE[*b as usize]) {
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
            let step = if decode { step_at(text, at, &view.text) } else { None };
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

// Strings in a text that contain a text themselves: `"body": "first line\nsecond \"line\""`.

/// The shortest and the longest string that are read, in bytes.
const MIN_STRING_BYTES: usize = 16;

const MAX_STRING_BYTES: usize = 64 * 1024;

/// Each string with escapes in it, decoded by one level.
pub(super) fn literals(text: &[u8]) -> impl Iterator<Item = View> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            at += text[at..].iter().position(|b| *b == b'"')?;
            let before = text[..at].iter().rev().take(8).find(|b| !b.is_ascii_whitespace());
            let opens = at == 0 || matches!(before, Some(b':' | b',' | b'[' | b'=' | b'('));
            if !opens {
                at += 1;
                continue;
            }
            let (view, end, escapes) = read(text, at + 1);
            // A string without an end is not one, and its content is checked on its own.
            at = if text.get(end) == Some(&b'"') { end + 1 } else { at + 1 + (end - at) / 2 };
            if escapes && view.text.len() >= MIN_STRING_BYTES {
                return Some(view);
            }
        }
        None
    })
}

/// The string that begins at `from`, where it ends, and whether it contains an escaped line end or
/// quote.
fn read(text: &[u8], from: usize) -> (View, usize, bool) {
    let mut view = View::empty();
    let (mut at, mut escapes) = (from, false);
    let limit = text.len().min(from + MAX_STRING_BYTES);
    while at < limit && !matches!(text[at], b'"' | b'\n') {
        let next = text.get(at + 1).copied();
        let (b, length) = match (text[at], next) {
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            (b'\\', Some(b't')) => (b'\t', 2),
            (b'\\', Some(b @ (b'"' | b'\\' | b'/'))) => (b, 2),
            (b, _) => (b, 1),
        };
        escapes |= length == 2;
        view.push(b, at, at + length);
        at += length;
    }
    (view, at, escapes)
}

// Signs before lines: of a diff, of quoted mail, of numbered lines and of search results.

/// The signs before most lines of a text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Signs {
    /// `+`, `-` and a blank, as in a diff.
    Diff,
    /// `> `, `| `, `# `, `// ` or `* `.
    Mark,
    /// `12:`, `12-`, `12|`, `12→` or `12` and a tab, with blanks before it.
    Number,
    /// `path:12:` or `path-12-`, or `path:` alone.
    Place,
}

impl Signs {
    /// The signs of a text; `None` when it has one line, or most lines have none.
    fn of(text: &[u8]) -> Option<Self> {
        /// How many lines are checked; it bounds the work.
        const LINES: usize = 200;
        let all = [Self::Diff, Self::Mark, Self::Number, Self::Place];
        let (mut counts, mut total, mut changed) = ([0; 4], 0, 0);
        for line in text.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(LINES) {
            total += 1;
            changed += usize::from(matches!(line[0], b'+' | b'-') && Self::Diff.length(line) == Some(1));
            for (count, signs) in counts.iter_mut().zip(all) {
                *count += usize::from(signs.length(line).is_some());
            }
        }
        // Every line of indented text begins with a blank; a diff has changes.
        if changed == 0 {
            counts[0] = 0;
        }
        let most =
            all.into_iter().zip(counts).max_by_key(|(signs, count)| (*count, *signs != Self::Place))?;
        // A single line counts only with a plus: a dash may be a flag, a number anything.
        if total == 1 && text.starts_with(b"+") && !text.starts_with(b"++") {
            return Some(Self::Diff);
        }
        (total >= 2 && most.1 * 10 >= total * 8).then_some(most.0)
    }

    /// The length of the sign before this line.
    fn length(self, line: &[u8]) -> Option<usize> {
        match self {
            Self::Diff => match line {
                [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] | [b'@', b'@', ..] => Some(0),
                // The first or last line of a key; with a diff sign it has six dashes.
                [b'-', b'-', b'-', b'-', b'-', next, ..] if *next != b'-' => None,
                [b'+' | b'-' | b' ', ..] => Some(1),
                _ => None,
            },
            Self::Mark => {
                const MARKS: [&[u8]; 8] = [b"> ", b"| ", b"# ", b"// ", b"* ", b";; ", b"-- ", b"//! "];
                let blanks = blanks(line);
                let mark = MARKS.iter().find(|mark| line[blanks..].starts_with(mark))?;
                Some(blanks + mark.len())
            }
            Self::Number => numbered(line),
            Self::Place => placed(line),
        }
    }
}

/// The number of blanks before the text of a line, within reason.
fn blanks(line: &[u8]) -> usize {
    line.iter().take(12).take_while(|b| b" \t".contains(b)).count()
}

/// A number and its separator.
fn numbered(line: &[u8]) -> Option<usize> {
    let blanks = blanks(line);
    let digits = line[blanks..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
    let end = blanks + digits;
    let rest = line.get(end..).filter(|_| (1..7).contains(&digits))?;
    match rest {
        [b'\t', ..] => Some(end + 1),
        [b':', b' ', b' ', ..] => Some(end + 1),
        [b':' | b'-', next, ..] if !next.is_ascii_digit() => Some(end + 1),
        [b':' | b'-'] => Some(end + 1),
        [b' ', b'|', ..] => Some(end + 2),
        [b'|', ..] => Some(end + 1),
        [0xe2, 0x86, 0x92, ..] => Some(end + 3),
        // A line of a shell history, or a listing.
        [b' ', b' ', ..] => Some(end + 2),
        _ => None,
    }
}

/// A path, and a number if there is one.
fn placed(line: &[u8]) -> Option<usize> {
    /// Longer than a path in output, in bytes.
    const MAX_BYTES: usize = 120;
    let path =
        line.iter().take(MAX_BYTES).take_while(|b| b.is_ascii_alphanumeric() || b"_./-@".contains(b)).count();
    // `a/b-12-text`: the path includes the number.
    let word = &line[..path];
    let is_path = |word: &[u8]| word.iter().any(|b| b"./".contains(b)) && word[0] != b'-';
    if let Some(end) = number_in(word, line).filter(|(path, _)| is_path(&word[..*path])) {
        return Some(end.1);
    }
    if line.get(path) != Some(&b':') || path == 0 || !is_path(word) {
        return None;
    }
    let digits = line[path + 1..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
    match line.get(path + 1 + digits) {
        Some(b':') if digits > 0 => Some(path + digits + 2),
        _ => Some(path + 1),
    }
}

/// The position of `-12-` in a word: the end of the path, and the end of the sign.
fn number_in(word: &[u8], line: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(step) = word.get(at..)?.iter().position(|b| *b == b'-') {
        let dash = at + step;
        let digits = word[dash + 1..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && dash > 0 && line.get(dash + 1 + digits) == Some(&b'-') {
            return Some((dash, dash + digits + 2));
        }
        at = dash + 1;
    }
    None
}

// One step of decoding: what a position decodes to, and how much of the text it takes.

/// What a position decodes to.
#[derive(Copy, Clone)]
struct Step {
    length: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Step {
    fn to(length: usize, bytes: &[u8]) -> Self {
        let mut step = Self { length, bytes: [0; 4], count: bytes.len() };
        step.bytes[..bytes.len()].copy_from_slice(bytes);
        step
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

/// Bytes that may begin something encoded; a text without any needs no view.
static MAY_ENCODE: [bool; 256] = {
    let mut telling = [false; 256];
    let marks = b"\\%&\"'\x1b\xc2\xe2\xe3\xef";
    let mut at = 0;
    while at < marks.len() {
        telling[marks[at] as usize] = true;
        at += 1;
    }
    telling
};

/// The step at `at`; `None` if the byte there is literal. `before` is the text decoded so far.
fn step_at(text: &[u8], at: usize, before: &[u8]) -> Option<Step> {
    let rest = &text[at..];
    match rest[0] {
        b'\\' => escape(rest),
        b'%' => percent(rest),
        b'\x1b' => colour(&rest[1..]).map(|length| Step::to(length + 1, b"")),
        b'&' => entity(rest),
        b'"' | b'\'' => joint(rest, before),
        0xc2 | 0xe2 | 0xe3 | 0xef => wide(rest),
        _ => None,
    }
}

/// `\n`, `\"`, `\u0041` with one backslash or more, and a line continuation.
fn escape(rest: &[u8]) -> Option<Step> {
    /// Four levels of escaping; it bounds the work on runs of backslashes.
    const MAX_BACKSLASHES: usize = 16;
    let slashes = rest.iter().take(MAX_BACKSLASHES).take_while(|b| **b == b'\\').count();
    let marked = rest.get(slashes)?;
    let length = slashes + 1;
    match marked {
        b'n' | b'r' => Some(Step::to(length, b"\n")),
        b't' => Some(Step::to(length, b"\t")),
        b'"' | b'\'' | b'/' | b'`' => Some(Step::to(length, std::slice::from_ref(marked))),
        b'\n' if slashes == 1 => Some(Step::to(length, b"")),
        b'\r' if slashes == 1 && rest.get(2) == Some(&b'\n') => Some(Step::to(3, b"")),
        b'u' => unicode(rest, slashes),
        b'x' | b'0' | b'e' => escaped_colour(&rest[slashes..]).map(|more| Step::to(slashes + more, b"")),
        _ => None,
    }
}

/// `\u0041`, and the colour code after `\u001b`.
fn unicode(rest: &[u8], slashes: usize) -> Option<Step> {
    let digits = std::str::from_utf8(rest.get(slashes + 1..slashes + 5)?).ok()?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    let length = slashes + 5;
    if code == 0x1b {
        return colour(&rest[length..]).map(|more| Step::to(length + more, b""));
    }
    let mut bytes = [0; 4];
    Some(Step::to(length, char::from_u32(code)?.encode_utf8(&mut bytes).as_bytes()))
}

/// The length of `x1b[0m`, `033[0m` or `e[0m`.
fn escaped_colour(rest: &[u8]) -> Option<usize> {
    let name = [&b"x1b"[..], b"x1B", b"033", b"e"].into_iter().find(|name| rest.starts_with(name))?;
    colour(&rest[name.len()..]).map(|length| name.len() + length)
}

/// The length of `[0;31m` after the escape.
fn colour(rest: &[u8]) -> Option<usize> {
    /// Longer than any colour code.
    const MAX_BYTES: usize = 24;
    let inner = rest.strip_prefix(b"[")?;
    let length =
        inner.iter().take(MAX_BYTES).take_while(|b| b.is_ascii_digit() || b";?:".contains(b)).count();
    inner.get(length).is_some_and(u8::is_ascii_alphabetic).then_some(length + 2)
}

fn percent(rest: &[u8]) -> Option<Step> {
    let digits = std::str::from_utf8(rest.get(1..3)?).ok()?;
    let code = u8::from_str_radix(digits, 16).ok().filter(|_| rest[1] != b'+')?;
    // An encoded percent sign was encoded twice.
    if code == b'%' && rest.len() >= 5 && rest[3].is_ascii_hexdigit() && rest[4].is_ascii_hexdigit() {
        let inner = percent(&[b"%", &rest[3..5]].concat())?;
        return Some(Step { length: 5, ..inner });
    }
    (code.is_ascii_graphic() || b" \n\r\t".contains(&code)).then(|| Step::to(3, &[code]))
}

fn entity(rest: &[u8]) -> Option<Step> {
    const ENTITIES: [(&[u8], &[u8]); 8] = [
        (b"&quot;", b"\""),
        (b"&#34;", b"\""),
        (b"&apos;", b"'"),
        (b"&#39;", b"'"),
        (b"&#x27;", b"'"),
        (b"&amp;", b"&"),
        (b"&lt;", b"<"),
        (b"&gt;", b">"),
    ];
    let (name, is) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))?;
    Some(Step::to(name.len(), is))
}

/// A string that ends here and continues in the next one: `" + "`, `' . '`, `"` and `"` on the next
/// line.
fn joint(rest: &[u8], before: &[u8]) -> Option<Step> {
    /// About an indented line, in bytes.
    const MAX_BYTES: usize = 80;
    if !before.last().is_some_and(|b| is_inner(*b)) {
        return None;
    }
    let quote = rest[0];
    let (mut at, mut operator, mut line) = (1, false, false);
    while at < rest.len().min(MAX_BYTES) {
        match rest[at] {
            b' ' | b'\t' | b'\r' => {}
            b'\n' => line = true,
            b'\\' if matches!(rest.get(at + 1), Some(b'\n' | b'\r')) => line = true,
            b'+' | b'.' | b'~' | b'&' => operator = true,
            b if b == quote => break,
            _ => return None,
        }
        at += 1;
    }
    let next = *rest.get(at + 1).filter(|_| rest.get(at) == Some(&quote) && (operator || line))?;
    is_inner(next).then(|| Step::to(at + 1, b""))
}

/// Whether a piece of a credential can begin or end with this byte.
fn is_inner(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-+/=!@#$%^*.".contains(&b)
}

/// Full-width letters, quotes and spaces become ASCII; zero-width characters are dropped.
fn wide(rest: &[u8]) -> Option<Step> {
    let two = rest.get(..2)?;
    if two == [0xc2, 0xa0] {
        return Some(Step::to(2, b" "));
    }
    let three: [u8; 3] = rest.get(..3)?.try_into().ok()?;
    let is: &[u8] = match three {
        // U+FF01 to U+FF5E are the ASCII characters in the same order.
        [0xef, 0xbc, low @ 0x81..=0xbf] => return Some(Step::to(3, &[low - 0x81 + b'!'])),
        [0xef, 0xbd, low @ 0x80..=0x9e] => return Some(Step::to(3, &[low - 0x80 + b'`'])),
        [0xe3, 0x80, 0x80] => b" ",
        [0xe2, 0x80, 0x8b..=0x8d] | [0xef, 0xbb, 0xbf] => b"",
        [0xe2, 0x80, 0x9c..=0x9f] | [0xe3, 0x80, 0x8c..=0x8f] => b"\"",
        [0xe2, 0x80, 0x98..=0x9b] => b"'",
        [0xe2, 0x80, 0x93 | 0x94] => b"-",
        [0xe2, 0x86, 0x92] => b"=",
        _ => return None,
    };
    Some(Step::to(3, is))
}

#[cfg(test)]
mod tests {
    use super::View;
    use crate::Finding;

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
        let finding = Finding { rule: "r", start: at, end: at + 2 };
        let found = view.original(finding).expect("mapped");
        assert_eq!(&text[found.start..found.end], "ab");
    }
}
