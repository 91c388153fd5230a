//! Reads command lines, as a POSIX shell would, as far as needed to know what was run.
//!
//! [`commands`] gives the words of each simple command. `parse` gives the tree: lists of pipelines
//! of stages, with the operators between them, which determine whose exit status a line returns.
//! What is stored of a command line depends on both; a test compares them with a table of lines.

mod lexer;
mod read_only;

pub use read_only::{is_read_only, is_read_only_command};

use lexer::{Lexer, Op, Token};

/// The maximum nesting of groups; deeper ones are ignored.
pub(crate) const MAX_DEPTH: usize = 12;

/// Steps in sequence, as in `cd x && make; ls`.
pub(crate) type List = Vec<Step>;

/// A pipeline and the operator after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// `! make`: the exit status is inverted.
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Stage>,
    pub(crate) then: Then,
}

/// The operator after a pipeline.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Then {
    And,
    Or,
    Next,
    Background,
    #[default]
    End,
}

/// One command of a pipeline: words, or a group of lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) words: Vec<String>,
    pub(crate) body: Body,
    /// The file that standard output goes to, if any.
    pub(crate) file: Option<String>,
    /// The here-document it reads.
    pub(crate) document: Option<String>,
    /// Command lines of `$(…)` in its words.
    pub(crate) inner: Vec<String>,
}

/// What a stage contains besides words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Body {
    #[default]
    None,
    /// `( … )` or `{ …; }`: the exit status is that of the last command.
    Group(List),
    /// `if`, `for`, `while` …: which part ran is unknown.
    Branches(List),
}

/// The words of each simple command, without their quotes and redirections. Quoted text is never
/// mistaken for a command.
pub fn commands(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut words = Vec::new();
    let mut processes = Vec::new();
    for token in Lexer::tokens_with_documents(line) {
        match token {
            Token::Word { text, .. } => words.push(text),
            Token::Op(_) => found.push(std::mem::take(&mut words)),
            Token::Process(line) => processes.push(line),
            Token::File(_) | Token::Document(_) => {}
        }
    }
    found.push(words);
    found.extend(processes.iter().flat_map(|line| commands(line)));
    found.retain(|words| !words.is_empty());
    found
}

/// Whether a word before a command sets a variable: `NAME=value` or `NAME+=value`.
pub fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Parses a command line. Never fails: unclosed constructs extend to the end.
pub(crate) fn parse(line: &str) -> List {
    let mut tokens = Lexer::tokens(line);
    tokens.retain(|token| !matches!(token, Token::Process(_)));
    Parser { tokens, at: 0 }.list(0, &[])
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn peek_word(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word { text, .. }) => Some(text),
            _ => None,
        }
    }

    fn take_op(&mut self, op: Op) -> bool {
        let found = matches!(self.peek(), Some(Token::Op(next)) if *next == op);
        self.at += usize::from(found);
        found
    }

    /// Parses steps up to a closing parenthesis, one of the words in `closing`, or the end. The
    /// closing token is not consumed.
    fn list(&mut self, depth: usize, closing: &[&str]) -> List {
        let mut list = List::new();
        loop {
            while self.take_op(Op::Next) {}
            match self.peek() {
                None => break,
                Some(Token::Op(Op::Close)) if depth > 0 && closing.is_empty() => break,
                Some(Token::Word { text, .. }) if closing.contains(&text.as_str()) => break,
                _ => {}
            }
            let before = self.at;
            let step = self.step(depth);
            if self.at == before {
                // A closing mark without an opening one, as in `case x in a) …`.
                self.at += 1;
                continue;
            }
            list.push(step);
        }
        if let Some(last) = list.last_mut().filter(|last| last.then == Then::Next) {
            last.then = Then::End;
        }
        list
    }

    fn step(&mut self, depth: usize) -> Step {
        let mut step = Step::default();
        while self.peek_word() == Some("!") {
            self.at += 1;
            step.negated = !step.negated;
        }
        loop {
            step.stages.push(self.stage(depth));
            if !self.take_op(Op::Pipe) {
                break;
            }
            while self.take_op(Op::Next) {}
        }
        step.then = match self.peek() {
            Some(Token::Op(Op::And)) => Then::And,
            Some(Token::Op(Op::Or)) => Then::Or,
            Some(Token::Op(Op::Background)) => Then::Background,
            Some(Token::Op(Op::Next)) => Then::Next,
            None => Then::End,
            _ => return Step { then: Then::Next, ..step },
        };
        self.at += usize::from(step.then != Then::End);
        step
    }

    fn stage(&mut self, depth: usize) -> Stage {
        let mut stage = Stage::default();
        if self.begins_function() {
            // A function's body runs only when called, and perhaps never.
            if depth < MAX_DEPTH {
                self.stage(depth + 1);
            }
            return stage;
        }
        if depth < MAX_DEPTH {
            stage.body = self.body(depth);
        }
        let may_hold_words = stage.body == Body::None;
        loop {
            match self.tokens.get_mut(self.at) {
                Some(Token::Word { text, inner }) if may_hold_words => {
                    stage.words.push(std::mem::take(text));
                    stage.inner.append(inner);
                }
                Some(Token::File(name)) => stage.file = Some(std::mem::take(name)),
                Some(Token::Document(text)) => stage.document = Some(std::mem::take(text)),
                _ => return stage,
            }
            self.at += 1;
        }
    }

    /// Skips the head of `f() { …; }` or `function f { …; }`, and the blank lines after it.
    fn begins_function(&mut self) -> bool {
        let is_op = |at: usize, op: Op| matches!(self.tokens.get(at), Some(Token::Op(next)) if *next == op);
        let is_word = |at: usize| matches!(self.tokens.get(at), Some(Token::Word { .. }));
        let is_called_so = self.peek_word() == Some("function") && is_word(self.at + 1);
        let name = self.at + usize::from(is_called_so);
        let has_marks = is_word(name) && is_op(name + 1, Op::Open) && is_op(name + 2, Op::Close);
        if !is_called_so && !has_marks {
            return false;
        }
        self.at = name + if has_marks { 3 } else { 1 };
        while self.take_op(Op::Next) {}
        true
    }

    /// The group or branches that begin here, if any.
    fn body(&mut self, depth: usize) -> Body {
        if self.take_op(Op::Open) {
            let list = self.list(depth + 1, &[]);
            self.take_op(Op::Close);
            return Body::Group(list);
        }
        let (closing, is_group) = match self.peek_word() {
            Some("{") => ("}", true),
            Some("if") => ("fi", false),
            Some("for" | "while" | "until" | "select") => ("done", false),
            Some("case") => ("esac", false),
            _ => return Body::None,
        };
        self.at += 1;
        let list = if is_group { self.list(depth + 1, &[closing]) } else { self.branches(depth, closing) };
        self.at += usize::from(self.peek_word() == Some(closing));
        if is_group { Body::Group(list) } else { Body::Branches(list) }
    }

    /// All lists of `if … then … fi` and similar constructs, in sequence.
    fn branches(&mut self, depth: usize, closing: &str) -> List {
        const BETWEEN: [&str; 4] = ["then", "else", "elif", "do"];
        let mut all = List::new();
        loop {
            let mut words = BETWEEN.to_vec();
            words.push(closing);
            all.append(&mut self.list(depth + 1, &words));
            if !self.peek_word().is_some_and(|word| BETWEEN.contains(&word)) {
                return all;
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests;
