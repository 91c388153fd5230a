//! playwright.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &["  1 failed"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    // Failures are listed above what passed, up to the line where the run began.
    let mut begun = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        begun |= line.starts_with("Running ") && line.contains(" using ") && line.contains(" worker");
        let Some((count, rest)) = line.strip_prefix("  ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let Ok(count) = count.parse::<u32>() else { continue };
        if rest == "failed" && next.starts_with("    [") {
            reading.count(0, count);
            reading.fail(THAT, line);
            reading.hint(NAMES, next.trim_end_matches(['─', ' ']));
        } else if matches!(rest, "interrupted" | "did not run") && count > 0 {
            reading.suspect(usize::MAX, THAT, line);
        } else if rest
            .strip_prefix("passed (")
            .is_some_and(|time| time.ends_with("s)") || time.ends_with("m)"))
        {
            reading.count(count, 0);
            reading.tests_passed(at, line, false);
            if !begun {
                reading.open_above();
            }
        }
    }
    reading
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
                ("  4 passed (3.2s)", "passed 4 0 4 passed (3.2s)"),
                (
                    "  1 failed\n    [chromium] › a.spec.ts:3:1 › b ───\n  4 passed (3.2s)",
                    "failed 4 1 [chromium] › a.spec.ts:3:1 › b",
                ),
                ("  1 failed\nlogin", "unknown - - -"),
            ],
        );
    }
}
