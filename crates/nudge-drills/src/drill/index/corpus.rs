//! Texts made of meaningless words, and the questions about them.
//!
//! Every word has seven letters that no stemmer changes and no analyzer splits. Finding them is a
//! plain comparison, so the expected answer needs no code of the product.

/// A few words that many entries have, and more words that some entries have.
const COMMON_WORDS: usize = 25;
const MEDIUM_WORDS: usize = 400;

/// From this number on, each word belongs to a handful of entries.
const FIRST_RARE: usize = 1_000;
const ENTRIES_PER_RARE: usize = 4;

/// The word with this number: three syllables and an `x`.
pub(super) fn word(number: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprtz";
    const VOWELS: &[u8] = b"aou";
    let mut word = String::with_capacity(7);
    let mut rest = number;
    for _ in 0..3 {
        word.push(char::from(CONSONANTS[rest % CONSONANTS.len()]));
        rest /= CONSONANTS.len();
        word.push(char::from(VOWELS[rest % VOWELS.len()]));
        rest /= VOWELS.len();
    }
    word.push('x');
    word
}

/// The text of an entry.
pub(super) fn text(number: usize) -> String {
    let draw = |turn: usize, below: usize| mixed(number * 8 + turn) % below;
    let words = [
        word(draw(0, COMMON_WORDS)),
        word(COMMON_WORDS + draw(1, MEDIUM_WORDS)),
        word(draw(2, COMMON_WORDS)),
        word(COMMON_WORDS + draw(3, MEDIUM_WORDS)),
        word(COMMON_WORDS + draw(4, MEDIUM_WORDS)),
        word(FIRST_RARE + number / ENTRIES_PER_RARE),
    ];
    words.join(" ")
}

/// A hash: the same input always gives the same result, and adjacent inputs have nothing in common.
fn mixed(number: usize) -> usize {
    let mut mixed = (number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 33) as usize
}

/// A search question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Word(String),
    Beginning(String),
    Both(String, String),
    Either(String, String),
    Without(String, String),
    SideBySide(String, String),
}

impl Question {
    /// The query as a user types it.
    pub(super) fn typed(&self) -> String {
        match self {
            Self::Word(one) => one.clone(),
            Self::Beginning(one) => format!("{one}*"),
            Self::Both(one, other) => format!("{one} AND {other}"),
            Self::Either(one, other) => format!("{one} OR {other}"),
            Self::Without(one, other) => format!("{one} NOT {other}"),
            Self::SideBySide(one, other) => format!("\"{one} {other}\""),
        }
    }

    /// Whether a text with these words, in this order, is an answer.
    pub(super) fn is_answered_by(&self, words: &[String]) -> bool {
        let has = |word: &String| words.contains(word);
        match self {
            Self::Word(one) => has(one),
            Self::Beginning(one) => words.iter().any(|word| word.starts_with(one)),
            Self::Both(one, other) => has(one) && has(other),
            Self::Either(one, other) => has(one) || has(other),
            Self::Without(one, other) => has(one) && !has(other),
            Self::SideBySide(one, other) => words.windows(2).any(|two| two[0] == *one && two[1] == *other),
        }
    }
}

/// One question of each kind, about entries below `entries`.
pub(super) fn questions(entries: usize) -> Vec<Question> {
    let (first, last) = (mixed(entries) % entries.max(1), entries.saturating_sub(1));
    let words = |number: usize| text(number).split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(first), words(last));
    vec![
        Question::Word(one[5].clone()),
        Question::Either(other[5].clone(), word(FIRST_RARE)),
        Question::Without(one[1].clone(), one[0].clone()),
        Question::Both(one[0].clone(), one[3].clone()),
        Question::SideBySide(other[0].clone(), other[1].clone()),
        Question::Beginning(other[5][..5].to_owned()),
        Question::Word(other[4].clone()),
        Question::Word(word(COMMON_WORDS + MEDIUM_WORDS + 5)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ_and_questions_have_answers() {
        let words: std::collections::BTreeSet<String> = (0..40_000).map(word).collect();
        assert_eq!(words.len(), 40_000);
        let entries: Vec<Vec<String>> =
            (0..500).map(|number| text(number).split(' ').map(str::to_owned).collect()).collect();
        let answers =
            |question: &Question| entries.iter().filter(|words| question.is_answered_by(words)).count();
        let counts: Vec<usize> = questions(500).iter().map(answers).collect();
        assert!(counts[..7].iter().all(|&count| count > 0) && counts[7] == 0, "{counts:?}");
    }
}
