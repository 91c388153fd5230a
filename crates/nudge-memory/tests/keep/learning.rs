//! Hints learn from the commands that agents run.

use nudge_core::Outcome;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::keep::setup::{Keep, captured, command, fresh};

fn with_hint(command: &str) -> MemoryBench {
    let bench = fresh();
    bench.ok(
        "set_hint",
        json!({"component": "api", "key": "build", "value": {"type": "command", "cmd": command}}),
    );
    bench
}

fn hint(bench: &MemoryBench) -> Value {
    bench.ok("get_hint", json!({"component": "api", "key": "build"}))
}

fn reasons(bench: &MemoryBench) -> String {
    hint(bench)["match_explain"]["reasons"].to_string()
}

/// @hints_learn: a recorded command that equals a command hint counts as a use of it if it worked.
#[test]
fn a_command_that_worked_bumps_its_hint() {
    let bench = with_hint("make -j4");
    for run in 0..3 {
        bench.keep(&captured(run, run, command(" make -j4\n", Outcome::Success)));
    }
    bench.keep(&captured(9, 9, command("make -j8", Outcome::Success)));
    assert_eq!(hint(&bench)["hint"]["use_count"], 3);
}

/// @hints_learn: a failure lowers the confidence and adds a reason, and the next success undoes
/// that; unknown outcomes change nothing.
#[test]
fn a_command_that_failed_lowers_its_hint() {
    let bench = with_hint("make");
    let before = hint(&bench)["match_explain"]["score"].as_f64().expect("a score");
    bench.keep(&captured(1, 1, command("make", Outcome::Unknown)));
    assert_eq!(hint(&bench)["match_explain"]["score"].as_f64(), Some(before));
    for run in 2..6 {
        bench.keep(&captured(run, run, command("make", Outcome::Failed { exit: Some(2) })));
    }
    assert!(hint(&bench)["match_explain"]["score"].as_f64().expect("a score") < before);
    assert!(reasons(&bench).contains("failed 4 times since"), "{}", reasons(&bench));
    bench.keep(&captured(7, 7, command("make", Outcome::Success)));
    assert!(!reasons(&bench).contains("failed"), "{}", reasons(&bench));
}

/// @hints_learn: a hint that does not apply where the command ran is not affected.
#[test]
fn a_hint_for_another_place_learns_nothing() {
    let bench = fresh();
    let value = json!({"type": "command", "cmd": "make"});
    let meta = json!({"scope": {"cwd_glob": ["/elsewhere/**"]}});
    bench.ok("set_hint", json!({"component": "api", "key": "build", "value": value, "meta": meta}));
    bench.keep(&captured(1, 1, command("make", Outcome::Success)));
    let listed =
        bench.ok("get_hint", json!({"component": "api", "key": "build", "context": {"cwd": "/elsewhere/x"}}));
    assert_eq!(listed["hint"]["use_count"], 0);
}
