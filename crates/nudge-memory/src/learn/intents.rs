//! What people ask for again and again: prompts that come to the same words.

use std::collections::BTreeSet;

use super::tally::{Repeats, Tally, sort};
use crate::sessions::summary::{keywords, likeness};

/// A prompt of fewer words that carry meaning ("yes", "go on") asks for nothing of its own.
const LEAST_WORDS: usize = 2;

/// One word of a script without spaces can be a whole sentence, from so many letters on.
const LEAST_LETTERS: usize = 4;

/// How many wordings are compared with one another, the hottest ones.
const COMPARED: usize = 500;

/// Wordings that share so much are one intent.
const ALIKE: f64 = 0.75;

/// The words that make a prompt this one; `None` where it asks for nothing.
pub(crate) fn key(prompt: &str) -> Option<String> {
    let words = keywords(prompt);
    let sentence = || words.iter().any(|word| !word.is_ascii() && word.chars().count() >= LEAST_LETTERS);
    (words.len() >= LEAST_WORDS || sentence()).then(|| words.into_iter().collect::<Vec<_>>().join(" "))
}

/// The intents that came at least so often, hottest first. Nearly the same words count as the same.
pub(crate) fn repeated(repeats: Repeats, threshold: u64) -> Vec<(String, Tally)> {
    let mut wordings = repeats.hottest();
    let rest = wordings.split_off(wordings.len().min(COMPARED));
    let mut intents: Vec<(BTreeSet<String>, String, Tally)> = Vec::new();
    for (key, tally) in wordings {
        let words: BTreeSet<String> = key.split(' ').map(Into::into).collect();
        match intents.iter_mut().find(|(known, _, _)| likeness(known, &words) >= ALIKE) {
            Some((_, _, known)) => known.take_in(tally),
            None => intents.push((words, key, tally)),
        }
    }
    let mut all: Vec<(String, Tally)> =
        intents.into_iter().map(|(_, key, tally)| (key, tally)).chain(rest).collect();
    all.retain(|(_, tally)| tally.count >= threshold);
    sort(&mut all);
    all
}

#[cfg(test)]
mod tests {
    use nudge_core::{EntryId, Timestamp};
    use nudge_store::{Occurrence, ProjectId, SessionId};

    use super::*;

    fn found(prompts: &[&str]) -> Vec<(String, u64)> {
        let mut repeats = Repeats::default();
        for (id, text) in (1..).zip(prompts) {
            let one = Occurrence {
                id: EntryId(id),
                session: SessionId(id),
                project: ProjectId(1),
                at: Timestamp::from_millis(id),
                exit: None,
                text: (*text).to_owned(),
                response: None,
            };
            if let Some(key) = key(text) {
                repeats.add(key, &one, None, 1.0);
            }
        }
        repeated(repeats, 2).into_iter().map(|(key, tally)| (key, tally.count)).collect()
    }

    #[test]
    fn the_same_wish_in_other_words_is_one() {
        let asked = found(&[
            "please fix the failing parser tests",
            "fix failing parser tests!",
            "fix the failing parser tests again, quickly",
            "yes",
            "yes",
            "go on",
            "draw a map of the router",
        ]);
        assert_eq!(asked, [("failing fix parser tests".to_owned(), 3)]);
    }

    #[test]
    fn scripts_without_spaces_ask_too() {
        assert_eq!(found(&["修复失败的测试", "修复失败的测试"]).len(), 1);
    }
}
