//! How viewers see entries.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::{Fault, Scope};
use nudge_store::{Durability, ViewChange};
use serde_json::json;

use super::setup::scene;

/// @entry_visibility_state
#[test]
fn visibility_and_state_are_independent() {
    let scene = scene();
    scene.set("known://a", "one");
    for state in EntryState::ALL {
        for visibility in Visibility::ALL {
            let set = scene.one(
                "set",
                json!({"path": "known://a", "state": state.name(), "visibility": visibility.name()}),
            );
            assert_eq!(
                (set["state"].as_str(), set["visibility"].as_str()),
                (Some(state.name()), Some(visibility.name()))
            );
        }
    }
    let failed = scene.one("set", json!({"path": "known://a", "state": "failed", "outcome": "not_found"}));
    assert_eq!((failed["status"].as_u64(), failed["outcome"].as_str()), (Some(404), Some("not_found")));
    scene.bench.ok("get", json!({"path": "known://a"}));
    let seen = &scene.bench.ok("get_entries", json!({"pattern": "known://a"}))["entries"][0];
    assert_eq!((seen["visibility"].as_str(), seen["status"].as_u64()), (Some("visible"), Some(404)));
}

/// @entry_views
#[test]
fn each_viewer_has_its_own_row() {
    let scene = scene();
    scene.set("known://a", "one");
    let seen = |run: Option<&str>| {
        let params = json!({"pattern": "known://a", "run": run});
        scene.bench.ok("get_entries", params)["entries"][0]["visibility"].clone()
    };
    assert_eq!((seen(None), seen(Some("night"))), (json!("visible"), json!(null)));
    scene.one("set", json!({"path": "known://a", "visibility": "summarized", "run": "night"}));
    assert_eq!((seen(None), seen(Some("night"))), (json!("visible"), json!("summarized")));
    scene.set("known://a", "two");
    scene.set("known://a", "three");
    let project = Scope::Project(scene.bench.caller.project.clone().expect("a project"));
    let rows =
        scene.bench.memory.store().read(|reader| Ok::<_, Fault>(reader.views(&project)?)).expect("read");
    assert_eq!((rows.len(), rows[0].write_count), (1, 3));
}

/// @fork_copies_views
#[test]
fn a_fork_copies_rows_and_no_bodies() {
    let scene = scene();
    scene.set("known://a", "shared");
    for (path, body) in [("log://one", "of the run"), ("log://two", "too")] {
        scene.one("set", json!({"path": path, "body": body, "run": "day"}));
    }
    scene.one("set", json!({"path": "known://a", "visibility": "summarized", "run": "day"}));
    scene.one("set", json!({"path": "log://two", "state": "failed", "outcome": "conflict", "run": "day"}));
    let key = scene.bench.caller.project.clone().expect("a project");
    let [from, to] = ["day", "night"].map(|run| Scope::Run(format!("{key}#{run}")));
    let store = scene.bench.memory.store();
    let count = || store.stats().expect("read").entries;
    let before = count();
    let copied = store
        .write(Durability::Stated, |writer| {
            Ok::<_, Fault>(writer.fork_views(&from, &to, scene.bench.caller.now)?)
        })
        .expect("forked");
    assert_eq!((copied, count()), (3, before));
    let seen = scene.bench.ok("get", json!({"path": "log://*", "run": "night", "preview": true}));
    assert_eq!(seen["matched"], 2);
    assert_eq!(seen["entries"][1]["status"], 409, "a fork keeps the status");
    let edited = scene.one("set", json!({"path": "log://one", "body": "of the fork", "run": "night"}));
    assert_eq!((edited["status"].as_u64(), edited["version"].as_i64()), (Some(200), Some(1)));
    let body = |run: &str| {
        scene.bench.ok("get", json!({"path": "log://one", "run": run}))["entries"][0]["body"].clone()
    };
    assert_eq!((body("day"), body("night")), (json!("of the run"), json!("of the fork")));
}

/// @entry_visibility_state @streaming_appends
#[test]
fn a_demotion_keeps_the_state() {
    let scene = scene();
    scene.one("set", json!({"path": "sh://out_1", "body": "building", "state": "streaming", "run": "day"}));
    let key = scene.bench.caller.project.clone().expect("a project");
    let viewer = Scope::Run(format!("{key}#day"));
    let store = scene.bench.memory.store();
    let now = scene.bench.caller.now;
    let rows = store
        .write(Durability::Stated, |writer| {
            let id = writer.views(&viewer)?[0].entry;
            writer.change_view(
                &viewer,
                id,
                &ViewChange { turn: Some((4, 1)), ..ViewChange::default() },
                now,
            )?;
            writer.demote_turn(&viewer, 4, now)?;
            Ok::<_, Fault>(writer.views(&viewer)?)
        })
        .expect("demoted");
    assert_eq!((rows[0].visibility, rows[0].state), (Visibility::Summarized, EntryState::Streaming));
}
