//! Where in a JSON text its values stand.

use std::ops::Range;

/// One value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) shape: Shape,
}

/// What is inside a value.
#[derive(Debug)]
pub(super) enum Shape {
    Object(Vec<Member>),
    List(Vec<Node>),
    Plain,
}

/// One member of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where its key begins.
    start: usize,
    pub(super) value: Node,
}

impl Node {
    /// The places of what is inside: members with their keys, or values.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match &self.shape {
            Shape::Object(members) => {
                members.iter().map(|member| member.start..member.value.span.end).collect()
            }
            Shape::List(items) => items.iter().map(|item| item.span.clone()).collect(),
            Shape::Plain => Vec::new(),
        }
    }

    /// All between the brackets.
    pub(super) const fn inside(&self) -> Range<usize> {
        self.span.start + 1..self.span.end - 1
    }
}

/// Finds the places in a text that has been read as JSON from `start` on.
pub(super) fn scan(text: &str, start: usize) -> Node {
    Scan { text, at: start }.value()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    // As deep as the text is nested, which reading it has limited.
    fn value(&mut self) -> Node {
        self.skip(|byte| byte.is_ascii_whitespace());
        let start = self.at;
        let shape = match self.peek() {
            Some(b'{') => Shape::Object(self.within(b'}', Self::member)),
            Some(b'[') => Shape::List(self.within(b']', Self::value)),
            Some(b'"') => {
                self.string();
                Shape::Plain
            }
            _ => {
                self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b',' | b'}' | b']'));
                Shape::Plain
            }
        };
        Node { span: start..self.at, shape }
    }

    fn member(&mut self) -> Member {
        self.skip(|byte| byte.is_ascii_whitespace());
        let start = self.at;
        let quoted = self.string();
        let key = serde_json::from_str(&self.text[quoted]).unwrap_or_default();
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b':');
        Member { key, start, value: self.value() }
    }

    /// What stands between brackets, from the opening to past the closing one.
    fn within<T>(&mut self, close: u8, item: fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || byte == b',');
            if self.peek().is_none_or(|byte| byte == close) {
                self.at = self.text.len().min(self.at + 1);
                return items;
            }
            items.push(item(self));
        }
    }

    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        start..self.at
    }

    fn skip(&mut self, passes: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&passes) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
