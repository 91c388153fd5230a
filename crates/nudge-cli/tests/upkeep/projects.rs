//! The projects in which agents worked.

use insta::assert_snapshot;
use serde_json::json;

use crate::upkeep::setup::{MINUTE, Scene, said};

fn filled() -> Scene {
    let mut scene = Scene::new();
    scene.now = 1_794_700_000_000;
    scene.worked("s-1", "shop", 2);
    scene.worked("s-2", "shop", 1);
    scene.worked("s-3", "shop-moved", 0);
    scene
}

/// @projects: projects are listed by name, with directory, sessions and last activity.
#[test]
fn projects_are_listed() {
    let scene = filled();
    assert_snapshot!("project_ls", scene.home.run(["project", "ls"]).page());
    let listed = scene.home.run(["project", "ls", "--json"]).json();
    assert_eq!(listed["projects"][0]["sessions"], 2);
    assert_eq!(listed["projects"][1]["keys"], json!(["/w/shop-moved/.git"]));
    let empty = Scene::new();
    assert_snapshot!("project_ls_empty", empty.home.run(["project", "ls"]).page());
}

/// @projects: a project is renamed, or two are merged, by id, name or directory; an ambiguous one
/// is rejected.
#[test]
fn projects_are_renamed_and_merged() {
    let scene = filled();
    assert_snapshot!("project_rename", scene.home.run(["project", "rename", "/w/shop", "store"]).page());
    scene.home.run(["project", "rename", "shop-moved", "store"]).ok();
    assert_snapshot!("project_ambiguous", scene.home.run(["project", "rename", "store", "x"]).page());
    scene.home.run(["project", "rename", "nowhere", "x"]).exits(3);
    scene.home.run(["project", "rename", "1", " "]).exits(2);
    assert_snapshot!("project_merge_unconfirmed", scene.home.run(["project", "merge", "2", "1"]).page());
    assert_snapshot!("project_merge", scene.home.run(["project", "merge", "2", "1", "--yes"]).page());
    let listed = scene.home.run(["project", "ls", "--json"]).json();
    assert_eq!(listed["projects"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["projects"][0]["sessions"], 3);
    // Events from the moved checkout now belong to the one project.
    scene.keep(&[said("s-4", "shop-moved", scene.now + MINUTE, "x")]);
    assert_eq!(scene.home.run(["project", "ls", "--json"]).json()["projects"][0]["sessions"], 4);
    scene.home.run(["project", "merge", "1", "1", "--yes"]).exits(2);
}

/// @projects: the same with a running server, which sees the change at once.
#[test]
fn a_server_sees_it_at_once() {
    let scene = filled();
    let _server = scene.home.daemon(&[]);
    scene.home.run(["project", "merge", "shop-moved", "shop", "--yes"]).ok();
    let listed = scene.home.run(["project", "ls", "--json"]).json();
    assert_eq!(listed["projects"][0]["keys"], json!(["/w/shop-moved/.git", "/w/shop/.git"]));
}
