//! Mnemonic phrases: the words that form the key of a wallet.
//!
//! The word lists in use have words of three to eight lower-case letters, and no function words;
//! twelve or more of them in a row are not a sentence.

use super::Finding;
use super::prose::is_function;
use super::token::find;

/// The word counts of the standard.
const COUNTS: [usize; 5] = [12, 15, 18, 21, 24];

/// How far before the words their name is searched, in bytes.
const REACH: usize = 160;

/// Finds phrases with a name, and those alone on their line or in quotes.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_lowercase() || at > 0 && is_part(text[at - 1]) {
            at += 1;
            continue;
        }
        let (end, count, breaks) = run(text, at);
        if count >= COUNTS[0]
            && (count <= 25 && is_announced(text, at) || is_alone(text, at, end, count, breaks))
        {
            found.push(Finding { rule: "mnemonic", start: at, end });
        }
        at = end.max(at + 1);
    }
}

/// The run of words from `start`: its end, the number of words, and the number of kinds of gaps.
fn run(text: &[u8], start: usize) -> (usize, usize, usize) {
    let (mut end, mut count, mut spaces, mut others) = (start, 0, 0, 0);
    let mut at = start;
    loop {
        let length = text[at..].iter().take(9).take_while(|b| b.is_ascii_lowercase()).count();
        let whole = !text.get(at + length).is_some_and(|b| is_part(*b));
        if !(3..=8).contains(&length) || !whole || is_function(&text[at..at + length]) {
            // A word that does not fit is skipped whole: no phrase begins inside it.
            let word = text[at..].iter().take_while(|b| is_part(**b)).count();
            return if count == 0 {
                (at + word, 0, 0)
            } else {
                (end, count, usize::from(spaces > 0) + usize::from(others > 0))
            };
        }
        end = at + length;
        count += 1;
        let gap = text[end..].iter().take(8).take_while(|b| is_gap(**b)).count();
        if gap == 0 {
            return (end, count, usize::from(spaces > 0) + usize::from(others > 0));
        }
        if gap == 1 && text[end] == b' ' {
            spaces += 1
        } else {
            others += 1
        }
        at = end + gap;
    }
}

/// White space, commas, and the numbers of a numbered list.
fn is_gap(b: u8) -> bool {
    b.is_ascii_whitespace() || b.is_ascii_digit() || b",.)\"'".contains(&b)
}

fn is_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80
}

fn is_announced(text: &[u8], start: usize) -> bool {
    // The name can be the first words of the run itself.
    let before = text[start.saturating_sub(REACH)..text.len().min(start + 24)].to_ascii_lowercase();
    [&b"mnemonic"[..], b"seed", b"recovery", b"wallet", b"phrase", b"bip39", b"bip-39", b"secret words"]
        .iter()
        .any(|name| find(&before, name, 0).is_some())
}

/// Whether the line or the quotes contain nothing else, with the same gap throughout.
fn is_alone(text: &[u8], start: usize, end: usize, count: usize, gaps: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    let opened = matches!(before, None | Some(b'\n' | b'"' | b'\'' | b'=')) || text[..start].ends_with(b"= ");
    let closed = matches!(text.get(end), None | Some(b'\n' | b'"' | b'\''));
    COUNTS.contains(&count)
        && gaps == 1
        && opened
        && closed
        && !text[start..end].contains(&b'\n')
        && !text[start..end].contains(&b',')
        && is_varied(&text[start..end])
}

/// No word is frequent: lists of keywords and sound effects repeat themselves.
fn is_varied(words: &[u8]) -> bool {
    let mut list: Vec<&[u8]> =
        words.split(|b| !b.is_ascii_lowercase()).filter(|word| !word.is_empty()).collect();
    let count = list.len();
    list.sort_unstable();
    list.dedup();
    list.len() + 2 >= count
}
