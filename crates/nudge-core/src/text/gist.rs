//! The most informative sentences of a text: what was found, changed or left undone, with its
//! names.

use super::first_chars;

/// Words that say how something went, or why.
const ERROR_WORDS: [&str; 24] = [
    "because",
    "cause",
    "fixed",
    "failed",
    "fails",
    "still",
    "remaining",
    "next",
    "instead",
    "decided",
    "removed",
    "renamed",
    "added",
    "changed",
    "broken",
    "missing",
    "blocked",
    "must",
    "cannot",
    "not",
    "workaround",
    "follow-up",
    "todo",
    "now",
];

/// How many names of a sentence count, and how many characters of a sentence are read.
const MAX_NAMES: u32 = 4;
const LOOKED_AT: usize = 600;

/// A sentence worth less than this is left out, however short the text is.
const MIN_WORTH: u32 = 1;

/// Begins of sentences that tell nothing about the work, in lower case.
const CHATTER: [&str; 21] = [
    "all done",
    "all good",
    "all set",
    "awesome",
    "done",
    "everything is",
    "everything looks",
    "everything works",
    "excellent",
    "feel free",
    "glad",
    "great",
    "happy to",
    "here is",
    "here's",
    "if you",
    "looks good",
    "perfect",
    "sure",
    "you can",
    "you're",
];

/// Begins of sentences that only announce the next step, or record a call, in lower case. Whatever
/// they name, they say nothing about how it went.
const ANNOUNCEMENTS: [&str; 16] = [
    "i have everything i need",
    "i'll",
    "i need to",
    "i will",
    "i'm going to",
    "let me",
    "let's",
    "listed directory",
    "listed current directory",
    "next, i'll",
    "now i'll",
    "now i need to",
    "now let me",
    "now let's",
    "read file:",
    "tool use:",
];

/// No begin is longer, in characters.
const MAX_BEGIN: usize = 32;

/// How many words a sentence without a name or a telling word has at least.
const MIN_WORDS: usize = 4;

/// The most informative sentences of a text, in their order, in at most `most` characters. If none
/// has a name, a number or a telling word, it is the first that is more than chatter; empty if
/// there is none. Code blocks, tables, headings and Markdown markup are skipped.
pub fn gist(text: &str, most: usize) -> String {
    let sentences = sentences(text);
    let mut order: Vec<usize> = (0..sentences.len()).filter(|at| sentences[*at].worth >= MIN_WORTH).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(sentences[*at].worth), *at));
    let (mut taken, mut room) = (Vec::new(), most);
    for at in order {
        let length = sentences[at].text.chars().count() + if taken.is_empty() { 0 } else { 3 };
        if length <= room {
            room -= length;
            taken.push(at);
        } else if taken.is_empty() {
            return format!("{}…", first_chars(&sentences[at].text, most.saturating_sub(1)).trim_end());
        }
    }
    taken.sort_unstable();
    let mut out = String::new();
    let mut last = None;
    for at in taken {
        match last {
            Some(before) if before + 1 == at => out.push(' '),
            Some(_) => out.push_str(" … "),
            None => {}
        }
        out.push_str(&sentences[at].text);
        last = Some(at);
    }
    out
}

struct Sentence {
    text: String,
    worth: u32,
}

fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        // A fence that is closed in its own line opens no block.
        if line.starts_with("~~~") || line.strip_prefix("```").is_some_and(|rest| !rest.contains("```")) {
            in_code = !in_code;
        }
        if in_code || is_layout(line) {
            continue;
        }
        let line = plain(line);
        found.extend(split(&line).filter(|part| part.chars().count() > 2).map(|part| {
            let text = part.to_owned();
            Sentence { worth: worth(&text, is_too_short(&text)), text }
        }));
    }
    if let Some(first) = found.iter_mut().find(|sentence| sentence.worth > 0) {
        first.worth += 1;
    } else if let Some(first) = found.iter_mut().find(|sentence| says_something(&sentence.text)) {
        first.worth = MIN_WORTH;
    }
    found
}

fn says_something(sentence: &str) -> bool {
    !is_chatter(sentence) && !is_announcement(sentence)
}

fn is_announcement(sentence: &str) -> bool {
    let begin = first_chars(sentence, MAX_BEGIN).replace('\u{2019}', "'").to_lowercase();
    ANNOUNCEMENTS.iter().any(|known| begin.starts_with(known))
}

/// A short sentence, an offer, a question or a cheer.
fn is_chatter(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    // Scripts without spaces have few words of many characters.
    let is_short = sentence.split_whitespace().count() < MIN_WORDS
        && sentence.chars().filter(|c| !c.is_ascii()).count() < 2 * MIN_WORDS;
    is_short || sentence.ends_with(['?', '？']) || CHATTER.iter().any(|begin| lower.starts_with(begin))
}

/// Nothing but a greeting or a cheer.
fn is_too_short(sentence: &str) -> bool {
    sentence.split_whitespace().count() < 3
}

/// Fences, headings, tables, rules.
fn is_layout(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("```")
        || line.starts_with("~~~")
        || line.starts_with('#')
        || line.starts_with('|')
        || line.starts_with("---")
        || line.chars().all(|c| !c.is_alphanumeric())
}

/// The marks of items and quotes. A minus before a number or a flag is no mark.
const MARKS: [&str; 8] = ["- ", "* ", "+ ", "> ", "• ", "✅", "❌", "⚠"];

/// A line without list and emphasis markup.
fn plain(line: &str) -> String {
    let mut line = line;
    while let Some(rest) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
        line = rest.trim_start();
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let line = match line.get(digits..) {
        Some(rest) if digits > 0 && digits < 3 => {
            rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).unwrap_or(line)
        }
        _ => line,
    };
    without_emphasis(line).trim().to_owned()
}

/// Leaves out `**` around words; between letters or digits it is an operator.
fn without_emphasis(line: &str) -> String {
    let mut parts = line.split("**");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_inside = out.ends_with(char::is_alphanumeric) && part.starts_with(char::is_alphanumeric);
        if is_inside {
            out.push_str("**");
        }
        out.push_str(part);
    }
    out
}

/// The sentences of a line. A dot inside a name or a number does not end one.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().find_map(|(at, c)| {
            let after = &rest[at + c.len_utf8()..];
            let ends = matches!(c, '.' | '!' | '?') && after.starts_with(' ');
            ends.then_some(at + c.len_utf8())
        });
        let (sentence, more) = rest.split_at(end.unwrap_or(rest.len()));
        rest = more.trim_start();
        Some(sentence.trim())
    })
}

/// How informative a sentence is: its names, and words that say how something went.
fn worth(sentence: &str, is_short: bool) -> u32 {
    if is_announcement(sentence) {
        return 0;
    }
    let looked_at = first_chars(sentence, LOOKED_AT);
    let names = looked_at.split_whitespace().filter(|word| is_name(word)).count() as u32;
    let telling = looked_at
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| ERROR_WORDS.iter().any(|telling| telling.eq_ignore_ascii_case(word)))
        .count() as u32;
    let worth = names.min(MAX_NAMES) + telling.min(2);
    if is_short { worth.saturating_sub(1) } else { worth }
}

/// Whether a word is the name of something, or a number: a path, a command's flag, an identifier, a
/// port.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '-' | '_' | '.' | '`'));
    let is_quoted = word.starts_with('`');
    let word = word.trim_matches(['`', '.', '/']);
    let inner = |marks: &[char]| word.contains(marks);
    let capital_inside = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    !word.is_empty()
        && (is_quoted
            || inner(&['_', '/', ':', '='])
            || (inner(&['.']) && word.chars().any(char::is_alphabetic))
            || word.starts_with("--")
            || capital_inside
            || has_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_names_come_before_cheers() {
        let said = "Perfect! All done.\n\n## Summary\n- Renamed `parse_line` to `read_line` in src/reader.rs.\n\
                    - Everything looks good to me.\n```\nlet x = 1;\n```\nThe retry in queue.rs still fails because \
                    the lock is held.";
        assert_eq!(
            gist(said, 200),
            "Renamed `parse_line` to `read_line` in src/reader.rs. … The retry in queue.rs still fails because \
             the lock is held."
        );
        assert_eq!(gist(said, 60), "Renamed `parse_line` to `read_line` in src/reader.rs.");
    }

    #[test]
    fn what_tells_nothing_gives_nothing() {
        assert_eq!(gist("Great! Let me know.", 100), "");
        assert_eq!(gist("", 100), "");
        assert_eq!(gist("```\nmain()\n```", 100), "");
        assert_eq!(gist("Everything looks good to me. Shall I push the new branch?", 100), "");
    }

    #[test]
    fn markup_goes_and_code_stays() {
        let said =
            "- **Fixed** `__init__.py`; the limit is 2**8.\n-1 is returned in a.rs.\n--force is needed.";
        assert_eq!(
            gist(said, 200),
            "Fixed `__init__.py`; the limit is 2**8. -1 is returned in a.rs. --force is needed."
        );
        assert_eq!(gist("```done```\nqueue.rs holds it twice.", 100), "queue.rs holds it twice.");
    }

    #[test]
    fn an_announcement_is_no_result() {
        let said = "Let me add a `replace` directive to go.mod. Tool use: run_terminal_cmd";
        assert_eq!(gist(said, 100), "");
        assert_eq!(gist("I\u{2019}ll trigger a redeploy of staging/web on Vercel now.", 100), "");
        assert_eq!(
            gist("Let me check parse.rs. The lock in queue.rs is held twice.", 100),
            "The lock in queue.rs is held twice."
        );
    }

    #[test]
    fn a_plain_conclusion_is_its_own_gist() {
        let refunds = "Refund mails are sent; the tests use mailpit on port 1025.";
        assert_eq!(gist(refunds, 100), refunds);
        assert_eq!(gist("Perfect! It copies each line twice.", 100), "It copies each line twice.");
    }

    #[test]
    fn one_long_sentence_is_cut_at_a_character() {
        let long = format!("The module täglich.rs {}", "wört ".repeat(100));
        let cut = gist(&long, 50);
        assert!(cut.chars().count() <= 50 && cut.ends_with('…'), "{cut}");
    }

    #[test]
    fn a_dot_inside_a_name_ends_no_sentence() {
        let parts: Vec<_> = split("Changed a.rs and v1.2 now. Next is b.rs").collect();
        assert_eq!(parts, ["Changed a.rs and v1.2 now.", "Next is b.rs"]);
    }
}
