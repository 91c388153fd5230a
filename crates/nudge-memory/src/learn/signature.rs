//! Which line of what a failed command said tells what went wrong.

use std::sync::LazyLock;

use regex::Regex;

use super::fold;

/// Words of a line that names the problem itself. One search over the whole response: reports read many of them.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let words = "error|exception|panicked|fatal|not found|no such|denied|cannot|could not|can't|unable to|undefined\
                 |refused|timed out";
    Regex::new(&format!("(?i-u:{words})")).expect("plain words make an expression")
});

/// Beginnings of lines that only say that something went wrong, or where it will be said.
const EMPTY: [&str; 9] = [
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

/// The least letters of a line that can tell anything.
const LEAST: usize = 4;

/// The first line that tells what went wrong, as it was said; `None` where nothing was.
pub(crate) fn telling_line(response: &str) -> Option<String> {
    let plain = fold::without_escapes(response);
    let begin = naming_line(&plain).or_else(|| first_line(&plain))?;
    let mut lines = plain[begin..].lines().map(str::trim);
    let line = lines.next()?;
    // A panic says where it was on the one line and why on the next.
    let is_panic = line.contains("panicked at") && line.ends_with(':');
    let next = lines.find(|line| !line.is_empty()).filter(|_| is_panic);
    Some(next.map_or_else(|| line.to_owned(), |next| format!("{line} {next}")))
}

/// Where the first line begins that names a problem.
fn naming_line(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let found = from + NAMES.find(&text[from..])?.start();
        let begin = text[..found].rfind('\n').map_or(0, |end| end + 1);
        let end = text[found..].find('\n').map_or(text.len(), |length| found + length);
        let line = text[begin..end].trim();
        if tells(line) && !counts(line) {
            return Some(begin);
        }
        from = end;
    }
}

/// Where the first line begins that says anything.
fn first_line(text: &str) -> Option<usize> {
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        if tells(line.trim()) {
            return Some(begin);
        }
        begin += line.len();
    }
    None
}

fn tells(line: &str) -> bool {
    let lower = line.to_lowercase();
    line.chars().filter(|c| c.is_alphabetic()).count() >= LEAST
        && !EMPTY.iter().any(|empty| lower.starts_with(empty))
        && !lower.starts_with("warning")
}

/// `0 errors` and the like count, they do not name.
fn counts(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("0 errors") || lower.contains("no errors")
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
            ("bash: line 1: cargoo: command not found", Some("bash: line 1: cargoo: command not found")),
            ("running 3 tests\nFAILED tests/a.py::b", Some("running 3 tests")),
            ("Exit code 1", None),
            ("", None),
        ] {
            assert_eq!(telling_line(response).as_deref(), line, "{response}");
        }
    }
}
