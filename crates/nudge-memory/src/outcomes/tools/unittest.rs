//! unittest of Python, and Django, which runs its tests with it.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &["FAILED (failures=1)"];

/// How many lines after `Ran 3 tests in 0.001s` the result is.
const AFTER: usize = 2;

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let mut ran: Option<(usize, u32)> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(count) = tests_run(line) {
            ran = Some((at, count));
        } else if let Some((_, count)) = ran.filter(|(begun, _)| at - begun <= AFTER)
            && let Some(result) = result(line)
        {
            let passed = count.saturating_sub(result.failed.saturating_add(result.left_out));
            reading.count(passed, result.failed);
            reading.nothing_ran = count == 0;
            if result.is_failure {
                reading.fail(THAT, line);
            } else if passed > 0 {
                reading.tests_passed(at, line, true);
            }
            ran = None;
        } else if is_named(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `Ran 3 tests in 0.001s`
fn tests_run(line: &str) -> Option<u32> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ").or_else(|| rest.strip_prefix("test in "))?;
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    count.parse().ok()
}

/// The closing line.
struct Closing {
    is_failure: bool,
    failed: u32,
    /// Skipped, or expected to fail.
    left_out: u32,
}

/// `OK`, `OK (skipped=1)`, `FAILED (failures=1, errors=2)`, `NO TESTS RAN`.
fn result(line: &str) -> Option<Closing> {
    let (word, counts) = match line.split_once(" (") {
        Some((word, counts)) => (word, counts.strip_suffix(')')?),
        None => (line, ""),
    };
    let is_failure = match word {
        "OK" | "NO TESTS RAN" => false,
        "FAILED" => true,
        _ => return None,
    };
    let (mut failed, mut left_out) = (0_u32, 0_u32);
    for (name, count) in counts.split(", ").filter_map(|part| part.split_once('=')) {
        let count: u32 = count.parse().ok()?;
        match name {
            "failures" | "errors" | "unexpected successes" => failed = failed.saturating_add(count),
            _ => left_out = left_out.saturating_add(count),
        }
    }
    Some(Closing { is_failure, failed, left_out })
}

/// `FAIL: test_adds (tests.test_cart.CartTest.test_adds)`
fn is_named(line: &str) -> bool {
    let test = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
    test.is_some_and(|test| {
        let place = test.split_once(" (").map(|(_, place)| place.split(')').next().unwrap_or_default());
        place.is_some_and(|place| place.contains('.') && !place.contains(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_closing_line_tells() {
        check(
            read,
            &[
                ("...\n-----\nRan 3 tests in 0.001s\n\nOK", "passed 3 0 OK"),
                ("Ran 4 tests in 0.001s\n\nOK (skipped=1)", "passed 3 0 OK (skipped=1)"),
                (
                    "FAIL: test_a (tests.T.test_a)\nRan 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)",
                    "failed 1 2 FAIL: test_a (tests.T.test_a)",
                ),
                ("Ran 0 tests in 0.000s\n\nNO TESTS RAN", "unknown 0 0 -"),
                ("Ran 1 test in 0.000s\n\nOK (skipped=1)", "unknown 0 0 -"),
                ("OK", "unknown - - -"),
                ("FAIL: it (does) not", "unknown - - -"),
            ],
        );
    }
}
