//! The words and punctuation of a Rust file, without comments, literals and test-only items.

use crate::rust_text::code_only;

/// A word, `::`, or one other punctuation character.
pub(super) type Token = String;

/// The tokens that the compiler sees outside tests.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// Modules declared only for tests: `#[cfg(test)] mod name;`.
    pub(super) test_modules: Vec<String>,
}

/// Items that end with `;`, with or without braces inside.
const END_WITH_SEMICOLON: &[&str] = &["use", "const", "static", "type", "let"];

/// Items that end with `;` or with their block.
const END_WITH_BLOCK: &[&str] =
    &["fn", "mod", "struct", "enum", "union", "impl", "trait", "unsafe", "async", "extern", "macro_rules"];

/// Reads a file and leaves out test-only items.
pub(super) fn read(source: &str) -> Tokens {
    let all = split(&code_only(source));
    let mut tokens = Tokens::default();
    let mut at = 0;
    while at < all.len() {
        if let Some((inner, end)) = test_attribute(&all, at) {
            if inner {
                return Tokens::default();
            }
            let item = skip_attributes(&all, end);
            let next = item_end(&all, item);
            tokens.test_modules.extend(declared_module(&all[item..next]));
            at = next;
        } else {
            tokens.list.push(all[at].clone());
            at += 1;
        }
    }
    tokens
}

/// Whether a token is a name or a keyword.
pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The index after the bracket that closes the one at `open`.
pub(super) fn close(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (offset, token) in tokens[open..].iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + offset + 1;
        }
    }
    tokens.len()
}

fn split(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let length = match word {
            0 if rest.starts_with("::") => 2,
            0 => first.len_utf8(),
            word => word,
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

/// A test-only attribute that starts here: whether it is an inner one (`#!`), and where it ends.
fn test_attribute(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let inner = tokens.get(at + 1).is_some_and(|token| token == "!");
    let open = at + 1 + usize::from(inner);
    if tokens[at] != "#" || tokens.get(open)? != "[" || tokens.get(open + 1)? != "cfg" {
        return None;
    }
    let end = close(tokens, open);
    let says = |word: &str| tokens[open..end].iter().any(|token| token == word);
    (says("test") && !says("not")).then_some((inner, end))
}

fn skip_attributes(tokens: &[Token], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|token| token == "#") {
        at = close(tokens, at + 1);
    }
    at
}

/// Where the item, field or statement that starts here ends.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let at = skip_visibility(tokens, start);
    let word = tokens.get(at).map_or("", String::as_str);
    let ends: &[&str] = match word {
        _ if END_WITH_SEMICOLON.contains(&word) => &[";"],
        _ if END_WITH_BLOCK.contains(&word) => &[";", "{"],
        _ => &[",", ";"],
    };
    let mut at = at;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        if ends.contains(&token) {
            return if token == "{" { close(tokens, at) } else { at + 1 };
        }
        match token {
            "(" | "[" | "{" => at = close(tokens, at),
            ")" | "]" | "}" => return at,
            _ => at += 1,
        }
    }
    tokens.len()
}

/// Skips `pub`, `pub(crate)` and similar.
pub(super) fn skip_visibility(tokens: &[Token], at: usize) -> usize {
    if tokens.get(at).is_none_or(|token| token != "pub") {
        return at;
    }
    let scoped = tokens.get(at + 1).is_some_and(|token| token == "(")
        && tokens.get(at + 2).is_some_and(|token| ["crate", "super", "self", "in"].contains(&token.as_str()));
    if scoped { close(tokens, at + 1) } else { at + 1 }
}

fn declared_module(item: &[Token]) -> Option<String> {
    let at = skip_visibility(item, 0);
    let declares = item.get(at)? == "mod" && item.get(at + 2)? == ";";
    declares.then(|| item[at + 1].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(source: &str) -> String {
        read(source).list.join(" ")
    }

    #[test]
    fn what_only_tests_see_is_left_out() {
        assert_eq!(left("a::b(); #[cfg(test)] mod tests { use c::d; } e"), "a :: b ( ) ; e");
        assert_eq!(left("#[cfg(test)] #[allow(x)] pub(crate) use a::{b, c}; d"), "d");
        assert_eq!(left("#[cfg(all(test, unix))] fn f() { g() } h"), "h");
        assert_eq!(left("struct S { #[cfg(test)] pub a: A, b: B }"), "struct S { b : B }");
        assert_eq!(left("#[cfg(not(test))] fn f() {}"), "# [ cfg ( not ( test ) ) ] fn f ( ) { }");
        assert_eq!(left("#![cfg(test)] use a::b;"), "");
    }

    #[test]
    fn modules_for_tests_are_named() {
        assert_eq!(read("mod a; #[cfg(test)] pub(crate) mod sample;").test_modules, ["sample"]);
    }

    #[test]
    fn comments_and_strings_are_no_tokens() {
        assert_eq!(left("a /* b::c */ (\"crate::d\") // e"), "a ( )");
    }
}
