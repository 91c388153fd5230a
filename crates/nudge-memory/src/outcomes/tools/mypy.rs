//! mypy.

use super::super::reading::{NAMES, Reading, THAT, WHERE, found, is_position};

const CANONICAL: &[&str] = &["Found 2 errors in 1 file (checked 3 source files)"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("Success: no issues found in ") {
            reading.built(at, line);
        } else if has_errors(line) {
            reading.fail(THAT, line);
        } else if line.starts_with("mypy: error: ") || line.starts_with("mypy: can't read file ") {
            reading.fail(WHERE, line);
        } else if is_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `Found 2 errors in 1 file (checked 3 source files)`
fn has_errors(line: &str) -> bool {
    let Some((count, rest)) = found(line) else { return false };
    let is_closed = rest.ends_with(')') && (rest.contains("(checked ") || rest.contains("(errors prevented"));
    count > 0 && rest.starts_with("error") && is_closed
}

/// `src/a.py:3: error: Name "x" is not defined  [name-defined]`
fn is_error(line: &str) -> bool {
    let Some((place, _)) = line.split_once(": error: ") else { return false };
    let Some((path, position)) = place.split_once(".py:") else { return false };
    !path.contains(' ') && is_position(position)
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
}
