//! The history of a file.

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{EventBody, ProjectRef};
use nudge_memory::{Caller, Surface};
use serde_json::{Value, json};

use crate::recall::session::sum_up;
use crate::recall::setup::{
    Recall, START, action, command, edit, fresh, happened, ids, prompt, read, start, thought,
};

const FILE: &str = "/api/src/auth.rs";

/// @recall_file_history: touches are grouped by session, the latest first, each with the user's
/// request.
#[test]
fn a_files_history_is_reported_by_session() {
    let bench = fresh();
    bench.keep("s-1/api", 0, prompt("Fix the login bug"));
    bench.keep("s-1/api", 5, thought("where is it?"));
    let looked = bench.keep("s-1/api", 10, read(FILE));
    let edited = bench.keep("s-1/api", 20, edit(FILE));
    bench.keep("s-1/api", 30, edit("/api/src/other.rs"));
    bench.keep("s-1/api", 40, EventBody::End { reason: None });
    let unasked = bench.keep("s-2/web", 1_000, edit(FILE));
    bench.keep("s-2/web", 1_001, command("make"));
    bench.ok("pin", json!({"ids": [edited]}));
    sum_up(&bench);
    let touch = |id: i64, after: i64, kind: &str, text: &str, prompt: Value, pinned: bool| {
        json!({"observation_id": id, "timestamp": START + after, "obs_type": kind,
               "content_preview": format!("{text} {FILE}"), "prompt_content": prompt, "is_pinned": pinned})
    };
    let asked = json!("Fix the login bug");
    assert_eq!(
        bench.answer("file_history", json!({"file_path": FILE})),
        json!({"file_path": FILE, "sessions": [
            {"session_id": "s-2", "project": "web", "started_at": START + 1_000, "summary_intent": null,
             "touches": [touch(unasked, 1_000, "file_edit", "Edit", json!(null), false)]},
            {"session_id": "s-1", "project": "api", "started_at": START, "summary_intent": "Fix the login bug",
             "touches": [touch(edited, 20, "file_edit", "Edit", asked.clone(), true),
                         touch(looked, 10, "file_read", "Read", asked, false)]},
        ]})
    );
}

/// @recall_file_history: the first 2,000 characters of a prompt are repeated, as in a session's
/// trace.
#[test]
fn a_long_prompt_is_repeated_as_in_a_trace() {
    let bench = fresh();
    bench.keep("s-1/api", 0, prompt(&"é".repeat(2_000)));
    bench.keep("s-1/api", 1, edit(FILE));
    bench.keep("s-1/api", 2, prompt(&"ö".repeat(2_001)));
    bench.keep("s-1/api", 3, edit(FILE));
    let trace = bench.answer("session_trace", json!({"session_id": "s-1"}));
    let history = bench.answer("file_history", json!({"file_path": FILE}));
    let touches = &history["sessions"][0]["touches"];
    assert_eq!(touches[0]["prompt_content"], json!(format!("{}…", "ö".repeat(2_000))));
    assert_eq!(touches[1]["prompt_content"], json!("é".repeat(2_000)));
    assert_eq!(touches[0]["prompt_content"], trace["prompts"][1]["content"]);
}

/// @recall_file_history: ten touches by default, at most fifty; times restrict them; an unknown
/// file has none.
#[test]
fn how_much_of_a_history_is_given() {
    let bench = fresh();
    let touched: Vec<i64> = (0..60).map(|after| bench.keep("s-1/api", after, edit(FILE))).collect();
    let of = |mut params: Value| {
        params["file_path"] = FILE.into();
        let answer = bench.answer("file_history", params);
        ids(&answer["sessions"][0]["touches"], "observation_id")
    };
    let newest = |count: usize| touched.iter().rev().take(count).copied().collect::<Vec<_>>();
    assert_eq!(of(json!({})), newest(10));
    assert_eq!(of(json!({"limit": 900})), newest(50));
    assert_eq!(of(json!({"limit": 0})), newest(1));
    assert_eq!(of(json!({"after": START + 3, "before": START + 6})), [touched[5], touched[4]]);
    let unknown = bench.answer("file_history", json!({"file_path": "/api/none.rs"}));
    assert_eq!(unknown, json!({"file_path": "/api/none.rs", "sessions": []}));
}

/// @recall_file_history: a path can be relative to the caller's directory or to its project's root,
/// or be the end of a path.
#[test]
fn a_relative_path_is_found() {
    let bench = fresh();
    bench.keep("s-1/api", 0, edit(FILE));
    for path in ["src/auth.rs", "./src/../src/auth.rs", FILE] {
        let answer = bench.answer("file_history", json!({"file_path": path}));
        assert_eq!(
            (&answer["file_path"], answer["sessions"].as_array().map(Vec::len)),
            (&json!(FILE), Some(1)),
            "{path}"
        );
    }
    let there = bench.ask_in("/api/src".as_ref(), "file_history", json!({"file_path": "auth.rs"}));
    assert_eq!(there.expect("answered")["file_path"], json!(FILE));
    assert_eq!(bench.answer("file_history", json!({"file_path": "auth.rs"}))["file_path"], json!(FILE));
    assert_eq!(bench.answer("file_history", json!({"file_path": "uth.rs"}))["sessions"], json!([]));
}

/// @recall_file_history: a file is the same in every worktree of its project, and no other file is.
#[test]
fn worktrees_share_the_history_of_a_file() {
    let bench = fresh();
    bench.store(&happened("s-wt/api", 0, start()).worktree("/elsewhere/fix"));
    let there = bench.keep("s-wt/api", 10, edit("/elsewhere/fix/src/auth.rs"));
    let of = |path: &str| touched(&bench.answer("file_history", json!({"file_path": path})));
    for path in ["src/auth.rs", FILE, "/elsewhere/fix/src/auth.rs", "auth.rs"] {
        assert_eq!(of(path), [there], "{path}, touched in a worktree alone");
    }
    let here = bench.keep("s-1/api", 20, edit(FILE));
    // A worktree that was visited later: its root is unknown.
    let wandered = bench.keep("s-1/api", 30, edit("/elsewhere/later/src/auth.rs"));
    bench.keep("s-1/api", 40, edit("/api/sub/src/auth.rs"));
    bench.keep("s-wt/api", 41, edit("/elsewhere/fix/sub/src/auth.rs"));
    bench.keep("s-2/web", 42, edit("/web/src/auth.rs"));
    bench.keep("s-1/api", 43, edit("/web/src/auth.rs"));
    for path in ["src/auth.rs", FILE, "/elsewhere/fix/src/auth.rs"] {
        assert_eq!(of(path), [wandered, here, there], "{path}");
    }
    let answer = bench.answer("file_history", json!({"file_path": "src/auth.rs"}));
    assert_eq!(answer["file_path"], json!(FILE));
    assert_eq!(of("auth.rs").len(), 5, "all of the project that end so");
}

/// @recall_file_history: a bare repository has only worktrees.
#[test]
fn a_bare_repository_finds_the_files_of_its_worktrees() {
    let bench = fresh();
    let bare = ProjectRef {
        key: "/tool.git".into(),
        name: "tool".into(),
        root: "/tool.git".into(),
        ..ProjectRef::default()
    };
    let within = |after, file: &str| {
        let event = happened("s-1/tool", after, edit(file));
        bench.store(&event.project_ref(bare.clone()).cwd(Some("/trees/one")))
    };
    let touches = [within(0, "/trees/one/src/a.rs"), within(5, "/trees/two/src/a.rs")];
    let mut caller = Caller::new(Surface::Mcp, bench.caller.now);
    caller.project = Some(bare.key.clone());
    let answer =
        nudge_testkit::call(&bench.memory, &caller, "file_history", json!({"file_path": "src/a.rs"}));
    assert_eq!(touched(&answer.expect("answered")), [touches[1], touches[0]]);
}

/// @recall_file_history: an action that touched a file under two of its paths is listed once, and
/// the limit applies to all paths together.
#[test]
fn what_touched_a_file_twice_is_reported_once() {
    let bench = fresh();
    let both = [FILE, "/elsewhere/fix/src/auth.rs"];
    let copied = action(ObservationKind::Command, "cp", &both, Outcome::Success);
    let copied = bench.keep("s-1/api", 0, copied);
    let edits: Vec<i64> =
        (1..8).map(|after| bench.keep("s-1/api", after, edit(both[after as usize % 2]))).collect();
    let of = |limit: i64| touched(&bench.answer("file_history", json!({"file_path": FILE, "limit": limit})));
    assert_eq!(of(50), edits.iter().rev().copied().chain([copied]).collect::<Vec<_>>());
    assert_eq!(of(3), edits.iter().rev().take(3).copied().collect::<Vec<_>>());
}

/// The listed observations, session by session.
fn touched(answer: &Value) -> Vec<i64> {
    let sessions = answer["sessions"].as_array().expect("a list");
    let mut touches: Vec<(i64, i64)> = Vec::new();
    for touch in sessions.iter().flat_map(|session| session["touches"].as_array().expect("a list")) {
        let number = |name: &str| touch[name].as_i64().expect("a number");
        touches.push((number("timestamp"), number("observation_id")));
    }
    touches.sort_unstable();
    touches.into_iter().rev().map(|(_, id)| id).collect()
}
