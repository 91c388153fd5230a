//! Content from a stranger joins none of the user's projects.

use std::path::Path;

use serde_json::json;

use crate::isolation::kit::{REMOTE, Scene, assert_refused};

/// A shop in which the user has worked, with a note.
fn shop(scene: &Scene) -> std::path::PathBuf {
    let shop = scene.repository("shop", Some(REMOTE));
    scene.work("s-shop", &shop, "jewel");
    scene.run_as_user(&shop, ["mark", "the jewel is kept in the safe"]).ok();
    scene.run_as_user(&shop, ["set", "shop", "safe", "jewel code", "--scope-repo", "git:ada/shop"]).ok();
    shop
}

/// Asserts that nothing of shop is found, injected or listed as this directory's own.
#[track_caller]
fn assert_gets_nothing(scene: &Scene, dir: &Path) {
    let started = scene.begin("s-stranger", dir);
    assert!(!started.contains("jewel"), "{started}");
    let found = scene.run_as_user(dir, ["search", "jewel", "--json"]).json();
    assert_eq!(found, json!([]), "{found}");
    let mut agent = scene.agent(dir);
    assert_eq!(agent.call("search", json!({"query": "jewel"}))["results"], json!([]));
    assert!(!agent.call("recent_context", json!({"only": true})).to_string().contains("jewel"));
    assert_refused(&agent.call_raw("get_hint", json!({"component": "shop", "key": "safe"})), "not_eligible");
}

/// @project_points_back An archive with a `.git` file, a `commondir` or a link is a separate
/// project.
#[test]
fn an_unpacked_archive_joins_no_repository() {
    let scene = Scene::new();
    let shop = shop(&scene);
    let side = scene.dir("").join("side");
    nudge_testkit::git::worktree(&shop, &side, "side");
    for (name, pointer) in [("a", "../shop/.git"), ("b", "../shop/.git/worktrees/side")] {
        let dir = scene.dir(name);
        std::fs::write(dir.join(".git"), format!("gitdir: {pointer}\n")).expect("a file");
        assert_gets_nothing(&scene, &dir);
    }
    let plain = scene.repository("c", None);
    std::fs::write(plain.join(".git/commondir"), "../../shop/.git\n").expect("a file");
    assert_gets_nothing(&scene, &plain);
    let linked = scene.dir("d");
    std::os::unix::fs::symlink(shop.join(".git"), linked.join(".git")).expect("a link");
    assert_gets_nothing(&scene, &linked);
    // The repository's own worktree sees all of it.
    let found = scene.run_as_user(&side, ["search", "jewel", "--json"]).json();
    assert!(!found.as_array().expect("rows").is_empty());
}

/// @project_remote_claim Anybody can write the same remote into a configuration, so it gives access
/// only to kinds, file names and programs.
#[test]
fn a_remote_is_a_claim_and_gives_an_outline() {
    let scene = Scene::new();
    shop(&scene);
    let forged = scene.repository("forged", Some(REMOTE));
    scene.event("s-f", &forged, "SessionStart", json!({"source": "startup"}));
    let started = scene.begin("s-forged", &forged);
    for hidden in ["mend the", "cargo test jewel", "in the safe", "jewel code"] {
        assert!(!started.contains(hidden), "{hidden}: {started}");
    }
    let found = scene.run_as_user(&forged, ["search", "jewel", "--json"]).json();
    assert_eq!(found, json!([]), "{found}");
}

/// @project_claimed_name A name in a cloned `.nudge.toml` joins nothing until the user trusts it.
#[test]
fn a_cloned_name_joins_nothing_until_it_is_trusted() {
    let scene = Scene::new();
    let shop = shop(&scene);
    std::fs::write(shop.join(".nudge.toml"), "project = \"shop\"\n").expect("a file");
    let cloned = scene.repository("clone", Some("https://example.org/other.git"));
    std::fs::write(cloned.join(".nudge.toml"), "project = \"shop\"\n").expect("a file");
    scene.work("s-clone", &cloned, "pebble");
    assert_gets_nothing(&scene, &cloned);
    assert!(!scene.begin("s-new", &shop).contains("pebble"));
    let own = scene.project(&cloned, "clone");
    assert_eq!(own["claim"], "shop");
    let said = "has the name `shop`, as another directory does";
    assert!(scene.run_as_user(&cloned, ["project", "ls"]).ok().contains(said));
    assert!(scene.run_as_user(&cloned, ["status"]).ok().contains(said));
    assert!(
        scene
            .run_as_user(&cloned, ["doctor"])
            .stdout
            .replace(['\n', ' '], "")
            .contains(&said.replace(' ', ""))
    );

    // Only the user can trust it.
    let mut agent = scene.agent(&cloned);
    assert_refused(&agent.call_raw("trust_project", json!({"directory": cloned})), "tier");
    let trusted = scene.run_as_user(&cloned, ["project", "trust", "--json"]).json();
    assert_eq!(trusted["project"]["name"], "shop");
    assert_eq!(scene.projects(&cloned).len(), 1);
    let found = scene.run_as_user(&cloned, ["search", "jewel", "--json"]).json();
    assert!(!found.as_array().expect("rows").is_empty());
    scene.run_as_user(&cloned, ["project", "trust"]).exits(6);
    let plain = scene.dir("plain");
    assert_eq!(
        scene.run_as_user(&plain, ["project", "trust", "--json"]).fault(2)["data"]["reason"],
        "no_claim"
    );
}

/// @project_claimed_name A name in a variable is the same kind of claim.
#[test]
fn a_name_in_a_variable_joins_nothing_either() {
    let scene = Scene::new();
    shop(&scene);
    let other = scene.repository("other", None);
    let event = json!({"session_id": "s-env", "cwd": other, "hook_event_name": "UserPromptSubmit", "prompt": "count the pebbles"});
    scene.home.nudge(["record"]).env("NUDGE_PROJECT", "shop").stdin(event.to_string()).run().ok();
    assert_eq!(scene.project(&other, "other")["claim"], "shop");
    assert_gets_nothing(&scene, &other);
    scene.run_as_user(&other, ["project", "trust"]).ok();
    assert_eq!(scene.projects(&other).len(), 1);
}

/// @project_claimed_name Two checkouts of one remote with one name are one project, and a name that
/// no other project has belongs to the project that claims it.
#[test]
fn checkouts_of_one_remote_with_one_name_are_one_project() {
    let scene = Scene::new();
    for (session, dir) in [("s-1", "one"), ("s-2", "two")] {
        let dir = scene.repository(dir, Some(REMOTE));
        std::fs::write(dir.join(".nudge.toml"), "project = \"store\"\n").expect("a file");
        scene.work(session, &dir, session);
    }
    let all = scene.projects(scene.home.path());
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((&all[0]["name"], &all[0]["sessions"]), (&json!("store"), &json!(2)));
}
