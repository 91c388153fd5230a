//! The declarations, imports and mentions in one file.

use std::collections::BTreeSet;

use crate::rust_text::code_only;

/// One name from a `use`; a glob has the alias `*`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) alias: String,
    /// Re-exported with `pub` of any visibility.
    pub(super) public: bool,
    /// How many inline modules it is in.
    pub(super) depth: usize,
}

/// A path in code, such as `crate::a::b` or `Kind::One`; or a single name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mention {
    pub(super) path: Vec<String>,
    pub(super) depth: usize,
}

/// Everything about one file that the graph of its crate needs.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub(super) imports: Vec<Import>,
    pub(super) mentions: BTreeSet<Mention>,
    pub(super) defined: BTreeSet<String>,
    pub(super) test_modules: Vec<String>,
}

/// Keywords before a name that the file defines.
const DEFINE: &[&str] = &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"];

impl Surface {
    pub(super) fn read(source: &str) -> Self {
        let Tokens { list, test_modules } = read(source);
        let mut surface = Self { test_modules, ..Self::default() };
        Walk { tokens: &list, at: 0, braces: 0, inline: Vec::new() }.run(&mut surface);
        surface
    }

    /// Whether the file's own code uses this name, apart from imports.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| mention.path[0] == name)
    }

    /// Whether the file's own code uses a path into this module.
    pub(super) fn looks_into(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| mention.path.len() > 1 && mention.path[0] == name)
    }
}

/// A walk over the tokens of one file.
struct Walk<'a> {
    tokens: &'a [Token],
    at: usize,
    braces: usize,
    /// How many braces were open where each inline module began.
    inline: Vec<usize>,
}

impl Walk<'_> {
    fn run(mut self, surface: &mut Surface) {
        while self.at < self.tokens.len() {
            self.step(surface);
        }
    }

    fn token(&self, offset: usize) -> &str {
        self.tokens.get(self.at + offset).map_or("", String::as_str)
    }

    fn step(&mut self, surface: &mut Surface) {
        match self.token(0) {
            "{" => (self.braces, self.at) = (self.braces + 1, self.at + 1),
            "}" => self.close_brace(),
            "pub" => self.visibility(surface),
            "use" if self.token(1) != "<" => self.import(false, surface),
            "macro_rules" => {
                surface.defined.insert(self.token(2).to_owned());
                self.at += 3;
            }
            "." if is_word(self.token(1)) => self.at += 2,
            "::" => self.rooted(),
            word if DEFINE.contains(&word) && is_word(self.token(1)) => self.definition(surface),
            word if is_word(word) => self.mention(surface),
            _ => self.at += 1,
        }
    }

    fn close_brace(&mut self) {
        self.braces = self.braces.saturating_sub(1);
        if self.inline.last() == Some(&self.braces) {
            self.inline.pop();
        }
        self.at += 1;
    }

    fn visibility(&mut self, surface: &mut Surface) {
        self.at = skip_visibility(self.tokens, self.at);
        if self.token(0) == "use" {
            self.import(true, surface);
        }
    }

    /// A path from the root of all crates, or the rest of one after `>`: not ours.
    fn rooted(&mut self) {
        while self.token(0) == "::" {
            self.at += if is_word(self.token(1)) { 2 } else { 1 };
        }
    }

    fn definition(&mut self, surface: &mut Surface) {
        // `const fn name`, `const unsafe fn name`: the name comes later.
        if !["fn", "unsafe", "async", "extern", "mut"].contains(&self.token(1)) {
            surface.defined.insert(self.token(1).to_owned());
            if self.token(0) == "mod" && self.token(2) == "{" {
                self.inline.push(self.braces);
            }
            self.at += 1;
        }
        self.at += 1;
    }

    fn mention(&mut self, surface: &mut Surface) {
        let mut path = vec![self.token(0).to_owned()];
        while self.token(1) == "::" && is_word(self.token(2)) {
            path.push(self.token(2).to_owned());
            self.at += 2;
        }
        self.at += 1;
        surface.mentions.insert(Mention { path, depth: self.inline.len() });
    }

    fn import(&mut self, public: bool, surface: &mut Surface) {
        let end = (self.at..self.tokens.len())
            .find(|index| self.tokens[*index] == ";")
            .unwrap_or(self.tokens.len());
        let mut leaves = Vec::new();
        tree(&self.tokens[self.at + 1..end], &[], &mut leaves);
        let depth = self.inline.len();
        let import = |(path, alias)| Import { path, alias, public, depth };
        surface.imports.extend(leaves.into_iter().map(import));
        self.at = end + 1;
    }
}

/// The leaves of one `use` tree: each path and its local name.
fn tree(tokens: &[Token], before: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let mut path = before.to_vec();
    let mut alias = None;
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" => {
                let end = close(tokens, at);
                for branch in branches(&tokens[at + 1..end - 1]) {
                    tree(branch, &path, leaves);
                }
                return;
            }
            "*" => {
                leaves.push((path, "*".to_owned()));
                return;
            }
            "as" => alias = tokens.get(at + 1).cloned(),
            "self" if !path.is_empty() => {}
            word if is_word(word) && alias.is_none() => path.push(word.to_owned()),
            _ => {}
        }
        at += 1;
    }
    if let Some(last) = path.last().cloned() {
        leaves.push((path, alias.unwrap_or(last)));
    }
}

/// The parts between the commas of one pair of braces.
fn branches(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut found, mut from, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" => at = close(tokens, at),
            "," => {
                found.push(&tokens[from..at]);
                (from, at) = (at + 1, at + 1);
            }
            _ => at += 1,
        }
    }
    found.push(&tokens[from..]);
    found.into_iter().filter(|branch| !branch.is_empty()).collect()
}

// The words and punctuation of a Rust file, without comments, literals and test-only items.

/// A word, `::`, or one other punctuation character.
type Token = String;

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
fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The index after the bracket that closes the one at `open`.
fn close(tokens: &[Token], open: usize) -> usize {
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
fn skip_visibility(tokens: &[Token], at: usize) -> usize {
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

    fn imports(source: &str) -> Vec<String> {
        let surface = Surface::read(source);
        let shown = surface.imports.iter().map(|import| {
            let public = if import.public { "pub " } else { "" };
            format!("{public}{} as {}", import.path.join("::"), import.alias)
        });
        shown.collect()
    }

    fn mentions(source: &str) -> Vec<String> {
        Surface::read(source).mentions.iter().map(|mention| mention.path.join("::")).collect()
    }

    #[test]
    fn a_use_tree_has_a_leaf_for_each_name() {
        assert_eq!(
            imports("use crate::a::{self, b::{C, D as E}, f::*}; pub(crate) use super::g;"),
            [
                "crate::a as a",
                "crate::a::b::C as C",
                "crate::a::b::D as E",
                "crate::a::f as *",
                "pub super::g as g"
            ]
        );
    }

    #[test]
    fn code_mentions_paths_and_names_but_no_fields_and_no_visibility() {
        let found =
            mentions("pub(in crate::x) fn f() { crate::a::b(y.field, self::c); ::std::d(); Kind::<T>::e() }");
        assert_eq!(found, ["Kind", "T", "crate::a::b", "self::c", "y"]);
    }

    #[test]
    fn a_file_knows_what_it_defines() {
        let surface = Surface::read(
            "pub const fn f() {} struct S; macro_rules! m { () => {} } mod inner { fn g() {} }",
        );
        assert_eq!(
            surface.defined.iter().map(String::as_str).collect::<Vec<_>>(),
            ["S", "f", "g", "inner", "m"]
        );
    }

    #[test]
    fn inside_an_inline_module_paths_start_one_deeper() {
        let surface = Surface::read("mod inner { use super::A; fn f() {} } use super::B;");
        assert_eq!(surface.imports.iter().map(|import| import.depth).collect::<Vec<_>>(), [1, 0]);
    }

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
