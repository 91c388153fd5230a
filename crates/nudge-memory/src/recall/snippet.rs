//! Picks the part of a text that contains the searched words.

use nudge_context::{FoundResult, clean_text};
use nudge_core::text::{first_chars, one_line_of_chars};
use nudge_index::Finder;
use serde_json::{Map, Value};

use super::observation::preview;
use crate::sessions::turns::WholeResult;

/// The length of a row's snippet, in characters.
pub(super) const ROW_CHARS: usize = 160;

/// How much of a command is shown before its output, in characters.
const COMMAND_CHARS: usize = 50;

/// How much of a text is searched, in characters.
const MAX_SEARCHED: usize = 20_000;

/// Facts that are not searched.
const UNSEARCHED_FACTS: [&str; 2] = ["hash", "model"];

/// Words of a line that says what went wrong.
const ERROR_WORDS: [&str; 10] = [
    "error",
    "failed",
    "panicked",
    "not found",
    "cannot",
    "no such",
    "denied",
    "exception",
    "unexpected",
    "undefined",
];

/// The entry that a snippet is made from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SnippetSource<'e> {
    pub(crate) text: &'e str,
    /// Its facts other than the text.
    pub(crate) facts: &'e Map<String, Value>,
    /// Whether it is a command that failed.
    pub(crate) is_failure: bool,
}

/// The part of an entry that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    /// The line of the entry's text that it starts on; `None` for the first.
    pub(crate) line: Option<usize>,
}

/// The part of an entry to show, in at most `room` characters: the output of a failed command, the
/// message of a commit, else the lines with most of the words; if no word occurs, the start.
pub(crate) fn snippet(entry: SnippetSource<'_>, room: usize, finder: &mut Finder<'_>) -> Snippet {
    let fact = |name: &str| entry.facts.get(name).and_then(Value::as_str);
    if let Some(said) = fact("response").filter(|_| entry.is_failure) {
        let room = room - COMMAND_CHARS - 3;
        let found = around(said, room, finder).map(|found| found.text);
        let said = found.unwrap_or_else(|| one_line_of_chars(error_line(said), room));
        let command = one_line_of_chars(entry.text, COMMAND_CHARS);
        return Snippet { text: format!("{command} → {said}"), line: None };
    }
    let in_text = around(entry.text, room, finder);
    let words = |found: &Option<Found>| found.as_ref().map_or(0, |found| found.words);
    if let Some(message) = fact("commit_message").filter(|message| !message.trim().is_empty()) {
        let in_message = finder.words_in(message).count_ones();
        let more = reasons(entry.text, message)
            .and_then(|reasons| around(reasons, room.saturating_sub(message.chars().count() + 2), finder))
            .filter(|more| more.words > 0);
        if in_message > 0 || more.is_some() || words(&in_text) == 0 {
            let more = more.map_or_else(String::new, |more| format!(": {}", more.text));
            return Snippet { text: one_line_of_chars(&format!("{message}{more}"), room), line: None };
        }
    }
    let others = entry.facts.iter().filter(|(name, _)| !UNSEARCHED_FACTS.contains(&name.as_str()));
    let mut best = in_text;
    for said in others.filter_map(|(_, value)| value.as_str()) {
        let found = around(said, room, finder).map(|found| Found { line: 1, ..found });
        if words(&found) > words(&best) {
            best = found;
        }
    }
    match best {
        Some(found) => Snippet { text: found.text, line: (found.line > 1).then_some(found.line) },
        None => Snippet { text: preview(entry.text), line: None },
    }
}

/// What a command that commits says below the first line of its message: the rest of the
/// here-document that the message is in. Anything else in the command is no part of the message.
fn reasons<'t>(command: &'t str, subject: &str) -> Option<&'t str> {
    let (before, rest) = command.split_once(subject)?;
    let opening = before.strip_suffix('\n')?.lines().next_back()?;
    let (commits, marker) = opening.split_once("<<")?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let marker = marker.trim_start_matches('-').trim_matches(['\'', '"', ' ']);
    if !commits.contains("git commit") || marker.is_empty() || !marker.chars().all(is_word) {
        return None;
    }
    let (_, below) = rest.split_once('\n')?;
    let end = below.split_inclusive('\n').take_while(|line| line.trim() != marker).map(str::len).sum();
    Some(below.get(..end)?.trim()).filter(|message| !message.is_empty() && end < below.len())
}

/// The part of what came of a request that has most of the words, in at most `room` characters; its
/// gist if that has as many.
pub(crate) fn part_of_result(whole: &WholeResult, room: usize, finder: &mut Finder<'_>) -> FoundResult {
    let gist = whole.gist(room);
    let in_gist = finder.words_in(&gist.text).count_ones();
    let part = around(&whole.text, room, finder).filter(|part| part.words > in_gist);
    FoundResult { text: part.map_or_else(|| gist.text.clone(), |part| part.text), ..gist }
}

/// The first line that says what went wrong, else the last.
pub(crate) fn error_line(response: &str) -> &str {
    let lines = || response.lines().map(str::trim).filter(|line| !line.is_empty());
    let wrong = |line: &&str| {
        let line = line.to_lowercase();
        ERROR_WORDS.iter().any(|word| line.contains(word))
    };
    lines().find(wrong).or_else(|| lines().next_back()).unwrap_or_default()
}

struct Found {
    text: String,
    line: usize,
    words: u32,
}

/// Part of a line.
struct Piece<'t> {
    line: usize,
    text: &'t str,
    is_begun: bool,
    goes_on: bool,
    words: u128,
}

/// The lines that together contain the most words, the first among equals; `None` if no word
/// occurs.
fn around(text: &str, room: usize, finder: &mut Finder<'_>) -> Option<Found> {
    let mut pieces = Vec::new();
    for (number, line) in first_chars(text, MAX_SEARCHED).lines().enumerate() {
        cut(number + 1, line.trim(), room, &mut pieces);
    }
    for piece in &mut pieces {
        piece.words = finder.words_in(piece.text);
    }
    let mut best: Option<(u32, usize, usize)> = None;
    for from in (0..pieces.len()).filter(|from| pieces[*from].words != 0) {
        let (to, words) = reach(&pieces, from, room);
        if words > best.map_or(0, |(most, ..)| most) {
            best = Some((words, from, to));
        }
    }
    let (words, from, to) = best?;
    let shown: Vec<&str> = pieces[from..=to].iter().map(|piece| piece.text).collect();
    let before = if pieces[from].is_begun { "…" } else { "" };
    let after = if pieces[to].goes_on { "…" } else { "" };
    let text = format!("{before}{}{after}", shown.join(" "));
    Some(Found { text: one_line_of_chars(&clean_text(&text), room + 2), line: pieces[from].line, words })
}

/// The last piece that adds a word to those from `from` on, within `room`, and the number of words.
fn reach(pieces: &[Piece<'_>], from: usize, room: usize) -> (usize, u32) {
    let (mut to, mut words) = (from, pieces[from].words);
    let mut length = pieces[from].text.chars().count();
    for (next, piece) in pieces.iter().enumerate().skip(from + 1) {
        length += 1 + piece.text.chars().count();
        if length > room || piece.is_begun {
            break;
        }
        if words | piece.words != words {
            (to, words) = (next, words | piece.words);
        }
    }
    (to, words.count_ones())
}

/// Cuts a line into pieces that fit. They overlap by half, so that words close together are
/// together in one of them.
fn cut<'t>(line: usize, text: &'t str, room: usize, pieces: &mut Vec<Piece<'t>>) {
    if text.is_empty() {
        return;
    }
    let mut start = 0;
    loop {
        let rest = &text[start..];
        let fits = first_chars(rest, room);
        let goes_on = fits.len() < rest.len();
        let end = if goes_on {
            fits.rfind(' ').filter(|end| *end > fits.len() / 2).unwrap_or(fits.len())
        } else {
            fits.len()
        };
        pieces.push(Piece { line, text: rest[..end].trim(), is_begun: start > 0, goes_on, words: 0 });
        if !goes_on {
            return;
        }
        let half = first_chars(rest, room / 2).len();
        let space = rest[half..].find(' ').filter(|space| *space < end - half.min(end));
        start += space.map_or(half, |space| half + space + 1);
    }
}

#[cfg(test)]
mod tests {
    use nudge_index::Query;

    use super::*;

    fn shown(text: &str, query: &str) -> Option<(String, usize)> {
        let query = Query::parse(query).expect("well-formed");
        around(text, 40, &mut Finder::of(&query)).map(|found| (found.text, found.line))
    }

    #[test]
    fn the_piece_with_most_words_is_shown() {
        let text = "the router\n\nother things\na deadline of the router\nrouter";
        assert_eq!(shown(text, "router deadline"), Some(("a deadline of the router".to_owned(), 4)));
        assert_eq!(
            shown("one\nrouter\ndeadline", "router deadline"),
            Some(("router deadline".to_owned(), 2))
        );
        assert_eq!(shown(text, "nothing"), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_words() {
        let text =
            format!("{}the deadline of the router {}", "many words ".repeat(50), "and more ".repeat(50));
        let (piece, line) = shown(&text, "router deadline").expect("found");
        assert!(piece.contains("deadline of the router"), "{piece}");
        assert!(piece.starts_with('…') && piece.ends_with('…') && piece.chars().count() <= 42, "{piece}");
        assert_eq!(line, 1);
    }

    #[test]
    fn the_line_that_says_what_went_wrong() {
        assert_eq!(error_line("Compiling\nerror[E1]: no\n --> a.rs"), "error[E1]: no");
        assert_eq!(error_line("one\ntwo\n\n"), "two");
    }
}
