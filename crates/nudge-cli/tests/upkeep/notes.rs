//! Notes and pins.

use insta::assert_snapshot;
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::upkeep::setup::{DAY, MINUTE, Scene, said};

fn body_of(scene: &Scene, id: i64) -> (String, String, String) {
    let memory = scene.memory();
    let read = memory.store().read(|reader| {
        let entry = reader.entry_by_id(nudge_core::EntryId(id))?.expect("an entry");
        Ok::<_, nudge_core::Fault>((entry.body, entry.origin.source.name().to_owned(), entry.origin.session))
    });
    let (body, source, session) = read.expect("read");
    (body, source, session.expect("a session"))
}

/// @mark: a user's note belongs to the newest session of the current project.
#[test]
fn a_note_belongs_to_the_session_at_work() {
    let scene = Scene::new();
    let dir = scene.home.dir("shop");
    let first = scene.home.nudge(["mark", "no session yet", "--json"]).cwd(&dir).run().json();
    assert!(first["session"].as_str().is_some_and(|name| name.starts_with("nudge-")), "{first}");
    assert_eq!(first["project"], "shop");
    let again = scene.home.nudge(["mark", "the same day", "--json"]).cwd(&dir).run().json();
    assert_eq!(again["session"], first["session"]);

    let scene = Scene::new();
    scene.keep(&[
        said("old", "shop", scene.now - 2 * DAY, "x"),
        said("newest", "shop", scene.now - MINUTE, "x"),
        said("other", "till", scene.now - MINUTE, "x"),
    ]);
    let noted = scene.home.run(["mark", "carts are kept in redis", "--project", "shop", "--json"]).json();
    assert_eq!(noted["session"], "newest");
    let id = noted["id"].as_i64().expect("an id");
    assert_eq!(body_of(&scene, id), ("carts are kept in redis".into(), "user".into(), "newest".into()));
    let named = scene.home.run(["mark", "x", "--session", "old", "--json"]).json();
    assert_eq!((&named["session"], &named["project"]), (&json!("old"), &json!("shop")));
    assert_eq!(scene.stored()["kinds"]["marker"], 2);
    assert_snapshot!("mark", scene.home.run(["mark", "another", "--session", "old"]).page());
}

/// @mark: an agent saves notes through its tool, under its own name; text that looks like a
/// credential is rejected.
#[test]
fn an_agent_leaves_notes_too() {
    let scene = Scene::new();
    let mut command = scene.home.command();
    command.args(["mcp", "--profile", "full"]);
    let mut agent = McpStdio::start(command);
    let noted = agent.call("create_marker", json!({"text": "the parser is recursive"}));
    let (_, source, _) = body_of(&scene, noted["id"].as_i64().expect("an id"));
    assert_eq!(source, "agent");
    let key = concat!("use AKIA", "QZ3MFJ6T2XW7NB4D now");
    assert_eq!(scene.home.run(["mark", key, "--json"]).fault(4)["data"]["reason"], "secret_detected");
    scene.home.run(["mark", " "]).exits(2);
    let noted = scene.home.run(["mark", "ask <private>Bob, 555-0100</private>first", "--json"]).json();
    assert_eq!(body_of(&scene, noted["id"].as_i64().expect("an id")).0, "ask first");
    let whole = scene.home.run(["mark", "<private>all of it</private> ", "--json"]).fault(2);
    assert_eq!(whole["data"]["reason"], "private");
    scene.home.run(["mark", "x", "--session", "nobody"]).exits(3);
}

/// @pin: observations are pinned and unpinned by number or path, several at once; those that do not
/// exist are reported.
#[test]
fn pins_are_set_and_taken_off() {
    let scene = Scene::new();
    let ids = scene.worked("s-1", "shop", 1);
    let both = format!("{},obs://{}", ids[1], ids[2]);
    assert_eq!(scene.home.run(["pin", &both, "--json"]).json()["ids"], json!([ids[1], ids[2]]));
    assert_eq!(scene.stored()["pinned"], 2);
    assert_snapshot!("pin", scene.home.run(["pin", &ids[1].to_string(), "999999"]).page());
    assert_eq!(scene.home.run(["unpin", &ids[1].to_string(), "--json"]).json()["pinned"], false);
    assert_eq!(scene.stored()["pinned"], 1);
    assert_snapshot!("pin_prompt", scene.home.run(["pin", &ids[0].to_string()]).page());
    scene.home.run(["pin", "999999"]).exits(3);
    scene.home.run(["pin", "hint://x"]).exits(2);
    scene.home.run(["pin"]).exits(2);
}
