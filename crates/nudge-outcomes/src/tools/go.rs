//! go: `test`, `build`, `vet`.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY};

const CANONICAL: &[&str] =
    &["FAIL\texample.com/shop/cart\t0.012s", "FAIL\texample.com/shop/cart [build failed]"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut go = Go { reading: Reading::of(CANONICAL), ..Go::default() };
    for (at, line) in lines.iter().enumerate() {
        go.line(at, line);
    }
    go.end()
}

#[derive(Default)]
struct Go<'a> {
    reading: Reading,
    /// The last `ok` or `PASS`, with its position.
    ok: Option<(usize, &'a str)>,
    passed: u32,
    failed: u32,
    /// Tests that began minus those that ended; `-v` reports both.
    open: Option<i64>,
    /// Packages without tests, or in which no test was selected.
    untested: bool,
    /// The line before names the package that is built.
    headed: bool,
}

impl<'a> Go<'a> {
    fn line(&mut self, at: usize, line: &'a str) {
        let headed = std::mem::replace(&mut self.headed, line.starts_with("# "));
        if let Some(test) = line.strip_prefix("--- FAIL: ") {
            self.failed += 1;
            self.ended();
            self.reading.suspect(at, if is_timed(test) { NAMES } else { WHERE }, line);
        } else if line.strip_prefix("--- PASS: ").is_some_and(is_timed) {
            self.passed += 1;
            self.ended();
        } else if line.strip_prefix("--- SKIP: ").is_some_and(is_timed) {
            self.ended();
        } else if let Some(test) = line.strip_prefix("=== RUN ") {
            self.ok = None;
            *self.open.get_or_insert(0) += i64::from(!test.contains('/'));
        } else if line.starts_with('{') {
            self.event(at, line);
        } else if is_package(line, "FAIL") {
            self.reading.fail(THAT, line);
        } else if line == "FAIL" {
            self.reading.doubt(at, THAT, line);
        } else if is_package(line, "ok") && !line.ends_with("[no tests to run]") || line == "PASS" {
            self.ok = Some((at, line));
        } else if line.ends_with("[no tests to run]") || line.ends_with("[no test files]") {
            self.untested = true;
        } else if is_compile_error(line) {
            self.headed = headed;
            if headed {
                self.reading.fail(NAMES, line);
            } else {
                self.reading.suspect(at, NAMES, line);
            }
        } else if line.starts_with("panic: ") {
            self.reading.hint(WHERE, line);
        } else if is_complaint(line) {
            self.reading.doubt(at, WHY, line);
        }
    }

    fn ended(&mut self) {
        self.open = self.open.map(|open| open - 1);
    }

    /// A line of `-json`. Subtests are not counted, as in plain output.
    fn event(&mut self, at: usize, line: &'a str) {
        let action = |name: &str| line.contains(&format!("\"Action\":\"{name}\""));
        let is_test = line.contains("\"Test\":\"");
        let is_inner = line
            .split_once("\"Test\":\"")
            .is_some_and(|(_, rest)| rest.split('"').next().is_some_and(|name| name.contains('/')));
        match (action("pass"), action("fail"), is_test) {
            (true, _, true) => self.passed += u32::from(!is_inner),
            (_, true, true) => {
                self.failed += u32::from(!is_inner);
                self.reading.suspect(at, NAMES, line);
            }
            (true, _, false) => self.ok = Some((at, line)),
            (_, true, false) => self.reading.fail(THAT, line),
            _ => return,
        }
        self.open.get_or_insert(0);
    }

    fn end(mut self) -> Reading {
        // Without `-v` only failures are reported, and a filter may hide some of them.
        if self.open == Some(0) {
            self.reading.count_stated(Some(self.passed).filter(|passed| *passed > 0), Some(self.failed));
        }
        self.reading.nothing_ran = self.untested && self.ok.is_none() && self.passed == 0 && self.failed == 0;
        if let Some((at, line)) = self.ok {
            self.reading.tests_passed(at, line, false);
            if line.starts_with('{') {
                // The line covers one package only, and no summary follows the last one.
                self.reading.open_above();
            }
        }
        self.reading
    }
}

/// `TestAdd (0.00s)`
fn is_timed(rest: &str) -> bool {
    rest.ends_with("s)") && rest.contains(" (")
}

/// `ok  \tpkg\t0.1s`, `ok  \tpkg\t(cached)`, `FAIL\tpkg [build failed]`.
fn is_package(line: &str, word: &str) -> bool {
    let Some(rest) = line.strip_prefix(word) else { return false };
    let mut words = rest.split_whitespace();
    let (Some(_), Some(time)) = (words.next(), words.next()) else { return false };
    let is_time = time.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    rest.starts_with([' ', '\t'])
        && (is_time || time == "(cached)" || (word == "FAIL" && time.starts_with('[')))
}

/// `./a.go:3:2: undefined: y`, with or without `vet: ` before it.
fn is_compile_error(line: &str) -> bool {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let Some((path, rest)) = line.split_once(".go:") else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    !path.is_empty() && !path.contains([' ', '\t']) && is_number() && is_number()
}

/// Go's messages about modules and packages that it cannot find.
fn is_complaint(line: &str) -> bool {
    line.strip_prefix("go: ").is_some_and(|rest| {
        rest.starts_with("cannot find ")
            || rest.starts_with("go.mod file not found")
            || rest.starts_with("errors parsing ")
            || rest.starts_with("updates to go.mod needed")
            || rest.starts_with("inconsistent vendoring")
    }) || (line.starts_with("no required module provides package "))
        || (line.starts_with("stat ") && line.ends_with(": directory not found"))
        || (line.starts_with("package ") && line.contains(" is not in "))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn packages_tell() {
        check(
            read,
            &[
                ("ok  \tx/a\t0.1s\n?   \tx/b\t[no test files]", "passed - - ok  \tx/a\t0.1s"),
                ("ok  \tx/a\t(cached)", "passed - - ok  \tx/a\t(cached)"),
                (
                    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nPASS\nok  \tx/a\t0.1s",
                    "passed 1 0 ok  \tx/a\t0.1s",
                ),
                (
                    "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\tx/a\t0.1s\nok  \tx/b\t0.1s\nFAIL",
                    "failed - - --- FAIL: TestA (0.00s)",
                ),
                ("FAIL\tx/a [build failed]", "failed - - FAIL\tx/a [build failed]"),
                ("ok  \tx/a\t0.1s [no tests to run]", "unknown - - -"),
                ("ok  \tx/a\t0.1s\n=== RUN   TestB", "unknown - - -"),
                ("ok then\nFAILED to log", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn compile_errors_tell() {
        check(
            read,
            &[
                ("# x/a\n./a.go:3:2: undefined: y", "failed - - ./a.go:3:2: undefined: y"),
                ("vet: ./a.go:3:2: undefined: y", "likely - - vet: ./a.go:3:2: undefined: y"),
                ("    a_test.go:3: logged", "unknown - - -"),
            ],
        );
    }
}
