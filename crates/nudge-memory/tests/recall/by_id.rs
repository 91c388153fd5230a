//! Whole entries by their ids.

use nudge_core::FaultKind;
use nudge_home::Home;
use nudge_memory::import::memories::memories;
use serde_json::{Value, json};

use crate::recall::session::sum_up;
use crate::recall::setup::{Recall, START, command, edit, failure, fresh, ids, prompt};

/// @recall_get_observations: everything known about an observation comes back, in one format.
#[test]
fn an_observation_comes_back_whole() {
    let bench = fresh();
    let asked = bench.keep("s-1/api", 0, prompt("fix the tests"));
    let failed = bench.keep("s-1/api", 10, failure("cargo test -- auth::tests", 101));
    let edited = bench.keep("s-1/api", 20, edit("/api/src/auth.rs"));
    let rows = bench.answer("get_observations", json!({"ids": [failed, edited]}));
    assert_eq!(
        rows,
        json!([{
            "id": failed, "timestamp": START + 10, "at": "2026-11-15T06:10:10Z", "session_id": "s-1", "project": "api",
            "obs_type": "command_error", "source_event": "PostToolUse", "tool_name": "Bash",
            "content": "cargo test -- auth::tests", "file_path": null,
            "metadata": {"description": "what it is for", "outcome": "failed", "exit_code": 101, "prompt_id": asked},
        }, {
            "id": edited, "timestamp": START + 20, "at": "2026-11-15T06:10:20Z", "session_id": "s-1", "project": "api",
            "obs_type": "file_edit", "source_event": "PostToolUse", "tool_name": "Bash",
            "content": "Edit /api/src/auth.rs", "file_path": "/api/src/auth.rs",
            "metadata": {"description": "what it is for", "outcome": "success", "prompt_id": asked},
        }])
    );
}

/// @recall_get_observations: the order is that of the ids; missing ones are left out, each id
/// counts once.
#[test]
fn the_order_is_that_of_the_ids_and_missing_ones_are_left_out() {
    let bench = fresh();
    let [a, b, c] = ["one", "two", "three"].map(|line| bench.keep("s-1/api", 0, command(line)));
    let asked = |ids: Value| bench.answer("get_observations", json!({"ids": ids}));
    assert_eq!(ids(&asked(json!([c, 9_999, a, -4, b, c])), "id"), [c, a, b]);
    assert_eq!(asked(json!([777, 888])), json!([]));
    let texts = json!([format!("{b}"), format!("obs://{a}")]);
    assert_eq!(ids(&asked(texts), "id"), [b, a]);
}

/// @recall_get_observations: no ids, too many ids and invalid ids are rejected.
#[test]
fn what_is_no_list_of_ids_is_refused() {
    let bench = fresh();
    let refused = |ids: Value| {
        let fault = bench.ask("api", "get_observations", json!({"ids": ids})).expect_err("refused");
        assert_eq!(fault.kind, FaultKind::Invalid);
        fault.message
    };
    assert_eq!(refused(json!([])), "ids array must not be empty");
    assert!(refused(json!((1..=51).collect::<Vec<_>>())).contains("50"));
    assert!(refused(json!(["seven"])).contains("seven"));
    assert_eq!(bench.answer("get_observations", json!({"ids": (1..=50).collect::<Vec<_>>()})), json!([]));
}

/// @recall_get_observations: everything that a search can find can be fetched: prompts, imported
/// memories and summaries.
#[test]
fn prompts_memories_and_summaries_are_answered() {
    let bench = fresh();
    let asked = bench.keep("s-1/api", 0, prompt("fix the tests"));
    for after in 1..5 {
        bench.keep("s-1/api", after, command(&format!("make {after}")));
    }
    sum_up(&bench);
    let home = Home::locate(Some(bench.dir()), &|_| None).expect("a home");
    let file = bench.dir().join("memories.jsonl");
    std::fs::write(&file, "{\"id\": \"m-1\", \"project\": \"notes\", \"text\": \"Use pnpm, not npm.\", \"date\": \"2020-01-02\"}\n")
        .expect("written");
    memories(&home, &file, false, bench.caller.now, &mut |_| {}).expect("imported");
    bench.ok(
        "set_hint",
        json!({"component": "web", "key": "port", "value": {"type": "command", "cmd": "make"}}),
    );

    let all = bench.answer("get_observations", json!({"ids": (1..30).collect::<Vec<_>>()}));
    let all = all.as_array().expect("a list");
    let of =
        |kind: &str| all.iter().find(|row| row["obs_type"] == kind).unwrap_or_else(|| panic!("no {kind}"));
    let said = of("user_prompt");
    assert_eq!(
        (&said["id"], &said["content"], &said["session_id"]),
        (&json!(asked), &json!("fix the tests"), &json!("s-1"))
    );
    let memory = of("memory");
    assert_eq!(
        (&memory["content"], &memory["timestamp"]),
        (&json!("Use pnpm, not npm."), &json!(1_577_923_200))
    );
    assert_eq!((&memory["project"], &memory["session_id"]), (&json!("notes"), &json!(null)));
    let summary = of("session_summary");
    assert_eq!(
        (&summary["session_id"], &summary["metadata"]["intent"]),
        (&json!("s-1"), &json!("fix the tests"))
    );
    assert_eq!(of("hint")["content"], "web/port = make");
    assert_eq!(all.len(), 8, "one prompt, four commands, a summary, a memory and a hint: {all:#?}");
}

/// @recall_get_observations: `around` returns what happened just before and after each in its
/// session, in order and each once.
#[test]
fn what_happened_around_comes_along() {
    let bench = fresh();
    let kept = [0, 10, 20, 30, 40].map(|at| bench.keep("s-1/api", at, command(&format!("step {at}"))));
    bench.keep("s-2/api", 25, command("elsewhere"));
    let around = |asked: Value, around: i64| {
        ids(&bench.answer("get_observations", json!({"ids": asked, "around": around})), "id")
    };
    assert_eq!(around(json!([kept[2]]), 1), kept[1..4]);
    assert_eq!(around(json!([kept[0], kept[1]]), 1), kept[..3]);
    assert_eq!(around(json!([kept[4]]), 20), kept);
    assert_eq!(around(json!([kept[4]]), 0), [kept[4]]);
    let refused = bench.fault("get_observations", json!({"ids": [kept[0]], "around": 21}));
    assert_eq!(refused.reason, "around");
}
