//! An acknowledged entry is found by the very next search.

use std::time::{Duration, Instant};

use serde_json::json;

use super::bench::Bench;
use super::corpus::{self, Question};

/// Words from this number on occur in no entry of the corpus.
const WORDS: usize = 30_000;

/// Records prompts and searches for them immediately, with a server and without, again and again.
pub(super) fn found_at_once(bench: &mut Bench<'_>, rounds: usize) -> anyhow::Result<String> {
    let mut slowest = Duration::ZERO;
    for is_served in [false, true] {
        if is_served {
            bench.home.run(&["serve", "--daemon"])?;
        }
        for round in 0..rounds {
            let number = WORDS + rounds * usize::from(is_served) + round;
            bench.record(&prompt(bench, &corpus::word(number), number))?;
            let began = Instant::now();
            let found = bench.found(&corpus::word(number))?;
            slowest = slowest.max(began.elapsed());
            let server = if is_served { "a server" } else { "no server" };
            bench.verdict.demand(
                found == 1,
                format!("round {round} with {server}: {found} found of what was just acknowledged"),
            );
        }
        bench.read()?;
        let again = Question::Either(corpus::word(WORDS), corpus::word(WORDS + rounds));
        bench.agree(&again, "just recorded")?;
        if is_served {
            bench.home.run(&["stop"])?;
        }
    }
    Ok(format!("{rounds} without a server and {rounds} with one; slowest search {} ms", slowest.as_millis()))
}

fn prompt(bench: &Bench<'_>, word: &str, number: usize) -> serde_json::Value {
    json!({
        "session_id": format!("5e551011-0000-4000-8000-{number:012}"), "cwd": bench.home.path(),
        "hook_event_name": "UserPromptSubmit", "prompt": format!("please look at {word} once more"),
    })
}
