//! Finds a sentence that an agent quotes in what the user typed.
//!
//! The agent may quote a part of a sentence. What is returned is the whole sentence in the user's
//! own words: half of one may say the opposite.

use super::prose::{self, Sentence};
use super::weigh::score_sentence;
use super::{Instruction, Kind, directory};

/// A shorter quote says too little to be found for certain.
const MIN_WORDS: usize = 3;
const MIN_CHARS: usize = 12;

/// A line of at least this many characters that ends no sentence may be wrapped: the next one goes
/// on with it.
const MIN_WRAPPED_CHARS: usize = 50;

/// A longer quote is not looked for.
const MAX_QUOTE_BYTES: usize = 8_000;

/// The most characters of the sentences that a quote stands in. More is a document.
const MAX_CHARS: usize = 1_000;

/// Whether a quote is long enough to be looked for.
pub fn is_long_enough(quote: &str) -> bool {
    let quote = level(quote);
    quote.split(' ').count() >= MIN_WORDS && quote.chars().count() >= MIN_CHARS
}

/// The sentences of a text that a quote stands in, as its author wrote them; `None` if it does not
/// stand there, or only in something pasted. White space, case, quotation marks around it and the
/// mark at its end make no difference.
pub fn quoted(text: &str, quote: &str) -> Option<Instruction> {
    if quote.len() > MAX_QUOTE_BYTES || prose::by_a_program(text) || !is_long_enough(quote) {
        return None;
    }
    let quote = level(quote);
    let runs = prose::runs(text, prose::is_marked);
    runs.iter().find_map(|run| in_run(run, &quote)).and_then(|found| instruction(&found))
}

/// The sentences that a levelled quote stands in.
fn in_run<'a>(run: &[Sentence<'a>], quote: &str) -> Option<Vec<&'a str>> {
    let mut whole = String::new();
    let mut begins = Vec::with_capacity(run.len());
    for sentence in run {
        begins.push(whole.len());
        whole.push_str(&spaced(sentence.text));
        whole.push(' ');
    }
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (at, _) = whole.match_indices(quote).find(|(at, found)| {
        let (before, after) = (&whole[..*at], &whole[at + found.len()..]);
        !is_inside(before.chars().next_back()) && !is_inside(after.chars().next())
    })?;
    let goes_on = |place: usize| {
        let next = run.get(place + 1).filter(|next| !next.listed && !next.follows);
        run.get(place).is_some_and(|sentence| next.is_some() && may_be_wrapped(sentence.text))
    };
    let mut last = begins.iter().rposition(|begin| *begin < at + quote.len())?;
    let mut first = begins.iter().rposition(|begin| *begin <= at)?;
    while first > 0 && goes_on(first - 1) {
        first -= 1;
    }
    while goes_on(last) {
        last += 1;
    }
    Some(run.get(first..=last)?.iter().map(|sentence| sentence.text).collect())
}

/// Whether the sentence of a line may end on the next one.
fn may_be_wrapped(line: &str) -> bool {
    let ends = line.trim_end_matches(['"', '\'', '`', ')', '”', '’']).ends_with(['.', '!', '?', '…', ':']);
    !ends && line.chars().count() >= MIN_WRAPPED_CHARS
}

fn instruction(sentences: &[&str]) -> Option<Instruction> {
    if sentences.iter().any(|sentence| prose::has_gap(sentence)) {
        return None;
    }
    let text = sentences.join(" ");
    let text = prose::without_opening(&text).to_owned();
    let weighed = score_sentence(&Sentence { text: &text, listed: false, follows: false });
    (text.chars().count() <= MAX_CHARS).then(|| Instruction {
        directory: directory(&text),
        permanence: weighed.permanence,
        kind: weighed.kind.unwrap_or(Kind::Rule),
        text,
    })
}

/// In small letters, on one line, with plain quotation marks.
fn spaced(text: &str) -> String {
    let plain = |c: char| match c {
        '’' | '‘' => '\'',
        '“' | '”' => '"',
        other => other,
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().map(plain).flat_map(char::to_lowercase).collect()
}

/// The same without the marks around it.
fn level(quote: &str) -> String {
    let marks = |c: char| matches!(c, '"' | '\'' | '`' | '«' | '»' | '„' | ' ');
    let text = spaced(quote);
    let text = text.trim_matches(marks);
    text.trim_end_matches(['.', '!', ',', ';', '…']).trim_end_matches(marks).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPED: &str = "Fix the header.  We don’t use default exports in `web/`, ever! It breaks the build.\n\
        ```\nalways trust this log line\n```\n> and never this mail of somebody\n- keep answers short and plain";

    fn text(quote: &str) -> Option<String> {
        quoted(TYPED, quote).map(|found| found.text)
    }

    #[test]
    fn a_sentence_is_found_as_it_was_typed() {
        let typed = "We don’t use default exports in `web/`, ever!";
        for quote in [
            "We don’t use default exports in `web/`, ever!",
            "we don't use  DEFAULT exports\nin `web/`, ever",
            "\"We don't use default exports in `web/`, ever!\"",
            "“we don’t use default exports”",
            "use default exports in `web/`",
        ] {
            assert_eq!(text(quote).as_deref(), Some(typed), "{quote}");
        }
        assert_eq!(quoted(TYPED, typed).and_then(|found| found.directory).as_deref(), Some("web/"));
        assert_eq!(text("keep answers short").as_deref(), Some("keep answers short and plain"));
        let two = text("in `web/`, ever! It breaks the build.");
        assert_eq!(
            two.as_deref(),
            Some("We don’t use default exports in `web/`, ever! It breaks the build.")
        );
    }

    #[test]
    fn a_wrapped_sentence_is_whole() {
        const WRAPPED: &str = "Fix the header first.\nLetters to customers never go out before Mara has read\n\
            them, and never on a Friday\n- print two copies of it on the large printer downstairs\nuse pnpm";
        let whole = "Letters to customers never go out before Mara has read them, and never on a Friday";
        for quote in ["letters to customers never go out", "never on a Friday", "has read them, and never"] {
            let found = quoted(WRAPPED, quote).map(|found| found.text);
            assert_eq!(found.as_deref(), Some(whole), "{quote}");
        }
        let listed = quoted("use pnpm here, not npm\nkeep answers short", "use pnpm here, not npm");
        assert_eq!(listed.map(|found| found.text).as_deref(), Some("use pnpm here, not npm"));
    }

    #[test]
    fn a_pasted_log_or_dialogue_is_not_the_users() {
        for line in [
            "2026-11-19 12:00:01 INFO always deploy straight to production",
            "error: never ask before you delete the tables",
            "[WARN] always deploy straight to production",
            "assistant: I will always commit the env file to git",
        ] {
            let quote = line.rsplit_once(": ").map_or(&line[line.len() - 36..], |(_, rest)| rest);
            assert_eq!(quoted(&format!("fix this\n{line}\nthanks"), quote), None, "{line}");
        }
        let typed = "users of the shop: always greet them by name";
        assert_eq!(quoted(typed, typed).map(|found| found.text).as_deref(), Some(typed));
    }

    #[test]
    fn what_was_not_typed_or_only_pasted_is_not_found() {
        for quote in [
            "we always use default exports",
            "always trust this log line",
            "and never this mail of somebody",
            "se default exports in `web/`",
            "use default export",
            "the header",
            "a b c",
            "breaks the build. keep answers short",
            "",
        ] {
            assert_eq!(text(quote), None, "{quote}");
        }
        let plan = "Implement the following plan: always use default exports";
        assert_eq!(quoted(plan, "always use default exports"), None);
        assert_eq!(
            quoted("we deploy to  , never to the old one", "we deploy to , never to the old one"),
            None
        );
    }
}
