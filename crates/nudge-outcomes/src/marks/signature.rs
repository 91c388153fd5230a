//! Finds the line in a failed command's output that says what went wrong.

use std::sync::LazyLock;

use nudge_core::text::first_chars;
use regex::Regex;

use super::fold;

/// Words of a line that names the problem itself. It is one regex over the whole response, because
/// reports read many responses.
static PROBLEM_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "error|exception|panicked|fatal|not found|no such|denied|cannot|could not|can't|unable to|undefined\
                 |refused|timed out|illegal|unrecognized|unknown|unexpected|invalid|not allowed|no matches\
                 |rejected|conflict|accepts at most|ignored by";
    Regex::new(&format!("(?i-u:{words})|(?m:^[ \\t]*[×✖✗] )")).expect("plain words make an expression")
});

/// Lines that count results, or say what is run or what passed.
static COUNT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        r"^(found |caught )?\d+ (error|problem|pass|fail|failure|warning|diagnostic)s?\b",
        r"^\[[^\]]*\] [$>] ",
        r"^ok\s|^--- pass|^=== run|^hint:",
        r"^\d+ \d* *\u{2502}",
        // Headings between two rules, as test runners print them.
        r"^[=_*~-]{3,} .* [=_*~-]{3,}$",
        r"(errors|warnings) were emitted|task failed|\b(no|0) (errors|failed|failures)\b",
    ];
    Regex::new(&lines.join("|")).expect("plain expressions")
});

/// Starts of lines that only say that something went wrong, or where the details are.
const EMPTY_STARTS: [&str; 20] = [
    "failed in sandbox",
    "chunk id:",
    "wall time:",
    "process exited with code",
    "original token count:",
    "output:",
    "npm error",
    "error: script",
    "error command failed",
    "$ ",
    "> ",
    "exit code",
    "traceback (most recent call last)",
    "error: aborting due to",
    "error: could not compile",
    "error: process completed",
    "error: recipe",
    "error: test failed",
    "command failed",
    "…",
];

/// The fewest letters of a line that can say anything.
const MIN_LETTERS: usize = 4;

/// Messages of the agent's own program when it, and not the command, is the cause.
const OWN_MESSAGES: [&str; 9] = [
    "<tool_use_error>",
    "request interrupted by user",
    "the user doesn't want to proceed",
    "permission to use",
    "requires approval",
    "was rejected by the user",
    "command timed out after",
    "blocked by hook",
    "hook error",
];

/// How many characters of a response are searched for such a message.
const MAX_OWN_MESSAGE_CHARS: usize = 300;

/// Whether the agent's own program failed or refused, and not the command.
pub fn is_agent_error(response: &str) -> bool {
    let head = first_chars(response, MAX_OWN_MESSAGE_CHARS).to_lowercase();
    OWN_MESSAGES.iter().any(|phrase| head.contains(phrase))
}

/// Messages of commands that had nothing to do, in lower case. Their exit status is no failure.
const NOTHING_TO_DO: [&str; 7] = [
    "nothing to commit",
    "nothing added to commit",
    "no changes added to commit",
    "no local changes to save",
    "everything up-to-date",
    "already up to date",
    "nothing to do",
];

/// Whether a command only had nothing to do, such as `git commit` on a clean tree. The last line of
/// its output says so; after such a line, another command may have failed.
pub fn has_nothing_to_do(response: &str) -> bool {
    let last = response.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_lowercase();
    NOTHING_TO_DO.iter().any(|message| last.contains(message))
}

/// If a response has at most this many lines, its first line says what went wrong, whatever its
/// words.
const MAX_SHORT_LINES: usize = 4;

/// The distinct lines that name a problem, in order, at most `most`. If there are none, the first
/// line of a short response.
pub fn telling_lines(response: &str, most: usize) -> Vec<String> {
    let plain = fold::without_escapes(response);
    let mut lines: Vec<String> = Vec::new();
    let mut from = 0;
    while let Some(begin) = naming_line(&plain[from..]).map(|at| from + at).filter(|_| lines.len() < most) {
        let line = line_at(&plain, begin);
        from = begin + plain[begin..].find('\n').unwrap_or(plain.len() - begin);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let is_short = plain.lines().filter(|line| !line.trim().is_empty()).nth(MAX_SHORT_LINES).is_none();
    if lines.is_empty() && is_short {
        lines.extend(first_line(&plain).map(|begin| line_at(&plain, begin)));
    }
    lines
}

/// The first line that says what went wrong, unchanged; `None` if there is none.
pub fn telling_line(response: &str) -> Option<String> {
    let plain = fold::without_escapes(response);
    let begin = naming_line(&plain).or_else(|| first_line(&plain))?;
    Some(line_at(&plain, begin))
}

/// The line that starts here. A panic has its place on one line and its message on the next; of a
/// list, the first item is enough.
fn line_at(text: &str, begin: usize) -> String {
    let mut lines = text[begin..].lines().map(str::trim);
    let line = lines.next().unwrap_or_default();
    let goes_on =
        ["panicked at", "following paths", "following files"].iter().any(|phrase| line.contains(phrase))
            && line.ends_with(':');
    let next = lines.find(|line| !line.is_empty()).filter(|_| goes_on);
    next.map_or_else(|| line.to_owned(), |next| format!("{line} {next}"))
}

/// The start of the first line that names a problem.
fn naming_line(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let found = from + PROBLEM_LINE.find(&text[from..])?.start();
        let begin = text[..found].rfind('\n').map_or(0, |end| end + 1);
        let end = text[found..].find('\n').map_or(text.len(), |length| found + length);
        let line = text[begin..end].trim();
        if tells(line) && !counts(line) {
            return Some(begin);
        }
        from = end;
    }
}

/// The start of the first line that says anything.
fn first_line(text: &str) -> Option<usize> {
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        if tells(line.trim()) && !counts(line.trim()) {
            return Some(begin);
        }
        begin += line.len();
    }
    None
}

fn tells(line: &str) -> bool {
    let lower = line.to_lowercase();
    line.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS
        && !EMPTY_STARTS.iter().any(|empty| lower.starts_with(empty))
        && !lower.starts_with("warning")
}

/// Whether a line only counts or repeats: `0 errors` and `task failed` name no problem.
fn counts(line: &str) -> bool {
    let lower = line.to_lowercase();
    COUNT_LINE.is_match(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_problem_is_found() {
        for (response, line) in [
            (
                "Exit code 101\n   Compiling shop v0.1.0\nerror[E0432]: unresolved import `x`\n --> src/a.rs:1:5\nerror: could not compile `shop`",
                Some("error[E0432]: unresolved import `x`"),
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'",
                Some("KeyError: 'x'"),
            ),
            (
                "thread 'main' panicked at src/a.rs:3:5:\nassertion failed: a == b",
                Some("thread 'main' panicked at src/a.rs:3:5: assertion failed: a == b"),
            ),
            (
                "Checked 9 files.\n\nsrc/a.ts format ━━━\n\n  × Formatter would have printed the following content:\n\n  1 │ x\nFound 1 error.",
                Some("× Formatter would have printed the following content:"),
            ),
            ("bash: line 1: cargoo: command not found", Some("bash: line 1: cargoo: command not found")),
            ("running 3 tests\nFAILED tests/a.py::b", Some("running 3 tests")),
            ("Exit code 1", None),
            ("", None),
        ] {
            assert_eq!(telling_line(response).as_deref(), line, "{response}");
        }
    }
}
