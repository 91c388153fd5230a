//! Compilers and linters that only check: tsc, eslint, biome, mypy, golangci-lint and ruff.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, found, is_position};

// tsc.

const TSC_CANONICAL: &[&str] =
    &["src/a.ts(3,2): error TS2304: Cannot find name 'x'.", "Found 2 errors in 2 files."];

pub(super) fn read_tsc(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(TSC_CANONICAL);
    for line in lines {
        if is_tsc_error(line) {
            reading.fail(NAMES, line);
        } else if has_tsc_errors(line) {
            reading.fail(THAT, line);
        }
    }
    reading
}

/// `a.ts(3,2): error TS2304: …`, `a.ts:3:2 - error TS2304: …` or `error TS5023: …`.
fn is_tsc_error(line: &str) -> bool {
    let Some((place, rest)) = line.split_once("error TS") else { return false };
    let number = rest.split(':').next().unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (place.is_empty() || place.ends_with("): ") || place.ends_with(" - "))
}

/// `Found 2 errors in 2 files.`, `Found 1 error in a.ts:3`
fn has_tsc_errors(line: &str) -> bool {
    let begins = ["error.", "errors", "error in"];
    found(line).is_some_and(|(count, rest)| count > 0 && begins.iter().any(|begin| rest.starts_with(begin)))
}

// eslint. It prints nothing if there is nothing to report.

const ESLINT_CANONICAL: &[&str] = &["✖ 3 problems (1 error, 2 warnings)"];

pub(super) fn read_eslint(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(ESLINT_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if has_eslint_errors(line) || line.starts_with("ESLint found too many warnings (maximum: ") {
            reading.fail(THAT, line);
        } else if line.starts_with("Oops! Something went wrong! :(") {
            reading.fail(WHY, line);
        } else if is_eslint_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `✖ 3 problems (1 error, 2 warnings)`
fn has_eslint_errors(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("✖ ") else { return false };
    let Some((_, rest)) = rest.split_once(" problem") else { return false };
    let Some((_, errors)) = rest.split_once('(') else { return false };
    errors.split_once(" error").is_some_and(|(count, _)| count.parse::<u32>().is_ok_and(|count| count > 0))
}

/// `  1:7  error  'x' is not defined  no-undef`
fn is_eslint_error(line: &str) -> bool {
    let mut words = line.strip_prefix("  ").unwrap_or_default().split_whitespace();
    let place = words.next().and_then(|place| place.split_once(':'));
    let is_place =
        place.is_some_and(|(row, column)| row.parse::<u32>().is_ok() && column.parse::<u32>().is_ok());
    is_place && words.next() == Some("error")
}

// biome: `check`, `lint` and `ci`.

const BIOME_CANONICAL: &[&str] = &["Found 2 errors."];

pub(super) fn read_biome(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(BIOME_CANONICAL);
    let mut checked = None;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("Checked ") && line.contains(" file") && line.contains(" in ") {
            checked = Some((at, line));
        } else if checked.is_some() && has_biome_errors(line) {
            reading.fail(THAT, line);
        }
    }
    if let Some((at, line)) = checked.filter(|_| !reading.sure) {
        reading.built(at, line);
    }
    reading
}

/// `Found 2 errors.`, after the line that says what was checked.
fn has_biome_errors(line: &str) -> bool {
    found(line).is_some_and(|(count, rest)| count > 0 && matches!(rest, "error." | "errors."))
}

// mypy.

const MYPY_CANONICAL: &[&str] = &["Found 2 errors in 1 file (checked 3 source files)"];

pub(super) fn read_mypy(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(MYPY_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("Success: no issues found in ") {
            reading.built(at, line);
        } else if has_mypy_errors(line) {
            reading.fail(THAT, line);
        } else if line.starts_with("mypy: error: ") || line.starts_with("mypy: can't read file ") {
            reading.fail(WHERE, line);
        } else if is_mypy_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `Found 2 errors in 1 file (checked 3 source files)`
fn has_mypy_errors(line: &str) -> bool {
    let Some((count, rest)) = found(line) else { return false };
    let is_closed = rest.ends_with(')') && (rest.contains("(checked ") || rest.contains("(errors prevented"));
    count > 0 && rest.starts_with("error") && is_closed
}

/// `src/a.py:3: error: Name "x" is not defined  [name-defined]`
fn is_mypy_error(line: &str) -> bool {
    let Some((place, _)) = line.split_once(": error: ") else { return false };
    let Some((path, position)) = place.split_once(".py:") else { return false };
    !path.contains(' ') && is_position(position)
}

// golangci-lint.

const GOLANGCI_LINT_CANONICAL: &[&str] = &["3 issues:"];

pub(super) fn read_golangci_lint(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(GOLANGCI_LINT_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if *line == "0 issues." {
            reading.built(at, line);
        } else if line.strip_suffix(" issues:").is_some_and(|count| count.parse::<u32>().is_ok()) {
            reading.fail(THAT, line);
        } else if line.starts_with("level=error ") || line.starts_with("Error: can't load config: ") {
            reading.suspect(at, WHY, line);
        } else if is_golangci_issue(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `cart/add.go:12:3: Error return value is not checked (errcheck)`
fn is_golangci_issue(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(".go:") else { return false };
    let Some((position, message)) = rest.split_once(": ") else { return false };
    let linter = message.rsplit_once(" (").and_then(|(_, linter)| linter.strip_suffix(')'));
    !path.contains([' ', '\t']) && is_position(position) && linter.is_some_and(|linter| !linter.contains(' '))
}

// ruff: `check` and `format --check`.

const RUFF_CANONICAL: &[&str] = &["Found 2 errors.", "1 file would be reformatted"];

pub(super) fn read_ruff(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(RUFF_CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        match count_ruff_errors(line).or_else(|| count_unformatted(line)) {
            Some(0) => read_ruff_success(&mut reading, at, line),
            Some(_) => reading.fail(THAT, line),
            None if *line == "All checks passed!" => read_ruff_success(&mut reading, at, line),
            None if line.starts_with("error: Failed to ") => reading.suspect(at, THAT, line),
            None if is_ruff_place(line) => reading.suspect(at, NAMES, line),
            None if is_ruff_rule(line) => reading.hint(NAMES, line),
            None => {}
        }
    }
    reading
}

/// Each run has a line of its own.
fn read_ruff_success(reading: &mut Reading, at: usize, line: &str) {
    reading.built(at, line);
    reading.results += 1;
}

/// The errors left: `Found 2 errors.`, `Found 3 errors (1 fixed, 2 remaining).`
fn count_ruff_errors(line: &str) -> Option<u32> {
    let (count, rest) = found(line)?;
    match rest.strip_prefix("errors").or_else(|| rest.strip_prefix("error"))? {
        "." => Some(count),
        fixed => {
            let (_, left) = fixed.strip_suffix(" remaining).")?.rsplit_once(", ")?;
            left.parse().ok()
        }
    }
}

/// `1 file would be reformatted, 2 files already formatted`, `3 files already formatted`.
fn count_unformatted(line: &str) -> Option<u32> {
    let (count, rest) = line.split_once(" file")?;
    let count: u32 = count.parse().ok()?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    if rest.starts_with(" would be reformatted") {
        return Some(count);
    }
    (rest == " already formatted").then_some(0)
}

/// `src/a.py:1:8: F401 [*] …`
fn is_ruff_place(line: &str) -> bool {
    let message = line.split_once(".py:").and_then(|(_, place)| place.split_once(": "));
    message.is_some_and(|(position, message)| is_position(position) && is_ruff_rule(message))
}

/// ``F401 [*] `os` imported but unused``
fn is_ruff_rule(line: &str) -> bool {
    let rule = line.split(' ').next().unwrap_or_default();
    let digits = rule.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    digits.len() >= 3 && digits.len() < rule.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn errors_of_tsc_tell() {
        check(
            read_tsc,
            &[
                (
                    "src/a.ts(3,2): error TS2304: Cannot find name 'x'.",
                    "failed - - src/a.ts(3,2): error TS2304: Cannot find name 'x'.",
                ),
                (
                    "src/a.ts:3:2 - error TS2304: no\n\nFound 1 error in src/a.ts:3",
                    "failed - - src/a.ts:3:2 - error TS2304: no",
                ),
                ("Found 0 errors. Watching for file changes.", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn errors_of_eslint_fail_and_warnings_do_not() {
        check(
            read_eslint,
            &[
                (
                    "/w/a.js\n  1:7  error  'x' is not defined  no-undef\n\n✖ 3 problems (1 error, 2 warnings)",
                    "failed - - 1:7  error  'x' is not defined  no-undef",
                ),
                ("✖ 2 problems (0 errors, 2 warnings)", "unknown - - -"),
                (
                    "✖ 2 problems (0 errors, 2 warnings)\n\nESLint found too many warnings (maximum: 0).",
                    "failed - - ESLint found too many warnings (maximum: 0).",
                ),
                ("  1:7  warning  x  no-y", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_lines_of_biome_tell() {
        check(
            read_biome,
            &[
                (
                    "Checked 3 files in 5ms. No fixes applied.",
                    "passed - - Checked 3 files in 5ms. No fixes applied.",
                ),
                (
                    "Checked 3 files in 5ms. No fixes applied.\nFound 2 errors.\nFound 1 warning.",
                    "failed - - Found 2 errors.",
                ),
                (
                    "Checked 3 files in 5ms. No fixes applied.\nFound 1 warning.",
                    "passed - - Checked 3 files in 5ms. No fixes applied.",
                ),
                ("Found 2 errors.", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_line_of_mypy_tells() {
        check(
            read_mypy,
            &[
                (
                    "Success: no issues found in 3 source files",
                    "passed - - Success: no issues found in 3 source files",
                ),
                (
                    "a.py:3: error: Name \"x\" is not defined  [name-defined]\nFound 1 error in 1 file (checked 3 source files)",
                    "failed - - a.py:3: error: Name \"x\" is not defined  [name-defined]",
                ),
                (
                    "a.py:3:7: error: invalid syntax  [syntax]\nFound 1 error in 1 file (errors prevented further checking)",
                    "failed - - a.py:3:7: error: invalid syntax  [syntax]",
                ),
                ("a.py:3: note: see", "unknown - - -"),
                ("Found 2 errors in 2 files.", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_lines_of_golangci_lint_tell() {
        check(
            read_golangci_lint,
            &[
                ("0 issues.", "passed - - 0 issues."),
                (
                    "a.go:12:3: Error return value is not checked (errcheck)\n\tf()\n\t^\n1 issues:\n* errcheck: 1",
                    "failed - - a.go:12:3: Error return value is not checked (errcheck)",
                ),
                ("a.go:12: it (is) fine", "unknown - - -"),
                ("3 issues.", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_line_of_ruff_tells() {
        check(
            read_ruff,
            &[
                ("All checks passed!", "passed - - All checks passed!"),
                (
                    "F401 [*] `os` imported but unused\n --> a.py:1:8\n\nFound 1 error.",
                    "failed - - F401 [*] `os` imported but unused",
                ),
                ("a.py:1:8: F401 unused\nFound 1 error.", "failed - - a.py:1:8: F401 unused"),
                (
                    "Found 3 errors (3 fixed, 0 remaining).",
                    "passed - - Found 3 errors (3 fixed, 0 remaining).",
                ),
                (
                    "Found 3 errors (1 fixed, 2 remaining).",
                    "failed - - Found 3 errors (1 fixed, 2 remaining).",
                ),
                (
                    "Would reformat: a.py\n1 file would be reformatted, 2 files already formatted",
                    "failed - - 1 file would be reformatted, 2 files already formatted",
                ),
                ("3 files already formatted", "passed - - 3 files already formatted"),
                ("Found 2 errors in 1 file (checked 3 source files)", "unknown - - -"),
            ],
        );
    }
}
