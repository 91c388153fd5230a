//! What retention removes, and what it keeps.

use nudge_core::ObservationKind as Kind;
use serde_json::json;

use crate::upkeep::setup::{DAY, MINUTE, Scene, did, ended, said, touched};

/// @retention: each kind is removed after its own time; summaries stay, even when nothing else of
/// the session is left.
#[test]
fn each_kind_has_its_time() {
    let scene = Scene::new();
    scene.worked("s-100", "shop", 100);
    scene.worked("s-200", "shop", 200);
    scene.worked("s-400", "shop", 400);
    scene.worked("s-800", "shop", 800);
    let did = scene.maintained("retention");
    // Reads of all four, commands of three, prompts, edits and ends of two, the commit of one.
    assert_eq!(did["observations"], json!(4 + 3 + 2 + 2 + 1));
    assert_eq!(did["prompts"], json!(2));
    assert_eq!(
        scene.stored()["kinds"],
        json!({"file_edit": 2, "session_end": 2, "git_commit": 3, "command_error": 1})
    );
    assert_eq!(scene.stored()["summaries"], 4);
    assert_eq!(scene.maintained("retention")["observations"], 0);
}

/// @retention: the setting changes the time of a kind, or removes its limit.
#[test]
fn times_are_set_by_kind() {
    let scene = Scene::new();
    scene.worked("s-100", "shop", 100);
    let rules = "file_read=forever,file_edit=30,git_commit=50";
    scene.home.nudge(["maintain", "--remove-all-due"]).env("NUDGE_RETENTION", rules).run().ok();
    assert_eq!(scene.stored()["kinds"], json!({"file_read": 1, "command_error": 1, "session_end": 1}));
    let warned = scene.home.nudge(["maintain"]).env("NUDGE_RETENTION", "command=0").run();
    assert!(warned.stderr.contains("1 problem in the settings"), "{}", warned.stderr);
}

/// @retention: file names that nothing refers to are removed, and so are empty sessions.
#[test]
fn nothing_is_left_of_what_went() {
    let scene = Scene::new();
    let old = scene.now - 100 * DAY;
    scene.keep(&[touched("s-1", "shop", old, Kind::FileRead, "/w/shop/only-once.rs")]);
    scene.maintained("retention");
    assert_eq!(scene.stored()["sessions"], 0);
    assert_eq!(scene.stored()["summaries"], 0);
    scene.home.run(["purge", "--kind", "marker", "--confirm"]).ok();
    assert_eq!(scene.home.files_holding("only-once.rs"), Vec::<std::path::PathBuf>::new());
}

/// @retention_needs_summary: nothing is removed before a summary includes it: no rows of an active
/// session, and none that were reported late.
#[test]
fn only_what_was_summed_up_goes() {
    let scene = Scene::new();
    scene.keep(&[
        said("long", "shop", scene.now - 500 * DAY, "a session that never ends and goes on for years"),
        did("long", "shop", scene.now - 400 * DAY, Kind::Command, "make"),
        did("long", "shop", scene.now - MINUTE, Kind::Command, "make"),
    ]);
    let kept = scene.maintained("retention");
    assert_eq!(
        (&kept["observations"], &kept["prompts"], &kept["kept_unsummarised"]),
        (&json!(0), &json!(0), &json!(2))
    );

    scene.worked("over", "shop", 10);
    scene.maintained("summaries");
    scene.keep(&[did("over", "shop", scene.now - 300 * DAY, Kind::Command, "make late")]);
    assert_eq!(scene.maintained("retention")["kept_unsummarised"], 3);
    assert_eq!(scene.maintained("retention")["observations"], 1, "summed up by now");
}

/// @retention_needs_summary: when a session continues, its summary still has what was removed.
#[test]
fn a_summary_keeps_what_went() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1_000);
    assert_eq!(scene.maintained("retention")["observations"], 5);
    scene.keep(&[
        touched("s-1", "shop", scene.now - 2 * MINUTE, Kind::FileEdit, "/w/shop/till.rs"),
        ended("s-1", "shop", scene.now - MINUTE),
    ]);
    assert_eq!(scene.maintained("summaries")["written"], 1);
    let (body, facts) = scene.summaries().remove(0);
    assert!(body.starts_with("fix the failing tests of the cart parser"), "{body}");
    assert_eq!(facts["failures"], json!([{"what": "cargo test cart", "exit": 101}]));
    assert_eq!(facts["commits"][0]["hash"], "1a2b3c4");
    assert_eq!(facts["files_edited"].as_array().map(Vec::len), Some(2));
    assert_eq!(facts["observations"], 7);
}

/// @pins_kept: pinned rows outlive their time, with the prompt they came from; once unpinned, they
/// are removed.
#[test]
fn pinned_observations_stay() {
    let scene = Scene::new();
    let ids = scene.worked("s-1", "shop", 1_000);
    let command = ids[3].to_string();
    scene.home.run(["pin", &command]).ok();
    let kept = scene.maintained("retention");
    assert_eq!((&kept["kept_pinned"], &kept["prompts"]), (&json!(2), &json!(0)));
    assert_eq!(scene.stored()["kinds"]["command_error"], 1);
    scene.home.run(["unpin", &format!("obs://{command}")]).ok();
    let went = scene.maintained("retention");
    assert_eq!((&went["observations"], &went["prompts"]), (&json!(1), &json!(1)));
}
