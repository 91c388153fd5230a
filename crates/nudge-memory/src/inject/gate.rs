//! The chance that an entry helps with a prompt.
//!
//! A search always finds something, but most prompts have nothing to do with it. So this is a
//! separate question: features of how well the prompt and an entry match are weighted, and the sum
//! is a chance. What sessions did has weights that `cargo xtask fit` fits with whole projects left
//! out; its features compare with what is usual in the project, so that they mean the same in
//! another one. What was stated, noted or imported is no part of a session's work and may be years
//! old, so it has weights of its own. docs/performance.md has the results.

use nudge_context::Decision;
use nudge_core::Timestamp;
use nudge_core::fitted::{HELPS_BIAS, HELPS_WEIGHTS, MIN_HELPS};
use nudge_index::{Hit, HitRequest, Hits};

/// A prompt with this many words or fewer is too short to judge.
const MAX_FEW_WORDS: usize = 5;

/// How many characters count as a word in scripts without spaces.
const CHARS_OF_A_WORD: usize = 2;

/// A word is rare if it has at least this share of the rarity of a word that no entry has.
const MIN_RARITY: f32 = 0.6;

/// Of the words that nobody has used here, only those longer than this count against a match, in
/// characters.
const MAX_SHORT_WORD_CHARS: usize = 5;

/// More shared names than this count as this many.
const MAX_NAMES: usize = 3;

const DAY_MS: f32 = 86_400_000.0;

/// After this many days an entry is simply old.
const MAX_DAYS: f32 = 90.0;

/// The names and values of features, in the order of their weights.
pub(super) type Features = Vec<(&'static str, f32)>;

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

/// An entry that was found for a prompt, and what an agent would see of it.
pub(super) struct Judged<'h> {
    pub(super) hit: &'h Hit,
    /// When it happened.
    pub(super) at: Timestamp,
    /// Which of the searched words its line has, as typed.
    pub(super) in_line: Vec<&'h str>,
    /// Whether somebody stated, noted or imported it: no part of what a session did or said.
    pub(super) is_stated: bool,
    /// How many of the hits are from its session.
    pub(super) same_session: usize,
}

/// The chance that an entry helps, from 0 to 1, with the least one that is enough and its inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Chance {
    pub(super) value: f32,
    pub(super) least: f32,
    pub(super) features: Features,
}

impl Chance {
    pub(super) fn of(hits: &Hits, one: &Judged<'_>, now: Timestamp) -> Self {
        let words = MatchedWords::of(hits, one);
        let (features, weights, bias, least) = match one.is_stated {
            true => (of_statement(one, &words), STATED_WEIGHTS.as_slice(), STATED_BIAS, MIN_STATED),
            false => (of_work(one, &words, now), HELPS_WEIGHTS.as_slice(), HELPS_BIAS, MIN_HELPS),
        };
        let weighted = features.iter().zip(weights).map(|((_, value), (_, weight))| value * weight);
        let value = 1.0 / (1.0 + (-(bias + weighted.sum::<f32>())).exp());
        Self { value, least, features }
    }

    /// How much more it is than the least: what both kinds of entries are ranked by.
    pub(super) fn margin(&self) -> f32 {
        self.value / self.least.max(f32::EPSILON)
    }
}

/// The decision about the best entry; `None` stands for nothing that could be injected.
pub(super) fn decide(prompt: &str, best: Option<&Chance>) -> Decision {
    let Some(best) = best.filter(|_| says_enough(prompt)) else {
        return Decision { least: MIN_HELPS, ..Decision::default() };
    };
    Decision {
        speaks: best.value >= best.least,
        score: best.value,
        least: best.least,
        features: best.features.clone(),
    }
}

/// The words that a prompt and an entry share.
struct MatchedWords<'h> {
    sought: Vec<&'h HitRequest>,
    shared: Vec<&'h HitRequest>,
    title: Vec<&'h HitRequest>,
    in_line: Vec<&'h HitRequest>,
    /// The rarity of all searched words, and of a word that no entry has.
    total: f32,
    top: f32,
}

impl<'h> MatchedWords<'h> {
    fn of(hits: &'h Hits, one: &Judged<'_>) -> Self {
        let of = |places: &[usize]| places.iter().filter_map(|place| hits.sought.get(*place)).collect();
        let in_line = hits.sought.iter().filter(|word| one.in_line.contains(&word.label.as_str()));
        let sought: Vec<&HitRequest> = hits.sought.iter().collect();
        Self {
            shared: of(&one.hit.has),
            title: of(&one.hit.in_title),
            in_line: in_line.collect(),
            total: mass(&sought).max(f32::EPSILON),
            top: (2.0 * hits.documents as f32 + 2.0).ln().max(f32::EPSILON),
            sought,
        }
    }

    fn unseen(&self) -> impl Iterator<Item = &'h HitRequest> {
        self.sought.iter().copied().filter(|word| !word.is_known)
    }

    /// How many of the prompt's words are long and in no entry.
    fn long_unseen(&self) -> usize {
        self.unseen().filter(|word| word.label.chars().count() > MAX_SHORT_WORD_CHARS).count()
    }
}

/// The features of something that a session did or said.
fn of_work(one: &Judged<'_>, words: &MatchedWords<'_>, now: Timestamp) -> Features {
    let MatchedWords { sought, shared, in_line, total, top, .. } = words;
    let rare = in_line.iter().filter(|word| word.rarity >= MIN_RARITY * top).count();
    let days = now.as_millis().saturating_sub(one.at.as_millis()).max(0) as f32 / DAY_MS;
    let days = days.min(MAX_DAYS);
    vec![
        // The share of the prompt's words, weighted by rarity, that the line has that would be
        // shown.
        ("covered_in_line", mass(in_line) / total),
        ("rare_unseen", ln_1p(words.long_unseen())),
        // The rarity of the shared words: of all that the entry has, and of those in the line.
        ("mass", (mass(shared) / top).ln_1p()),
        ("second_rarest", second_rarest(shared) / top),
        ("rare_in_line", ln_1p(rare)),
        ("second_rarest_in_line", second_rarest(in_line) / top),
        // Names in code: how many are shared, and their share of the prompt's names.
        ("names", names(shared).min(MAX_NAMES) as f32 / MAX_NAMES as f32),
        ("name_share", names(shared) as f32 / names(sought).max(1) as f32),
        ("age", days.ln_1p()),
        ("same_session", ln_1p(one.same_session)),
    ]
}

// The weights of what was stated, noted or imported: a logistic regression over the 1,233 prompts
// of the relevance set, where five-fold cross-validation gave 0.77 helped at 0.014 false. Real
// sessions have too few such entries to fit them.

/// The least chance at which a statement is injected with a prompt.
const MIN_STATED: f32 = 0.73;

const STATED_WEIGHTS: [(&str, f32); 14] = [
    ("covered", 2.89),
    ("covered_by_title", 1.49),
    ("unseen", -1.63),
    ("shared", 3.23),
    ("rank", 4.08),
    ("rank_of_ideal", -3.07),
    ("words", 3.21),
    ("mass", -2.62),
    ("second_rarest", -2.35),
    ("names", 0.69),
    ("name_mass", 0.51),
    ("name_share", -1.39),
    ("rare_shared", 0.72),
    ("rare_unseen", -0.82),
];
const STATED_BIAS: f32 = -23.68;

/// The features of something that was stated, noted or imported.
fn of_statement(one: &Judged<'_>, words: &MatchedWords<'_>) -> Features {
    let MatchedWords { sought, shared, title, total, .. } = words;
    let rarest = sought.iter().map(|word| word.rarity).fold(f32::EPSILON, f32::max);
    let rare = shared.iter().filter(|word| word.rarity >= MIN_RARITY * rarest).count();
    let named: Vec<&HitRequest> = shared.iter().filter(|word| word.is_name).copied().collect();
    let unseen: Vec<&HitRequest> = words.unseen().collect();
    let rank = one.hit.score as f32;
    vec![
        ("covered", mass(shared) / total),
        ("covered_by_title", mass(title) / total),
        ("unseen", mass(&unseen) / total),
        ("shared", ln_1p(shared.len())),
        ("rank", rank.ln_1p()),
        // Of the best possible rank: all words once in a short title and a text of usual length.
        ("rank_of_ideal", rank / (8.0 * total)),
        ("words", ln_1p(sought.len())),
        ("mass", mass(shared).ln_1p()),
        ("second_rarest", second_rarest(shared) / 10.0),
        ("names", names(shared).min(MAX_NAMES) as f32 / MAX_NAMES as f32),
        ("name_mass", mass(&named).ln_1p()),
        ("name_share", names(shared) as f32 / names(sought).max(1) as f32),
        ("rare_shared", ln_1p(rare)),
        ("rare_unseen", ln_1p(words.long_unseen())),
    ]
}

fn names(words: &[&HitRequest]) -> usize {
    words.iter().filter(|word| word.is_name).count()
}

fn ln_1p(count: usize) -> f32 {
    (count as f32).ln_1p()
}

fn mass(words: &[&HitRequest]) -> f32 {
    words.iter().map(|word| word.rarity).sum()
}

fn second_rarest(words: &[&HitRequest]) -> f32 {
    let mut by_rarity: Vec<f32> = words.iter().map(|word| word.rarity).collect();
    by_rarity.sort_by(|a, b| b.total_cmp(a));
    by_rarity.get(1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use nudge_index::State;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_794_723_027_123);

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
        let documents = 1_000;
        Hits {
            hits: vec![hit],
            scanned: 0,
            total: None,
            is_relaxed: false,
            state: State::Ready,
            sought,
            documents,
        }
    }

    fn chance_of(hits: &Hits, is_stated: bool) -> Chance {
        let hit = &hits.hits[0];
        let in_line = hit.has.iter().map(|place| hits.sought[*place].label.as_str()).collect();
        Chance::of(hits, &Judged { hit, at: NOW, in_line, is_stated, same_session: 1 }, NOW)
    }

    #[test]
    fn an_entry_with_all_the_rare_words_helps_and_one_with_a_plain_word_does_not() {
        let telling: Vec<HitRequest> = ["wombat", "dialect", "greeter", "quokka", "parser", "lexer"]
            .map(|label| word(label, 8.0, true))
            .into();
        let telling = hits(telling, (0..6).collect(), 350.0);
        let mut plain: Vec<HitRequest> =
            ["numbat", "bilby", "potoroo", "quoll", "dunnart"].map(|label| word(label, 9.0, false)).into();
        plain.push(word("make", 2.0, true));
        let plain = hits(plain, vec![5], 6.0);
        for is_stated in [false, true] {
            let (likely, unlikely) = (chance_of(&telling, is_stated), chance_of(&plain, is_stated));
            assert!(
                likely.value >= likely.least && unlikely.value < unlikely.least,
                "{likely:?} {unlikely:?}"
            );
            assert!(likely.margin() > 1.0 && unlikely.margin() < 1.0);
        }
    }

    #[test]
    fn a_few_words_are_not_enough() {
        let sure = Chance { value: 0.9, least: 0.5, features: Features::new() };
        assert!(!decide("greeter wombat dialect", Some(&sure)).speaks);
        assert!(decide("teach the greeter the wombat dialect", Some(&sure)).speaks);
        assert!(!decide("teach the greeter the wombat dialect", None).speaks);
    }

    #[test]
    fn words_are_counted_where_nothing_stands_between_them_too() {
        assert!(says_enough("语法分析器在处理变音符号时丢掉了最后一个元音"));
        assert!(!says_enough("好的，继续"));
        assert!(!says_enough("yes, go on with it"));
    }

    #[test]
    fn every_feature_has_a_weight() {
        let hits = hits(vec![word("wombat", 7.0, true)], vec![0], 9.0);
        let names = |is_stated| chance_of(&hits, is_stated).features.into_iter().map(|(name, _)| name);
        assert_eq!(names(false).collect::<Vec<_>>(), HELPS_WEIGHTS.map(|(name, _)| name));
        assert_eq!(names(true).collect::<Vec<_>>(), STATED_WEIGHTS.map(|(name, _)| name));
    }
}
