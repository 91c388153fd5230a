//! An upper estimate of the cost of a text in tokens.
//!
//! The same walk as [`super::estimate`], with prices from the upper end of what `o200k_base`
//! charges. English prose, code and commands come out about 15 % above their count. Short texts in
//! 108 languages were measured: in 47 languages the count never exceeds the estimate, and in 96 it
//! never does by more than a quarter. The worst are languages in Latin letters that the encoding
//! handles poorly, such as Finnish, which reaches 1.4 times.

use super::{Kind, Tokens, run};

/// For each letter from `a`, the letters that often follow it in English, one bit each from `a`:
/// the 167 pairs that make up at least 1.5 in 1,000 of all pairs. Encoders know whole words of such
/// pairs, and split others into pieces.
const FREQUENT_PAIRS: [u32; 26] = [
    0x01e_b94e, 0x010_0811, 0x01a_4c91, 0x004_4119, 0x0ee_b83d, 0x002_4101, 0x000_0110, 0x000_4111,
    0x00e_f87d, 0x000_0000, 0x000_0010, 0x11c_4919, 0x000_d119, 0x00c_415d, 0x05a_fd0c, 0x01a_c911,
    0x000_0000, 0x11e_6515, 0x01c_c194, 0x11e_4195, 0x00e_a811, 0x000_0011, 0x000_4101, 0x008_0000,
    0x000_8000, 0x000_0000,
];

/// The cost of a character after another of its block, and as the first of its block, in
/// thousandths of a token. Each row has the last character of the block and the two prices. A text
/// that jumps from script to script has no words.
const BLOCK_COSTS: [(char, u64, u64); 25] = [
    ('\u{2ff}', 1_000, 2_000),
    // Combining marks.
    ('\u{36f}', 1_600, 1_700),
    ('\u{3ff}', 520, 1_500),
    ('\u{52f}', 420, 1_400),
    ('\u{58f}', 900, 1_900),
    ('\u{5ff}', 650, 1_600),
    ('\u{6ff}', 600, 1_600),
    ('\u{8ff}', 1_900, 2_200),
    ('\u{97f}', 550, 1_800),
    ('\u{dff}', 900, 2_200),
    ('\u{e7f}', 700, 2_000),
    ('\u{109f}', 1_400, 2_600),
    ('\u{10ff}', 900, 2_200),
    ('\u{1fff}', 2_600, 3_000),
    ('\u{206f}', 1_100, 1_200),
    ('\u{2e7f}', 1_700, 2_300),
    ('\u{303f}', 1_000, 1_500),
    ('\u{30ff}', 800, 1_400),
    ('\u{9fff}', 1_050, 2_000),
    ('\u{abff}', 3_000, 3_000),
    ('\u{d7af}', 850, 1_900),
    ('\u{ffff}', 1_600, 2_000),
    ('\u{1efff}', 4_000, 4_000),
    ('\u{1ffff}', 2_400, 3_000),
    (char::MAX, 4_000, 4_000),
];

/// The most that a text costs, as far as that is possible without a dictionary. Never less than
/// [`super::estimate`].
pub fn at_most(text: &str) -> Tokens {
    let mut thousandths: u64 = 0;
    let (mut before, mut block) = (Kind::Newline, None);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = Kind::of(first);
        let length = run(rest, kind);
        let after = rest[length..].chars().next().map(Kind::of);
        thousandths += if kind.runs() {
            block = None;
            cost(kind, &rest[..length], before, after)
        } else {
            let before = block.replace(block_of(first));
            in_block(block_of(first), before)
        };
        before = kind;
        rest = &rest[length..];
    }
    let Tokens(estimated) = super::estimate(text);
    Tokens(u32::try_from(thousandths.div_ceil(1000)).unwrap_or(u32::MAX).max(estimated))
}

fn block_of(char: char) -> usize {
    BLOCK_COSTS.partition_point(|(last, _, _)| *last < char)
}

fn in_block(block: usize, before: Option<usize>) -> u64 {
    let (_, behind, first) = BLOCK_COSTS[block];
    if before == Some(block) { behind } else { first }
}

fn cost(kind: Kind, run: &str, before: Kind, after: Option<Kind>) -> u64 {
    let length = run.chars().count() as u64;
    match kind {
        Kind::Letter => word(run, length),
        Kind::Digit => length.div_ceil(3) * 1000,
        Kind::Newline if before == Kind::Punctuation => 700,
        Kind::Newline => 1000,
        Kind::Space if length > 1 || after == Some(Kind::Digit) => 1000,
        Kind::Punctuation if length == 1 && after == Some(Kind::Letter) => {
            if before == Kind::Letter {
                700
            } else {
                850
            }
        }
        Kind::Punctuation => 950 + (length - 1) * 400,
        _ => 0,
    }
}

/// A word costs one token, more when it is long, in capitals, accented, or made of letter pairs
/// that are rare in English.
fn word(run: &str, length: u64) -> u64 {
    let accented = run.chars().filter(|char| !char.is_ascii()).count() as u64;
    let shouted = length > 2 && run.bytes().all(|byte| byte.is_ascii_uppercase());
    let seldom = run.as_bytes().windows(2).filter(|pair| is_seldom(pair[0], pair[1])).count() as u64;
    1030 + length.saturating_sub(8) * 130
        + length.saturating_sub(16) * 150
        + seldom * 330
        + accented * 700
        + if shouted { (length - 2) * 200 } else { 0 }
}

fn is_seldom(one: u8, other: u8) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic().then(|| byte.to_ascii_lowercase() - b'a');
    let (Some(one), Some(other)) = (letter(one), letter(other)) else { return false };
    FREQUENT_PAIRS[usize::from(one)] >> other & 1 == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::estimate;

    #[test]
    fn no_text_of_many_scripts_costs_more() {
        // Counts of `o200k_base`.
        let table = [
            ("The retry in the queue's worker was removed on purpose.", 12),
            ("<nudge-memory id=\"jiieolopdjpd\">", 12),
            ("Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle", 22),
            ("记忆是代理共享的。它保存小而有价值的提示", 15),
            ("9e7643a82e52e31b694fcc8989f8399f406a6c824af28e7a923ddbb78fa93f84", 37),
        ];
        for (text, counted) in table {
            let Tokens(most) = at_most(text);
            assert!(most >= counted, "{text}: at most {most}, counted {counted}");
        }
    }

    #[test]
    fn the_blocks_are_in_order_and_the_pairs_are_english() {
        assert!(BLOCK_COSTS.is_sorted_by(|one, other| one.0 < other.0));
        let often = FREQUENT_PAIRS.iter().map(|letters| letters.count_ones()).sum::<u32>();
        assert_eq!(often, 167);
        assert!(!is_seldom(b't', b'h') && !is_seldom(b'I', b'N') && is_seldom(b'x', b'q'));
    }

    proptest! {
        #[test]
        fn it_is_never_below_the_estimate(text in "\\PC{0,200}") {
            prop_assert!(at_most(&text) >= estimate(&text));
        }
    }
}
