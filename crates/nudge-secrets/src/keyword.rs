//! Finds which of many keywords occur in a text, in one pass and with nothing to build at start-up.
//!
//! The tables are computed at compile time: a bit per pair of leading characters rejects nearly
//! every position, and the few that remain are compared with the keywords that begin alike.

/// Keywords arranged for searching.
pub(super) struct Index<const N: usize> {
    keywords: [&'static str; N],
    /// Whether upper and lower case are the same; the keywords are in lower case then.
    folded: bool,
    /// One bit for each pair of leading characters that some keyword has.
    pairs: [u64; 64],
    /// Keyword numbers, by first character.
    order: [u16; N],
    /// The second character of each keyword in `order`.
    seconds: [u8; N],
    /// Where each first character begins in `order`.
    starts: [u16; 257],
}

impl<const N: usize> Index<N> {
    /// Keywords that match in any case; each has at least two characters and is in lower case.
    pub(super) const fn folded(keywords: [&'static str; N]) -> Self {
        Self::new(keywords, true)
    }

    /// Keywords that match exactly; each has at least two characters.
    pub(super) const fn exact(keywords: [&'static str; N]) -> Self {
        Self::new(keywords, false)
    }

    const fn new(keywords: [&'static str; N], folded: bool) -> Self {
        let mut index =
            Self { keywords, folded, pairs: [0; 64], order: [0; N], seconds: [0; N], starts: [0; 257] };
        let (mut placed, mut first) = (0, 0);
        while first < 256 {
            index.starts[first] = placed as u16;
            let mut number = 0;
            while number < N {
                let word = keywords[number].as_bytes();
                assert!(word.len() >= 2, "a keyword has two characters or more");
                assert!(!(folded && word[0].is_ascii_uppercase()), "a folded keyword is in lower case");
                if word[0] as usize == first {
                    let (row, bit) = cell(word[0], word[1]);
                    index.pairs[row] |= 1 << bit;
                    index.order[placed] = number as u16;
                    index.seconds[placed] = word[1];
                    placed += 1;
                }
                number += 1;
            }
            first += 1;
        }
        index.starts[256] = placed as u16;
        index
    }

    /// The length in bytes of the keyword with this number.
    pub(super) fn length(&self, number: usize) -> usize {
        self.keywords[number].len()
    }

    /// Calls `hit` with the number and the position of each keyword found.
    pub(super) fn each(&self, text: &[u8], mut hit: impl FnMut(usize, usize)) {
        for (at, pair) in text.windows(2).enumerate() {
            let (first, second) = if self.folded {
                (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase())
            } else {
                (pair[0], pair[1])
            };
            let (row, bit) = cell(first, second);
            if self.pairs[row] & (1 << bit) != 0 {
                self.compare(text, at, first, second, &mut hit);
            }
        }
    }

    fn compare(&self, text: &[u8], at: usize, first: u8, second: u8, hit: &mut impl FnMut(usize, usize)) {
        let range = self.starts[first as usize] as usize..self.starts[first as usize + 1] as usize;
        for place in range.filter(|&place| self.seconds[place] == second) {
            let number = self.order[place] as usize;
            let word = self.keywords[number].as_bytes();
            let Some(here) = text.get(at..at + word.len()) else { continue };
            if if self.folded { here.eq_ignore_ascii_case(word) } else { here == word } {
                hit(number, at);
            }
        }
    }
}

/// Six bits of each character: enough to distinguish letters, case, digits and punctuation.
const fn cell(first: u8, second: u8) -> (usize, u32) {
    ((first & 63) as usize, (second & 63) as u32)
}

#[cfg(test)]
mod tests {
    use super::Index;

    fn hits<const N: usize>(index: &Index<N>, text: &str) -> Vec<(usize, usize)> {
        let mut hits = Vec::new();
        index.each(text.as_bytes(), |number, at| hits.push((number, at)));
        hits
    }

    #[test]
    fn folded_keywords_are_found_in_any_case() {
        static INDEX: Index<3> = Index::folded(["ghp_", "token", "to"]);
        assert_eq!(hits(&INDEX, "a TOKEN, GHP_ and gh"), [(1, 2), (2, 2), (0, 9)]);
    }

    #[test]
    fn exact_keywords_are_found_as_spelled() {
        static INDEX: Index<2> = Index::exact(["AKIA", "sk-"]);
        assert_eq!(hits(&INDEX, "akia AKIA SK- ask-"), [(0, 5), (1, 15)]);
    }

    #[test]
    fn text_shorter_than_a_pair_holds_no_keyword() {
        static INDEX: Index<1> = Index::exact(["xy"]);
        assert_eq!(hits(&INDEX, ""), []);
        assert_eq!(hits(&INDEX, "x"), []);
        assert_eq!(hits(&INDEX, "xy"), [(0, 0)]);
    }
}
