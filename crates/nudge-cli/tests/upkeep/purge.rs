//! Choosing what to purge, and confirming it.

use insta::assert_snapshot;
use nudge_core::ObservationKind as Kind;
use serde_json::{Value, json};

use crate::upkeep::setup::{DAY, MINUTE, Scene, did, ended, said, touched};

fn filled() -> (Scene, Vec<i64>) {
    let mut scene = Scene::new();
    scene.now = 1_794_700_000_000;
    let ids = scene.worked("s-1", "shop", 20);
    scene.worked("s-2", "shop", 10);
    scene.worked("s-3", "till", 10);
    scene.maintained("summaries");
    (scene, ids)
}

/// What a filter would remove: observations by kind, prompts, sessions, emptied sessions.
fn planned(scene: &Scene, args: &[&str]) -> Value {
    let mut words = vec!["purge", "--json"];
    words.extend(args);
    let answer = scene.home.run(words).json();
    assert_eq!(answer["confirmed"], false);
    let plan = &answer["would_purge"];
    let observed: u64 =
        plan["observations"].as_object().expect("kinds").values().filter_map(Value::as_u64).sum();
    json!([observed, plan["prompts"], plan["sessions"], plan["emptied_sessions"]])
}

/// @purge_confirms: without confirmation, the command only counts what it would remove; it needs at
/// least one filter.
#[test]
fn nothing_goes_unconfirmed() {
    let (scene, ids) = filled();
    scene.home.run(["pin", &ids[2].to_string()]).ok();
    assert_snapshot!("purge_unconfirmed", scene.home.run(["purge", "--session", "s-1"]).page());
    assert_eq!(scene.stored()["sessions"], 3);
    assert_snapshot!("purge_no_filter", scene.home.run(["purge"]).page());
    assert_snapshot!("purge_bad_date", scene.home.run(["purge", "--before", "2026-02-30"]).page());
    assert_snapshot!("purge_bad_kind", scene.home.run(["purge", "--kind", "commands"]).page());
    assert_snapshot!("purge_nothing", scene.home.run(["purge", "--search", "no such word"]).page());
    assert_snapshot!("purge_confirmed", scene.home.run(["purge", "--session", "s-1", "--confirm"]).page());
    assert_eq!((&scene.stored()["sessions"], &scene.stored()["summaries"]), (&json!(2), &json!(2)));
    scene.home.run(["purge", "--session", "s-1", "--confirm"]).exits(3);
}

/// @purge_filters: by time, project, session, id, kind, age and text; several filters must all
/// match.
#[test]
fn filters_combine() {
    let (scene, ids) = filled();
    let first = ids[3].to_string();
    assert_eq!(planned(&scene, &["--session", "s-2"]), json!([5, 1, 1, 1]));
    assert_eq!(planned(&scene, &["--project", "shop"]), json!([10, 2, 2, 2]));
    assert_eq!(planned(&scene, &["--project", "/w/till"]), json!([5, 1, 1, 1]));
    assert_eq!(planned(&scene, &["--kind", "file_edit"]), json!([3, 0, 3, 0]));
    assert_eq!(planned(&scene, &["--kind", "user_prompt"]), json!([0, 3, 3, 0]));
    assert_eq!(planned(&scene, &["--kind", "file_edit", "--project", "shop"]), json!([2, 0, 2, 0]));
    assert_eq!(planned(&scene, &["--before", "2026-11-01"]), json!([5, 1, 1, 1]));
    assert_eq!(planned(&scene, &["--before", "2026-11-01", "--kind", "git_commit"]), json!([1, 0, 1, 0]));
    assert_eq!(planned(&scene, &["--id", &first, "obs://1000"]), json!([1, 0, 1, 0]));
    assert_eq!(planned(&scene, &["--id", &format!("{first},{}", ids[0])]), json!([1, 1, 1, 0]));
    assert_eq!(planned(&scene, &["--search", "CARGO TEST"]), json!([3, 0, 3, 0]));
    assert_eq!(planned(&scene, &["--search", "/w/till/cart"]), json!([2, 0, 1, 0]));
    assert_eq!(
        planned(&scene, &["--search", "1a2b3c4", "--search", "commit", "--session", "s-3"]),
        json!([1, 0, 1, 0])
    );
    assert_eq!(planned(&scene, &["--older-than", "36500"]), json!([0, 0, 0, 0]));
    let all = planned(&scene, &["--older-than", "0"]);
    assert_eq!(all, json!([15, 3, 3, 3]));
    scene.home.run(["purge", "--id", "seven"]).exits(2);
    scene.home.run(["purge", "--project", "nowhere"]).exits(3);
}

/// @purge_filters: a session that keeps some rows gets a new summary, without the purged ones.
#[test]
fn a_summary_forgets_what_was_purged() {
    let (scene, ids) = filled();
    scene.keep(&[
        touched("s-1", "shop", scene.now, Kind::FileEdit, "/w/shop/axolotl.rs"),
        touched("s-1", "shop", scene.now + 1, Kind::FileEdit, "/w/shop/plain.rs"),
    ]);
    scene.home.run(["maintain"]).ok();
    scene.home.run(["purge", "--search", "axolotl", "--confirm"]).ok();
    let injected = scene.summaries().iter().map(|(body, _)| body.clone()).collect::<Vec<_>>().join("\n");
    assert!(injected.contains("plain.rs") && !injected.contains("axolotl"), "{injected}");
    assert_eq!(scene.stored()["sessions"], 3);
    assert!(ids.len() == 6 && scene.home.files_holding("axolotl").is_empty());
}

/// @purge_confirms @purge_filters: text that is only in a summary is reported before and after: the
/// summary is written again, or removed with a session that has nothing else left.
#[test]
fn a_summary_alone_can_match() {
    let scene = Scene::new();
    for (session, days, file) in [("half", 400, "axolotl"), ("gone", 800, "quokka")] {
        let at = scene.now - days * DAY;
        scene.keep(&[
            touched(session, "shop", at, Kind::FileEdit, &format!("/w/shop/{file}.rs")),
            touched(session, "shop", at + 1, Kind::FileEdit, "/w/shop/plain.rs"),
            did(session, "shop", at + 2, Kind::GitCommit, "git commit -m mend"),
            ended(session, "shop", at + 3),
        ]);
    }
    assert_eq!(scene.maintained("retention")["observations"], 7);
    let run = |args: &[&str]| scene.home.nudge(args).env("COLUMNS", "80").run().page();
    assert_snapshot!("purge_summary", run(&["purge", "--search", "axolotl"]));
    let confirmed = run(&["purge", "--search", "axolotl", "--confirm"]);
    assert_snapshot!("purge_summary_confirmed", confirmed);
    assert_eq!(scene.stored()["summaries"], 2);
    assert_snapshot!("purge_last_summary", run(&["purge", "--search", "quokka"]));
    assert_snapshot!("purge_last_summary_confirmed", run(&["purge", "--search", "quokka", "--confirm"]));
    assert_eq!((&scene.stored()["summaries"], &scene.stored()["sessions"]), (&json!(1), &json!(1)));
    assert!(scene.home.files_holding("axolotl").is_empty() && scene.home.files_holding("quokka").is_empty());
}

/// @purge_confirms: a search shows some of its results, harmless to the terminal and no wider than
/// it; a summary that is written again counts once.
#[test]
fn a_search_shows_what_would_go() {
    let scene = Scene::new();
    let loud =
        "first line\nthen \u{1b}[31mthe axolotl\u{7} that goes on for longer than the terminal is wide";
    scene.keep(&[said("s-1", "shop", scene.now - MINUTE, loud)]);
    for number in 0..6 {
        let file = format!("/w/shop/axolotl/{number}.rs");
        scene.keep(&[touched("s-1", "shop", scene.now - MINUTE + number, Kind::FileEdit, &file)]);
    }
    scene.keep(&[
        did("s-1", "shop", scene.now - 20, Kind::Command, "make"),
        ended("s-1", "shop", scene.now - 10),
    ]);
    scene.maintained("summaries");
    scene.home.run(["backup"]).ok();
    let run = |args: &[&str]| scene.home.nudge(args).env("COLUMNS", "60").run().page();
    assert_snapshot!("purge_examples", run(&["purge", "--search", "axolotl"]));
    assert_snapshot!("purge_nothing_but_backups", run(&["purge", "--search", "no such word"]));
    let purged = scene.home.run(["purge", "--search", "axolotl", "--confirm", "--json"]).json();
    assert_eq!(
        (&purged["purged"]["summaries"], &purged["purged"]["rewritten_summaries"]),
        (&json!(1), &json!(1))
    );
}
