//! Reads objects as models write them: JSON, Python arguments, and what lies between.
//!
//! Keys may be bare, strings may have single, triple or `<|"|>` quotes and hold raw newlines, and a
//! comma may come last.

use serde_json::{Map, Value};

use super::resolve::Raw;

/// How deep values may nest.
const MAX_DEPTH: usize = 48;

/// A reader at one place of a text.
pub(super) struct Loose<'a> {
    text: &'a str,
    /// Where the reader stands; after a failure, how far it came.
    pub(super) pos: usize,
}

impl<'a> Loose<'a> {
    /// Starts at this byte.
    pub(super) fn new(text: &'a str, pos: usize) -> Self {
        Self { text, pos }
    }

    /// Reads one value.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.value_at(0)
    }

    /// Reads members up to `close`: `key: value`, `key=value`, or values alone under the key "".
    pub(super) fn members(&mut self, close: u8, depth: usize) -> Option<Vec<(String, Value)>> {
        let mut members = Vec::new();
        loop {
            self.skip_blank();
            match self.peek()? {
                byte if byte == close => {
                    self.pos += 1;
                    return Some(members);
                }
                b',' => self.pos += 1,
                _ => members.push(self.member(depth)?),
            }
        }
    }

    fn member(&mut self, depth: usize) -> Option<(String, Value)> {
        let from = self.pos;
        let key = match self.string() {
            Some(key) => Some(key),
            None => self.bare_key().map(str::to_owned),
        };
        self.skip_blank();
        if let Some(key) = key
            && matches!(self.peek(), Some(b':' | b'='))
        {
            self.pos += 1;
            self.skip_blank();
            return Some((key, self.value_at(depth + 1)?));
        }
        self.pos = from;
        Some((String::new(), self.value_at(depth + 1)?))
    }

    fn value_at(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blank();
        match self.peek()? {
            b'{' => {
                self.pos += 1;
                self.members(b'}', depth).map(first_wins)
            }
            b'[' => {
                self.pos += 1;
                self.array(depth).map(Value::Array)
            }
            _ => match self.string() {
                Some(text) => Some(Value::String(text)),
                None => self.word(),
            },
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            self.skip_blank();
            match self.peek()? {
                b']' => {
                    self.pos += 1;
                    return Some(values);
                }
                b',' => self.pos += 1,
                _ => values.push(self.value_at(depth + 1)?),
            }
        }
    }

    /// A number, a boolean, nothing, or a word without quotes.
    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.pos..];
        let end = rest.find([',', '}', ']', ')', '\n', '"', '{', '[']).unwrap_or(rest.len());
        let word = rest[..end].trim();
        self.pos += end;
        match word {
            "" => None,
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" => Some(Value::Null),
            _ => Some(serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned()))),
        }
    }

    fn bare_key(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.pos..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
        self.pos += end;
        (end > 0).then(|| &rest[..end])
    }

    /// A string in any quotes; leaves the place alone when there is none.
    fn string(&mut self) -> Option<String> {
        let rest = &self.text[self.pos..];
        let quote =
            ["<|\"|>", "\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote))?;
        let from = self.pos + quote.len();
        let end = self.string_end(from, quote)?;
        let raw = &self.text[from..end];
        self.pos = end + quote.len();
        Some(if quote.starts_with('<') { raw.to_owned() } else { unescape(raw) })
    }

    fn string_end(&mut self, from: usize, quote: &str) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut pos = from;
        while pos < bytes.len() {
            match bytes[pos] {
                b'\\' => pos += 2,
                _ if bytes[pos..].starts_with(quote.as_bytes()) => return Some(pos),
                _ => pos += 1,
            }
        }
        self.pos = bytes.len();
        None
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.pos += 1;
        }
    }
}

/// An object in which the first member of a name counts.
fn first_wins(members: Vec<(String, Value)>) -> Value {
    let mut map = Map::new();
    for (name, value) in members {
        map.entry(name).or_insert(value);
    }
    Value::Object(map)
}

/// Decodes the escapes of JSON; leaves the others as they are.
fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        rest = &rest[c.len_utf8()..];
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '"' | '\'' | '\\' | '/' => out.push(c),
            'u' => rest = push_unicode(&mut out, rest),
            _ => out.extend(['\\', c]),
        }
    }
    out.push_str(rest);
    out
}

/// Decodes the four digits after `\u`, with the second half of a pair; returns what is left.
fn push_unicode<'a>(out: &mut String, rest: &'a str) -> &'a str {
    let digits = |text: &str| text.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(first) = digits(rest) else {
        out.push_str("\\u");
        return rest;
    };
    let rest = &rest[4..];
    if let Some(c) = char::from_u32(first) {
        out.push(c);
        return rest;
    }
    let second = rest.strip_prefix("\\u").and_then(digits);
    match second {
        Some(low) if (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&low) => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            &rest[6..]
        }
        _ => {
            out.push(char::REPLACEMENT_CHARACTER);
            rest
        }
    }
}

// The text of an output with a budget, so that failed readings stay linear.

/// What stood at one place of the output.
pub(super) enum Found {
    /// Calls, up to the end of the range.
    Calls(Vec<Raw>, usize),
    /// A token of a format that says nothing.
    Token(usize),
    /// Something that looks like a call and is none, up to the byte where the text goes on.
    Broken(usize, &'static str),
    /// Text up to this byte that holds no call.
    Text(usize),
}

/// An output, and how much of it may still be read.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// How many bytes may still be read. A failed reading costs what it read.
    fuel: usize,
}

impl<'a> Source<'a> {
    /// A budget of four readings of the whole output.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, fuel: text.len() * 4 + 4096 }
    }

    /// Reads one value; gives the place after it.
    pub(super) fn value(&mut self, at: usize) -> Option<(Value, usize)> {
        self.read(at, Loose::value)
    }

    /// Reads with the budget; gives the place after what was read.
    pub(super) fn read<T>(
        &mut self,
        at: usize,
        read: impl Fn(&mut Loose<'a>) -> Option<T>,
    ) -> Option<(T, usize)> {
        if self.fuel == 0 {
            return None;
        }
        let mut loose = Loose::new(self.text, at);
        let value = read(&mut loose);
        self.fuel = self.fuel.saturating_sub(loose.pos.saturating_sub(at));
        value.map(|value| (value, loose.pos))
    }

    /// The next place of a text.
    pub(super) fn find(&mut self, from: usize, needle: &str) -> Option<usize> {
        if self.fuel == 0 {
            return None;
        }
        let found = self.text[from..].find(needle).map(|offset| from + offset);
        self.fuel = self.fuel.saturating_sub(found.unwrap_or(self.text.len()) - from);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        Loose::new(text, 0).value()
    }

    #[test]
    fn reads_json_as_json() {
        let text = r#"{"a": [1, 2.5, -3e2, true, null, {"b": "x\n\"y\" é 😀"}], "c": {}}"#;
        assert_eq!(read(text), serde_json::from_str(text).ok());
    }

    #[test]
    fn reads_what_models_write() {
        assert_eq!(read("{path: 'a b', line: 3, x: True,}").expect("read")["path"], "a b");
        assert_eq!(read("{\"body\": \"one\ntwo\"}").expect("read")["body"], "one\ntwo");
        assert_eq!(read("{path:<|\"|>a\"b<|\"|>}").expect("read")["path"], "a\"b");
        assert_eq!(read("{\"p\": \"C:\\dir\\q\"}").expect("read")["p"], "C:\\dir\\q");
        assert_eq!(read("{\"a\": \"\\ud83d\\ude00 \\ud83d\"}").expect("read")["a"], "😀 \u{fffd}");
    }

    #[test]
    fn refuses_what_has_no_end() {
        for text in ["{", "{\"a\": \"", "[1, 2", "{a", "{\"a\"}x", &"[".repeat(500)] {
            let value = read(text);
            assert!(value.is_none() || text.ends_with('x'), "{text}: {value:?}");
        }
    }
}
