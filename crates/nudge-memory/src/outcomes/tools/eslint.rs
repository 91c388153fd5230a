//! eslint. It prints nothing if there is nothing to report.

use super::super::reading::{NAMES, Reading, THAT, WHY};

const CANONICAL: &[&str] = &["✖ 3 problems (1 error, 2 warnings)"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if has_errors(line) || line.starts_with("ESLint found too many warnings (maximum: ") {
            reading.fail(THAT, line);
        } else if line.starts_with("Oops! Something went wrong! :(") {
            reading.fail(WHY, line);
        } else if is_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `✖ 3 problems (1 error, 2 warnings)`
fn has_errors(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("✖ ") else { return false };
    let Some((_, rest)) = rest.split_once(" problem") else { return false };
    let Some((_, errors)) = rest.split_once('(') else { return false };
    errors.split_once(" error").is_some_and(|(count, _)| count.parse::<u32>().is_ok_and(|count| count > 0))
}

/// `  1:7  error  'x' is not defined  no-undef`
fn is_error(line: &str) -> bool {
    let mut words = line.strip_prefix("  ").unwrap_or_default().split_whitespace();
    let place = words.next().and_then(|place| place.split_once(':'));
    let is_place =
        place.is_some_and(|(row, column)| row.parse::<u32>().is_ok() && column.parse::<u32>().is_ok());
    is_place && words.next() == Some("error")
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn errors_fail_and_warnings_do_not() {
        check(
            read,
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
}
