//! mocha, and `node --test`, which has its own counts.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &["  1 failing"];

/// The failure counts of `node --test`.
const OF_NODE: &[&str] = &["ℹ fail 1"];
const OF_NODE_PLAIN: &[&str] = &["# fail 1"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    // Both print what passed before what failed; a single such line may come from any program.
    let mut closes = false;
    for (at, line) in lines.iter().enumerate() {
        match counted(line) {
            Some((count, "pass" | "passing")) => {
                closes = true;
                reading.count(count, 0);
                if count > 0 {
                    // The failures are counted after it.
                    reading.tests_passed(at, line, false);
                    reading.canonical = canonical(line);
                }
            }
            Some((count, _)) if closes => {
                reading.count(0, count);
                if count > 0 {
                    reading.fail(THAT, line);
                }
            }
            _ if names(line, closes) => reading.hint(NAMES, line),
            _ => {}
        }
    }
    reading
}

/// The failure lines of the tool that prints such a line.
fn canonical(line: &str) -> &'static [&'static str] {
    match line.chars().next() {
        Some('ℹ') => OF_NODE,
        Some('#') => OF_NODE_PLAIN,
        _ => CANONICAL,
    }
}

/// A count and its word.
fn counted(line: &str) -> Option<(u32, &str)> {
    if let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
        let (word, count) = rest.split_once(' ')?;
        return Some((count.parse().ok()?, word)).filter(|(_, word)| matches!(*word, "pass" | "fail"));
    }
    let (count, rest) = line.strip_prefix("  ")?.split_once(' ')?;
    let word = match rest.split_once(" (") {
        Some((word @ "passing", time)) if time.ends_with("s)") => word,
        None if rest == "failing" => rest,
        _ => return None,
    };
    Some((count.parse().ok()?, word))
}

/// `  1) suite` after the counts of mocha, `✖ test (1ms)` of node.
fn names(line: &str, closes: bool) -> bool {
    let number =
        line.strip_prefix("  ").and_then(|rest| rest.split_once(") ")).map(|(number, _)| number.trim());
    let is_numbered = number.is_some_and(|number| number.parse::<u32>().is_ok());
    (closes && is_numbered) || (line.starts_with("✖ ") && line.ends_with("ms)"))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn counts_tell() {
        check(
            read,
            &[
                ("  41 passing (1s)", "passed 41 0 41 passing (1s)"),
                ("  41 passing (12ms)\n  1 failing\n\n  1) sum\n       adds:", "failed 41 1 1) sum"),
                ("  1 failing", "unknown - - -"),
                ("  0 passing (1ms)", "unknown 0 0 -"),
                ("ℹ tests 3\nℹ pass 3\nℹ fail 0", "passed 3 0 ℹ pass 3"),
                ("# tests 3\n# pass 2\n# fail 1", "failed 2 1 # fail 1"),
            ],
        );
    }
}
