//! Repeated requests: prompts with the same keywords.

use std::collections::BTreeSet;

use super::tally::{Repeats, Tally, sort};
use crate::sessions::summary::{keywords, likeness};

/// A prompt with fewer keywords than this ("yes", "go on") is not a request of its own.
const LEAST_WORDS: usize = 2;

/// In a script without spaces, one word of at least this many letters can be a whole sentence.
const LEAST_LETTERS: usize = 4;

/// How many wordings, hottest first, are compared with one another.
const COMPARED: usize = 500;

/// The lowest similarity at which two wordings are the same intent.
const ALIKE: f64 = 0.75;

/// The keywords that identify a prompt; `None` if it is not a request.
pub(crate) fn key(prompt: &str) -> Option<String> {
    let words = keywords(prompt);
    let sentence = || words.iter().any(|word| !word.is_ascii() && word.chars().count() >= LEAST_LETTERS);
    (words.len() >= LEAST_WORDS || sentence()).then(|| words.into_iter().collect::<Vec<_>>().join(" "))
}

/// The intents that occurred at least `threshold` times, hottest first. Nearly the same words count
/// as the same.
pub(crate) fn repeated(repeats: Repeats, threshold: u64) -> Vec<(String, Tally)> {
    let mut wordings = repeats.hottest();
    let rest = wordings.split_off(wordings.len().min(COMPARED));
    let mut intents: Vec<(BTreeSet<String>, String, Tally)> = Vec::new();
    for (key, tally) in wordings {
        let words: BTreeSet<String> = key.split(' ').map(Into::into).collect();
        match intents.iter_mut().find(|(known, _, _)| likeness(known, &words) >= ALIKE) {
            Some((_, _, known)) => known.merge(tally),
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
    fn the_same_request_in_other_words_is_one() {
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
