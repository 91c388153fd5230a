//! Splits a command line into words and operators.

use std::collections::VecDeque;

use nudge_core::text::first_bytes;

use super::MAX_DEPTH;

/// The rest of a longer line is ignored; people and agents write less.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// A token of a command line, without quotes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, and the command lines of `$(…)` in it.
    Word {
        text: String,
        inner: Vec<String>,
    },
    /// The command line of `<(…)` or `>(…)`.
    Process(String),
    Op(Op),
    /// Standard output goes to this file.
    File(String),
    /// The text of a here-document.
    Document(String),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    And,
    Or,
    Pipe,
    /// `;` or the end of a line.
    Next,
    Background,
    Open,
    Close,
}

/// What the next word is for.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
enum Awaits {
    #[default]
    Word,
    /// The file after `>`.
    File,
    /// The file after `<` or `2>`, which is ignored.
    Nothing,
}

#[derive(Default)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// The nesting depth of this substitution.
    depth: usize,
    /// Whether `$(cat <<EOF …)` in a word stands for the text of its here-document.
    fills_documents: bool,
    word: Option<String>,
    inner: Vec<String>,
    awaits: Awaits,
    /// The end words of the pending here-documents, in order.
    documents: VecDeque<String>,
    tokens: Vec<Token>,
}

impl<'a> Lexer<'a> {
    /// The tokens of a line. What `$(…)` prints is unknown, so it leaves nothing in its word.
    pub(super) fn tokens(line: &'a str) -> Vec<Token> {
        Lexer { rest: first_bytes(line, MAX_LINE_BYTES), ..Lexer::default() }.run()
    }

    /// Like [`Self::tokens`]; but the text of a here-document in `$(…)` is known, and becomes part
    /// of the word, because that is how messages are passed.
    pub(super) fn tokens_with_documents(line: &'a str) -> Vec<Token> {
        let rest = first_bytes(line, MAX_LINE_BYTES);
        Lexer { rest, fills_documents: true, ..Lexer::default() }.run()
    }

    fn run(self) -> Vec<Token> {
        let mut lexer = self;
        while let Some(next) = lexer.take() {
            lexer.step(next);
        }
        lexer.end_word();
        lexer.tokens
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.skip(next.len_utf8());
        Some(next)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn step(&mut self, next: char) {
        match next {
            '\n' => {
                self.op(Op::Next, 0);
                self.take_documents();
            }
            ';' => self.op(Op::Next, 0),
            '&' if self.rest.starts_with('&') => self.op(Op::And, 1),
            '&' if self.rest.starts_with('>') => {
                self.skip(1);
                self.redirect("");
            }
            '&' => self.op(Op::Background, 0),
            '|' if self.rest.starts_with('|') => self.op(Op::Or, 1),
            '|' => self.op(Op::Pipe, usize::from(self.rest.starts_with('&'))),
            '(' if self.word.as_deref().is_some_and(|word| word.ends_with('=')) => {
                let list = self.enclosed();
                self.word.get_or_insert_default().push_str(list);
            }
            '(' => self.op(Op::Open, 0),
            ')' => self.op(Op::Close, 0),
            '#' if self.word.is_none() => self.skip(self.rest.find('\n').unwrap_or(self.rest.len())),
            '>' => {
                let descriptor = self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
                self.end_word();
                self.redirect(descriptor.as_deref().unwrap_or_default());
            }
            '<' => self.input(),
            next if next.is_whitespace() => self.end_word(),
            next => self.in_word(next),
        }
    }

    fn op(&mut self, op: Op, more: usize) {
        self.end_word();
        self.awaits = Awaits::Word;
        self.skip(more);
        self.tokens.push(Token::Op(op));
    }

    /// After `>`: the next word is the file, unless it is another descriptor or a command.
    fn redirect(&mut self, descriptor: &str) {
        self.end_word();
        self.skip(usize::from(self.rest.starts_with(['>', '|'])));
        if let Some(rest) = self.rest.strip_prefix('&') {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
            self.rest = rest;
            if digits > 0 {
                self.skip(digits);
                return;
            }
        }
        if self.rest.starts_with('(') {
            // `>(tee log)` shows its input.
            self.push_process();
            return;
        }
        self.awaits = if matches!(descriptor, "" | "1") { Awaits::File } else { Awaits::Nothing };
    }

    /// After `<`: a file, a text or a here-document.
    fn input(&mut self) {
        let descriptor = self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        if descriptor.is_none() {
            self.end_word();
        }
        if self.rest.starts_with("<<") {
            self.skip(2);
        } else if self.rest.starts_with('<') {
            self.document();
            return;
        } else if self.rest.starts_with('(') {
            self.push_process();
            return;
        }
        self.awaits = Awaits::Nothing;
    }

    /// `<<WORD`, `<<-WORD` or `<<'WORD'`; the first `<` is already consumed.
    fn document(&mut self) {
        let (word, rest) = document_end(self.rest);
        self.rest = rest;
        if !word.is_empty() {
            self.documents.push_back(word);
        }
    }

    /// The here-documents that begin after this line. They belong to the command before it.
    fn take_documents(&mut self) {
        while let Some(end) = self.documents.pop_front() {
            let (text, rest) = document_text(self.rest, &end);
            self.rest = rest;
            let before_line_end = self.tokens.len().saturating_sub(1);
            self.tokens.insert(before_line_end, Token::Document(text));
        }
    }

    /// A character of a word, with anything that it opens.
    fn in_word(&mut self, next: char) {
        match next {
            '\\' => match self.take() {
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            '\'' => {
                let (quoted, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                self.word.get_or_insert_default().push_str(quoted);
                self.rest = rest;
            }
            '"' => self.in_double_quotes(),
            '$' if self.rest.starts_with('(') => {
                self.skip(1);
                self.push_inner();
            }
            '`' => {
                let (line, rest) = self.rest.split_once('`').unwrap_or((self.rest, ""));
                self.rest = rest;
                self.inner.push(line.to_owned());
                self.word.get_or_insert_default();
            }
            next => self.push(next),
        }
    }

    fn in_double_quotes(&mut self) {
        self.word.get_or_insert_default();
        while let Some(next) = self.take() {
            match next {
                '"' => return,
                '\\' => match self.take() {
                    Some('\n') | None => {}
                    Some(escaped) if "\"\\$`".contains(escaped) => self.push(escaped),
                    Some(other) => {
                        self.push('\\');
                        self.push(other);
                    }
                },
                '$' | '`' => self.in_word(next),
                next => self.push(next),
            }
        }
    }

    fn push_inner(&mut self) {
        let line = self.enclosed();
        let word = self.word.get_or_insert_default();
        if self.fills_documents {
            word.extend(Self::tokens(line).into_iter().filter_map(|token| match token {
                Token::Document(text) => Some(text),
                _ => None,
            }));
        }
        self.inner.push(line.to_owned());
    }

    fn push_process(&mut self) {
        self.skip(1);
        let line = self.enclosed().to_owned();
        self.tokens.push(Token::Process(line));
    }

    /// The text up to the closing parenthesis; the opening one is already consumed. Parentheses in
    /// quotes or in a here-document do not count.
    fn enclosed(&mut self) -> &'a str {
        let text = self.rest;
        let mut within = Lexer { rest: text, depth: self.depth + 1, ..Lexer::default() };
        let mut open = 1_u32;
        while let Some(next) = within.take().filter(|_| self.depth < MAX_DEPTH) {
            within.step(next);
            match within.tokens.pop() {
                Some(Token::Op(Op::Open)) => open += 1,
                Some(Token::Op(Op::Close)) => open -= 1,
                // Here-documents are inserted before the end of the line.
                Some(other) => within.tokens = vec![other],
                None => {}
            }
            if open == 0 {
                self.rest = within.rest;
                let length = text.len() - within.rest.len() - 1;
                return text.get(..length).unwrap_or_default();
            }
        }
        self.rest = "";
        text
    }

    fn push(&mut self, next: char) {
        self.word.get_or_insert_default().push(next);
    }

    fn end_word(&mut self) {
        let Some(text) = self.word.take() else { return };
        let inner = std::mem::take(&mut self.inner);
        match std::mem::take(&mut self.awaits) {
            Awaits::Word => self.tokens.push(Token::Word { text, inner }),
            Awaits::File => self.tokens.push(Token::File(text)),
            Awaits::Nothing => {}
        }
    }
}

/// The end word of a here-document that begins with `<WORD`, `<-WORD` or `<'WORD'` (after the first
/// `<`), and the text after it.
fn document_end(rest: &str) -> (String, &str) {
    let rest = rest.get(1..).unwrap_or_default();
    let rest = rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
    let end = rest.find(|c: char| c.is_whitespace() || ";|&()<>".contains(c)).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    (word.chars().filter(|c| !"'\"\\".contains(*c)).collect(), rest)
}

/// The text of a here-document up to its end line, and the text after that line.
fn document_text<'t>(mut rest: &'t str, end: &str) -> (String, &'t str) {
    let mut text = String::new();
    while !rest.is_empty() {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = behind;
        if line.trim_start_matches('\t').trim_end() == end {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    (text, rest)
}
