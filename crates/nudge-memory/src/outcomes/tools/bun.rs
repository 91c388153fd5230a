//! bun test.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &[" 1 fail"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let block: Vec<(u32, &str)> = lines.iter().skip(at).map_while(|line| counted(line)).collect();
        let behind = lines.get(at + block.len()).copied().unwrap_or_default();
        // The counts are together, and the first one is what passed.
        let is_summary = block.first().is_some_and(|(_, word)| *word == "pass") || behind.starts_with("Ran ");
        if !block.is_empty() && is_summary {
            summary(&mut reading, at, &block);
        } else if line.starts_with("(fail) ") || line.starts_with("✗ ") {
            reading.suspect(at, NAMES, line);
        }
        at += block.len().max(1);
    }
    reading
}

fn summary(reading: &mut Reading, at: usize, block: &[(u32, &str)]) {
    let count = |name: &str| block.iter().find(|(_, word)| *word == name).map(|(count, _)| *count);
    let (passed, failed) = (count("pass"), count("fail"));
    let line = format!("{} pass, {} fail", passed.unwrap_or(0), failed.unwrap_or(0));
    reading.count_stated(passed, failed);
    if failed > Some(0) || count("error").or(count("errors")) > Some(0) {
        reading.fail(THAT, &line);
    } else if passed > Some(0) && failed == Some(0) {
        reading.tests_passed(at, &line, true);
    }
}

/// ` 41 pass`: one space, a number, a word.
fn counted(line: &str) -> Option<(u32, &str)> {
    let (count, word) = line.strip_prefix(' ')?.split_once(' ')?;
    Some((count.parse().ok()?, word))
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
                (" 41 pass\n 0 fail\nRan 41 tests across 3 files. [12.00ms]", "passed 41 0 41 pass, 0 fail"),
                ("(fail) sum > adds [0.1ms]\n\n 41 pass\n 1 fail", "failed 41 1 (fail) sum > adds [0.1ms]"),
                (" 0 pass\n 0 fail", "unknown 0 0 -"),
                (" 3 fail\n(pass) noisy\n\n 11 pass\n 1 skip\n 0 fail", "passed 11 0 11 pass, 0 fail"),
                (" 1 fail\n 10 expect() calls\nRan 2 tests across 1 file.", "failed - 1 0 pass, 1 fail"),
                ("41 pass\n1 fail", "unknown - - -"),
                ("(fail) sum > adds", "likely - - (fail) sum > adds"),
            ],
        );
    }
}
