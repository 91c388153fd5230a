//! cargo and nextest.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, sum, tally};

// cargo: `test`, `build`, `check`, `clippy`.

const CARGO_CANONICAL: &[&str] = &["error: could not compile `shop` (lib) due to 1 previous error"];

/// Failure lines of tests. Everything is compiled before the first test.
const CARGO_TEST_CANONICAL: &[&str] =
    &["test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"];

/// Prefixes of cargo's own messages when it stops.
const CARGO_GIVES_UP: [&str; 9] = [
    "error: could not compile",
    "error: test failed, to rerun pass",
    "error: doctest failed",
    "error: build failed",
    "error: failed to run custom build command",
    "error: failed to parse manifest",
    "error: failed to load manifest",
    "error: aborting due to",
    "error: linking with",
];

/// In a script, other programs may also print `error: `. There, only errors that are unique to
/// cargo count.
pub(super) fn read_cargo(lines: &[&str], in_script: bool) -> Reading {
    let mut reader = Cargo { reading: Reading::of(CARGO_CANONICAL), ran: in_script, ..Cargo::default() };
    for (at, line) in lines.iter().enumerate() {
        reader.line(at, line, lines.get(at + 1).copied().unwrap_or_default());
    }
    reader.end()
}

/// Reads only build messages: nextest shows its own results, and the output of the tests it runs
/// does not count.
pub(super) fn read_cargo_builds(lines: &[&str]) -> Reading {
    let own: Vec<&str> = lines.iter().map(|line| if is_of_tests(line) { "" } else { *line }).collect();
    read_cargo(&own, false)
}

fn is_of_tests(line: &str) -> bool {
    line.starts_with("test ") || line.starts_with("running ") || line.starts_with("thread '")
}

#[derive(Default)]
struct Cargo {
    reading: Reading,
    /// The last `test result: ok`, with its position.
    result: Option<(usize, String)>,
    /// Tests have begun, and their result has not been seen yet.
    running: bool,
    /// From here on, the lines may come from tests.
    ran: bool,
}

impl Cargo {
    fn line(&mut self, at: usize, line: &str, next: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.summary(at, line, rest);
        } else if is_running(line) {
            self.running = true;
            self.ran = true;
        } else if let Some(rest) = line.strip_prefix("test ") {
            self.test(at, line, rest);
        } else if line.starts_with("error") {
            self.error(at, line, next);
        } else if line.starts_with("thread '") && line.contains(" panicked at ") {
            // The location is on this line and the reason on the next.
            self.reading
                .hint(WHERE, &format!("{line} {}", if line.ends_with(':') { next.trim() } else { "" }));
        } else if let Some(rest) = line.trim_start().strip_prefix("Finished ") {
            let is_own = rest.contains(" target(s) in ") || rest.contains("] target");
            if is_own && !rest.starts_with("`test`") && !rest.starts_with("test ") {
                self.reading.built(at, line);
            }
        } else if line.trim_start().starts_with("Nextest run ID ") {
            self.ran = true;
        } else if is_executable(line) {
            self.reading.built(at, line);
        }
    }

    fn summary(&mut self, at: usize, line: &str, rest: &str) {
        let Some((verdict, counts)) = rest.split_once(". ") else { return };
        let counts = counts.split("; finished in").next().unwrap_or(counts);
        let Some(counts) = tally(counts) else { return };
        let (passed, failed) = (sum(&counts, &["passed"]), sum(&counts, &["failed"]));
        self.reading.count(passed, failed);
        self.running = false;
        self.ran = true;
        if verdict != "ok" || failed > 0 {
            self.reading.fail(THAT, line);
            return;
        }
        // Keep the most informative line: empty suites come after those with tests.
        let line =
            self.result.take().filter(|_| passed == 0).map_or_else(|| line.to_owned(), |(_, line)| line);
        self.result = Some((at, line));
    }

    fn test(&mut self, at: usize, line: &str, rest: &str) {
        if rest.ends_with(" ... FAILED") {
            self.reading.suspect(at, NAMES, line);
        } else if rest.contains(" ... error: test failed, to rerun pass `") {
            // The process was killed in the middle of a line.
            self.reading.fail(WHY, line);
        }
    }

    fn error(&mut self, at: usize, line: &str, next: &str) {
        if line.starts_with("error[E") && line.contains("]: ") {
            self.reading.suspect(at, NAMES, line);
        } else if CARGO_GIVES_UP.iter().any(|begin| line.starts_with(begin)) || is_target_failed(line) {
            self.reading.fail(THAT, line);
        } else if line.starts_with("error: ") && next.trim_start().starts_with("--> ") {
            self.reading.suspect(at, NAMES, line);
        } else if line.starts_with("error: ") && !self.ran && line != "error: no tests to run" {
            // Cargo's messages about its arguments and manifests, before anything is run.
            let rank = if line.starts_with("error: command `") { THAT } else { WHY };
            self.reading.doubt(at, rank, line);
        }
    }

    fn end(mut self) -> Reading {
        if let Some((at, line)) = self.result.filter(|_| !self.running)
            && self.reading.passed > Some(0)
        {
            self.reading.tests_passed(at, &line, false);
            self.reading.canonical = CARGO_TEST_CANONICAL;
        }
        self.reading
    }
}

/// `running 3 tests`
fn is_running(line: &str) -> bool {
    let number = line
        .strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or(rest.strip_suffix(" test")));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The last line of `cargo test --no-run`.
fn is_executable(line: &str) -> bool {
    line.starts_with("  Executable ") && line.ends_with(')')
}

/// `error: 2 targets failed:`
fn is_target_failed(line: &str) -> bool {
    line.strip_prefix("error: ")
        .is_some_and(|rest| rest.ends_with(" targets failed:") || rest.ends_with(" target failed:"))
}

// cargo nextest.

const NEXTEST_CANONICAL: &[&str] = &["     Summary [   0.012s] 5 tests run: 4 passed, 1 failed, 1 skipped"];

/// Prefixes of the lines for failed tests.
const NEXTEST_FAILURES: [&str; 6] = ["FAIL", "TIMEOUT", "ABORT", "SIGABRT", "SIGSEGV", "LEAK-FAIL"];

pub(super) fn read_nextest(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(NEXTEST_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some((is_whole, counts)) = trimmed.strip_prefix("Summary [").and_then(read_nextest_summary) {
            let failed = sum(&counts, &["failed", "exec failed", "timed out"]);
            let passed = sum(&counts, &["passed"]);
            reading.count(passed, failed);
            if failed > 0 {
                reading.fail(THAT, line);
            } else if passed > 0 && is_whole {
                reading.tests_passed(at, line, true);
            }
        } else if NEXTEST_FAILURES
            .iter()
            .any(|end| trimmed.strip_prefix(end).is_some_and(|rest| rest.starts_with(" [")))
        {
            reading.suspect(at, NAMES, line);
        } else if matches!(*line, "error: test run failed" | "error: creating test list failed") {
            reading.fail(THAT, line);
        } else if *line == "error: no tests to run" {
            reading.hint(THAT, line);
        }
    }
    reading
}

/// The counts after `0.012s] 5 tests run: `, and whether all tests ran: `5/10` means they did not.
fn read_nextest_summary(rest: &str) -> Option<(bool, Vec<(u32, &str)>)> {
    let (_, rest) = rest.split_once("] ")?;
    let (run, counts) = rest.split_once(" run: ")?;
    let number = run.strip_suffix(" tests").or(run.strip_suffix(" test"))?;
    let is_whole = number.split_once('/').is_none_or(|(run, all)| run == all);
    Some((is_whole, tally(counts)?))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn results_of_all_binaries_are_summed() {
        check(
            |lines| read_cargo(lines, false),
            &[
                (
                    "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                    "passed 2 0 test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                ),
                (
                    "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                    "unknown 0 0 -",
                ),
                (
                    "test result: ok. 3 passed; 0 failed; 0 ignored\nrunning 3 tests\ntest a ... ok",
                    "unknown 3 0 -",
                ),
                (
                    "test a ... ok\ntest b ... FAILED\nthread 'b' panicked at src/a.rs:3:5:\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: test failed, to rerun pass `--lib`",
                    "failed 1 1 test b ... FAILED",
                ),
                ("running 1 test\ntest b ... FAILED", "likely - - test b ... FAILED"),
                (
                    "running 1 test\ntest a ... error: test failed, to rerun pass `--lib`",
                    "failed - - test a ... error: test failed, to rerun pass `--lib`",
                ),
            ],
        );
    }

    #[test]
    fn what_tests_print_does_not_count() {
        check(
            |lines| read_cargo(lines, false),
            &[(
                "running 1 test\nerror: 1 failed login\nFAILED\nerror[E0001]: x\ntest a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored",
                "passed 1 0 test result: ok. 1 passed; 0 failed; 0 ignored",
            )],
        );
    }

    #[test]
    fn builds_end_with_their_line() {
        check(
            |lines| read_cargo(lines, false),
            &[
                (
                    "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.03s",
                    "passed - - Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.03s",
                ),
                ("    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.03s", "unknown - - -"),
                (
                    "error[E0432]: unresolved import `x`\n --> a.rs:1:5\nerror: could not compile `a` (lib) due to 1 previous error",
                    "failed - - error[E0432]: unresolved import `x`",
                ),
                ("error: expected `;`\n --> a.rs:1:5", "likely - - error: expected `;`"),
                (
                    "error: could not find `Cargo.toml` in `/`",
                    "likely - - error: could not find `Cargo.toml` in `/`",
                ),
            ],
        );
    }

    #[test]
    fn the_summary_tells() {
        check(
            read_nextest,
            &[
                (
                    "     Summary [   0.2s] 45 tests run: 45 passed, 1 skipped",
                    "passed 45 0 Summary [   0.2s] 45 tests run: 45 passed, 1 skipped",
                ),
                (
                    "     Summary [   0.2s] 1 test run: 1 passed (1 flaky), 5 skipped",
                    "passed 1 0 Summary [   0.2s] 1 test run: 1 passed (1 flaky), 5 skipped",
                ),
                (
                    "     Summary [   2.0s] 5/6 tests run: 1 passed, 3 failed, 1 timed out, 1 skipped\n        FAIL [   0.010s] (2/5) slow tests::a\nerror: test run failed",
                    "failed 1 4 FAIL [   0.010s] (2/5) slow tests::a",
                ),
                (
                    "     Summary [   0.0s] 0 tests run: 0 passed, 46 skipped\nerror: no tests to run",
                    "unknown 0 0 error: no tests to run",
                ),
                ("     Summary [   0.2s] 5/10 tests run: 5 passed, 0 skipped", "unknown 5 0 -"),
                ("        PASS [   0.008s] (1/4) calc tests::a", "unknown - - -"),
            ],
        );
    }
}
