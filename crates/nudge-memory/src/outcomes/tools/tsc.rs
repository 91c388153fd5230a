//! tsc.

use super::super::reading::{NAMES, Reading, THAT, found};

const CANONICAL: &[&str] =
    &["src/a.ts(3,2): error TS2304: Cannot find name 'x'.", "Found 2 errors in 2 files."];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for line in lines {
        if is_error(line) {
            reading.fail(NAMES, line);
        } else if found_errors(line) {
            reading.fail(THAT, line);
        }
    }
    reading
}

/// `a.ts(3,2): error TS2304: …`, `a.ts:3:2 - error TS2304: …` or `error TS5023: …`.
fn is_error(line: &str) -> bool {
    let Some((place, rest)) = line.split_once("error TS") else { return false };
    let number = rest.split(':').next().unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (place.is_empty() || place.ends_with("): ") || place.ends_with(" - "))
}

/// `Found 2 errors in 2 files.`, `Found 1 error in a.ts:3`
fn found_errors(line: &str) -> bool {
    let begins = ["error.", "errors", "error in"];
    found(line).is_some_and(|(count, rest)| count > 0 && begins.iter().any(|begin| rest.starts_with(begin)))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn errors_tell() {
        check(
            read,
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
}
