//! Sessions that move to another project: each project gets only its own part.

use nudge_core::ObservationKind as Kind;
use nudge_core::Timestamp;
use nudge_memory::inject::InjectionLimits;
use nudge_testkit::EventBuilder;
use serde_json::{Value, json};

use crate::upkeep::setup::{MINUTE, Scene, begins, did, failed, object, said, touched};

const HOUR: i64 = 60 * MINUTE;

fn broke(session: &str, project: &str, at: i64, command: &str, response: &str) -> EventBuilder {
    let event = failed(did(session, project, at, Kind::CommandError, command), 2);
    event.action(|action| action.metadata = object(&json!({"response": response}).to_string()))
}

/// Two sessions that began in alpha five hours ago, moved to bravo, failed there, and reported no
/// end.
fn wandered() -> Scene {
    let scene = Scene::new();
    for (session, at) in [("first", scene.now - 6 * HOUR), ("second", scene.now - 5 * HOUR)] {
        let trouble = |n| broke(session, "bravo", at + n, "make zeppelin", "error: the ballast is missing");
        scene.keep(&[
            begins(session, "alpha", at),
            said(session, "alpha", at + 1, "mend the lantern"),
            touched(session, "alpha", at + 2, Kind::FileEdit, "/w/alpha/lantern.rs"),
            did(session, "alpha", at + 3, Kind::Command, "make lantern"),
            broke(session, "alpha", at + 4, "make wick", "error: the wick is wet"),
            said(session, "bravo", at + 5, "now launch the zeppelin quietly"),
            trouble(6),
            trouble(7),
            trouble(8),
            touched(session, "bravo", at + 9, Kind::FileEdit, "/w/bravo/zeppelin.rs"),
            did(session, "bravo", at + 10, Kind::Command, "make zeppelin --slowly"),
        ]);
    }
    scene
}

fn assert_own(text: &str) {
    assert!(text.contains("lantern"), "{text}");
    for foreign in ["zeppelin", "ballast", "bravo", "slowly"] {
        assert!(!text.contains(foreign), "{foreign} in {text}");
    }
}

fn learned(scene: &Scene, project: &str) -> Value {
    scene.home.run(["learn", "--project", project, "--threshold", "1", "--json"]).json()
}

/// @learn_scope: repetitions are found in the project where they happened, not where the session
/// began.
#[test]
fn repeats_belong_to_the_project_they_happened_in() {
    let scene = wandered();
    let alpha = learned(&scene, "alpha");
    assert_own(&alpha.to_string());
    let commands = alpha["failed_commands"].as_array().expect("commands");
    assert_eq!((commands.len(), &commands[0]["newest"]), (1, &json!("make wick")));
    assert_eq!(commands[0].get("worked_after"), None, "commands run in bravo are not reported: {alpha}");
    let bravo = learned(&scene, "bravo");
    let commands = bravo["failed_commands"].as_array().expect("commands");
    assert_eq!(commands.len(), 1, "{bravo}");
    assert_eq!(
        (&commands[0]["newest"], &commands[0]["count"], &commands[0]["sessions"]),
        (&json!("make zeppelin"), &json!(6), &json!(2))
    );
    assert_eq!(commands[0]["worked_after"]["command"], "make zeppelin --slowly");
    assert_eq!(bravo["error_signatures"][0]["newest"], "error: the ballast is missing");
    assert_eq!(bravo["intents"][0]["newest"], "now launch the zeppelin quietly");
    let text = bravo.to_string();
    assert!(!text.contains("lantern") && !text.contains("wick"), "{text}");
}

/// What is injected into a new session in a project.
fn injected(scene: &Scene, session: &str, project: &str) -> String {
    let begins = begins(session, project, scene.now);
    scene.keep(std::slice::from_ref(&begins));
    let limits = InjectionLimits {
        start_tokens: 2_000,
        recovery_tokens: 2_000,
        prompt_tokens: 0,
        tool_tokens: 200,
        ask_agent: false,
    };
    let injected =
        scene.memory().inject(&begins, limits, Timestamp::from_millis(scene.now)).expect("no fault");
    injected.map(|injected| injected.context).unwrap_or_default()
}

/// @start_unfinished: for a broken-off session, and for commands that keep failing, only what
/// happened here is reported.
#[test]
fn a_start_is_injected_only_what_happened_here() {
    let scene = wandered();
    let before = injected(&scene, "new", "alpha");
    assert_own(&before);
    assert!(before.contains("broke off] asked: \"mend the lantern\""), "{before}");
    assert!(before.contains("failed, and was not seen to pass since: `make wick`"), "{before}");
    // The same after a summary.
    scene.home.run(["maintain", "--catch-up"]).ok();
    assert_own(&injected(&scene, "newer", "alpha"));
}

/// @session_summary: the summary of a session covers its own project, and nothing of another one.
#[test]
fn a_summary_tells_nothing_of_another_project() {
    let scene = wandered();
    assert_eq!(scene.maintained("summaries"), json!({"written": 2}));
    for (body, facts) in scene.summaries() {
        assert_own(&body);
        assert_own(&facts.to_string());
        assert_eq!((&facts["prompts"], &facts["failed"]), (&json!(1), &json!(1)), "{facts}");
    }
    assert_eq!(scene.maintained("summaries"), json!({"written": 0}), "it goes as far as the session does");
}
