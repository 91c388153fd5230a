//! Highlights the search terms in results.

use crate::pages::page::Page;

/// How many characters at the end of two words may differ if they are to count as the same word.
const ENDING: usize = 3;

/// The query's words that an entry has.
pub(crate) struct SearchTerms(Vec<String>);

impl SearchTerms {
    /// Highlights nothing.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The words of an explanation such as `cargo, title:test`.
    pub(crate) fn of(why: &str) -> Self {
        let words = why.split([',', ' ', '"', '*']).map(|word| word.strip_prefix("title:").unwrap_or(word));
        Self(words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect())
    }

    /// Whether the text has any of the words.
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        self.0.is_empty() || text.split(|c| !is_of_word(c)).any(|piece| !piece.is_empty() && self.has(piece))
    }

    /// Adds the text, with these words highlighted.
    pub(crate) fn add(&self, page: &mut Page, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let in_word = rest.starts_with(is_of_word);
            let end = rest.find(|c| is_of_word(c) != in_word).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            if in_word && self.has(piece) {
                page.strong(piece)
            } else {
                page.text(piece)
            };
            rest = after;
        }
    }

    fn has(&self, piece: &str) -> bool {
        let piece = piece.to_lowercase();
        self.0.iter().any(|word| piece.contains(word.as_str()) || is_ending_of(word, &piece))
    }
}

/// Whether two words differ only in their endings, such as `tests` and `testing`.
fn is_ending_of(word: &str, piece: &str) -> bool {
    let common = word.chars().zip(piece.chars()).take_while(|(a, b)| a == b).count();
    let longest = word.chars().count().max(piece.chars().count());
    common > ENDING && longest - common <= ENDING
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(why: &str, text: &str) -> String {
        let mut page = Page::new(80);
        SearchTerms::of(why).add(&mut page, text);
        page.into_text().replace("\u{1b}[1m", "[").replace("\u{1b}[0m", "]")
    }

    #[test]
    fn what_was_looked_for_stands_out() {
        assert_eq!(shown("cargo, title:tests", "run Cargo test, testing"), "run [Cargo] [test], [testing]");
        assert_eq!(shown("auth", "src/auth_token.rs and author"), "src/[auth_token].rs and [author]");
        assert_eq!(shown("", "nothing"), "nothing");
        assert_eq!(shown("日本", "日本語 text"), "[日本語] text");
    }
}
