//! Builds in any language: bundlers, make, ctest, and the scripts of package managers.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY};

// Bundlers and frameworks that scripts build with: vite, next, webpack, tsup, esbuild.

const BUNDLERS_CANONICAL: &[&str] = &["error during build:", "Failed to compile.", "✘ [ERROR] no such file"];

pub(super) fn read_bundlers(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(BUNDLERS_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if bundler_fails(trimmed) {
            reading.fail(THAT, line);
        } else if trimmed.starts_with("✘ [ERROR] ") || line.starts_with("ERROR in ") {
            reading.fail(NAMES, line);
        } else if bundler_succeeds(trimmed) {
            reading.built(at, line);
        }
    }
    reading
}

fn bundler_fails(line: &str) -> bool {
    line == "error during build:"
        || line == "Failed to compile."
        || line.starts_with("✗ Build failed in ")
        || line.starts_with("x Build failed in ")
        || line.starts_with("> Build failed because of ")
        || (line.starts_with("webpack ") && line.contains(" compiled with ") && line.contains(" error"))
}

fn bundler_succeeds(line: &str) -> bool {
    line.starts_with("✓ built in ")
        || line.starts_with("✓ Compiled successfully")
        || line.starts_with("Compiled successfully")
        || line.contains("⚡️ Build success in ")
        || (line.starts_with("webpack ") && line.contains(" compiled successfully"))
}

// make, and the compilers it runs.

const MAKE_CANONICAL: &[&str] = &["make: *** [Makefile:3: test] Error 1"];

/// Files for which compilers print `a.c:3:5: error: …`.
const SOURCE_ENDINGS: [&str; 9] = [".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".m", ".swift"];

pub(super) fn read_make(lines: &[&str], ignores_failures: bool) -> Reading {
    let mut reading = Reading::of(MAKE_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let is_ignored = ignores_failures && is_make_line(line, "[") && line.ends_with(" (ignored)");
        if is_make_line(line, "*** ") || is_ignored {
            reading.fail(THAT, line);
        } else if is_make_line(line, "Nothing to be done for ")
            || (is_make_line(line, "") && line.ends_with(" is up to date."))
        {
            reading.built(at, line);
        } else if is_compiler_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `make: …` or `make[1]: …`
fn is_make_line(line: &str, begin: &str) -> bool {
    let rest = line.strip_prefix('g').unwrap_or(line).strip_prefix("make");
    let Some((level, text)) = rest.and_then(|rest| rest.split_once(": ")) else { return false };
    let is_level = level.is_empty() || (level.starts_with('[') && level.ends_with(']'));
    is_level && text.starts_with(begin)
}

/// `a.c:3:5: error: …`
fn is_compiler_error(line: &str) -> bool {
    let text = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "));
    let Some((place, _)) = text else { return false };
    let path = place.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
    path.len() < place.len() && SOURCE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

// ctest.

const CTEST_CANONICAL: &[&str] = &["98% tests passed, 1 tests failed out of 42"];

pub(super) fn read_ctest(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CTEST_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if let Some((failed, all)) = read_ctest_summary(line) {
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
        } else if is_listed_by_ctest(line, ")")
            && !is_listed_by_ctest(line, "(Skipped)")
            && !is_listed_by_ctest(line, "(Disabled)")
        {
            reading.hint(NAMES, line);
        } else if *line == "No tests were found!!!" {
            reading.hint(THAT, line);
        } else if line.contains(" Test ") && line.contains("***") {
            reading.suspect(at, WHERE, line);
        }
    }
    // The summary counts skipped tests as passed and lists them after it.
    let skipped = lines.iter().filter(|line| is_listed_by_ctest(line, "(Skipped)")).count();
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    reading.passed = reading.passed.map(|passed| passed.saturating_sub(skipped));
    reading
}

/// `\t  3 - cart (Failed)`
fn is_listed_by_ctest(line: &str, ending: &str) -> bool {
    line.starts_with('\t') && line.contains(" - ") && line.trim_end().ends_with(ending)
}

/// The failed tests and the total: `98% tests passed, 1 tests failed out of 42`.
fn read_ctest_summary(line: &str) -> Option<(u32, u32)> {
    let (percent, rest) = line.split_once("% tests passed, ")?;
    percent.parse::<u32>().ok()?;
    let (failed, rest) = rest.split_once(' ')?;
    let (_, all) = rest.split_once("failed out of ")?;
    Some((failed.parse().ok()?, all.trim().parse().ok()?))
}

// What npm, pnpm, yarn, bun, turbo, mise and just print about the scripts they run.

const SCRIPTS_CANONICAL: &[&str] = &["npm error code ELIFECYCLE", "error Command failed with exit code 1."];

pub(super) fn read_scripts(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(SCRIPTS_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if script_fails(line.trim_matches([' ', '\u{2009}', '['])) {
            reading.fail(THAT, line);
        } else if line.starts_with("Error: ") {
            // From the script itself, which may be anything.
            reading.hint(WHY, line);
        } else if script_is_done(line) {
            reading.built(at, line);
        }
    }
    reading
}

fn script_fails(line: &str) -> bool {
    const BEGIN: [&str; 19] = [
        "npm ERR! ",
        "npm error ",
        "ELIFECYCLE",
        "ERR_PNPM_",
        "Error: ERR_PNPM_",
        "error Command failed with exit code ",
        "error Command failed with signal ",
        "error Command \"",
        "error Couldn't find a script named ",
        "error: Script not found ",
        "ERROR  run failed: command ",
        "Command failed with exit code ",
        "Usage Error: Couldn't find ",
        "ERROR task failed",
        "mise ERROR ",
        "error: recipe `",
        "error: Recipe `",
        "error: justfile does not contain recipe ",
        "error: Justfile does not contain recipe ",
    ];
    BEGIN.iter().any(|begin| line.starts_with(begin))
        || (line.starts_with("error: script \"") && line.contains("\" exited with code "))
        || (line.starts_with("error: script \"") && line.contains("\" was terminated by signal "))
}

/// `Done in 1.23s.` of yarn, printed only on success.
fn script_is_done(line: &str) -> bool {
    let time = line.strip_prefix("✨  Done in ").or_else(|| line.strip_prefix("Done in "));
    time.and_then(|time| time.strip_suffix("s.")).is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn closing_lines_of_bundlers_tell() {
        check(
            read_bundlers,
            &[
                ("✓ built in 1.23s", "passed - - ✓ built in 1.23s"),
                ("error during build:\nRollupError", "failed - - error during build:"),
                (
                    "webpack 5.9 compiled with 1 error in 9 ms",
                    "failed - - webpack 5.9 compiled with 1 error in 9 ms",
                ),
                ("build error", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn ignored_failures_are_failures_where_all_are_ignored() {
        let line = "make: [Makefile:3: test] Error 1 (ignored)";
        check(|lines| read_make(lines, true), &[(line, &format!("failed - - {line}"))]);
    }

    #[test]
    fn stars_tell() {
        check(
            |lines| read_make(lines, false),
            &[
                (
                    "a.c:3:5: error: expected ';'\nmake[1]: *** [Makefile:3: a.o] Error 1",
                    "failed - - a.c:3:5: error: expected ';'",
                ),
                (
                    "make: *** No rule to make target 'x'.  Stop.",
                    "failed - - make: *** No rule to make target 'x'.  Stop.",
                ),
                ("make: [Makefile:3: test] Error 1 (ignored)", "unknown - - -"),
                ("make: Nothing to be done for 'all'.", "passed - - make: Nothing to be done for 'all'."),
                ("a.c:3:5: warning: unused", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_percentage_tells() {
        check(
            read_ctest,
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

    #[test]
    fn failed_scripts_are_reported() {
        check(
            read_scripts,
            &[
                ("npm error code ELIFECYCLE", "failed - - npm error code ELIFECYCLE"),
                (
                    "npm ERR! Test failed.  See above for more details.",
                    "failed - - npm ERR! Test failed.  See above for more details.",
                ),
                (
                    "\u{2009}ELIFECYCLE\u{2009} Test failed. See above for more details.",
                    "failed - - ELIFECYCLE\u{2009} Test failed. See above for more details.",
                ),
                (
                    "error Command failed with exit code 1.",
                    "failed - - error Command failed with exit code 1.",
                ),
                (
                    "error: script \"test\" exited with code 1",
                    "failed - - error: script \"test\" exited with code 1",
                ),
                ("Done in 1.23s.", "passed - - Done in 1.23s."),
                ("npm warn deprecated x\nerror: something", "unknown - - -"),
            ],
        );
    }
}
