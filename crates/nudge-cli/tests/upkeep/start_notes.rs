//! What a new session may be given about repetitions.

use nudge_core::ObservationKind as Kind;
use nudge_core::Timestamp;
use nudge_memory::inject::InjectionLimits;
use nudge_memory::learn;

use crate::upkeep::setup::{DAY, MINUTE, Scene, begins, did, ended, failed, said, touched};
use nudge_testkit::EventBuilder;

const HOUR: i64 = 60 * MINUTE;

fn broke(session: &str, project: &str, at: i64, command: &str) -> EventBuilder {
    failed(did(session, project, at, Kind::CommandError, command), 2)
}

/// The notes for a new session of a project, each with its age in hours.
fn injected(scene: &Scene, project: &str) -> Vec<(i64, String)> {
    let now = Timestamp::from_millis(scene.now);
    let notes = scene.memory().store().read(|reader| {
        let project = reader.project_by_key(&format!("/w/{project}/.git"))?.expect("a project");
        let sessions = reader.working_sessions_of(project, 100)?;
        learn::notes(reader, project, &sessions, None, now)
    });
    let notes = notes.expect("read");
    assert!(notes.iter().all(|note| note.entry.is_some()), "{notes:?}");
    notes.into_iter().map(|note| ((scene.now - note.at.as_millis()) / HOUR, note.text)).collect()
}

fn breaks_off(scene: &Scene, session: &str, ago: i64) {
    let at = scene.now - ago;
    scene.keep(&[
        said(session, "shop", at, "yes"),
        said(session, "shop", at + 1, "round the \"prices\" of the `till` to whole cents"),
        touched(session, "shop", at + 2, Kind::FileEdit, "/w/shop/src/till.rs"),
        touched(session, "shop", at + 3, Kind::FileEdit, "/w/shop/src/cart.rs"),
        broke(session, "shop", at + 4, "cargo test -p till"),
        touched(session, "shop", at + 5, Kind::FileEdit, "/w/shop/src/till.rs"),
    ]);
}

/// The block that a new session in a project gets.
fn block(scene: &Scene, project: &str) -> String {
    let start = begins("new", project, scene.now);
    let limits = InjectionLimits {
        start_tokens: 500,
        recovery_tokens: 1_500,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    let memory = scene.memory();
    let received = memory.receive(&start).expect("kept");
    let given = received.reply(Some(limits), Timestamp::from_millis(scene.now)).expect("no fault");
    given.map(|given| given.context).unwrap_or_default()
}

/// @start_unfinished: the previous session is reported if it never reported an end: its subject,
/// its last failure, and the files it was changing.
#[test]
fn the_session_that_broke_off_is_injected_of() {
    let scene = Scene::new();
    breaks_off(&scene, "before", 5 * HOUR + MINUTE);
    let injected = block(&scene, "shop");
    for part in [
        "- [5h ago, broke off] asked: \"round the 'prices' of the `till` to whole cents\" #",
        "  changed and not committed when it ended: src/till.rs, src/cart.rs\n",
        "  failed, and was not seen to pass since: `cargo test -p till`, exit 2",
    ] {
        assert!(injected.contains(part), "{part}: {injected}");
    }
}

/// @start_unfinished: work in another worktree is labelled.
#[test]
fn another_worktree_is_named() {
    let scene = Scene::new();
    let at = scene.now - 5 * HOUR;
    let mut begins = begins("before", "shop", at);
    begins.worktree = Some("/w/shop-fix".into());
    scene.keep(&[begins]);
    scene.keep(
        &[1, 2, 3].map(|n| touched("before", "shop", at + n, Kind::FileEdit, "/w/shop-fix/src/till.rs")),
    );
    let injected = block(&scene, "shop");
    let line =
        "- [4h ago, broke off] (worktree shop-fix) changed and not committed when it ended: src/till.rs\n";
    assert!(injected.contains(line), "{injected}");
}

/// @start_unfinished: a session that only read files left nothing to continue, and one that is
/// active or has ended did not break off.
#[test]
fn what_did_not_break_off_is_not_said_to() {
    let scene = Scene::new();
    let at = scene.now - 5 * HOUR;
    let looked = |n| touched("before", "shop", at + n, Kind::FileRead, &format!("/w/shop/src/{n}.rs"));
    scene.keep(&[1, 2, 3, 4].map(looked));
    assert_eq!(block(&scene, "shop"), "");
    let scene = Scene::new();
    breaks_off(&scene, "at-work", 1_000);
    breaks_off(&scene, "ended", 5 * HOUR);
    scene.keep(&[ended("ended", "shop", scene.now - 4 * HOUR)]);
    let injected = block(&scene, "shop");
    assert!(injected.contains("(running session) asked:") && !injected.contains("broke off"), "{injected}");
}

/// @start_failing: commands that keep failing here are reported, at most three; those that have not
/// worked since come first.
#[test]
fn commands_that_keep_failing_are_reported() {
    let scene = Scene::new();
    let at = |hours: i64| scene.now - hours * HOUR;
    let mut captured_events = Vec::new();
    for (command, first) in [("make a", 50), ("make b", 40), ("make c", 30), ("make d", 20)] {
        captured_events.push(broke("s-1", "shop", at(first + 30), command));
        captured_events.push(broke("s-2", "shop", at(first), command));
        captured_events.push(broke("s-2", "shop", at(first - 1), command));
    }
    captured_events.push(did("s-3", "shop", at(1), Kind::Command, "cd /w/shop && make d"));
    // Failures within one session are normal work, and two are not many.
    captured_events.extend((1..6).map(|n| broke("s-3", "shop", at(n), "make once")));
    captured_events
        .extend([broke("s-1", "shop", at(9), "make rare"), broke("s-2", "shop", at(8), "make rare")]);
    captured_events.extend(["s-1", "s-2", "s-3"].map(|session| ended(session, "shop", scene.now)));
    scene.keep(&captured_events);
    let line = |name: &str| format!("`make {name}` failed 3 times in 2 sessions, last with exit 2");
    assert_eq!(injected(&scene, "shop"), [(29, line("c")), (39, line("b")), (49, line("a"))]);
    scene.keep(&["make a", "make b"].map(|command| did("s-4", "shop", at(0), Kind::Command, command)));
    let later = injected(&scene, "shop");
    assert_eq!(later[0], (29, line("c")));
    assert_eq!(later[1], (19, format!("{}; ran later with exit 0", line("d"))));
}

/// @start_failing: a failure that nobody met for two weeks is no longer reported.
#[test]
fn old_trouble_is_not_injected() {
    let scene = Scene::new();
    for session in ["s-1", "s-2"] {
        scene.keep(&[1, 2, 3].map(|n| broke(session, "shop", scene.now - 15 * DAY - n, "make a")));
        scene.keep(&[ended(session, "shop", scene.now - 15 * DAY)]);
    }
    assert_eq!(injected(&scene, "shop"), []);
}
