//! ctest.

use super::super::reading::{NAMES, Reading, THAT, WHERE};

const CANONICAL: &[&str] = &["98% tests passed, 1 tests failed out of 42"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if let Some((failed, all)) = summary(line) {
            reading.count(all.saturating_sub(failed), failed);
            if failed > 0 {
                reading.fail(THAT, line);
            } else if all > 0 {
                reading.tests_passed(at, line, true);
            }
        } else if line.starts_with("The following tests FAILED:")
            || line.starts_with("Errors while running CTest")
        {
            reading.fail(THAT, line);
        } else if is_listed(line, ")") && !is_listed(line, "(Skipped)") && !is_listed(line, "(Disabled)") {
            reading.hint(NAMES, line);
        } else if *line == "No tests were found!!!" {
            reading.hint(THAT, line);
        } else if line.contains(" Test ") && line.contains("***") {
            reading.suspect(at, WHERE, line);
        }
    }
    // The summary counts skipped tests as passed and lists them after it.
    let skipped = lines.iter().filter(|line| is_listed(line, "(Skipped)")).count();
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    reading.passed = reading.passed.map(|passed| passed.saturating_sub(skipped));
    reading
}

/// `\t  3 - cart (Failed)`
fn is_listed(line: &str, ending: &str) -> bool {
    line.starts_with('\t') && line.contains(" - ") && line.trim_end().ends_with(ending)
}

/// The failed tests and the total: `98% tests passed, 1 tests failed out of 42`.
fn summary(line: &str) -> Option<(u32, u32)> {
    let (percent, rest) = line.split_once("% tests passed, ")?;
    percent.parse::<u32>().ok()?;
    let (failed, rest) = rest.split_once(' ')?;
    let (_, all) = rest.split_once("failed out of ")?;
    Some((failed.parse().ok()?, all.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_percentage_tells() {
        check(
            read,
            &[
                (
                    "100% tests passed, 0 tests failed out of 42",
                    "passed 42 0 100% tests passed, 0 tests failed out of 42",
                ),
                (
                    "98% tests passed, 1 tests failed out of 42\n\nThe following tests FAILED:\n\t  3 - cart (Failed)\nErrors while running CTest",
                    "failed 41 1 3 - cart (Failed)",
                ),
                ("No tests were found!!!", "unknown - - No tests were found!!!"),
                (
                    " 3/42 Test  #3: cart ....***Failed    0.01 sec",
                    "likely - - 3/42 Test  #3: cart ....***Failed    0.01 sec",
                ),
            ],
        );
    }
}
