//! The recent context.

use nudge_core::{ObservationKind, Outcome};
use serde_json::{Value, json};

use crate::recall::setup::{Recall, action, command, edit, failure, fresh, ids, prompt, read, start};

const DAY: i64 = 86_400;

fn scores(rows: &Value) -> Vec<(i64, f64)> {
    let row = |row: &Value| (row["id"].as_i64().expect("an id"), row["score"].as_f64().expect("a score"));
    rows.as_array().expect("a list").iter().map(row).collect()
}

/// @recall_recent: with a project the score is 0.5 recency, 0.3 kind and 0.2 project; another
/// project gets 0.3 of the project part, and is not left out.
#[test]
fn with_a_project_its_own_rows_are_boosted() {
    let mut bench = fresh();
    let old = bench.keep("s-1/api", 0, edit("/api/a.rs"));
    let elsewhere = bench.keep("s-2/web", 7 * DAY, edit("/web/b.rs"));
    let ran = bench.keep("s-3/api", 7 * DAY, command("make"));
    bench.ask_at(7 * DAY);
    let rows = bench.answer("recent_context", json!({}));
    let expected =
        [(ran, 0.5 + 0.3 * 0.67 + 0.2), (elsewhere, 0.5 + 0.3 + 0.2 * 0.3), (old, 0.25 + 0.3 + 0.2)];
    assert_eq!(scores(&rows), expected.map(|(id, score)| (id, (score * 1e4_f64).round() / 1e4)));
    assert_eq!(ids(&bench.answer("recent_context", json!({"only": true})), "id"), [ran, old]);
}

/// @recall_recent: the project is a boost, not a filter: another project loses 0.2 × 0.7, so a row
/// there comes before a row of this project that is older by more than that is worth, and after a
/// newer one.
#[test]
fn another_project_counts_less_and_is_not_left_out() {
    let mut bench = fresh();
    // 0.5 recency: 4 days are worth 0.163, 3 days 0.129; the boost is worth 0.14.
    let four = bench.keep("s-1/api", 0, edit("/api/four.rs"));
    let three = bench.keep("s-1/api", DAY, edit("/api/three.rs"));
    let elsewhere = bench.keep("s-2/web", 4 * DAY, edit("/web/now.rs"));
    bench.ask_at(4 * DAY);
    let rows = bench.answer("recent_context", json!({}));
    assert_eq!(ids(&rows, "id"), [three, elsewhere, four]);
    assert_eq!(
        ids(&bench.answer("recent_context", json!({"project": "web"})), "id"),
        [elsewhere, three, four]
    );
    assert_eq!(
        ids(&bench.answer("recent_context", json!({"project": null})), "id"),
        [elsewhere, three, four]
    );
    let of = |id: i64| scores(&rows).into_iter().find(|(row, _)| *row == id).expect("given").1;
    let recency = |days: f64| 0.5_f64.powf(days / 7.0);
    for (id, days, place) in [(four, 4.0, 1.0), (three, 3.0, 1.0), (elsewhere, 0.0, 0.3)] {
        assert!((of(id) - (0.5 * recency(days) + 0.3 + 0.2 * place)).abs() < 1e-4, "{id}: {rows}");
    }
    assert_eq!(rows[1]["content"], "now.rs", "of another project only the name of the file");
}

/// @recall_recent: without a project the score is 0.6 recency and 0.4 kind; recency halves every
/// seven days.
#[test]
fn without_a_project_kind_and_age_decide() {
    let mut bench = fresh();
    let kinds = [
        (ObservationKind::FileEdit, 1.0),
        (ObservationKind::GitCommit, 1.0),
        (ObservationKind::Command, 0.67),
        (ObservationKind::McpCall, 0.33),
        (ObservationKind::FileRead, 0.17),
    ];
    let mut expected = Vec::new();
    for (days, recency) in [(21, 0.125), (14, 0.25), (7, 0.5), (0, 1.0)] {
        for (kind, weight) in kinds {
            let body = format!("{} {days} days ago", kind.name());
            let id = bench.keep("s-1/api", (21 - days) * DAY, action(kind, &body, &[], Outcome::Success));
            expected.push((id, ((0.6 * recency + 0.4 * weight) * 1e4_f64).round() / 1e4));
        }
    }
    bench.ask_at(21 * DAY);
    expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let rows = bench.answer("recent_context", json!({"project": null, "limit": 100}));
    let mut given = scores(&rows);
    assert!(given.is_sorted_by(|a, b| a.1 >= b.1));
    given.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    assert_eq!(given, expected);
    bench.keep(
        "s-1/api",
        21 * DAY,
        nudge_memory::capture::EventBody::Compact { trigger: None, ahead: false },
    );
    let rows = bench.answer("recent_context", json!({"project": "*", "limit": 100}));
    let compact = rows.as_array().expect("a list").iter().find(|row| row["obs_type"] == "session_compact");
    assert_eq!(compact.expect("given")["score"], json!(0.8));
}

/// @recall_recent_rows: of the rows about one file only the best stays; rows about no file all
/// stay.
#[test]
fn one_row_for_each_file() {
    let bench = fresh();
    bench.keep("s-1/api", 0, read("/api/a.rs"));
    let edited = bench.keep("s-1/api", 1, edit("/api/a.rs"));
    bench.keep("s-1/api", 400, read("/api/a.rs"));
    let ran = [500, 600, 700].map(|after| bench.keep("s-1/api", after, command("make")));
    let said = bench.keep("s-1/api", 800, prompt("again"));
    let rows = bench.answer("recent_context", json!({}));
    let mut given = ids(&rows, "id");
    assert_eq!(given[0], edited);
    given.sort_unstable();
    assert_eq!(given, [edited, ran[0], ran[1], ran[2], said]);
    assert!(
        rows.as_array()
            .expect("a list")
            .iter()
            .all(|row| row["content"].is_string() && row["metadata"].is_object())
    );
}

/// @recall_recent_rows: thirty by default, at most a hundred, none if there is nothing.
#[test]
fn as_many_as_asked_for_up_to_a_hundred() {
    let bench = fresh();
    assert_eq!(bench.answer("recent_context", json!({})), json!([]));
    assert_eq!(bench.answer("recent_context", json!({"project": null})), json!([]));
    for after in 0..140 {
        bench.keep("s-1/api", after, command(&format!("step {after}")));
    }
    let count = |params: Value| ids(&bench.answer("recent_context", params), "id").len();
    assert_eq!(count(json!({})), 30);
    assert_eq!(count(json!({"limit": 5})), 5);
    assert_eq!(count(json!({"limit": 100_000})), 100);
    assert_eq!(count(json!({"limit": -1})), 1);
    for project in ["nowhere", "/no/such/directory", "id:99"] {
        assert_eq!(bench.answer("recent_context", json!({"project": project})), json!([]), "{project}");
    }
}

/// @recall_other_projects: of another project only kind, file name and the program that ran are
/// shown, unless all projects are requested.
#[test]
fn other_projects_keep_their_texts() {
    let bench = fresh();
    bench.keep("s-1/web", 0, start());
    bench.keep("s-1/web", 1, prompt("rotate the customer list"));
    bench.keep("s-1/web", 2, failure("TOKEN=x /usr/bin/psql -h db.internal customers", 2));
    bench.keep("s-1/web", 3, edit("/web/deep/down/customers.sql"));
    bench.keep(
        "s-1/web",
        4,
        action(ObservationKind::GitCommit, "git commit -m 'customers out'", &[], Outcome::Success),
    );
    bench.keep("s-2/api", 5, command("ls"));
    let rows = bench.answer("recent_context", json!({}));
    let reported: Vec<(&str, &str, Option<&str>)> = rows
        .as_array()
        .expect("a list")
        .iter()
        .filter(|row| row["project"] == "web")
        .map(|row| {
            assert_eq!((&row["metadata"], &row["tool_name"]), (&json!({}), &json!(null)), "{row}");
            let text = |name: &str| row[name].as_str();
            (text("obs_type").expect("a kind"), text("content").expect("a text"), text("file_path"))
        })
        .collect();
    let mut sorted = reported.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            ("command_error", "psql", None),
            ("file_edit", "customers.sql", Some("customers.sql")),
            ("git_commit", "git", None),
            ("session_start", "", None),
        ]
    );
    let nowhere = bench.ask("unseen", "recent_context", json!({})).expect("answered");
    assert!(!nowhere.to_string().contains("db.internal"), "{nowhere}");
    for asked in [json!({"project": null}), json!({"project": "web"})] {
        assert!(bench.answer("recent_context", asked).to_string().contains("db.internal"));
    }
}

/// @recall_other_projects: a caller's project is that of its session, else of its directory, else
/// the one its client named.
#[test]
fn whose_project_it_is() {
    let bench = fresh();
    let dir = bench.dir().join("work");
    std::fs::create_dir(&dir).expect("made");
    let place = dir.canonicalize().expect("there").to_string_lossy().into_owned();
    bench.keep("s-1/web", 0, command("pnpm build"));
    let open = |rows: Value| rows.to_string().contains("pnpm build");
    assert!(!open(bench.ask_in(&dir, "recent_context", json!({})).expect("answered")));
    bench.ok("create_marker", json!({"text": "a note", "project": place}));
    let rows = bench.ask_in(&dir.join("."), "recent_context", json!({"only": true})).expect("answered");
    assert_eq!(rows[0]["content"], json!("a note"));
    let mut caller = nudge_memory::Caller::new(nudge_memory::Surface::Mcp, bench.caller.now);
    caller.session = Some("s-1".to_owned());
    assert!(open(
        nudge_testkit::call(&bench.memory, &caller, "recent_context", json!({})).expect("answered")
    ));
    assert!(open(bench.ask("web", "recent_context", json!({})).expect("answered")));
}
