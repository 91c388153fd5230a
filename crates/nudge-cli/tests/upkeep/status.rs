//! Counts of what is stored.

use insta::assert_snapshot;
use nudge_core::{ObservationKind, Timestamp};
use nudge_memory::capture::drops::{DropReason, Drops};
use serde_json::json;

use crate::upkeep::setup::{DAY, Scene, did, ended, said};

/// @status_counts: sizes, counts by kind, pins, summaries, duplicates and the last session.
#[test]
fn status_counts_what_was_captured() {
    let mut scene = Scene::new();
    assert_eq!(scene.stored()["sessions"], 0);
    scene.now = 1_794_700_000_000;
    let ids = scene.worked("s-1", "shop", 2);
    scene.worked("s-2", "till", 1);
    let twice = ended("s-2", "till", scene.now);
    let memory = scene.memory();
    memory.receive(&twice).expect("kept");
    memory.receive(&twice).expect("sent again");
    drop(memory);
    scene.home.run(["pin", &ids[2].to_string()]).ok();
    scene.maintained("summaries");
    let stored = scene.stored();
    assert_eq!(
        stored["kinds"],
        json!({"session_end": 3, "file_read": 2, "file_edit": 2, "command_error": 2, "git_commit": 2})
    );
    let numbers =
        ["projects", "sessions", "prompts", "observations", "pinned", "summaries", "duplicates", "drops"];
    assert_eq!(numbers.map(|name| stored[name].as_i64().unwrap_or(-1)), [2, 2, 2, 11, 1, 2, 1, 0]);
    assert!(stored["database_bytes"].as_u64().is_some_and(|bytes| bytes > 100_000), "{stored}");
    assert_eq!(stored["last_session"]["session"], "s-2");
    assert_snapshot!("status", scene.home.run(["status"]).page());
}

/// @status_counts: what is stored from each of the last 14 days, and what was lost on it.
#[test]
fn status_counts_by_day() {
    let scene = Scene::new();
    let at = |days_ago: i64| scene.now - days_ago * DAY;
    let ran = |days_ago, command| did("s-1", "shop", at(days_ago), ObservationKind::Command, command);
    scene.keep(&[said("s-1", "shop", at(0), "mend the cart"), ran(0, "make"), ran(13, "make old")]);
    scene.keep(&[ran(14, "make older")]);
    let drops = Drops::of(&scene.place());
    for days_ago in [0, 2, 2, 14] {
        drops.note([7; 16], DropReason::DiskFull, Timestamp::from_millis(at(days_ago))).expect("noted");
    }
    let stored = scene.stored();
    let days = stored["days"].as_array().expect("days");
    let found = days.iter().map(|day| [&day["entries"], &day["lost"]].map(|n| n.as_i64().expect("a number")));
    let mut expected = [[0, 0]; 14];
    (expected[13], expected[11], expected[0]) = ([2, 1], [0, 2], [1, 0]);
    assert_eq!(found.collect::<Vec<_>>(), expected, "{stored}");
    let today = Timestamp::from_millis(scene.now).to_string();
    assert!(today.starts_with(days[13]["day"].as_str().expect("a day")), "{stored}");
}

/// @status_counts: `status` says what is off here: capture, by a switch, an exclusion or invalid
/// settings, and injection.
#[test]
fn status_says_what_is_off() {
    let home = nudge_testkit::TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    let dir = home.dir("shop");
    let status = |settings: &str| {
        std::fs::write(dir.join(".nudge.toml"), settings).expect("writable");
        let json = home.nudge(["status", "--json"]).cwd(&dir).run().json();
        (json["captures"].clone(), json["injects"].clone(), home.nudge(["status"]).cwd(&dir).run().stdout)
    };
    let (captures, injects, page) = status("");
    assert_eq!((captures, injects, page.contains("off:")), (json!(true), json!(true), false), "{page}");
    for (settings, why) in [
        ("capture = false", "off: capture is false; nothing is captured here"),
        ("exclude = [\"shop\"]", "off: the settings exclude this place; nothing is captured here"),
        ("excluded = [\"shop\"]", "nothing is captured here"),
    ] {
        let (captures, _, page) = status(settings);
        assert!(captures == json!(false) && page.contains(why), "{settings}: {page}");
    }
    let (captures, injects, page) = status("[inject]\nenabled = false");
    assert_eq!((captures, injects), (json!(true), json!(false)), "{page}");
}

/// @hook_times: a hook that stored its event is counted, in the file of fixed size; one that stored
/// nothing is not.
#[test]
fn hooks_are_timed() {
    let home = nudge_testkit::TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    let dir = home.dir("shop");
    let hook = |event: serde_json::Value| {
        let done = home.nudge(["hook", "claude"]).cwd(&dir).stdin(event.to_string()).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    };
    let start = |session: &str| json!({"session_id": session, "cwd": dir, "hook_event_name": "SessionStart", "source": "startup"});
    let counted = || {
        let status = home.nudge(["status", "--json"]).cwd(&dir).run().json();
        let hours = status["hook_times"].as_array().cloned().unwrap_or_default();
        let counts = hours.iter().flat_map(|hour| hour["counts"].as_array().expect("counts").clone());
        counts.filter_map(|count| count.as_u64()).sum::<u64>()
    };
    assert_eq!(counted(), 0);
    hook(start("s-1"));
    hook(start("s-2"));
    assert_eq!(counted(), 2);
    home.nudge(["pause"]).run();
    hook(start("s-3"));
    assert_eq!(counted(), 2, "nothing was stored");
    let file = home.memory().join("logs/hook-times").metadata().expect("a file");
    assert!(file.len() <= 11_424, "{}", file.len());
    home.nudge(["uninstall", "--yes", "--purge"]).run();
    assert!(!home.memory().exists(), "nothing is left");
}

/// @status_counts: a home without a memory has nothing to count, and `status` creates none.
#[test]
fn status_makes_no_memory() {
    let home = nudge_testkit::TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    assert_eq!(home.run(["status", "--json"]).json()["stored"], json!(null));
    assert!(!home.memory().join("nudge.db").exists());
}
