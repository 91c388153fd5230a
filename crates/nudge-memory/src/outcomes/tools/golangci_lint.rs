//! golangci-lint.

use super::super::reading::{NAMES, Reading, THAT, WHY, is_position};

const CANONICAL: &[&str] = &["3 issues:"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if *line == "0 issues." {
            reading.built(at, line);
        } else if line.strip_suffix(" issues:").is_some_and(|count| count.parse::<u32>().is_ok()) {
            reading.fail(THAT, line);
        } else if line.starts_with("level=error ") || line.starts_with("Error: can't load config: ") {
            reading.suspect(at, WHY, line);
        } else if is_issue(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `cart/add.go:12:3: Error return value is not checked (errcheck)`
fn is_issue(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(".go:") else { return false };
    let Some((position, message)) = rest.split_once(": ") else { return false };
    let linter = message.rsplit_once(" (").and_then(|(_, linter)| linter.strip_suffix(')'));
    !path.contains([' ', '\t']) && is_position(position) && linter.is_some_and(|linter| !linter.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_closing_lines_tell() {
        check(
            read,
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
}
