//! A wrong clock removes nothing.

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use nudge_core::{ObservationKind as Kind, Timestamp};
use nudge_memory::upkeep;
use nudge_testkit::{Outcome, TestHome};
use serde_json::{Value, json};

use crate::upkeep::setup::{DAY, MINUTE, Scene, did, ended, said};

/// A home with work on each of these days ago; the user has not confirmed the clock.
fn used(days_ago: impl IntoIterator<Item = i64>) -> Scene {
    let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let scene = Scene { home, now: now.as_millis() as i64 };
    for days in days_ago {
        scene.worked(&format!("s-{days}"), "shop", days);
    }
    scene
}

/// The result of an unattended retention sweep by a server, with its clock at `at`.
fn swept(scene: &Scene, at: i64) -> Value {
    let steps = upkeep::upkeep(&scene.memory(), Timestamp::from_millis(at));
    assert!(steps.iter().all(|step| step.failed.is_none()), "{steps:?}");
    Value::Object(steps.into_iter().find(|step| step.step == "retention").expect("a step").did)
}

/// The number of stored observations.
fn kept(scene: &Scene) -> i64 {
    scene.stored()["observations"].as_i64().expect("a number")
}

/// Runs the binary with a clock that is wrong by `offset`.
fn run_with_clock(scene: &Scene, offset: &str, args: &[&str]) -> Outcome {
    with_input(scene, offset, args, Stdio::null())
}

fn with_input(scene: &Scene, offset: &str, args: &[&str], input: impl Into<Stdio>) -> Outcome {
    let mut command = Command::new("faketime");
    command.args(["-f", offset]).arg(scene.home.binary()).args(args);
    let plain = scene.home.command();
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Only the calendar time is wrong; deadlines are measured as usual.
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").current_dir(scene.home.path()).stdin(input);
    let output = command.output().expect("faketime starts; Debian has it in the package `faketime`");
    Outcome::new(output, scene.home.path().to_owned())
}

/// Captures an event with a clock that is wrong by `offset`.
fn captured(scene: &Scene, offset: &str, session: &str) {
    let event = json!({
        "session_id": session, "cwd": scene.home.path(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "make all"}, "tool_response": {"stdout": ""}, "tool_use_id": session,
    });
    let file = scene.home.file("event.json", &event.to_string());
    let input = std::fs::File::open(file).expect("just written");
    with_input(scene, offset, &["record"], input).ok();
}

/// @retention_clock: the real program with a clock four years ahead: an event is captured, and
/// `nudge maintain` removes nothing. A clock that goes back removes nothing either.
#[test]
fn a_clock_that_is_years_ahead_removes_nothing() {
    let scene = used([1, 2, 3, 4, 5]);
    let before = kept(&scene);
    let ahead = "+1461d";
    // Only the clock, before any event.
    run_with_clock(&scene, ahead, &["maintain"]).ok();
    assert_eq!(kept(&scene), before);
    captured(&scene, ahead, "ahead");
    let said = run_with_clock(&scene, ahead, &["maintain"]);
    assert!(said.stdout.contains("--clock-is-right"), "{}", said.stdout);
    assert_eq!((kept(&scene), &scene.stored()["prompts"]), (before + 1, &json!(5)));
    let steps = run_with_clock(&scene, ahead, &["maintain", "--remove-all-due", "--json"]).json();
    assert_eq!(steps["steps"][2]["did"]["observations"], 0, "{steps}");
    assert!(steps["steps"][2]["did"]["jumped_to"].is_string(), "the clock was ahead: {steps}");
    let status = run_with_clock(&scene, ahead, &["status"]).ok();
    assert!(status.contains("the clock jumped"), "{status}");

    captured(&scene, "-1461d", "behind");
    run_with_clock(&scene, "-1461d", &["maintain", "--remove-all-due"]).ok();
    assert_eq!(kept(&scene), before + 2);
    // After the clock is corrected, the event from the future does not count.
    assert_eq!(scene.stored().get("retention"), None);
}

/// @retention_clock: events on three more days make the clock trusted, however close together they
/// are.
#[test]
fn three_further_days_make_it_believed() {
    let scene = used([100, 101, 102, 103]);
    let work = |days: i64| {
        let at = scene.now - days * DAY;
        scene.keep(&[did("late", "shop", at, Kind::Command, "make"), ended("late", "shop", at + MINUTE)]);
    };
    for (days, is_believed) in [(9, false), (8, false), (4, false), (1, true)] {
        work(days);
        let did = swept(&scene, scene.now);
        assert_eq!(did.get("counts_from").is_none(), is_believed, "{days} days ago: {did}");
        assert_eq!(did["observations"], 0, "{did}");
    }
    // Four reads are due, of 28 rows: more than a tenth, so the user is asked.
    assert_eq!(swept(&scene, scene.now)["stopped"], json!({"due": 4, "kept": 32}));
    assert_eq!(scene.maintained("retention")["observations"], 4);
}

/// @retention_clock: the user can confirm that the clock is right; an agent cannot.
#[test]
fn the_person_vouches_for_the_clock() {
    let scene = used([100]);
    scene.keep(&[did("late", "shop", scene.now - MINUTE, Kind::Command, "make")]);
    let doctor = || scene.home.run(["doctor"]).stdout;
    scene.home.run(["maintain"]).ok();
    assert!(doctor().contains("the clock jumped from"), "{}", doctor());
    for flag in ["--clock-is-right", "--remove-all-due"] {
        let refused = scene.home.nudge(["maintain", flag, "--json"]).env("CLAUDECODE", "1").run();
        assert_eq!(refused.fault(4)["data"]["reason"], "agent_above");
    }
    scene.home.run(["maintain", "--clock-is-right", "--remove-all-due"]).ok();
    assert_eq!(scene.stored()["kinds"].get("file_read"), None);
    assert!(!doctor().contains("the clock"), "{}", doctor());
    // The clock is confirmed only up to now; a later jump counts as a jump again.
    let at = scene.now + 60 * DAY;
    let did = swept(&scene, at);
    assert!(did["counts_from"].is_string(), "{did}");
}

/// @retention_sweep_stops: an unattended sweep stops before it removes more than a tenth; `status`
/// and `doctor` say so until the user runs it.
#[test]
fn an_unwatched_sweep_stops_at_a_tenth() {
    let scene = used([1, 2, 3, 4]);
    scene.home.run(["maintain", "--clock-is-right"]).ok();
    // 27 rows from this week and three old ones: exactly a tenth is removed.
    let old = |number: i64| said("old", "shop", scene.now - 500 * DAY + number * MINUTE, "an old request");
    for number in 0..3 {
        scene.keep(&[did("week", "shop", scene.now - DAY - number, Kind::Command, "make")]);
        scene.keep(&[old(number)]);
    }
    swept(&scene, scene.now);
    let went = swept(&scene, scene.now);
    assert_eq!((went.get("stopped"), scene.stored()["prompts"].as_i64()), (None, Some(4)), "{went}");

    for number in 10..14 {
        scene.keep(&[old(number)]);
    }
    swept(&scene, scene.now);
    let before = kept(&scene);
    let stopped = swept(&scene, scene.now);
    assert_eq!(stopped["stopped"], json!({"due": 4, "kept": 31}), "{stopped}");
    assert_eq!(stopped["prompts"], 0);
    assert_eq!(scene.home.run(["maintain"]).code, Some(0));
    assert_eq!((kept(&scene), scene.stored()["prompts"].as_i64()), (before, Some(8)));
    assert_eq!(scene.stored()["retention"], json!({"due": 4, "kept": 31}));
    let said: String = [["status"], ["doctor"], ["maintain"]]
        .map(|command| scene.home.run(command).page())
        .iter()
        .flat_map(|page| page.lines())
        .skip_while(|line| !line.contains("retention"))
        .filter(|line| line.contains("retention") || line.contains("tenth") || line.contains("due"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_snapshot!("sweep_stopped", said);
    assert_eq!(scene.maintained("retention")["prompts"], 4);
    assert_eq!(scene.stored().get("retention"), None);
}

/// @retention_clock: hints follow the clock as it is: a hint that has expired by it is gone.
#[test]
fn hints_follow_the_clock() {
    let scene = used([1]);
    scene.home.run(["set", "api", "short", "x", "--ttl", "PT1H"]).ok();
    scene.home.run(["get", "api", "short"]).ok();
    run_with_clock(&scene, "+1461d", &["get", "api", "short"]).exits(3);
    run_with_clock(&scene, "+1461d", &["get", "api", "build"]).exits(0);
}

/// @retention_clock: earlier versions of a deleted hint survive a clock that is years ahead, with
/// and without events.
#[test]
fn a_deleted_hint_can_be_brought_back() {
    for days in [vec![], vec![3, 2, 1]] {
        let scene = used(days);
        scene.home.run(["delete", "api", "build"]).ok();
        run_with_clock(&scene, "+1500d", &["maintain"]).ok();
        scene.home.run(["undo", "api", "build"]).ok();
        assert!(scene.home.run(["get", "api", "build"]).ok().contains("make"));
    }
}

/// @retention_sweep_stops: a sweep that stops also keeps the versions of deleted hints.
#[test]
fn a_sweep_that_stops_keeps_versions() {
    let scene = used((1..=10).map(|days| days * 3));
    scene.home.run(["delete", "api", "build"]).ok();
    for ahead in ["+1500d", "+1501d", "+1502d", "+1503d"] {
        captured(&scene, ahead, &format!("s{ahead}"));
    }
    let said = run_with_clock(&scene, "+1503d", &["maintain", "--json"]).ok();
    assert!(said.contains("\"stopped\""), "{said}");
    scene.home.run(["undo", "api", "build"]).ok();
}
