//! Reads the notation of llama.cpp's grammars, as far as ours use it, and says what they accept.

use std::collections::{BTreeMap, BTreeSet};

enum Node {
    Text(Vec<char>),
    Class { is_negated: bool, ranges: Vec<(char, char)> },
    Rule(String),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, usize, usize),
}

/// A grammar.
pub struct Grammar {
    rules: BTreeMap<String, Node>,
}

impl Grammar {
    /// Reads a grammar, a rule to a line.
    pub fn read(text: &str) -> Self {
        let rules = text.lines().map(|line| {
            let (name, rule) = line.split_once(" ::= ").expect("a rule");
            let mut reader = Reader { rest: rule };
            let node = reader.choice();
            assert_eq!(reader.rest.trim(), "", "{line}");
            (name.to_owned(), node)
        });
        Self { rules: rules.collect() }
    }

    /// Whether the whole text follows the rule `root`.
    pub fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&Node::Rule("root".to_owned()), &text, 0).contains(&text.len())
    }

    /// Where a node that begins here can end.
    fn ends(&self, node: &Node, text: &[char], at: usize) -> BTreeSet<usize> {
        match node {
            Node::Text(wanted) => {
                text[at..].starts_with(wanted).then_some(at + wanted.len()).into_iter().collect()
            }
            Node::Class { is_negated, ranges } => {
                let fits =
                    |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negated;
                text.get(at).is_some_and(|c| fits(*c)).then_some(at + 1).into_iter().collect()
            }
            Node::Rule(name) => self.ends(&self.rules[name], text, at),
            Node::Choice(nodes) => nodes.iter().flat_map(|node| self.ends(node, text, at)).collect(),
            Node::Sequence(nodes) => {
                nodes.iter().fold(BTreeSet::from([at]), |from, node| self.step(node, text, &from))
            }
            Node::Repeat(node, least, most) => {
                let mut now = BTreeSet::from([at]);
                let mut all = if *least == 0 { now.clone() } else { BTreeSet::new() };
                for count in 1..=*most {
                    now = self.step(node, text, &now);
                    if now.is_empty() {
                        break;
                    }
                    if count >= *least {
                        all.extend(&now);
                    }
                }
                all
            }
        }
    }

    fn step(&self, node: &Node, text: &[char], from: &BTreeSet<usize>) -> BTreeSet<usize> {
        from.iter().flat_map(|at| self.ends(node, text, *at)).collect()
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn choice(&mut self) -> Node {
        let mut nodes = vec![self.sequence()];
        while self.take("|") {
            nodes.push(self.sequence());
        }
        Node::Choice(nodes)
    }

    fn sequence(&mut self) -> Node {
        let mut nodes = Vec::new();
        while !self.rest.trim_start().is_empty() && !self.rest.trim_start().starts_with(['|', ')']) {
            let node = self.one();
            nodes.push(self.repeated(node));
        }
        Node::Sequence(nodes)
    }

    fn one(&mut self) -> Node {
        if self.take("(") {
            let node = self.choice();
            assert!(self.take(")"), "{}", self.rest);
            return node;
        }
        if self.take("\"") {
            return Node::Text(self.chars_until('"').into_iter().map(|(c, _)| c).collect());
        }
        if self.take("[") {
            return self.class();
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(self.rest.len());
        assert!(end > 0, "no node at {}", self.rest);
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Node::Rule(name.to_owned())
    }

    fn class(&mut self) -> Node {
        let is_negated = self.rest.starts_with('^');
        self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
        let chars = self.chars_until(']');
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some((from, _)) = chars.get(at) {
            let is_range = chars.get(at + 1) == Some(&('-', false)) && at + 2 < chars.len();
            let to = if is_range { chars[at + 2].0 } else { *from };
            ranges.push((*from, to));
            at += if is_range { 3 } else { 1 };
        }
        Node::Class { is_negated, ranges }
    }

    /// The characters up to the end, and whether each was escaped.
    fn chars_until(&mut self, end: char) -> Vec<(char, bool)> {
        let mut found = Vec::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == end => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return found;
                }
                '\\' => {
                    let (_, escaped) = chars.next().expect("an escaped character");
                    found.push((if escaped == 'n' { '\n' } else { escaped }, true));
                }
                c => found.push((c, false)),
            }
        }
        panic!("no {end} in {}", self.rest)
    }

    /// The signs after a node follow it without a blank.
    fn repeated(&mut self, node: Node) -> Node {
        let (least, most) = match self.rest.chars().next() {
            Some('?') => (0, 1),
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('{') => {
                let (inside, rest) = self.rest[1..].split_once('}').expect("an end of the counts");
                self.rest = rest;
                let (least, most) = inside.split_once(',').expect("two counts");
                let count = |text: &str| text.parse().expect("a count");
                return Node::Repeat(Box::new(node), count(least), count(most));
            }
            _ => return node,
        };
        self.rest = &self.rest[1..];
        Node::Repeat(Box::new(node), least, most)
    }

    fn take(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(sign) else { return false };
        self.rest = rest;
        true
    }
}
