//! A session from start to end.

use nudge_core::{FaultKind, Timestamp};
use nudge_memory::capture::EventBody;
use nudge_memory::upkeep;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::recall::setup::{Recall, START, command, edit, fresh, ids, prompt, read, start, thought};

fn trace(bench: &MemoryBench, params: Value) -> Value {
    bench.answer("session_trace", params)
}

/// The trace's order: prompt, source and observations.
fn reported(trace: &Value) -> Vec<(Option<i64>, String, Vec<i64>)> {
    let prompts = trace["prompts"].as_array().expect("a list");
    prompts
        .iter()
        .map(|prompt| {
            let rows = ids(&prompt["observations"], "id");
            assert_eq!(prompt["observation_count"], json!(rows.len()));
            (prompt["prompt_id"].as_i64(), prompt["source"].as_str().expect("a source").to_owned(), rows)
        })
        .collect()
}

/// @recall_session_trace: prompts come in order, each with its observations and their count;
/// observations without a prompt come under an empty one.
#[test]
fn a_session_is_reported_in_order() {
    let bench = fresh();
    let began = bench.keep("s-1/api", 0, start());
    let first = bench.keep("s-1/api", 10, prompt("Fix the login bug"));
    let looked = bench.keep("s-1/api", 20, read("/api/src/auth.rs"));
    let mused = bench.keep("s-1/api", 25, thought("the token is stale"));
    let edited = bench.keep("s-1/api", 30, edit("/api/src/auth.rs"));
    let second = bench.keep("s-1/api", 40, prompt("and test it"));
    let tested = bench.keep("s-1/api", 50, command("cargo test"));
    let ended = bench.keep("s-1/api", 60, EventBody::End { reason: Some("exit".to_owned()) });
    bench.keep("s-2/api", 30, command("elsewhere"));
    bench.ok("pin", json!({"ids": [edited]}));
    let trace = trace(&bench, json!({"session_id": "s-1"}));
    let source = |text: &str| text.to_owned();
    assert_eq!(
        reported(&trace),
        [
            (None, source("system"), vec![began]),
            (Some(first), source("user"), vec![looked, edited]),
            (Some(mused), source("agent"), vec![]),
            (Some(second), source("user"), vec![tested]),
            (None, source("system"), vec![ended]),
        ]
    );
    let head = json!([
        trace["session_id"],
        trace["project"],
        trace["started_at"],
        trace["ended_at"],
        trace["summary"]
    ]);
    assert_eq!(head, json!(["s-1", "api", START, START + 60, null]));
    assert_eq!(trace["prompts"][1]["content"], json!("Fix the login bug"));
    assert_eq!(
        trace["prompts"][1]["observations"][1],
        json!({"id": edited, "timestamp": START + 30, "obs_type": "file_edit", "file_path": "/api/src/auth.rs",
               "content_preview": "Edit /api/src/auth.rs", "is_pinned": true})
    );
    assert_eq!(trace["prompts"][1]["observations"][0]["is_pinned"], json!(false));
}

/// @recall_session_trace: times restrict prompts and observations alike; a prompt within the range
/// stays, without the observations outside it.
#[test]
fn times_restrict_prompts_and_observations() {
    let bench = fresh();
    let began = bench.keep("s-1/api", 0, start());
    let first = bench.keep("s-1/api", 10, prompt("one"));
    let inside = bench.keep("s-1/api", 20, command("a"));
    let late = bench.keep("s-1/api", 30, command("b"));
    let second = bench.keep("s-1/api", 40, prompt("two"));
    let last = bench.keep("s-1/api", 50, command("c"));
    let of = |after: Option<i64>, before: Option<i64>| {
        let at = |time: Option<i64>| time.map(|time| START + time);
        let params = json!({"session_id": "s-1", "after": at(after), "before": at(before)});
        let reported = reported(&trace(&bench, params));
        reported.into_iter().map(|(prompt, _, rows)| (prompt, rows)).collect::<Vec<_>>()
    };
    assert_eq!(of(Some(0), Some(30)), [(Some(first), vec![inside])]);
    assert_eq!(of(None, Some(11)), [(None, vec![began]), (Some(first), vec![])]);
    assert_eq!(of(Some(9), None), [(Some(first), vec![inside, late]), (Some(second), vec![last])]);
    assert_eq!(of(Some(10), Some(40)), []);
    assert_eq!(of(Some(1_000), None), []);
}

/// @recall_session_trace: an unknown session is an error that names it; a unique prefix of an id is
/// enough.
#[test]
fn sessions_are_found_by_id_or_its_beginning() {
    let bench = fresh();
    for session in ["d4f8a2b1-1", "d4f8a2b1-2", "0000-1"] {
        bench.keep(&format!("{session}/api"), 0, command("ls"));
    }
    let fault = bench.ask("api", "session_trace", json!({"session_id": "nope"})).expect_err("no such");
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::NotFound, "session not found: nope"));
    assert_eq!(trace(&bench, json!({"session_id": "0000"}))["session_id"], json!("0000-1"));
    assert!(bench.ask("api", "session_trace", json!({"session_id": "000"})).is_err());
    let fault = bench.ask("api", "session_trace", json!({"session_id": "d4f8"})).expect_err("two");
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "ambiguous_session"));
}

/// @recall_session_trace: a fault names the wrong parameter as the operation calls it, and a next
/// step.
#[test]
fn a_session_that_is_not_there_is_blamed_on_its_parameter() {
    let bench = fresh();
    for session in ["d4f8a2b1-1", "d4f8a2b1-2"] {
        bench.keep(&format!("{session}/api"), 0, command("ls"));
    }
    for session in ["nope", "d4f8"] {
        let of = |operation, params| {
            bench.ask("api", operation, params).expect_err("no such").data["field"].clone()
        };
        assert_eq!(of("session_trace", json!({"session_id": session})), "session_id");
        assert_eq!(of("search", json!({"query": "ls", "session": session})), "session");
    }
    let fault = bench.ask("api", "session_trace", json!({"session_id": "nope"})).expect_err("no such");
    let next = fault.next.expect("a way on");
    assert!(next.contains("list_sessions"), "{next}");
    assert_eq!(bench.answer("recent_context", json!({}))[0]["session_id"], json!("d4f8a2b1-2"));
}

/// @recall_session_trace: a summarised session shows its outcome.
#[test]
fn the_summary_comes_along() {
    let bench = fresh();
    bench.keep("s-1/api", 0, prompt("fix auth bug"));
    for after in 1..6 {
        bench.keep("s-1/api", after, edit(&format!("/api/{after}.rs")));
    }
    bench.keep("s-1/api", 9, EventBody::End { reason: None });
    sum_up(&bench);
    let trace = trace(&bench, json!({"session_id": "s-1"}));
    assert_eq!(
        (&trace["summary"]["intent"], &trace["summary"]["observations"]),
        (&json!("fix auth bug"), &json!(6))
    );
}

/// @recall_session_trace: a session with thousands of observations is returned a thousand at a
/// time, and the answer says that there is more.
#[test]
fn a_long_session_is_read_on() {
    let bench = fresh();
    let asked = bench.keep("s-1/api", 0, prompt("all of it"));
    for after in 1..=1_200 {
        bench.keep("s-1/api", after, command(&format!("step {after}")));
    }
    let first = bench.ok("session_trace", json!({"session_id": "s-1"}));
    assert_eq!(
        (&first["truncated"], &first["prompts"][0]["observation_count"]),
        (&json!(true), &json!(1_200))
    );
    assert_eq!(ids(&first["prompts"][0]["observations"], "id").len(), 1_000);
    let rest = bench.ok("session_trace", json!({"session_id": "s-1", "before": START + 1_000}));
    assert_eq!((&rest["truncated"], rest["prompts"][0]["prompt_id"].as_i64()), (&json!(null), Some(asked)));
    assert_eq!(ids(&rest["prompts"][0]["observations"], "id").len(), 999);
}

pub(crate) fn sum_up(bench: &MemoryBench) {
    let later = Timestamp::from_millis((START + 200_000) * 1_000);
    let steps = upkeep::upkeep(&bench.memory, later);
    assert!(steps.iter().all(|step| step.failed.is_none()), "{steps:?}");
}

/// @recall_sessions Sessions are listed newest first: the request, the files, how they ended; those
/// of other projects only on request.
#[test]
fn sessions_are_listed() {
    let mut bench = fresh();
    bench.keep("s-1/api", 0, prompt("fix the tests of the router"));
    bench.keep("s-1/api", 10, edit("/api/src/router.rs"));
    bench.keep("s-1/api", 20, EventBody::End { reason: Some("exit".into()) });
    bench.keep("s-2/api", 100, prompt("now make it fast"));
    bench.keep("s-3/web", 200, command("npm test"));
    bench.ask_at(300);
    let listed = |params: Value| {
        let answer = bench.ask("api", "list_sessions", params).expect("answered");
        let rows = answer.as_array().expect("a list").clone();
        let row = |row: &Value| {
            let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {} {}",
                text("session_id"),
                text("goal"),
                row["files"],
                text("ended"),
                text("at")
            )
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let here = [
        "s-2 now make it fast [] open 2026-11-15T06:11:40Z",
        "s-1 fix the tests of the router [\"/api/src/router.rs\"] ended 2026-11-15T06:10:20Z",
    ];
    assert_eq!(listed(json!({})), here);
    assert_eq!(listed(json!({"limit": 1})), here[..1]);
    assert_eq!(listed(json!({"project": "*"}))[0], "s-3 - [] open 2026-11-15T06:13:20Z");
    bench.ask_at(10 * 60 * 60);
    let late = bench.ask("api", "list_sessions", json!({"limit": 1})).expect("answered");
    assert_eq!(late[0]["ended"], "broke off");
}

/// @recall_sessions_pages: pages by key have every session once, also while new ones begin, over
/// projects and where sessions began at the same time.
#[test]
fn sessions_are_read_in_pages_by_key() {
    let mut bench = fresh();
    for n in 0..9 {
        let project = if n % 2 == 0 { "api" } else { "web" };
        bench.keep(&format!("s-{n}/{project}"), n / 3 * 10, prompt("work"));
    }
    bench.ask_at(300);
    let page = |before: Option<&str>| {
        let mut params = json!({"project": "*", "limit": 2});
        if let Some(before) = before {
            params["before"] = json!(before);
        }
        let answer = bench.answer("list_sessions", params);
        let rows = answer.as_array().expect("a list").iter();
        rows.map(|row| row["session_id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    let mut seen = page(None);
    bench.keep("s-new/api", 200, prompt("meanwhile"));
    loop {
        let next = page(seen.last().map(String::as_str));
        if next.is_empty() {
            break;
        }
        seen.extend(next);
    }
    let all: Vec<String> = (0..9).rev().map(|n| format!("s-{n}")).collect();
    assert_eq!(seen, all);
    let unknown = bench.ask("api", "list_sessions", json!({"before": "nobody"})).expect_err("unknown");
    assert_eq!(unknown.kind, nudge_core::FaultKind::NotFound);
}

/// @web_overview: what stopped unseen, what works, and the rest, each with its last step.
#[test]
fn the_overview_says_what_runs_and_what_needs_the_user() {
    let mut bench = fresh();
    bench.keep("s-1/api", 0, prompt("fix the tests of the router"));
    bench.keep("s-1/api", 10, edit("/api/src/router.rs"));
    bench.keep("s-1/api", 400, command("cargo test"));
    bench.keep("s-2/web", 500, prompt("now make it fast"));
    bench.keep("s-2/web", 510, thought("It is fast."));
    bench.keep("s-3/web", 600, prompt("old work"));
    bench.keep("s-3/web", 610, EventBody::End { reason: Some("exit".into()) });
    bench.ask_at(700);
    let found = bench.answer("overview", json!({"project": "*"}));
    let named = |list: &str| {
        let rows = found[list].as_array().expect("a list").iter();
        rows.map(|row| row["session_id"].as_str().expect("an id")).collect::<Vec<_>>()
    };
    assert_eq!((named("working"), named("stopped")), (vec!["s-2", "s-1"], vec!["s-3"]), "{found}");
    assert_eq!((&found["stopped"][0]["state"], &found["earlier"]), (&json!("ended"), &json!([])));
    let one = &found["working"][1];
    assert_eq!((&one["state"], &one["project"]), (&json!("busy"), &json!("api")));
    assert_eq!(one["request"], "fix the tests of the router");
    assert_eq!(one["last"], json!({"kind": "command", "text": "cargo test"}));
    assert_eq!(one["files"], json!(["/api/src/router.rs"]));
    assert_eq!((&one["activity"], &one["failures"]), (&json!([1, 1]), &json!([0, 0])));
    let here = bench.answer("overview", json!({}));
    assert_eq!(here["working"][0]["session_id"], "s-1", "{here}");
    assert_eq!(here["stopped"], json!([]));
    bench.ask_at(10 * 60 * 60);
    let late = bench.answer("overview", json!({}));
    assert_eq!((&late["working"], &late["earlier"][0]["state"]), (&json!([]), &json!("broke off")));
}

/// @web_overview @web_rights: nothing of a private project is listed unless it is named.
#[test]
fn the_overview_leaves_private_projects_out() {
    let mut bench = fresh();
    bench.keep("s-1/api", 0, prompt("public work"));
    bench.keep("s-2/hidden", 10, prompt("private work"));
    bench.ask_at(60);
    bench.ok("set_private", json!({"project": "hidden"}));
    let mut browser = nudge_memory::Caller::new(nudge_memory::Surface::Browser, bench.caller.now);
    browser.client = Some("browser".into());
    let ask =
        |params: Value| nudge_testkit::call(&bench.memory, &browser, "overview", params).expect("answered");
    assert!(!ask(json!({"project": "*"})).to_string().contains("private work"));
    assert!(ask(json!({"project": "*"})).to_string().contains("public work"));
    assert!(ask(json!({"project": "hidden"})).to_string().contains("private work"));
}
