//! Decides whether anything is injected with a prompt.
//!
//! A search always finds something, but most prompts have nothing to do with it. So this is a
//! separate decision: features of how well the words of the prompt and of the best entry match,
//! weighted by constants. The constants are a logistic regression over 1,233 prompts about 47,000
//! commits and 600 prompts of real sessions; docs/performance.md has the results.

use nudge_context::Decision;
use nudge_index::{Hit, HitRequest, Hits};

/// The lowest score at which something is injected.
const MIN_SCORE: f32 = 0.73;

/// A prompt with this many words or fewer is too short to judge.
const MAX_FEW_WORDS: usize = 5;

/// How many characters count as a word in scripts without spaces.
const CHARS_OF_A_WORD: usize = 2;

/// A word is rare if it has at least this share of the rarity of the rarest one.
const MIN_RARITY: f32 = 0.6;

/// Of the words that nobody has used here, only those longer than this count against a match, in
/// characters.
const MAX_SHORT_WORD_CHARS: usize = 5;

/// The weight of each feature.
const FEATURE_WEIGHTS: [(&str, f32); 14] = [
    // The share of the prompt's words, weighted by rarity, that the best entry contains.
    ("covered", 2.89),
    // The same for the entry's first line alone.
    ("covered_by_title", 1.49),
    // The share of the prompt's words that no entry contains.
    ("unseen", -1.63),
    // How many of the prompt's words the entry contains.
    ("shared", 3.23),
    // The entry's search rank, absolute and relative to the best possible entry.
    ("rank", 4.08),
    ("rank_of_ideal", -3.07),
    // How many significant words the prompt has.
    ("words", 3.21),
    // The total rarity of the shared words, and the second rarest of them.
    ("mass", -2.62),
    ("second_rarest", -2.35),
    // Names in code: how many are shared, how rare they are, and their share of the prompt's names.
    ("names", 0.69),
    ("name_mass", 0.51),
    ("name_share", -1.39),
    // Rare words that are shared, and long words that no entry contains.
    ("rare_shared", 0.72),
    ("rare_unseen", -0.82),
];
const BIAS: f32 = -23.68;

/// Whether a prompt has enough words to judge. If not, nothing is injected, whatever is found.
pub(super) fn says_enough(prompt: &str) -> bool {
    let words = prompt.split_whitespace().count();
    let unspaced = prompt.chars().filter(|c| is_unspaced(*c)).count();
    words + unspaced / CHARS_OF_A_WORD > MAX_FEW_WORDS
}

/// Whether a character belongs to a script without spaces between words.
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Decides whether the hits for a prompt are good enough to inject.
pub(super) fn decide(prompt: &str, hits: &Hits) -> Decision {
    let features = features(hits);
    let weigh = |(name, value): &(&str, f32)| {
        FEATURE_WEIGHTS.iter().find(|(known, _)| known == name).map_or(0.0, |(_, weight)| weight * value)
    };
    let sum = BIAS + features.iter().map(weigh).sum::<f32>();
    let score = 1.0 / (1.0 + (-sum).exp());
    Decision {
        speaks: says_enough(prompt) && !hits.hits.is_empty() && score >= MIN_SCORE,
        score,
        least: MIN_SCORE,
        features,
    }
}

fn features(hits: &Hits) -> Vec<(&'static str, f32)> {
    let best = hits.hits.first();
    let words = |places: fn(&Hit) -> &Vec<usize>| -> Vec<&HitRequest> {
        best.into_iter().flat_map(places).filter_map(|place| hits.sought.get(*place)).collect()
    };
    let (shared, title) = (words(|hit| &hit.has), words(|hit| &hit.in_title));
    let sought: Vec<&HitRequest> = hits.sought.iter().collect();
    let unseen: Vec<&HitRequest> = sought.iter().filter(|word| !word.is_known).copied().collect();
    let total = mass(&sought).max(f32::EPSILON);
    let rarest = sought.iter().map(|word| word.rarity).fold(f32::EPSILON, f32::max);
    let rank = best.map_or(0.0, |hit| hit.score as f32);
    let names = |words: &[&HitRequest]| words.iter().filter(|word| word.is_name).count() as f32;
    let named: Vec<&HitRequest> = shared.iter().filter(|word| word.is_name).copied().collect();
    let rare = shared.iter().filter(|word| word.rarity >= MIN_RARITY * rarest).count();
    let long = unseen.iter().filter(|word| word.label.chars().count() > MAX_SHORT_WORD_CHARS).count();
    let mut by_rarity: Vec<f32> = shared.iter().map(|word| word.rarity).collect();
    by_rarity.sort_by(|a, b| b.total_cmp(a));
    vec![
        ("covered", mass(&shared) / total),
        ("covered_by_title", mass(&title) / total),
        ("unseen", mass(&unseen) / total),
        ("shared", (shared.len() as f32).ln_1p()),
        ("rank", rank.ln_1p()),
        // All words once in a short title and a text of usual length: see `rank` in the index.
        ("rank_of_ideal", rank / (8.0 * total)),
        ("words", (sought.len() as f32).ln_1p()),
        ("mass", mass(&shared).ln_1p()),
        ("second_rarest", by_rarity.get(1).copied().unwrap_or(0.0) / 10.0),
        ("names", names(&shared).min(3.0) / 3.0),
        ("name_mass", mass(&named).ln_1p()),
        ("name_share", names(&shared) / names(&sought).max(1.0)),
        ("rare_shared", (rare as f32).ln_1p()),
        ("rare_unseen", (long as f32).ln_1p()),
    ]
}

fn mass(words: &[&HitRequest]) -> f32 {
    words.iter().map(|word| word.rarity).sum()
}

#[cfg(test)]
mod tests {
    use nudge_index::State;

    use super::*;

    fn word(label: &str, rarity: f32, is_known: bool) -> HitRequest {
        HitRequest { label: label.to_owned(), rarity, is_known, is_name: false }
    }

    fn hits(sought: Vec<HitRequest>, has: Vec<usize>, score: f64) -> Hits {
        let hit = Hit {
            id: 1,
            score,
            has_all: false,
            matched: Vec::new(),
            covered: 1.0,
            covered_by_title: 1.0,
            in_title: has.clone(),
            has,
        };
        Hits { hits: vec![hit], scanned: 0, total: None, is_relaxed: false, state: State::Ready, sought }
    }

    #[test]
    fn an_entry_with_all_the_rare_words_is_spoken_of_and_one_with_a_plain_word_is_not() {
        let telling: Vec<HitRequest> = ["wombat", "dialect", "greeter", "quokka", "parser", "lexer"]
            .map(|label| word(label, 8.0, true))
            .into();
        let prompt = "teach the greeter the wombat dialect of the quokka parser and lexer";
        let found = hits(telling, (0..6).collect(), 350.0);
        assert!(decide(prompt, &found).speaks, "{:?}", decide(prompt, &found));
        let mut plain: Vec<HitRequest> =
            ["numbat", "bilby", "potoroo", "quoll", "dunnart"].map(|label| word(label, 9.0, false)).into();
        plain.push(word("make", 2.0, true));
        let found = hits(plain, vec![5], 6.0);
        assert!(!decide(prompt, &found).speaks, "{:?}", decide(prompt, &found));
    }

    #[test]
    fn a_few_words_are_not_enough() {
        let telling: Vec<HitRequest> =
            ["wombat", "dialect", "greeter"].map(|label| word(label, 8.0, true)).into();
        assert!(!decide("greeter wombat dialect", &hits(telling, vec![0, 1, 2], 900.0)).speaks);
    }

    #[test]
    fn words_are_counted_where_nothing_stands_between_them_too() {
        assert!(says_enough("语法分析器在处理变音符号时丢掉了最后一个元音"));
        assert!(!says_enough("好的，继续"));
        assert!(!says_enough("yes, go on with it"));
    }

    #[test]
    fn every_figure_has_a_weight() {
        let named: Vec<&str> =
            features(&hits(Vec::new(), Vec::new(), 0.0)).iter().map(|(name, _)| *name).collect();
        assert_eq!(named, FEATURE_WEIGHTS.map(|(name, _)| name));
    }
}
