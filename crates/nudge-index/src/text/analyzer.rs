//! The analyzer: text to words, the same for indexed text, scanned text and queries.
//!
//! A *name* is a run of letters and digits, joined by `_`, `-` or `'`. It is split where its case
//! or its kind of character changes, each part at a position of its own. A name of several parts is
//! also kept whole, without its joiners, at the position of its first part: `getUserName`,
//! `get_user_name` and `get-user-name` are the same three parts and the same whole. Everything else
//! (`/`, `.`, `::`, spaces) separates names and takes no position, so a path is a phrase of its
//! segments. `++` or `#` directly after a name, and a dot directly before it, make one more word of
//! that part and the sign: `c++`, `f#`, `.net` are found as such and by `c`, `f`, `net`. English
//! words are indexed as written and as their stem, both at the same position. Scripts without
//! spaces are indexed as single characters and as pairs, symbols one by one.
//!
//! Any change to this output needs a new [`VERSION`].

mod name;
mod word;

use name::Name;
pub(crate) use word::{Form, Word};
use word::{Letter, Sign, fold, letter};

/// The version of this analyzer's output. An index built with another version is rebuilt.
pub(crate) const VERSION: u32 = 3;

/// The words of one text. Created once and refilled, so that analyzing allocates little.
#[derive(Clone, Default)]
pub(crate) struct Words {
    letters: String,
    spans: Vec<Span>,
    stems: name::Stems,
    parts: Vec<name::Part>,
}

#[derive(Copy, Clone)]
struct Span {
    start: u32,
    end: u32,
    position: u32,
    form: Form,
    name: u32,
}

impl Words {
    /// The words of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.analyze(text);
        words
    }

    /// For many texts: see [`Words::analyze`].
    pub(crate) fn with_memory() -> Self {
        Self { stems: name::Stems::with_memory(), ..Self::default() }
    }

    /// Replaces the content with the words of `text`.
    pub(crate) fn analyze(&mut self, text: &str) {
        self.letters.clear();
        self.spans.clear();
        let folded = fold(text);
        let mut cursor = Cursor::default();
        let mut rest = folded.chars().peekable();
        let mut name = Name::default();
        let mut before = None;
        while let Some(c) = rest.next() {
            match letter(c) {
                kind @ (Letter::Upper | Letter::Lower | Letter::Digit) => name.push(c, kind),
                Letter::Joiner if !name.is_empty() && rest.peek().is_some_and(|&next| is_inner(next)) => {
                    name.join(c);
                }
                Letter::Silent => {}
                Letter::Dense => {
                    self.end(&mut name, &mut cursor);
                    self.dense(c, rest.peek().copied(), &mut cursor);
                }
                Letter::Symbol => {
                    self.end(&mut name, &mut cursor);
                    self.symbol(c, &mut cursor);
                }
                Letter::Joiner | Letter::Gap => {
                    let mut ahead = rest.clone();
                    let sign = Sign::read(before, c, [ahead.next(), ahead.next()]);
                    if !name.is_empty()
                        && let Some(sign @ (Sign::Plus | Sign::Sharp)) = sign
                    {
                        name.end_with(sign);
                    }
                    self.end(&mut name, &mut cursor);
                    if let Some(sign @ (Sign::Dot | Sign::InnerDot)) = sign {
                        name.begin_with(sign);
                    }
                }
            }
            before = Some(c);
        }
        self.end(&mut name, &mut cursor);
    }

    /// All words, in the order of their positions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Word<'_>> {
        (0..self.spans.len()).map(|index| self.at(index))
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The number of positions they take.
    pub(crate) fn positions(&self) -> u32 {
        self.spans.iter().map(|span| span.position + 1).max().unwrap_or(0)
    }

    /// The word at this index.
    pub(crate) fn at(&self, index: usize) -> Word<'_> {
        let Span { start, end, position, form, name } = self.spans[index];
        Word { text: &self.letters[start as usize..end as usize], position, form, name }
    }

    fn end(&mut self, name: &mut Name, cursor: &mut Cursor) {
        if name.is_empty() {
            return;
        }
        name.split(&mut self.parts);
        let whole_at = cursor.position;
        for index in 0..self.parts.len() {
            let part = self.parts[index];
            let start = self.letters.len();
            self.letters.push_str(name.text(part));
            self.close(start, cursor.position, Form::Part, cursor.name);
            self.stem(start, cursor.position, Form::Stem, cursor.name);
            self.sign(name, index, cursor);
            cursor.position += 1;
        }
        if self.parts.len() > 1 {
            let start = self.letters.len();
            name.push_whole(&mut self.letters);
            self.close(start, whole_at, Form::Whole, cursor.name);
            self.stem(start, whole_at, Form::WholeStem, cursor.name);
        }
        cursor.name += 1;
        name.clear();
    }

    /// Adds the part at `index` together with the sign before or after it.
    fn sign(&mut self, name: &mut Name, index: usize, cursor: &Cursor) {
        let [before, after] = name.signs();
        if let Some(sign) = before.filter(|_| index == 0) {
            let start = self.letters.len();
            self.letters.push_str(sign.text());
            self.letters.push_str(name.text(self.parts[index]));
            self.close(start, cursor.position, sign.form(), cursor.name);
        }
        if let Some(sign) = after.filter(|_| index + 1 == self.parts.len()) {
            let start = self.letters.len();
            self.letters.push_str(name.text(self.parts[index]));
            self.letters.push_str(sign.text());
            self.close(start, cursor.position, sign.form(), cursor.name);
        }
    }

    fn stem(&mut self, start: usize, position: u32, form: Form, name: u32) {
        let end = self.letters.len();
        if let Some(stem) = self.stems.of(&self.letters[start..end]) {
            self.letters.push_str(stem);
            self.close(end, position, form, name);
        }
    }

    fn dense(&mut self, c: char, next: Option<char>, cursor: &mut Cursor) {
        let start = self.letters.len();
        self.letters.push(c);
        self.close(start, cursor.position, Form::Single, cursor.name);
        match next.filter(|&next| letter(next) == Letter::Dense) {
            Some(next) => {
                let start = self.letters.len();
                self.letters.extend([c, next]);
                self.close(start, cursor.position, Form::Pair, cursor.name);
            }
            None => cursor.name += 1,
        }
        cursor.position += 1;
    }

    fn symbol(&mut self, c: char, cursor: &mut Cursor) {
        let start = self.letters.len();
        self.letters.push(c);
        self.close(start, cursor.position, Form::Part, cursor.name);
        cursor.position += 1;
        cursor.name += 1;
    }

    fn close(&mut self, start: usize, position: u32, form: Form, name: u32) {
        let end = self.letters.len();
        self.spans.push(Span { start: start as u32, end: end as u32, position, form, name });
    }
}

#[derive(Default)]
struct Cursor {
    position: u32,
    name: u32,
}

fn is_inner(c: char) -> bool {
    matches!(letter(c), Letter::Upper | Letter::Lower | Letter::Digit)
}

#[cfg(test)]
mod tests {
    use super::word::MAX_WORD_CHARS;
    use super::*;

    fn shown(text: &str) -> String {
        let words = Words::of(text);
        words.iter().map(|word| format!("{}@{}", word.text, word.position)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_are_parts_and_whole() {
        assert_eq!(shown("getUserName"), "get@0 user@1 name@2 getusername@0 getusernam@0");
        assert_eq!(shown("get_user_name"), shown("getUserName"));
        assert_eq!(shown("OPS-1234"), "ops@0 op@0 1234@1 ops1234@0");
        assert_eq!(shown("HTTPServer2"), "http@0 server@1 2@2 httpserver2@0");
    }

    #[test]
    fn paths_are_phrases_of_segments() {
        assert_eq!(shown("src/a.rs"), "src@0 a@1 rs@2 .rs@2");
        assert_eq!(shown("foo::bar"), "foo@0 bar@1");
    }

    #[test]
    fn signs_stay_with_their_names() {
        assert_eq!(shown("C++ C# g++"), "c@0 c++@0 c@1 c#@1 g@2 g++@2");
        assert_eq!(shown("Objective-C++17"), "objective@0 object@0 c@1 c++@1 objectivec@0 17@2");
        assert_eq!(shown(".NET"), "net@0 .net@0");
        assert_eq!(shown("asp.NET"), "asp@0 net@1 .net@1");
        assert_eq!(
            shown("a+b x#y a++b ...z .5 end. repo#12 a+++ ##"),
            shown("a b x y a b z 5 end repo 12 a")
        );
    }

    #[test]
    fn hashes_stay_whole() {
        assert_eq!(shown("d95c669c29a0"), "d95c669c29a0@0");
    }

    #[test]
    fn english_is_stemmed_beside_what_was_written() {
        assert_eq!(shown("Running tests"), "running@0 run@0 tests@1 test@1");
        assert_eq!(shown("user's"), "user@0");
        assert_eq!(shown("panic panicked kicked"), "panic@0 panicked@1 panic@1 kicked@2 kick@2");
        assert_eq!(shown("nitpick nitpicking"), "nitpick@0 nitpic@0 nitpicking@1 nitpic@1");
    }

    #[test]
    fn scripts_without_spaces_are_characters_and_pairs() {
        assert_eq!(shown("使用Rust"), "使@0 使用@0 用@1 rust@2");
    }

    #[test]
    fn symbols_are_words() {
        assert_eq!(shown("ship it 🚀👍🏽"), "ship@0 it@1 🚀@2 👍@3");
    }

    #[test]
    fn a_blob_is_cut_and_not_lost() {
        assert_eq!(shown(&"x".repeat(500)), format!("{}@0", "x".repeat(MAX_WORD_CHARS)));
    }
}
