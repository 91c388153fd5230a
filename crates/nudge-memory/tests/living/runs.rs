//! How test and build runs decide a hypothesis.

use serde_json::json;

use crate::living::setup::{Agent, NOW, fresh};

const PASSED: &str = "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
const FAILED: &str = "running 3 tests\ntest cart::rounds ... FAILED\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\nerror: test failed, to rerun pass `--lib`";

/// @ghap_outcome: a run that the prediction names resolves it as confirmed, with the tier gold.
#[test]
fn a_named_run_that_passes_confirms() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let id = agent.tries("the rounding is done twice", "cargo test passes");
    let injected = agent.runs_typed("cargo test", PASSED, 0).expect("injected");
    let line = format!(
        "- `cargo test` passed (3 passed): as predicted, so the hypothesis \"the rounding is done twice\" is confirmed and resolved ({id})."
    );
    assert!(injected.context.contains(&line), "{}", injected.context);
    let typed = injected.typed.expect("a type");
    assert_eq!((typed.kind.as_str(), typed.suggested_action.as_deref()), ("outcome", None));
    assert!(typed.content.starts_with("## Test PASSED\n\n"), "{}", typed.content);
    let listed = agent.ok("list_ghap_entries", json!({}));
    let one = &listed["results"][0];
    assert_eq!((&one["status"], &one["confidence_tier"]), (&json!("confirmed"), &json!("gold")));
    agent.ok("resolve_ghap", json!({"id": id, "status": "confirmed", "result": "other words", "lesson": {"what_worked": "round once"}}));
    let one = agent.ok("list_ghap_entries", json!({}))["results"][0].clone();
    assert_eq!(
        (&one["confidence_tier"], &one["result"]),
        (&json!("gold"), &json!("`cargo test` passed (3 passed)"))
    );
}

/// @ghap_outcome: a named run that fails counts against it; the agent gives the cause, and the tier
/// is gold.
#[test]
fn a_named_run_that_fails_speaks_against() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.tries("the rounding is done twice", "cargo test passes");
    let injected = agent.runs_typed("cargo test 2>&1 | tail -5", FAILED, 0).expect("injected");
    let line = "- `cargo test 2>&1 | tail -5` failed (1 failed, 2 passed): this speaks against the hypothesis \"the rounding is done twice\". suggested_action: resolve_falsified";
    assert!(injected.context.contains(line), "{}", injected.context);
    assert_eq!(injected.typed.expect("a type").suggested_action.as_deref(), Some("resolve_falsified"));
    let active = agent.ok("get_active_ghap", json!({}));
    assert_eq!(active["contradicted"], "`cargo test 2>&1 | tail -5` failed (1 failed, 2 passed)");
    agent.was_wrong("one test", "oversight", "the till rounds as well");
    let one = agent.ok("list_ghap_entries", json!({}))["results"][0].clone();
    assert_eq!((&one["status"], &one["confidence_tier"]), (&json!("falsified"), &json!("gold")));
}

/// @ghap_outcome: a run that is not named only suggests, and a predicted failure never confirms by
/// itself.
#[test]
fn any_other_run_only_suggests() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    for (prediction, command, output, exit, action) in [
        ("the till shows 10.00", "cargo test", PASSED, 0, "resolve_confirmed"),
        ("the till shows 10.00", "cargo test", FAILED, 101, "resolve_falsified"),
        ("cargo test fails with a rounding error", "cargo test", FAILED, 101, "resolve_confirmed"),
        ("cargo test passes", "cargo test -p till", PASSED, 0, "resolve_confirmed"),
    ] {
        agent.at += 700_000;
        agent.tries("the rounding is done twice", prediction);
        let injected = agent.runs_typed(command, output, exit).expect("injected");
        assert_eq!(injected.typed.expect("a type").suggested_action.as_deref(), Some(action), "{prediction}");
        assert_eq!(agent.ok("get_active_ghap", json!({}))["has_active"], true, "{prediction}");
        agent.ok("resolve_ghap", json!({"status": "abandoned", "result": "next"}));
    }
}

/// @ghap_outcome: a run without tests, of another command than predicted, or of only a part of it,
/// resolves nothing.
#[test]
fn less_than_was_predicted_confirms_nothing() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let nothing =
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.00s";
    agent.tries("the rounding is done twice", "cargo test giraffe passes");
    assert_eq!(agent.runs("cargo test giraffe", nothing, 0), "");
    assert_eq!(agent.runs("cargo build", "", 0), "");
    agent.ok("update_ghap", json!({"prediction": "cargo test passes and the till prints ten dollars"}));
    let injected = agent.runs("cargo test", PASSED, 0);
    assert!(injected.contains("If that is what"), "{injected}");
    assert_eq!(agent.runs("cargo test", PASSED, 0), "", "said once");
    assert_eq!(agent.ok("get_active_ghap", json!({}))["has_active"], true);
}

/// @ghap_outcome: without a verdict, or without a hypothesis, a run decides nothing and nothing is
/// injected.
#[test]
fn an_unknown_verdict_decides_nothing() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    assert_eq!(agent.runs("cargo test", PASSED, 0), "");
    agent.tries("the rounding is done twice", "cargo test passes");
    assert_eq!(agent.runs("cargo test | grep warning", "", 0), "");
    assert_eq!(agent.runs("ls", "src", 0), "");
    assert_eq!(agent.ok("get_active_ghap", json!({}))["has_active"], true);
}

/// @ghap_reminder: after a compaction the session is reminded of its hypothesis and the evidence
/// against it.
#[test]
fn what_is_tried_survives_a_compaction() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("make prices right");
    agent.tries("the rounding is done twice", "cargo test passes");
    agent.runs("cargo test", FAILED, 101);
    let injected = agent.start("compact");
    assert!(injected.contains("this session tries: \"the rounding is done twice\", for \"prices are right\"; expected: \"cargo test passes\". But `cargo test` failed (1 failed, 2 passed): resolve_ghap it, or update_ghap."), "{injected}");
}

/// @ghap_outcome: if the hook of the run could not report evidence against it, the next tool call
/// does, once.
#[test]
fn a_verdict_that_was_not_said_is_said_later() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.tries("the rounding is done twice", "cargo test passes");
    agent.is_late = true;
    assert_eq!(agent.runs("cargo test", FAILED, 101), "");
    agent.is_late = false;
    let injected = agent.reads("/w/shop/a.rs").expect("injected").context;
    assert!(
        injected.contains("`cargo test` failed (1 failed, 2 passed): this speaks against the hypothesis"),
        "{injected}"
    );
    assert!(agent.reads("/w/shop/b.rs").is_none(), "once");
}

/// @ghap_outcome: an agent that resolves an already resolved hypothesis is informed of that.
#[test]
fn what_a_run_resolved_is_said_to_whom_resolves_it() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let id = agent.tries("the rounding is done twice", "cargo test passes");
    agent.runs("cargo test", PASSED, 0);
    let fault = agent.fault("resolve_ghap", json!({"status": "confirmed", "result": "3 passed"}));
    let expected = format!(
        "no hypothesis is active in this session; the last one, {id}, is resolved as confirmed by a run, `cargo test` passed (3 passed)"
    );
    assert_eq!(fault.message, expected);
}
