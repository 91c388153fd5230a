//! What the exit status says about each run of a line.

use super::*;

fn exits(line: &str) -> String {
    let name = |found: &Found| match found.exit {
        Exit::Own => "own",
        Exit::Shared { harmless: true } => "harmless",
        Exit::Shared { harmless: false } => "shared",
        Exit::Hidden => "hidden",
    };
    runs(line).iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_exit_status_is_that_of_the_last_command() {
    for (line, expected) in [
        ("cargo test", "own"),
        ("cd x && npm ci; cargo test # all", "own"),
        ("cargo test 2>&1 > log", "own"),
        ("(cd x && cargo test)", "own"),
        ("bash -lc 'cd x && cargo test'", "own"),
        ("cargo test && echo ok", "harmless"),
        ("cargo test && git push", "shared"),
        ("cargo clippy && cargo test", "shared own"),
        ("cargo test | tail -5", "hidden"),
        ("set -o pipefail; cargo test | tail -5", "own"),
        ("set -euo pipefail\ncargo test | tail -5\necho done", "harmless"),
        ("bash -o pipefail -c 'cargo test | tail'", "own"),
        ("set -o pipefail; set +o pipefail; cargo test | cat", "hidden"),
        ("set -e; set +e; cargo test; echo x", "hidden"),
        ("set -e; cargo test && echo ok; echo done", "hidden"),
        ("set -e; (cargo test; echo) && echo ok", "hidden"),
        ("set -e; bash -c 'cargo test; echo x'", "hidden"),
        ("set -e; eval 'cargo test; echo x'", "harmless"),
        ("(cargo test; exit $?) | tail", "hidden"),
        ("make -Iinclude test", "own"),
        ("cargo test || true", "hidden"),
        ("cargo test && echo ok || echo bad", "hidden"),
        ("cargo test; echo $?", "hidden"),
        ("cargo test; exit $?", "own"),
        ("cargo test | tail; exit ${PIPESTATUS[0]}", "own"),
        ("cargo test &", "hidden"),
        ("cargo test & wait", "hidden"),
        ("! cargo test", "hidden"),
        ("if cargo test; then echo ok; fi", "hidden"),
        ("for i in 1 2; do cargo test; done", "hidden"),
        ("(cargo test; echo) | tail", "hidden"),
        ("make -i test", "hidden"),
        ("out=$(cargo test 2>&1)", "hidden"),
        ("bash <<'EOF'\ncargo test\nEOF", "own"),
        ("echo 'cargo test'", ""),
        ("git commit -m \"$(cat <<'EOF'\ncargo test\nEOF\n)\"", ""),
        ("cat > a.sh <<'EOF'\ncargo test\nEOF", ""),
    ] {
        assert_eq!(exits(line), expected, "{line}");
    }
}

#[test]
fn a_file_that_is_shown_later_is_seen() {
    for (line, expected) in [
        ("make > log 2>&1; tail -5 log", vec![View::Tail(Some(5))]),
        ("make > log 2>&1; cat log", vec![]),
        ("make > log 2>&1", vec![View::Hidden]),
        ("make > log; wc -l log", vec![View::Hidden]),
        ("make 2> log", vec![]),
        ("make | tee log | tail -1", vec![View::Tail(Some(1))]),
    ] {
        let found = runs(line);
        assert_eq!(found.first().map(|found| &found.views), Some(&expected), "{line}");
    }
}
