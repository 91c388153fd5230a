//! Ten very long sessions in the store, then hundreds of prompts about a few topics of them: no
//! entry is in more than five of any hundred injections. Shows @injection_share at the prompt.
//!
//! The product runs as in Claude Code's hooks, a process for each event. The words are made up,
//! with a natural distribution: a few are very frequent, most are rare.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use regex::Regex;

use super::capture::Random;
use super::desktop::{ClaudeSession, Desktop};
use crate::args::Target;
use crate::stage::Violations;

/// The long sessions, and the words in one of their prompts.
const SESSIONS: u64 = 10;
const WORDS_OF_A_PROMPT: usize = 2_000;

/// The number of words.
const VOCABULARY: u64 = 20_000;

/// The topics that prompts keep asking about, and the words of each. Words that are asked about in
/// every third prompt would no longer be rare, and nothing would be injected.
const TOPICS: usize = 10;
const WORDS_OF_A_MATTER: usize = 12;

/// The prompts about them. The rule applies from the hundredth injection on.
const PROMPTS: usize = 260;
const WINDOW: usize = 100;
const MIN_SHARE: usize = 5;

/// How many prompts must be answered for the rule to be tested.
const MIN_ANSWERED: usize = 130;

/// The words of a long session in the full form and in CI.
const FULL_WORDS: usize = 200_000;
const SHORT_WORDS: usize = 20_000;

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    let nudge = target.product.path()?;
    let began = Instant::now();
    let desktop = Desktop::new(&nudge)?;
    let root = desktop.repository("shop", &[("src/basket.ts", "export {};\n")])?;
    let mut random = Random::new(1);
    for number in 0..SESSIONS {
        let mut session = ClaudeSession::new(&desktop, &format!("long-{number}"), &root)?;
        session.start()?;
        for prompt in 0..target.size.pick((FULL_WORDS, SHORT_WORDS)) / WORDS_OF_A_PROMPT {
            let mut words: Vec<String> = (0..WORDS_OF_A_PROMPT).map(|_| word(&mut random)).collect();
            let matter = number as usize;
            if prompt == 0 && matter < TOPICS {
                words.splice(700..700, about(matter));
            }
            session.prompt(&words.join(" "))?;
            // A request is injected only with what came of it.
            session.stop(&format!("`make part-{number}-{prompt}` passes."))?;
        }
        session.run("make check", Ok("ok"))?;
        session.end()?;
    }
    desktop.person(&root, &["maintain"])?;
    let stored = began.elapsed();
    let mut given = Vec::new();
    for number in 0..PROMPTS {
        let mut session = ClaudeSession::new(&desktop, &format!("asked-{number}"), &root)?;
        given.extend(session.start()?.map(|_| BTreeSet::new()));
        // The question is neither first nor last nor before an action, so that starts do not show
        // it.
        session.prompt(&format!("see to number {number} of the list of chores"))?;
        let question = format!("what was it with {} please", about(number % TOPICS).join(" "));
        given.extend(session.ask(&question)?.map(|text| entries(&text)));
        session.stop(&format!("`make list-{number}` passes."))?;
        session.prompt(&format!("and now number {number} of the other list"))?;
        session.run(&format!("make number-{number}"), Ok("ok"))?;
        session.end()?;
    }
    let mut violations = Violations::default();
    let answered = given.iter().filter(|entries| !entries.is_empty()).count();
    let most = most_in_a_window(&given);
    println!(
        "{SESSIONS} sessions of {} words in {:.0} s; {PROMPTS} prompts in {:.0} s: {} injections, {answered} with a prompt; after the first {WINDOW} no entry is in more than {most} of {WINDOW}",
        target.size.pick((FULL_WORDS, SHORT_WORDS)),
        stored.as_secs_f64(),
        (began.elapsed() - stored).as_secs_f64(),
        given.len()
    );
    violations.unless(
        answered >= MIN_ANSWERED,
        format!("{answered} prompts were answered, fewer than {MIN_ANSWERED}"),
    );
    violations.unless(most <= MIN_SHARE, format!("an entry is in {most} of {WINDOW} injections"));
    Ok(violations.close("no entry serves more than five of any hundred injections"))
}

/// A random word; frequent words come most often.
fn word(random: &mut Random) -> String {
    // The product of two uniform numbers falls off roughly like the words of a language.
    let rank = random.below(VOCABULARY) * random.below(VOCABULARY) / VOCABULARY;
    format!("w{rank:x}e")
}

/// The words that only one topic has.
fn about(matter: usize) -> Vec<String> {
    const SYLLABLES: [&str; 12] = ["ka", "lu", "mo", "ne", "pi", "ro", "sa", "te", "vu", "wa", "xi", "zo"];
    (0..WORDS_OF_A_MATTER)
        .map(|word| [SYLLABLES[matter], SYLLABLES[word], "bera", SYLLABLES[(word + matter) % 12]].concat())
        .collect()
}

/// The entries that the answer to a prompt names: requests, and what came of them.
fn entries(text: &str) -> BTreeSet<i64> {
    let id = Regex::new(r" #(\d+)(?:\n|; )").expect("a fixed pattern");
    id.captures_iter(text).filter_map(|found| found[1].parse().ok()).collect()
}

/// The most injections that one entry is in, of any hundred in a row, after the first hundred.
fn most_in_a_window(given: &[BTreeSet<i64>]) -> usize {
    let later = given.get(WINDOW..).unwrap_or_default();
    let windows = later.windows(WINDOW.min(later.len()).max(1));
    let most_of = |window: &[BTreeSet<i64>]| {
        let mut times: BTreeMap<i64, usize> = BTreeMap::new();
        for entry in window.iter().flatten() {
            *times.entry(*entry).or_default() += 1;
        }
        times.into_values().max().unwrap_or(0)
    };
    windows.map(most_of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_reported_too_often_is_seen() {
        let mut given: Vec<BTreeSet<i64>> = (0..300).map(|number| BTreeSet::from([number])).collect();
        assert_eq!(most_in_a_window(&given), 1);
        for one in given.iter_mut().skip(150).step_by(10) {
            one.insert(-1);
        }
        assert_eq!(most_in_a_window(&given), 10);
    }

    #[test]
    fn matters_share_no_word() {
        let words: BTreeSet<String> = (0..TOPICS).flat_map(about).collect();
        assert_eq!(words.len(), TOPICS * WORDS_OF_A_MATTER);
    }

    #[test]
    fn entries_are_read_from_what_was_given() {
        let text = "## Earlier work on this\n- [3d ago] the agent concluded: \"c #9\" #11; asked: \"a #7\" (shares: a, b) #12\n- [now] ran: \"b\" (shares: b) #5\n";
        assert_eq!(entries(text), BTreeSet::from([5, 11, 12]));
    }
}
