//! make, and the compilers it runs.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &["make: *** [Makefile:3: test] Error 1"];

/// Files for which compilers print `a.c:3:5: error: …`.
const SOURCES: [&str; 9] = [".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".m", ".swift"];

pub(super) fn read(lines: &[&str], ignores_failures: bool) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let is_ignored = ignores_failures && is_own(line, "[") && line.ends_with(" (ignored)");
        if is_own(line, "*** ") || is_ignored {
            reading.fail(THAT, line);
        } else if is_own(line, "Nothing to be done for ")
            || (is_own(line, "") && line.ends_with(" is up to date."))
        {
            reading.built(at, line);
        } else if is_compile_error(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `make: …` or `make[1]: …`
fn is_own(line: &str, begin: &str) -> bool {
    let rest = line.strip_prefix('g').unwrap_or(line).strip_prefix("make");
    let Some((level, text)) = rest.and_then(|rest| rest.split_once(": ")) else { return false };
    let is_level = level.is_empty() || (level.starts_with('[') && level.ends_with(']'));
    is_level && text.starts_with(begin)
}

/// `a.c:3:5: error: …`
fn is_compile_error(line: &str) -> bool {
    let text = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "));
    let Some((place, _)) = text else { return false };
    let path = place.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
    path.len() < place.len() && SOURCES.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn ignored_failures_are_failures_where_all_are_ignored() {
        let line = "make: [Makefile:3: test] Error 1 (ignored)";
        check(|lines| read(lines, true), &[(line, &format!("failed - - {line}"))]);
    }

    #[test]
    fn stars_tell() {
        check(
            |lines| read(lines, false),
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
}
