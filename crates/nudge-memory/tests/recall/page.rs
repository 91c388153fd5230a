//! What the page shows of a session: the timeline, page by page, and its files.

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::EventBody;
use nudge_testkit::event;
use serde_json::{Value, json};

use super::setup::{Recall, action, command, edit, failure, fresh, prompt, read, thought};

fn kinds(answer: &Value) -> Vec<&str> {
    let rows = answer["rows"].as_array().expect("rows").iter();
    rows.map(|row| row["kind"].as_str().expect("a kind")).collect()
}

fn ids(answer: &Value) -> Vec<i64> {
    answer["rows"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect()
}

/// A change of a file, as hooks report it.
fn changed(file: &str, lines: &str) -> EventBody {
    let mut action = event::file(ObservationKind::FileEdit, file);
    action.metadata.insert("changed".to_owned(), lines.into());
    action.metadata.insert("lines_added".to_owned(), 2.into());
    action.metadata.insert("lines_removed".to_owned(), 1.into());
    EventBody::Action(action)
}

/// A test run with its verdict.
fn tested(line: &str, passed: u64, failed: u64) -> EventBody {
    let outcome = if failed > 0 { Outcome::Failed { exit: Some(1) } } else { Outcome::Success };
    let mut action = event::command(line, outcome);
    let verdict = if failed > 0 { "failed" } else { "passed" };
    let run = json!({"runner": "cargo", "verdict": verdict, "passed": passed, "failed": failed});
    action.metadata.insert("run".to_owned(), run);
    action.metadata.insert("duration_ms".to_owned(), 4_200.into());
    if failed > 0 {
        action.metadata.insert("response".to_owned(), "test total ... FAILED\nleft: 2998".into());
    }
    EventBody::Action(action)
}

/// @web_session: prompts, verdicts, changed lines and what was said, in order, with totals.
#[test]
fn a_timeline_has_verdicts_and_changes_in_order() {
    let mut bench = fresh();
    bench.keep("s-1/api", 0, prompt("the total is wrong by one cent"));
    bench.keep("s-1/api", 10, read("/api/src/total.rs"));
    bench.keep("s-1/api", 20, tested("cargo test total", 41, 2));
    bench.keep(
        "s-1/api",
        30,
        changed("/api/src/total.rs", "-round(line)\n+let sum = lines.sum();\n+round(sum)\n"),
    );
    bench.keep("s-1/api", 40, tested("cargo test total", 43, 0));
    bench.keep(
        "s-1/api",
        50,
        action(ObservationKind::Conclusion, "Rounding the sum fixed it.", &[], Outcome::Unknown),
    );
    bench.keep("s-1/api", 55, thought("Look at the rounding."));
    bench.ask_at(60);
    let found = bench.ok("session_timeline", json!({"session_id": "s-1"}));
    let expected = ["prompt", "file_read", "command_error", "file_edit", "command", "conclusion", "prompt"];
    assert_eq!(kinds(&found), expected, "{found}");
    let counts = &found["counts"];
    let figures = ["events", "failures", "changes", "commits", "injections", "hypotheses"];
    assert_eq!(figures.map(|name| counts[name].as_u64().expect("a number")), [7, 1, 1, 0, 0, 0]);
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!((&rows[2]["verdict"], &rows[2]["failed"]), (&json!("failed"), &json!(true)));
    assert_eq!((&rows[2]["tests_passed"], &rows[2]["tests_failed"]), (&json!(41), &json!(2)));
    assert_eq!(
        (&rows[2]["took_ms"], &rows[2]["output"]),
        (&json!(4_200), &json!("test total ... FAILED\nleft: 2998"))
    );
    assert_eq!((&rows[3]["added"], &rows[3]["removed"]), (&json!(2), &json!(1)));
    assert_eq!(rows[3]["diff"], "-round(line)\n+let sum = lines.sum();\n+round(sum)\n");
    assert_eq!((&rows[4]["verdict"], &rows[4]["failed"]), (&json!("passed"), &Value::Null));
    let outline = &found["prompts"];
    assert_eq!(outline.as_array().map(Vec::len), Some(1), "an agent's prompt to another is not the user's");
    assert_eq!((&outline[0]["events"], &outline[0]["failures"]), (&json!(4), &json!(1)), "{outline}");
    assert_eq!((&found["has_earlier"], &found["has_later"]), (&json!(false), &json!(false)));
    for (show, expected) in
        [("failures", vec!["command_error"]), ("changes", vec!["file_edit"]), ("injected", vec![])]
    {
        let some = bench.ok("session_timeline", json!({"session_id": "s-1", "show": show}));
        assert_eq!(kinds(&some), expected, "{show}");
    }
}

/// @web_session: it opens at the end; earlier and later rows come page by page, each once.
#[test]
fn a_long_session_is_read_page_by_page() {
    let mut bench = fresh();
    let asked = bench.keep("s-1/api", 0, prompt("begin"));
    // All at the same time, as an import may say.
    let all: Vec<i64> = bench.keep_all((0..250).map(|n| ("s-1/api", 5, command(&format!("make step-{n}")))));
    bench.ask_at(60);
    let last = bench.ok("session_timeline", json!({"session_id": "s-1", "limit": 100}));
    assert_eq!((ids(&last), &last["has_earlier"]), (all[150..].to_vec(), &json!(true)));
    let before = bench.ok("session_timeline", json!({"session_id": "s-1", "limit": 100, "before": all[150]}));
    assert_eq!((ids(&before), &before["has_later"]), (all[50..150].to_vec(), &json!(true)));
    let first = bench.ok("session_timeline", json!({"session_id": "s-1", "limit": 100, "before": all[50]}));
    assert_eq!(ids(&first), [&[asked], &all[..50]].concat());
    assert_eq!(first["has_earlier"], false);
    let from = bench.ok("session_timeline", json!({"session_id": "s-1", "limit": 3, "from": asked}));
    assert_eq!((ids(&from), &from["has_later"]), (vec![asked, all[0], all[1]], &json!(true)));
    let key = from["rows"][2]["key"].clone();
    let on = bench.ok("session_timeline", json!({"session_id": "s-1", "limit": 2, "from": key}));
    assert_eq!(ids(&on), all[1..3]);
    let fault = bench.fault("session_timeline", json!({"session_id": "s-1", "from": 999_999}));
    assert_eq!(fault.reason, "no_row", "{fault}");
}

/// @web_session @web_rights: what happened in a private project is left out, and agents get
/// neither the timeline nor a file.
#[test]
fn a_timeline_leaves_private_work_out() {
    let mut bench = fresh();
    bench.keep("s-1/api", 0, prompt("public words"));
    bench.keep("s-2/hidden", 10, prompt("private words"));
    bench.keep("s-2/hidden", 20, command("private command"));
    bench.ask_at(60);
    bench.ok("set_private", json!({"project": "hidden"}));
    let mut browser = nudge_memory::Caller::new(nudge_memory::Surface::Browser, bench.caller.now);
    browser.client = Some("browser".into());
    let ask = |session: &str| {
        nudge_testkit::call(&bench.memory, &browser, "session_timeline", json!({"session_id": session}))
    };
    assert!(ask("s-1").expect("answered").to_string().contains("public words"));
    assert!(!format!("{:?}", ask("s-2")).contains("private"));
    for (operation, more) in [("session_timeline", json!({})), ("session_file", json!({"path": "/api/a.rs"}))]
    {
        let mut params = more;
        params["session_id"] = json!("s-1");
        assert_eq!(bench.ask("api", operation, params).expect_err("refused").reason, "tier", "{operation}");
    }
}

/// @web_applets: the lines a session wrote are marked; a file outside the project has no text, and
/// credentials are not shown.
#[test]
fn a_file_shows_what_the_session_wrote() {
    let mut bench = fresh();
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().canonicalize().expect("a path");
    let at = |name: &str| root.join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(at("total.rs"), "fn total() {\n    let sum = lines.sum();\n    round(sum)\n}\n")
        .expect("written");
    let key = format!("key = \"AKIA{}\"\n", "QYLPMN5HFIQR7XYA");
    std::fs::write(at("keys.txt"), &key).expect("written");
    let place = format!("s-1{}", root.display());
    let lines = "-    round(line)\n+    let sum = lines.sum();\n+    round(sum)\n";
    bench.keep(&place, 0, prompt("round it"));
    bench.keep(&place, 10, changed(&at("total.rs"), lines));
    bench.keep(&place, 20, edit("/etc/hostname"));
    bench.keep(&place, 30, failure("make", 2));
    bench.ask_at(60);
    let ask = |path: &str| bench.ok("session_file", json!({"session_id": "s-1", "path": path}));
    let found = ask(&at("total.rs"));
    assert_eq!(found["written"], json!([2, 3]), "{found}");
    assert_eq!(found["lines"][1], "    let sum = lines.sum();");
    assert_eq!(
        (found["changes"].as_array().map(Vec::len), &found["changes"][0]["diff"]),
        (Some(1), &json!(lines))
    );
    let keys = ask(&at("keys.txt"));
    assert!(!keys.to_string().contains("AKIAQYLP"), "{keys}");
    for outside in ["/etc/hostname", &format!("{}/../x", root.display()), "relative.rs", ""] {
        let found = ask(outside);
        assert_eq!((&found["lines"], found["note"].is_string()), (&Value::Null, true), "{outside}: {found}");
    }
    assert!(ask(&at("gone.rs"))["note"].as_str().expect("a note").contains("does not exist"));
}
