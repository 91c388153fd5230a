//! The history of a file.

use nudge_memory::capture::What;
use serde_json::{Value, json};

use crate::session::sum_up;
use crate::setup::{Bench, START, command, edit, ids, prompt, read, thought};

const FILE: &str = "/api/src/auth.rs";

/// @recall_file_history: touches are grouped by session, the last first, each with what the person had asked for.
#[test]
fn a_files_history_is_told_by_session() {
    let bench = Bench::new();
    bench.keep("s-1/api", 0, prompt("Fix the login bug"));
    bench.keep("s-1/api", 5, thought("where is it?"));
    let looked = bench.keep("s-1/api", 10, read(FILE));
    let edited = bench.keep("s-1/api", 20, edit(FILE));
    bench.keep("s-1/api", 30, edit("/api/src/other.rs"));
    bench.keep("s-1/api", 40, What::End { reason: None });
    let unasked = bench.keep("s-2/web", 1_000, edit(FILE));
    bench.keep("s-2/web", 1_001, command("make"));
    bench.person("pin", json!({"ids": [edited]}));
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

/// @recall_file_history: ten touches unless asked otherwise, at most fifty; times restrict them; an unknown file has none.
#[test]
fn how_much_of_a_history_is_given() {
    let bench = Bench::new();
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

/// @recall_file_history: a path can be given as seen from the caller's directory, or from the top of its project, or by its end.
#[test]
fn a_relative_path_is_found() {
    let bench = Bench::new();
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
