//! The pages of runs, from runs as `get_run` and `get_runs` return them.

use std::time::Duration;

use insta::assert_snapshot;
use nudge_agent::runs::{HistoryRow, RunList, RunView};
use serde_json::{Value, json};

use super::super::Page;

/// A page at 80 columns and in a pipe, without colour.
fn shown(render: impl Fn(&mut Page)) -> String {
    let (narrow, whole) = (at(80, &render), at(usize::MAX, &render));
    let whole = if whole == narrow { "(the same)\n".to_owned() } else { whole };
    format!("# 80 columns\n{narrow}# in a pipe\n{whole}")
}

/// A list at both widths. Unlike the text of prompts and answers, it fits the page.
fn fitting(render: impl Fn(&mut Page)) -> String {
    for line in at(80, &render).lines() {
        assert!(nudge_core::text::width(line) <= 80, "{line}");
    }
    shown(render)
}

fn at(columns: usize, render: &impl Fn(&mut Page)) -> String {
    let mut page = Page::new(columns);
    render(&mut page);
    anstream::adapter::strip_str(&page.into_text()).to_string()
}

/// A run. What a call was about makes no difference on these pages: each row has only its record.
fn view(value: Value) -> RunView {
    let mut view: RunView = serde_json::from_value(value).expect("a run");
    let rows = view.history.iter_mut().chain(&mut view.waits_for);
    rows.for_each(|row| row.record.clone_from(&row.path));
    view
}

fn telemetry() -> Value {
    json!({
        "turns": 3, "context_tokens": 1_800, "prompt_tokens": 4_120, "cached_tokens": 0,
        "completion_tokens": 310, "reasoning_tokens": 0, "total_tokens": 4_430, "cost_usd": 0.0021,
        "errors": 1, "healed": 2,
    })
}

/// A run with two prompts, a failed call and nine sources.
fn answered() -> Value {
    let more = (3..=9).map(
        |n| json!({"path": format!("known://notes/{n}"), "id": 40 + n, "cited": false, "preview": "a note"}),
    );
    let sources: Vec<Value> = [
        json!({"path": "src/router.rs", "cited": true, "preview": "pub const PORT: u16 = 8080;"}),
        json!({"path": "known://ports", "id": 12, "cited": true, "preview": "8080 is the router's"}),
    ]
    .into_iter()
    .chain(more)
    .collect();
    json!({
        "run": "which-port", "project": "shop", "turn": 3, "status": 200, "state": "completed",
        "summary": "It is tested in src/router.rs.", "model": "local", "parent": "ports",
        "created_at": "2024-03-04T12:00:00Z", "updated_at": "2024-03-04T12:01:00Z",
        "loops": [
            {"number": 1, "mode": "ask", "prompt": "Which port does the router use?", "status": 200,
             "state": "completed", "answer": "8080, see src/router.rs and #12."},
            {"number": 2, "mode": "ask", "prompt": "And where is that tested?\nName the file.",
             "status": 200, "state": "completed", "answer": "In src/router.rs.\n\nAt the end."},
        ],
        "history": [
            {"tool": "prompt", "path": "prompt://1", "status": 200, "body": "Which port?", "turn": 0},
            {"tool": "search", "path": "log://turn_1/search/the_prompt", "target": "the prompt",
             "status": 200, "body": "3 matches\nknown://ports", "turn": 1},
            {"tool": "get", "path": "log://turn_1/get/src%2Frouter.rs", "target": "src/router.rs",
             "status": 200, "body": "shown", "turn": 1, "attributes": "{\"line\":3}"},
            {"tool": "think", "path": "log://turn_2/think/a", "status": 200, "body": "Hm.", "turn": 2},
            {"tool": "get", "path": "log://turn_2/get/nope", "status": 404, "outcome": "not_found",
             "target": "src/a-file-with-a-very-long-name-that-does-not-end-before-the-last-column.rs",
             "body": "there is no such file in the project, and none whose name is like it", "turn": 2},
            {"tool": "error", "path": "log://turn_2/error/lost", "status": 422,
             "body": "a call was lost: <get pa", "turn": 2},
            {"tool": "update", "path": "log://turn_2/update/going_on", "status": 102,
             "body": "looking for the tests", "turn": 2},
            {"tool": "update", "path": "log://turn_3/update/done", "status": 200,
             "body": "In src/router.rs.", "turn": 3},
        ],
        "unknowns": [{"path": "unknown://tls", "body": "whether TLS ends in front of the router"}],
        "sources": sources,
        "telemetry": telemetry(),
    })
}

fn waiting() -> Value {
    let question = json!({"tool": "ask_user", "path": "log://turn_1/ask_user/which", "status": 202,
        "target": "Which router is meant?", "body": "the old one;the new one", "turn": 1});
    json!({
        "run": "which-router", "project": "shop", "turn": 1, "status": 202, "state": "proposed",
        "summary": "", "model": "local", "created_at": "2024-03-04T12:00:00Z",
        "updated_at": "2024-03-04T12:01:00Z", "telemetry": null,
        "loops": [{"number": 1, "mode": "ask", "prompt": "Which port?", "status": 202, "state": "proposed"}],
        "history": [question.clone()], "waits_for": question,
    })
}

/// A run that failed, under hostile names.
fn failed() -> Value {
    let long = "explain the whole of this project to me, file by file, and leave nothing out of it";
    json!({
        "run": "explain-the-whole-of-this-project-to-me-2", "project": "a-shop-with-a-long-name",
        "turn": 12, "status": 429, "state": "failed", "outcome": "provider:429", "summary": "",
        "model": "a-model-with-a-long-name", "created_at": "2024-03-04T12:00:00Z",
        "updated_at": "2024-03-04T12:01:00Z",
        "loops": [{"number": 1, "mode": "ask", "prompt": format!("{long}\u{1b}[31m"), "status": 429,
            "state": "failed", "reason": "the provider answered 429 for ten minutes"}],
        "telemetry": {"turns": 12, "context_tokens": 0, "estimated": true, "prompt_tokens": 1_234_567,
            "cached_tokens": 0, "completion_tokens": 0, "reasoning_tokens": 0, "total_tokens": 1_234_567,
            "errors": 0, "healed": 0},
    })
}

#[test]
fn an_answer_ends_with_sources_and_cost() {
    let run = view(answered());
    assert_snapshot!("ending", fitting(|page| super::ending(page, &run, true)));
    let mut few = run.clone();
    few.sources.truncate(1);
    few.telemetry = serde_json::from_value(failed()["telemetry"].clone()).expect("usage");
    assert_snapshot!("ending_few", fitting(|page| super::ending(page, &few, true)));
    assert_snapshot!("ending_none", fitting(|page| super::ending(page, &run, false)));
    assert_snapshot!("aborted", shown(|page| super::aborted(page, &run, "The router\nlistens on")));
}

#[test]
fn a_run_is_shown_in_full() {
    for (name, run) in [("answered", answered()), ("waiting", waiting()), ("failed", failed())] {
        let run = view(run);
        assert_snapshot!(format!("show_{name}"), shown(|page| super::show(page, &run)));
    }
}

#[test]
fn a_run_is_shown_turn_by_turn() {
    let run = view(answered());
    let mut page = Page::new(80);
    super::turns(&mut page, &run);
    assert_snapshot!("turns", anstream::adapter::strip_str(&page.into_text()).to_string());
}

#[test]
fn runs_are_listed() {
    let runs = vec![view(answered()), view(waiting()), view(failed())];
    let list = RunList { runs, more: true };
    assert_snapshot!("list", fitting(|page| super::list(page, &list, false)));
    assert_snapshot!("list_all", fitting(|page| super::list(page, &list, true)));
    let none = RunList { runs: Vec::new(), more: false };
    assert_snapshot!("list_none", fitting(|page| super::list(page, &none, false)));
}

#[test]
fn what_happens_is_announced_line_by_line() {
    let run = view(answered());
    let shown = |row: &&HistoryRow| super::is_announced(row);
    assert_snapshot!(
        "live",
        fitting(|page| run.history.iter().filter(shown).for_each(|row| super::announce(page, row)))
    );
    let question = view(waiting()).waits_for.expect("a question");
    assert_snapshot!("question", fitting(|page| super::question(page, &question)));
}

#[test]
fn the_status_line_says_what_it_waits_for() {
    let mut run = view(waiting());
    let status = |run: &RunView| super::status(run, Duration::from_millis(12_900));
    run.state = "queued".to_owned();
    assert_eq!(status(&run), "queued · waiting for local · 12 s");
    run.state = "running".to_owned();
    assert_eq!(status(&run), "turn 1 · waiting for local · 12 s");
    run.partial = "The router listens on port 8080.".to_owned();
    assert_eq!(status(&run), "turn 1 · ≈9 tokens · 12 s · The router listens on port 8080.");
    run.partial = format!("{}\nand no other.", run.partial);
    assert!(
        status(&run).ends_with(" · 12 s · …uter listens on port 8080. and no other."),
        "{}",
        status(&run)
    );
    run.turn = 0;
    run.partial.clear();
    assert_eq!(status(&run), "starting · waiting for local · 12 s");
}

#[test]
fn costs_are_in_dollars() {
    assert_eq!([0.0, 0.0021, 0.5, 12.345].map(super::dollars), ["$0", "$0.0021", "$0.5000", "$12.35"]);
}
