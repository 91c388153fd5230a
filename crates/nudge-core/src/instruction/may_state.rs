//! Whether a prompt is worth asking the agent about: whether one of its sentences may be a rule
//! that is meant to last.
//!
//! This errs towards yes, because the agent judges what the prompt means. It looks only for words
//! that rules often have.

use super::prose;
use super::weigh::asks;
use super::words::{Word, words};
use crate::text::first_bytes;

/// A sentence with fewer words is no rule that would make sense in another session.
const MIN_WORDS: usize = 4;

/// How much of a prompt is read, in bytes: a hook waits for it.
const MAX_READ_BYTES: usize = 16 * 1024;

/// Words that rules have, one after the other. "don't" is "do not".
#[rustfmt::skip]
const SIGNS: &[&[&str]] = &[
    &["always"], &["never"], &["do", "not"], &["should"], &["must"], &["avoid"], &["prefer"],
    &["instead", "of"], &["rather", "than"], &["make", "sure"], &["ensure"], &["remember"],
    &["keep", "in", "mind"], &["from", "now", "on"], &["going", "forward"], &["in", "future"],
    &["in", "the", "future"], &["in", "this", "project"], &["in", "this", "repo"],
    &["in", "this", "repository"], &["in", "this", "codebase"], &["we", "use"], &["we", "only"],
    &["we", "want"], &["i", "want", "you", "to"], &["every", "time"], &["each", "time"], &["whenever"],
    &["no", "longer"], &["only", "use"], &["use", "only"], &["stick", "to"], &["without", "asking"],
    &["ask", "me"], &["by", "default"], &["the", "convention"], &["our", "convention"],
];

/// Whether a prompt may state a rule that is meant to last. Questions and pasted text do not count.
pub fn may_state_rule(prompt: &str) -> bool {
    if prose::by_a_program(prompt) {
        return false;
    }
    let runs = prose::runs(first_bytes(prompt, MAX_READ_BYTES), prose::is_pasted);
    runs.iter().flatten().any(|sentence| {
        let words = words(sentence.text);
        words.len() >= MIN_WORDS && !is_question(sentence.text, &words) && has_sign(&words)
    })
}

fn is_question(sentence: &str, words: &[Word<'_>]) -> bool {
    sentence.trim_end_matches([')', '"']).ends_with('?') || asks(words)
}

fn has_sign(words: &[Word<'_>]) -> bool {
    let is_at = |at: usize, sign: &[&str]| {
        let here = words.iter().skip(at).map(|word| word.text.as_ref());
        here.take(sign.len()).eq(sign.iter().copied())
    };
    (0..words.len()).any(|at| SIGNS.iter().any(|sign| is_at(at, sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sounds_like_a_rule_is_worth_asking_about() {
        for prompt in [
            "Fix the header. From now on the tests run with nextest.",
            "always squash before you merge",
            "please don't touch the vendored files",
            "we use pnpm here, never npm",
            "Responses should be short, in British English.",
            "Use the builder instead of a struct literal",
            "Look at this:\n```\nerror: oh\n```\nWhenever that happens, restart the database first.",
        ] {
            assert!(may_state_rule(prompt), "{prompt}");
        }
    }

    #[test]
    fn questions_short_prompts_and_pasted_text_are_not() {
        for prompt in [
            "yes, go on",
            "never mind",
            "should we always squash before merging?",
            "why does the parser never see the last line",
            "add a dark theme to the settings page and let people choose it from the menu",
            "```\nwarning: you should never call this twice\n```",
            "2026-11-15 10:00:01 [12] 0x7f3a: never() -> 0\n> you must always quote",
            "this session is being continued. You should always run the tests.",
            "",
        ] {
            assert!(!may_state_rule(prompt), "{prompt}");
        }
    }
}
