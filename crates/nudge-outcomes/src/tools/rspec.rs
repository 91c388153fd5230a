//! rspec.

use super::super::reading::{NAMES, Reading, THAT, WHY, sum, tally};

const CANONICAL: &[&str] = &["42 examples, 1 failure"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if let Some(counts) = summary(line) {
            let failed = sum(&counts, &["failure"]);
            let outside = sum(&counts, &["error"]);
            let others = failed.saturating_add(sum(&counts, &["pending"]));
            let passed = sum(&counts, &["example"]).saturating_sub(others);
            reading.count(passed, failed.saturating_add(outside));
            if failed > 0 || outside > 0 {
                reading.fail(THAT, line);
            } else if passed > 0 {
                reading.tests_passed(at, line, true);
            }
        } else if line.starts_with("rspec ./") && line.contains(" # ") {
            reading.suspect(at, NAMES, line);
        } else if line.starts_with("An error occurred while loading ") {
            reading.suspect(at, WHY, line);
        }
    }
    reading
}

/// The counts of `42 examples, 1 failure, 2 pending`.
fn summary(line: &str) -> Option<Vec<(u32, &str)>> {
    let counts = tally(line)?;
    let is_own = matches!(counts.as_slice(), [(_, "examples" | "example"), (_, "failures" | "failure"), ..]);
    is_own.then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn examples_tell() {
        check(
            read,
            &[
                ("42 examples, 0 failures, 2 pending", "passed 40 0 42 examples, 0 failures, 2 pending"),
                (
                    "42 examples, 1 failure\nrspec ./spec/a_spec.rb:3 # Cart adds",
                    "failed 41 1 rspec ./spec/a_spec.rb:3 # Cart adds",
                ),
                (
                    "An error occurred while loading ./spec/a_spec.rb.\n0 examples, 0 failures, 1 error occurred outside of examples",
                    "failed 0 1 An error occurred while loading ./spec/a_spec.rb.",
                ),
                ("0 examples, 0 failures", "unknown 0 0 -"),
            ],
        );
    }
}
