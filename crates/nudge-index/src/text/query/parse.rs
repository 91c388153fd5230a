//! The query language: words, `"phrases"`, `prefix*`, `AND`, `OR`, `NOT`, parentheses.
//!
//! `NOT` binds tightest, then `AND` (also the meaning of adjacent terms without an operator), then
//! `OR`. Operators are upper case; in any other case they are words. A parenthesis inside a word
//! (`bulk_create()`) belongs to the word, and one that closes nothing but a word (`main(void x)`)
//! separates like a space: people search for code. Equal terms are one.
//!
//! More than four distinctive words in a row are a sentence, and so are more than four of any kind
//! next to an operator: nothing in a sentence is a condition, and it is never an error.

mod lex;

use std::collections::BTreeSet;

use lex::{Lexeme, Token, lex};

use super::expression::{Expression, Query, QueryError, Reading, Term};
use super::prompt::is_common;

/// The longest query that is parsed, in bytes.
pub const MAX_QUERY_BYTES: usize = 8 * 1024;

/// The most terms of an expression, counting each use: every phrase costs a pass over the entries
/// that have its words. Free text is limited to fewer, see [`Query::of_prompt`].
const MAX_TERMS: usize = 64;

/// How deep parentheses may nest; nobody types more, and the parser recurses.
const MAX_NESTING: usize = 64;

/// Parses a query; a list of words without any operator is read leniently.
pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    if text.len() > MAX_QUERY_BYTES {
        return sentence(text);
    }
    let tokens = match lex(text) {
        Err(_) if is_long(text.split_whitespace(), false) => return sentence(text),
        tokens => tokens?,
    };
    if is_sentence(&tokens) {
        return sentence(text);
    }
    // Parentheses alone group nothing: they came with pasted text, such as an error message.
    let is_plain = |token: &Token<'_>| {
        matches!(token.lexeme, Lexeme::Word { is_prefix: false, .. } | Lexeme::Open | Lexeme::Close)
    };
    if tokens.iter().all(is_plain) {
        if !is_balanced(&tokens) {
            grouped(text, &tokens)?;
        }
        return plain(text, &tokens);
    }
    let has_operator = tokens.iter().any(|token| is_operator(&token.lexeme));
    match expression(text, &tokens) {
        // Pasted data is quotes and little else; nobody types so many phrases.
        Err(_) if !has_operator && tokens.len() > MAX_TERMS => sentence(text),
        Ok(query) if !has_operator => Ok(Query { reading: Reading::Phrases, ..query }),
        read => read,
    }
}

fn sentence(text: &str) -> Result<Query, QueryError> {
    Query::of_prompt(text).ok_or_else(nothing)
}

/// Parses a query literally: adjacent terms mean AND, however many there are.
pub(super) fn strictly(text: &str) -> Result<Query, QueryError> {
    expression(text, &read(text)?)
}

fn read(text: &str) -> Result<Vec<Token<'_>>, QueryError> {
    if text.len() > MAX_QUERY_BYTES {
        return Err(QueryError::new(format!("the query is longer than {MAX_QUERY_BYTES} bytes"), 0));
    }
    lex(text)
}

/// Whether every parenthesis is closed and not empty.
fn is_balanced(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    let mut is_opened = false;
    for token in tokens {
        match token.lexeme {
            Lexeme::Open => depth += 1,
            Lexeme::Close if depth == 0 || is_opened => return false,
            Lexeme::Close => depth -= 1,
            _ => {}
        }
        is_opened = token.lexeme == Lexeme::Open;
    }
    depth == 0
}

/// The expression that operators and parentheses build, and its terms.
fn grouped(text: &str, tokens: &[Token<'_>]) -> Result<(Expression, Vec<Term>), QueryError> {
    let end = text.chars().count();
    let mut parser = Parser { tokens, next: 0, end, terms: Vec::new(), depth: 0 };
    let expression = parser.any()?.ok_or_else(nothing)?;
    Ok((expression, parser.terms))
}

fn expression(text: &str, tokens: &[Token<'_>]) -> Result<Query, QueryError> {
    let (expression, terms) = grouped(text, tokens)?;
    if expression.uses() > MAX_TERMS {
        let is_term =
            |token: &&Token<'_>| matches!(token.lexeme, Lexeme::Word { .. } | Lexeme::Quoted { .. });
        let first = tokens.iter().find(is_term).map_or(0, |token| token.at);
        return Err(QueryError::new(format!("more than {MAX_TERMS} terms, the first of them"), first));
    }
    if !expression.is_bounded() {
        let at = tokens.iter().find(|token| token.lexeme == Lexeme::Not).map_or(0, |token| token.at);
        return Err(QueryError::new("NOT needs something to take away from, as in: cache NOT test", at));
    }
    Ok(Query { expression, terms, reading: Reading::Strict })
}

fn nothing() -> QueryError {
    QueryError::new("there is no word to look for", 0)
}

/// A list of words without any operator. Common words (`the`, `of`) are searched for only if there
/// are no others.
fn plain(text: &str, tokens: &[Token<'_>]) -> Result<Query, QueryError> {
    let words = tokens.iter().filter_map(|token| match token.lexeme {
        Lexeme::Word { text, .. } => Term::typed(text, false),
        _ => None,
    });
    let mut typed: Vec<Term> = words.collect();
    if typed.iter().any(|term| !is_common(&term.label.to_lowercase())) {
        typed.retain(|term| !is_common(&term.label.to_lowercase()));
    }
    let mut terms = Vec::new();
    for term in typed {
        number(term, &mut terms);
    }
    match terms.len() {
        0 => Err(nothing()),
        1..=MAX_KEYWORDS => {
            let expression = Expression::And((0..terms.len()).map(Expression::Term).collect());
            Ok(Query { expression, terms, reading: Reading::Keywords })
        }
        // Only common words.
        _ => sentence(text),
    }
}

/// The number of a term among `terms`: terms with the same patterns are the same term.
fn number(term: Term, terms: &mut Vec<Term>) -> usize {
    terms.iter().position(|known| known.patterns == term.patterns).unwrap_or_else(|| {
        terms.push(term);
        terms.len() - 1
    })
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    end: usize,
    terms: Vec<Term>,
    depth: usize,
}

/// `None`: there were only words without a letter (`&&`), which neither find nor exclude anything.
type Parsed = Result<Option<Expression>, QueryError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.next)
    }

    fn take(&mut self, lexeme: &Lexeme<'_>) -> bool {
        let is_it = self.peek().is_some_and(|token| token.lexeme == *lexeme);
        self.next += usize::from(is_it);
        is_it
    }

    fn any(&mut self) -> Parsed {
        let mut parts = Vec::from_iter(self.all()?);
        while self.take(&Lexeme::Or) {
            parts.extend(self.all()?);
        }
        Ok(one_or(parts, Expression::Or))
    }

    fn all(&mut self) -> Parsed {
        let mut parts = Vec::from_iter(self.not()?);
        loop {
            let is_explicit = self.take(&Lexeme::And);
            match self.peek().map(|token| &token.lexeme) {
                None | Some(Lexeme::Or | Lexeme::Close) if !is_explicit => break,
                _ => parts.extend(self.not()?),
            }
        }
        Ok(one_or(parts, Expression::And))
    }

    fn not(&mut self) -> Parsed {
        let mut is_negated = false;
        while self.take(&Lexeme::Not) {
            is_negated = !is_negated;
        }
        let part = self.primary()?;
        Ok(if is_negated { part.map(|part| Expression::Not(Box::new(part))) } else { part })
    }

    fn primary(&mut self) -> Parsed {
        let Some(token) = self.peek() else {
            let at = self.tokens.last().map_or(self.end, |token| token.at);
            return Err(QueryError::new(self.dangling(), at));
        };
        match token.lexeme {
            Lexeme::Word { text, is_prefix } | Lexeme::Quoted { text, is_prefix } => {
                self.next += 1;
                let found = Term::typed(text, is_prefix).map(|term| number(term, &mut self.terms));
                if self.terms.len() > MAX_TERMS {
                    let message = format!("more than {MAX_TERMS} different terms, the next of them");
                    return Err(QueryError::new(message, token.at));
                }
                Ok(found.map(Expression::Term))
            }
            Lexeme::Open => self.group(token.at),
            Lexeme::And | Lexeme::Or | Lexeme::Not => {
                Err(QueryError::new(format!("{} without a word before it", token.lexeme.name()), token.at))
            }
            Lexeme::Close => Err(QueryError::new(self.closing(), token.at)),
        }
    }

    fn group(&mut self, at: usize) -> Parsed {
        self.next += 1;
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(QueryError::new(format!("more than {MAX_NESTING} nested parentheses"), at));
        }
        let inner = self.any()?;
        if !self.take(&Lexeme::Close) {
            return Err(QueryError::new("unclosed parenthesis", at));
        }
        self.depth -= 1;
        Ok(inner)
    }

    fn dangling(&self) -> String {
        match self.tokens.last().map(|token| &token.lexeme) {
            Some(Lexeme::Open) => "unclosed parenthesis".into(),
            Some(last) => format!("{} without a word after it", last.name()),
            None => "there is no word to look for".into(),
        }
    }

    fn closing(&self) -> String {
        match self.next.checked_sub(1).map(|last| &self.tokens[last].lexeme) {
            Some(last @ (Lexeme::And | Lexeme::Or | Lexeme::Not)) => {
                format!("{} without a word after it, before the closing parenthesis", last.name())
            }
            _ => "parentheses with nothing in them".into(),
        }
    }
}

/// Merges equal parts.
fn one_or(found: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Option<Expression> {
    let mut parts: Vec<Expression> = Vec::with_capacity(found.len());
    for part in found {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(join(parts)),
    }
}

// Whether a text is a query, or a sentence, in which nothing is a condition.

/// Up to this many plain words are all required; a longer list is a sentence. Words like `the` do
/// not count.
const MAX_KEYWORDS: usize = 4;

const fn is_operator(lexeme: &Lexeme<'_>) -> bool {
    matches!(lexeme, Lexeme::And | Lexeme::Or | Lexeme::Not)
}

/// Whether the text has more words in a row, without an operator, than people type as a query.
/// Phrases do not count. People who type an operator leave out common words; people who write NOT
/// in a sentence do not.
fn is_sentence(tokens: &[Token<'_>]) -> bool {
    let has_operator = tokens.iter().any(|token| is_operator(&token.lexeme));
    if has_small_words(tokens, has_operator) {
        return true;
    }
    let mut runs = tokens.split(|token| is_operator(&token.lexeme));
    runs.any(|run| {
        let words = run.iter().filter_map(|token| match token.lexeme {
            Lexeme::Word { text, .. } => Some(text),
            _ => None,
        });
        is_long(words, has_operator)
    })
}

/// Whether a text with operators or phrases has so many different common words that it is a
/// sentence with NOT or quotation marks in it.
fn has_small_words(tokens: &[Token<'_>], has_operator: bool) -> bool {
    let has_phrase = tokens.iter().any(|token| matches!(token.lexeme, Lexeme::Quoted { .. }));
    let words = tokens.iter().filter_map(|token| match token.lexeme {
        Lexeme::Word { text, .. } => Some(text.to_lowercase()),
        _ => None,
    });
    let small: BTreeSet<String> = words.filter(|word| is_common(word)).collect();
    has_operator && small.len() >= 3 || has_phrase && small.len() >= 2
}

/// Whether these are more than four words; `counts_small` includes common ones.
fn is_long<'w>(words: impl Iterator<Item = &'w str>, counts_small: bool) -> bool {
    let mut terms = Vec::new();
    for term in words.filter_map(|word| Term::typed(word, false)) {
        if counts_small || !is_common(&term.label.to_lowercase()) {
            number(term, &mut terms);
        }
        if terms.len() > MAX_KEYWORDS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse(text) {
            Err(error) => error.to_string(),
            Ok(query) => show(&query.expression, &query.terms),
        }
    }

    fn show(expression: &Expression, terms: &[Term]) -> String {
        let join = |parts: &[Expression], by: &str| {
            let shown: Vec<_> = parts.iter().map(|part| show(part, terms)).collect();
            format!("({})", shown.join(by))
        };
        match expression {
            Expression::Term(index) => terms[*index].label.clone(),
            Expression::And(parts) => join(parts, " & "),
            Expression::Or(parts) => join(parts, " | "),
            Expression::Not(part) => format!("!{}", show(part, terms)),
        }
    }

    #[test]
    fn operators_bind_as_one_reads_them() {
        assert_eq!(shown("a AND b OR c NOT d"), "((a & b) | (c & !d))");
        assert_eq!(shown("(a OR b) c"), "((a | b) & c)");
        assert_eq!(shown("\"foo bar\" conf*"), "(foo bar & conf)");
        assert_eq!(shown("x and (y)"), "(x & y)");
        assert_eq!(shown("x* and (y)"), "(x & and & y)");
        let pasted = parse("byte index 3 is no boundary (see the backtrace)").map(|query| query.reading);
        assert_eq!(pasted, Ok(Reading::Sentence));
    }

    #[test]
    fn plain_words_are_those_that_tell() {
        assert_eq!(shown("the size of the cache"), "(size & cache)");
        assert_eq!(shown("to be"), "(to & be)");
        assert_eq!(parse("cache").map(|query| query.reading), Ok(Reading::Keywords));
        assert_eq!(
            parse("one cache two stores three feeds").map(|query| query.reading),
            Ok(Reading::Sentence)
        );
    }

    #[test]
    fn strictly_means_every_word() {
        let query = strictly("one cache two stores of three feeds").expect("well-formed");
        assert_eq!((query.reading, query.terms.len(), query.may_relax()), (Reading::Strict, 7, false));
        assert_eq!(strictly("cache stores").map(|query| query.may_relax()), Ok(false));
        assert_eq!(strictly("a OR b"), parse("a OR b"));
    }

    #[test]
    fn code_is_words() {
        assert_eq!(shown("bulk_create() OR (foo(x) OPS-1234)"), "(bulk_create() | (foo(x) & OPS-1234))");
        assert_eq!(shown("foo && bar OR x"), "((foo & bar) | x)");
        assert_eq!(shown("main(void x)"), "(main(void & x)");
        assert_eq!(shown("println!(\"x\")"), "(println!( & x)");
        assert_eq!(shown("NEAR(a b) OR c"), "((NEAR(a & b) | c)");
        assert_eq!(shown("(x OR foo(a b) c) d"), "((x | (foo(a & b & c)) & d)");
        assert_eq!(shown("a OR b) c"), "(a | (b & c))");
        assert_eq!(shown("if x) { y(1) })"), "(x & y(1))");
    }

    #[test]
    fn equal_terms_are_one() {
        let terms = |text: &str| parse(text).map(|query| query.terms.len());
        assert_eq!(terms("cache Cache caches cache cache"), Ok(1));
        assert_eq!(terms(&"\"the same phrase\" ".repeat(300)), Ok(1));
        assert_eq!(shown(&"\"the same phrase\" ".repeat(300)), "the same phrase");
        assert_eq!(shown("(a OR b) (a OR b) NOT c NOT c"), "((a | b) & !c)");
        assert_eq!(shown("a (a (a OR a))"), "a");
    }

    #[test]
    fn terms_are_counted() {
        let many =
            |count: usize| (0..count).map(|number| format!("w{number}*")).collect::<Vec<_>>().join(" OR ");
        assert_eq!(parse(&many(MAX_TERMS)).map(|query| query.terms.len()), Ok(MAX_TERMS));
        assert_eq!(
            shown(&many(MAX_TERMS + 1)),
            "more than 64 different terms, the next of them at character 503"
        );
        let pairs = |count: usize| -> String {
            let pair = |number: usize| format!("(w{}* v{}*)", number / 8, number % 8);
            (0..count).map(pair).collect::<Vec<_>>().join(" OR ")
        };
        assert!(parse(&pairs(32)).is_ok());
        assert_eq!(shown(&pairs(33)), "more than 64 terms, the first of them at character 2");
        let plain: String = (0..200).map(|number| format!("w{number} ")).collect();
        assert_eq!(parse(&plain).map(|query| query.reading), Ok(Reading::Sentence));
    }

    #[test]
    fn errors_say_what_and_where() {
        assert_eq!(shown("say \"hello"), "unclosed quote at character 5");
        assert_eq!(shown("(a OR b"), "unclosed parenthesis at character 1");
        assert_eq!(shown("f(a OR (b"), "unclosed parenthesis at character 8");
        assert_eq!(shown("a AND"), "AND without a word after it at character 3");
        assert_eq!(shown("OR a"), "OR without a word before it at character 1");
        assert_eq!(shown("a AND OR b"), "OR without a word before it at character 7");
        assert_eq!(
            shown("(a OR )"),
            "OR without a word after it, before the closing parenthesis at character 7"
        );
        assert_eq!(shown("()"), "parentheses with nothing in them at character 2");
        assert_eq!(
            shown("NOT a"),
            "NOT needs something to take away from, as in: cache NOT test at character 1"
        );
        assert_eq!(shown(""), "there is no word to look for at character 1");
        assert_eq!(shown("&& ||"), "there is no word to look for at character 1");
    }
}
