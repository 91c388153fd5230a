//! Names and ids of projects, and the preview before a command changes one.

use serde_json::json;

use crate::isolation::kit::Scene;

fn two(scene: &Scene) -> (std::path::PathBuf, std::path::PathBuf) {
    let shop = scene.repository("shop", None);
    scene.work("s-1", &shop, "jewel");
    let one = scene.dir("1");
    scene.work("s-2", &one, "pebble");
    assert_eq!(scene.project(&shop, "shop")["id"], 1);
    (shop, one)
}

/// @project_named No command confuses a name with the id of another project.
#[test]
fn a_project_called_1_is_not_the_one_with_the_id() {
    let scene = Scene::new();
    let (shop, _) = two(&scene);
    let commands: [&[&str]; 7] = [
        &["purge", "--project", "1", "--confirm"],
        &["project", "rename", "1", "x"],
        &["project", "merge", "1", "shop", "--yes"],
        &["project", "private", "1"],
        &["mark", "x", "--project", "1"],
        &["search", "pebble", "--project", "1"],
        &["usage", "--project", "1"],
    ];
    for command in commands {
        let mut words = command.to_vec();
        words.push("--json");
        let fault = scene.home.nudge(&words).cwd(&shop).run().fault(2);
        assert_eq!(fault["data"]["reason"], "ambiguous_project", "{command:?}");
        let why = fault["message"].as_str().expect("a message");
        assert!(why.contains("id:1") && why.contains("id:2") && why.contains("/shop"), "{why}");
    }
    let found = scene.run_as_user(&shop, ["search", "pebble", "--project", "id:2", "--json"]).json();
    assert!(!found.as_array().expect("rows").is_empty());
    scene.run_as_user(&shop, ["purge", "--project", "id:2", "--confirm"]).ok();
    assert_eq!(scene.projects(&shop).len(), 1);
    // Where only the id can be meant, it is used.
    scene.run_as_user(&shop, ["project", "rename", "1", "store"]).ok();
    assert_eq!(scene.project(&shop, "store")["id"], 1);
}

/// @project_named The preview shows the name, directory and id of the project that a command is
/// about to change.
#[test]
fn previews_name_the_project() {
    let scene = Scene::new();
    let (shop, one) = two(&scene);
    let label = format!("shop ({}, id:1)", shop.display());
    assert!(scene.run_as_user(&one, ["purge", "--project", "shop"]).ok().contains(&label));
    let planned = scene.run_as_user(&one, ["purge", "--project", "shop", "--json"]).json();
    assert_eq!(planned["would_purge"]["project"], json!({"id": 1, "name": "shop", "root": shop}));
    let merge = scene.run_as_user(&one, ["project", "merge", "id:2", "shop", "--json"]).fault(4);
    let why = merge["message"].as_str().expect("a message");
    assert!(why.contains(&label) && why.contains(&format!("1 ({}, id:2)", one.display())), "{why}");
    assert!(scene.run_as_user(&one, ["project", "rename", "shop", "store"]).ok().contains("id:1"));
}
