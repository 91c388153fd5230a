//! Summaries of sessions.

use insta::assert_snapshot;
use nudge_core::ObservationKind as Kind;
use nudge_memory::capture::AgentRef;
use nudge_testkit::EventBuilder;
use serde_json::json;

use crate::upkeep::setup::{DAY, MINUTE, Scene, did, ended, said, touched};

/// @session_summary: a session that ended is summarised once, in searchable text and in facts.
#[test]
fn a_session_that_ended_is_summed_up_once() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1);
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
    assert_eq!(scene.maintained("summaries"), json!({"written": 0}));
    let summaries = scene.summaries();
    assert_eq!(summaries.len(), 1);
    let (body, facts) = &summaries[0];
    assert!(body.starts_with("fix the failing tests of the cart parser\nclaude in shop, "), "{body}");
    assert!(
        body.contains("\nedited: cart.rs\n") && body.contains("\ncommitted: 1a2b3c4 mend the cart"),
        "{body}"
    );
    assert_eq!(facts["intent"], "fix the failing tests of the cart parser");
    assert_eq!(facts["files_edited"], json!([{"path": "/w/shop/cart.rs", "count": 1}]));
    assert_eq!(facts["failures"], json!([{"what": "cargo test cart", "exit": 101}]));
    assert_eq!(facts["commits"], json!([{"hash": "1a2b3c4", "message": "mend the cart"}]));
    assert_eq!(
        (&facts["prompts"], &facts["observations"], &facts["duration_s"]),
        (&json!(1), &json!(5), &json!(300))
    );
}

/// @session_summary: two reported ends give one summary; later events are added to the same one.
#[test]
fn a_session_that_goes_on_has_its_summary_renewed() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1);
    scene.keep(&[ended("s-1", "shop", scene.now - 50 * MINUTE)]);
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
    scene.keep(&[
        touched("s-1", "shop", scene.now - 40 * MINUTE, Kind::FileEdit, "/w/shop/till.rs"),
        ended("s-1", "shop", scene.now - 30 * MINUTE),
    ]);
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
    let summaries = scene.summaries();
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0].1["files_edited"][1]["path"], "/w/shop/till.rs");
}

/// @session_summary: a session that never reported its end counts as over after four hours; an
/// active one does not.
#[test]
fn a_silent_session_counts_as_over() {
    let scene = Scene::new();
    let works = |session: &str, ago: i64| {
        let file = |n: i64| {
            touched(session, "shop", scene.now - ago + n, Kind::FileEdit, &format!("/w/shop/{n}.rs"))
        };
        [file(1), file(2), file(3)]
    };
    scene.keep(&works("silent", 5 * 60 * MINUTE));
    scene.keep(&works("at-work", 1_000));
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
}

/// @session_summary: a session that is too short to summarise is marked, so that retention can
/// remove it.
#[test]
fn a_short_session_is_only_marked() {
    let scene = Scene::new();
    let at = scene.now - 60 * MINUTE;
    scene.keep(&[said("s-1", "shop", at, "hello"), ended("s-1", "shop", at + 1)]);
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
    assert_eq!(scene.summaries(), [("a short session".to_owned(), json!({"short": true}))]);
}

/// @catch_up_summaries: a subagent's session is only marked as summarised: it has no summary to
/// find, and retention can remove its rows. Work of subagents within the session that started them
/// is in that session's summary.
#[test]
fn a_subagents_session_has_no_summary_of_its_own() {
    let scene = Scene::new();
    let at = scene.now - 200 * DAY;
    let sub = |session: &str, event: EventBuilder| {
        let (kind, parent) = (Some("explorer".into()), Some("s-1".into()));
        let agent = AgentRef { id: "child".into(), kind, parent };
        event.session(session).agent(agent)
    };
    let ran = |n: i64| did("child", "shop", at + n, Kind::Command, &format!("grep cart {n}"));
    scene.worked("s-1", "shop", 200);
    scene.keep(&(1..=5).map(|n| sub("child", ran(n))).collect::<Vec<_>>());
    scene.keep(&[sub("s-1", did("s-1", "shop", at + 9, Kind::Command, "grep till"))]);
    assert_eq!(scene.maintained("summaries"), json!({"written": 1}));
    let injected = scene.summaries();
    assert_eq!(injected.len(), 1, "{injected:?}");
    assert!(injected[0].0.starts_with("fix the failing tests of the cart parser\n"), "{injected:?}");
    assert_eq!(injected[0].1["subagents"], json!(["explorer"]));
    assert_eq!(scene.stored()["sessions"], 1, "what the subagent ran was old enough to go");
    assert_eq!(scene.maintained("summaries"), json!({"written": 0}));
}

/// @episodes: prompts about the same thing, and short ones, make one episode; another topic makes
/// the next.
#[test]
fn a_session_falls_into_episodes() {
    let scene = Scene::new();
    let at = scene.now - 120 * MINUTE;
    scene.keep(&[
        said("s-1", "shop", at, "fix the failing tests of the cart parser"),
        touched("s-1", "shop", at + MINUTE, Kind::FileEdit, "/w/shop/cart.rs"),
        said("s-1", "shop", at + 2 * MINUTE, "yes, go on"),
        did("s-1", "shop", at + 3 * MINUTE, Kind::Command, "cargo test"),
        said("s-1", "shop", at + 4 * MINUTE, "the cart parser tests still fail on empty carts"),
        touched("s-1", "shop", at + 5 * MINUTE, Kind::FileEdit, "/w/shop/cart.rs"),
        said("s-1", "shop", at + 60 * MINUTE, "write a deployment guide for the new servers"),
        touched("s-1", "shop", at + 61 * MINUTE, Kind::FileWrite, "/w/shop/DEPLOY.md"),
        ended("s-1", "shop", at + 62 * MINUTE),
    ]);
    scene.maintained("summaries");
    let summaries = scene.summaries();
    let injected: Vec<_> = summaries[0].1["episodes"]
        .as_array()
        .expect("episodes")
        .iter()
        .map(|episode| {
            (episode["intent"].clone(), episode["observations"].clone(), episode["trace"][0].clone())
        })
        .collect();
    assert_eq!(
        injected,
        [
            (
                json!("fix the failing tests of the cart parser"),
                json!(3),
                json!({"t": 60, "kind": "file_edit", "file": "/w/shop/cart.rs"})
            ),
            (
                json!("write a deployment guide for the new servers"),
                json!(2),
                json!({"t": 60, "kind": "file_write", "file": "/w/shop/DEPLOY.md"})
            ),
        ]
    );
    assert_snapshot!("maintain_idle", scene.home.run(["maintain"]).page());
}
