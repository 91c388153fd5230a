//! One step of decoding: what a position decodes to, and how much of the text it takes.

/// What a position decodes to.
#[derive(Copy, Clone)]
pub(super) struct Step {
    pub(super) length: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Step {
    fn to(length: usize, bytes: &[u8]) -> Self {
        let mut step = Self { length, bytes: [0; 4], count: bytes.len() };
        step.bytes[..bytes.len()].copy_from_slice(bytes);
        step
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}

/// Bytes that may begin something encoded; a text without any needs no view.
pub(super) static MAY_ENCODE: [bool; 256] = {
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
pub(super) fn at(text: &[u8], at: usize, before: &[u8]) -> Option<Step> {
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
    const MOST: usize = 16;
    let slashes = rest.iter().take(MOST).take_while(|b| **b == b'\\').count();
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
    const MOST: usize = 24;
    let inner = rest.strip_prefix(b"[")?;
    let length = inner.iter().take(MOST).take_while(|b| b.is_ascii_digit() || b";?:".contains(b)).count();
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
    const REACH: usize = 80;
    if !before.last().is_some_and(|b| is_inner(*b)) {
        return None;
    }
    let quote = rest[0];
    let (mut at, mut operator, mut line) = (1, false, false);
    while at < rest.len().min(REACH) {
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
