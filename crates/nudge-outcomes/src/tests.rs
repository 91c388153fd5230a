//! Complete lines with complete outputs.

use proptest::prelude::*;

use super::*;

fn verdict(command: &str, output: &str, exit: Option<i32>) -> &'static str {
    read(command, output, exit).map_or("none", |run| run.verdict.name())
}

const OK: &str = "running 5 tests\ntest result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
const BAD: &str = "running 5 tests\ntest a ... FAILED\ntest result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\nerror: test failed, to rerun pass `--lib`\n";

const FINISHED: &str = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.03s\n";

#[test]
fn counts_decide_where_a_pipe_hides_the_status() {
    let run = read("cd api && pytest -q | tail -1", "1 failed, 41 passed in 0.12s", Some(0));
    assert_eq!(run.map(|run| (run.verdict, run.failed)), Some((Verdict::Failed, Some(1))));
}

#[test]
fn counts_of_several_runs_are_summed_once() {
    let counts = |command, output| read(command, output, None).map(|run| (run.passed, run.failed));
    let two = "12 passed in 0.02s\n1 failed, 3 passed in 0.1s";
    assert_eq!(counts("pytest a; pytest b", two), Some((Some(15), Some(1))));
    assert_eq!(counts("for d in a b; do pytest $d; done", two), Some((Some(15), Some(1))));
    assert_eq!(counts("make -s test; pytest -q", "12 passed in 0.02s"), Some((Some(12), Some(0))));
    assert_eq!(counts("pytest", two), Some((Some(3), Some(1))));
}

#[test]
fn packages_of_a_workspace_are_read_through_their_names() {
    let output =
        "packages/a test:       Tests  1 failed | 2 passed (3)\npackages/b test:       Tests  4 passed (4)";
    let run = read("pnpm -r test | tail", output, Some(0));
    assert_eq!(
        run.map(|run| (run.verdict, run.passed, run.failed)),
        Some((Verdict::Failed, Some(6), Some(1)))
    );
}

#[test]
fn the_exit_status_decides_where_it_counts() {
    for (command, output, exit, expected) in [
        ("cargo test", "", Some(0), "passed"),
        ("cargo test", "", Some(101), "failed"),
        ("cargo test", "", None, "unknown"),
        ("cargo test && echo OK", "OK", Some(0), "passed"),
        ("cargo test && echo OK", "", Some(101), "failed"),
        ("cargo test && git push", OK, Some(1), "passed"),
        ("cargo test && git push", "", Some(1), "unknown"),
        ("cargo test && git push", BAD, Some(101), "failed"),
        ("cargo fmt --check && cargo clippy && cargo test", "", Some(1), "unknown"),
        ("cargo clippy && cargo test", "", Some(1), "failed"),
        ("! cargo test", BAD, Some(0), "failed"),
        ("cargo test || true", BAD, Some(0), "failed"),
        ("cargo test || true", OK, Some(0), "passed"),
        ("cargo test | tail -3", BAD, Some(0), "failed"),
        ("cargo test; cargo clippy", BAD, Some(0), "failed"),
        ("cargo test | grep FAILED; cargo clippy | tail -1", FINISHED, Some(0), "unknown"),
        ("cargo build | tail -1; cargo test | tail -3", OK, Some(0), "passed"),
        (
            "cargo test | grep '[.] FAILED'; cargo build",
            "test a ... FAILED\n    Finished `dev` profile [x] target(s) in 1s",
            Some(0),
            "failed",
        ),
        ("make -s test; pytest -q | tail -1", "12 passed in 0.02s", Some(0), "passed"),
        ("pytest a | tail -1; cargo test | tail -3", OK, Some(0), "unknown"),
        ("ls", OK, Some(0), "none"),
    ] {
        assert_eq!(verdict(command, output, exit), expected, "{command}\n{output}");
    }
}

#[test]
fn filters_hide_what_they_hide() {
    for (command, output, expected) in [
        ("cargo test | tail -3", OK, "passed"),
        ("cargo test | head -2", OK, "unknown"),
        ("cargo test | head -50", OK, "passed"),
        ("cargo test | grep 'test result'", OK, "passed"),
        ("cargo test | grep ok", OK, "unknown"),
        (
            "cargo test | grep -n 'test result'",
            "2:test result: FAILED. 4 passed; 1 failed; 0 ignored",
            "failed",
        ),
        ("cargo test | grep -v warning | tail -5", OK, "passed"),
        ("cargo test | awk '{print}'", OK, "passed"),
        ("cargo test | wc -l", "12", "unknown"),
        ("cargo test > log; tail -5 log", OK, "passed"),
        ("cargo test > log 2>&1; echo done", "done", "unknown"),
        ("cargo build 2>&1 | grep -E '^(error|warning)'", "error: linker `x` said no", "unknown"),
    ] {
        assert_eq!(verdict(command, output, Some(0)), expected, "{command}\n{output}");
    }
}

/// Attempts to make a line look passed: none of them may be read as passed.
#[test]
fn what_is_hidden_is_not_taken_for_passed() {
    const RESULT: &str = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    const PACKAGE: &str = "ok  \texample.com/shop/cart\t0.005s\n";
    for (command, output) in [
        ("npm test | grep passing", "  41 passing (1s)"),
        ("npm test | grep pass", "# pass 41"),
        ("npx mocha | head -3", "x\n\n  41 passing (1s)"),
        ("npx vitest run | grep -E 'Tests|Duration'", "      Tests  41 passed (41)\n   Duration  1s"),
        ("npx vitest run | tail -3", "      Tests  41 passed (41)\n   Start at  1\n   Duration  1s"),
        ("npx jest | tail -4", "Tests:       41 passed, 41 total\nSnapshots:   0 total\nTime: 1 s\nRan all"),
        ("go test ./... | grep -E '^ok|^--- FAIL'", PACKAGE),
        ("cargo test | grep -E 'test result: ok|could not compile'", RESULT),
        ("cargo test | grep -m1 'test result'", RESULT),
        ("cargo test | awk '/ok/'", RESULT),
        ("go test ./... | awk '$1==\"ok\"'", PACKAGE),
        ("npm run e2e | tail -1", "  41 passed (3s)"),
        ("go test -json ./... | tail -1", "{\"Action\":\"pass\",\"Package\":\"a\"}"),
        ("tox | grep passed", "41 passed in 0.20s"),
        ("timeout 60 cargo nextest run | tail -3", "     Summary [ 60.0s] 5/10 tests run: 5 passed"),
        ("pytest --cov-fail-under=90 | tail -1", "41 passed in 0.12s"),
        ("timeout 5 go test ./... | cat", PACKAGE),
        ("timeout 9 mvn test | tail -1", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0"),
        ("dotnet test | tail -1", "Passed!  - Failed:     0, Passed:    41, Skipped:     0, Total:    41"),
        ("cargo test > log; cat old.log", RESULT),
        ("pytest > log; cat old.log", "41 passed in 0.12s"),
        ("cargo test --no-fail-fast 2>/dev/null | tail -1", RESULT),
        ("cargo test | sort | tail -1", RESULT),
    ] {
        assert_eq!(verdict(command, output, Some(0)), "unknown", "{command}\n{output}");
    }
}

#[test]
fn each_of_several_runs_needs_a_result() {
    for (command, output, expected) in [
        ("pytest a | tail -1; pytest b | tail -1", "3 passed in 0.01s\nSegmentation fault", "unknown"),
        ("pytest a | tail -1; pytest b | tail -1", "3 passed in 0.01s\n4 passed in 0.01s", "passed"),
        ("pytest a | tail -1; pytest b", "3 passed in 0.01s", "unknown"),
        ("for d in a b; do pytest $d | tail -1; done", "3 passed in 0.01s\nSegmentation fault", "unknown"),
        ("cargo test -p a | tail -1; cargo test -p b | tail -1", OK, "unknown"),
        ("cargo test >/dev/null 2>&1; cargo build", FINISHED, "unknown"),
        ("tox | cat", "1 failed in 0.1s\n41 passed in 0.1s\n  evaluation failed :( (1.2 seconds)", "failed"),
    ] {
        assert_eq!(verdict(command, output, Some(0)), expected, "{command}\n{output}");
    }
}

#[test]
fn the_exit_status_counts_only_if_the_runner_ran() {
    let not_there = "bash: cd: nope: No such file or directory";
    for (command, output, exit, expected) in [
        ("which pytest || pytest", "/usr/bin/pytest", 0, "unknown"),
        ("ls tests || npm test", "a.test.js", 0, "unknown"),
        ("which pytest || pytest", "", 1, "failed"),
        ("f() { cargo test; }", "", 0, "none"),
        ("function f {\n  cargo test\n}", "", 0, "none"),
        ("pytest --co", "", 0, "none"),
        ("make -qp", "", 0, "none"),
        ("cd nope && cargo test", not_there, 1, "unknown"),
        ("set -e; cd nope; cargo test", not_there, 1, "unknown"),
        ("git pull && npm test", "fatal: not a git repository", 128, "unknown"),
        ("cd api && cargo test", "", 101, "failed"),
        ("cd api && cargo test", "   Compiling a v0.1.0\nKilled", 137, "failed"),
    ] {
        assert_eq!(verdict(command, output, Some(exit)), expected, "{command}\n{output}");
    }
}

#[test]
fn a_script_that_ended_well_behind_failures_is_not_known() {
    let printed = "error: could not compile `x` (lib)\nnpm ERR! code 1\nERROR in ./a.js\nTest Suites: 3 passed, 3 total\nTests:       41 passed, 41 total";
    for (command, output, expected) in [
        ("npm test", "Tests:       1 failed, 41 passed, 42 total", "unknown"),
        ("make test", "=== 1 failed, 41 passed in 0.12s ===", "unknown"),
        ("mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "unknown"),
        ("npm test", printed, "passed"),
        ("cargo test", BAD, "unknown"),
        ("pytest", "=== 1 failed, 41 passed in 0.12s ===", "unknown"),
        ("ruff check --exit-zero", "Found 2 errors.", "failed"),
    ] {
        assert_eq!(verdict(command, output, Some(0)), expected, "{command}\n{output}");
    }
}

#[test]
fn a_run_that_tested_nothing_is_not_known() {
    let none = "?   \tx/a\t[no test files]";
    for (command, output, expected) in [
        ("go test ./...", none, "unknown"),
        ("go test ./...", "?   \tx/a\t[no test files]\nok  \tx/b\t0.1s", "passed"),
        ("go test -run Nope ./...", "ok  \tx/a\t0.1s [no tests to run]", "unknown"),
        ("go vet ./... && go build ./...", "", "passed"),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK", "unknown"),
    ] {
        assert_eq!(verdict(command, output, Some(0)), expected, "{command}\n{output}");
    }
}

#[test]
fn checkers_and_task_runners_are_runs() {
    for (command, output, exit, expected) in [
        ("node --test", "ℹ tests 3\nℹ pass 2\nℹ fail 1", 1, "failed"),
        ("node --test | tail -9", "ℹ tests 3\nℹ pass 3\nℹ fail 0", 0, "passed"),
        ("node server.js", "", 0, "none"),
        ("python3 -m unittest -v | tail -3", "Ran 3 tests in 0.001s\n\nFAILED (errors=1)", 0, "failed"),
        ("python manage.py test", "Ran 3 tests in 0.001s\n\nOK", 0, "passed"),
        ("npx eslint . | tail -3", "✖ 1 problem (1 error, 0 warnings)", 0, "failed"),
        (
            "ruff check . && mypy src",
            "All checks passed!\nSuccess: no issues found in 1 source file",
            0,
            "passed",
        ),
        ("ruff format .", "1 file reformatted", 0, "none"),
        ("uv run mypy . 2>&1 | tail -1", "Found 1 error in 1 file (checked 3 source files)", 0, "failed"),
        ("golangci-lint run ./... 2>&1 | tail -20", "0 issues.", 0, "passed"),
        ("tsc --noEmit", "", 0, "passed"),
        ("tsc --noEmit | head -5", "a.ts(1,2): error TS2304: no", 0, "failed"),
        ("tsc --watch", "", 0, "none"),
        (
            "mise run lint 2>&1 | tail -5",
            "[lint] 3 issues:\n[lint] * unparam: 1\n[lint] ERROR task failed",
            0,
            "failed",
        ),
        ("mise run test 2>&1 | tail -5", "[test] $ go test ./...\n[test] ok  \tx/a\t0.1s", 0, "passed"),
        ("mise run fmt", "", 0, "none"),
        ("just test", "error: Recipe `test` failed on line 3 with exit code 1", 1, "failed"),
    ] {
        assert_eq!(verdict(command, output, Some(exit)), expected, "{command}\n{output}");
    }
}

#[test]
fn lines_without_end_are_given_up() {
    for line in ["a&&".repeat(20_000), "make|".repeat(12_000), "cargo test;".repeat(5_000)] {
        assert_eq!(verdict(&line, "", Some(0)), "none");
    }
}

#[test]
fn the_line_tells_the_outcome() {
    let line = |command, output| read(command, output, None).and_then(|run| run.line);
    assert_eq!(line("cargo test", BAD).as_deref(), Some("test a ... FAILED"));
    assert_eq!(
        line("pytest", "\u{1b}[32m41 passed\u{1b}[0m in 0.12s").as_deref(),
        Some("41 passed in 0.12s")
    );
    let long = format!("FAILED tests/a.py::b - {}\n1 failed in 1s", "ä".repeat(500));
    assert_eq!(line("pytest", &long).map(|line| line.chars().count()), Some(200));
}

#[test]
fn names_are_read_back() {
    for verdict in Verdict::ALL {
        assert_eq!(Verdict::from_name(verdict.name()), Some(verdict));
    }
}

/// Pieces for random lines and outputs; chance alone would hardly produce them.
const PIECES: [&str; 48] = [
    "cargo test",
    "pytest",
    "npm test",
    "make",
    "go test",
    "&&",
    "||",
    "|",
    ";",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "<<EOF\n",
    "EOF\n",
    "> log",
    "2>&1",
    "grep -E '",
    "tail -",
    "head -n",
    "sed -n '",
    "bash -c '",
    "if ",
    "; then ",
    "; fi",
    "! ",
    "test result: ok. ",
    "5 passed; ",
    "1 failed",
    "=== 1 failed in 0.1s ===",
    "Tests:  ",
    "FAIL\t",
    "--- FAIL: ",
    "\u{1b}[",
    "\r",
    "ä",
    "…",
    "[INFO] ",
    "Tests run: 5, Failures: ",
    "make: ***",
    "\n",
    "error[E",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned), ".{0,6}"];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn nothing_panics(command in pieces(), output in pieces(), exit in prop::option::of(any::<i32>())) {
        let run = read(&command, &output, exit);
        prop_assert!(run.and_then(|run| run.line).is_none_or(|line| line.chars().count() <= 200));
        for runner in ["npm test", "cargo nextest run", "dotnet test", "mvn test", "gradle test", "ctest", "rspec"] {
            read(runner, &output, None);
        }
    }
}
