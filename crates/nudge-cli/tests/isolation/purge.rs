//! A search finds everything that belongs to a project, and a purge removes all of that and nothing
//! else.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::isolation::kit::Scene;

const WORD: &str = "quicksilver";
const OTHER: &str = "sandalwood";

/// Fills a project with every kind: sessions, prompts, observations, summary, note, hint, memories,
/// ledger, spool.
fn fill(scene: &Scene, dir: &Path, word: &str) {
    for number in 0..2 {
        let session = format!("s-{word}-{number}");
        scene.work(&session, dir, word);
        scene.event(&session, dir, "SessionEnd", json!({"reason": "exit"}));
    }
    scene.begin(&format!("s-{word}-injected"), dir);
    scene.run_as_user(dir, ["mark", &format!("a note on {word}")]).ok();
    scene.run_as_user(dir, ["set", "c", &format!("k-{word}"), "value", "--ttl", "forever"]).ok();
    scene.run_as_user(dir, ["maintain"]).ok();
}

fn memories(scene: &Scene) -> PathBuf {
    let lines = [(1, WORD), (2, OTHER)].map(|(id, word)| {
        json!({"id": id, "project": format!("p-{word}"), "text": format!("a memory of {word}")}).to_string()
    });
    scene.home.file("notes.jsonl", &lines.join("\n"))
}

fn found(scene: &Scene, word: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for args in [["search", word, "--all", "--json"], ["search", word, "--json", "--all"]] {
        let answer = scene.home.nudge(args).cwd(scene.home.path()).run().json();
        // A hint is not something that happened in a project.
        rows = answer.as_array().expect("rows").clone();
        rows.retain(|row| row["obs_type"] != "hint");
    }
    rows
}

/// @project_belongs After a purge of a project, nothing of it is in a search, the export, the index
/// or the files, and other projects lost nothing.
#[test]
fn a_purge_takes_what_a_search_finds() {
    let scene = Scene::new();
    let (one, two) =
        (scene.repository(&format!("p-{WORD}"), None), scene.repository(&format!("p-{OTHER}"), None));
    let file = memories(&scene);
    fill(&scene, &one, WORD);
    fill(&scene, &two, OTHER);
    scene.home.nudge(["import".as_ref(), "memories".as_ref(), file.as_os_str()]).run().ok();
    // A session that began in one and moved to the other, and the reverse.
    scene.event("s-wander", &one, "UserPromptSubmit", json!({"prompt": format!("look at {WORD}")}));
    let run = |session: &str, dir: &Path, word: &str| {
        let ran = json!({"tool_name": "Bash", "tool_use_id": format!("w-{session}-{word}"), "tool_input": {"command": format!("make {word}")}, "tool_response": {}});
        scene.event(session, dir, "PostToolUse", ran);
    };
    run("s-wander", &two, OTHER);
    scene.event("s-back", &two, "UserPromptSubmit", json!({"prompt": format!("look at {OTHER}")}));
    run("s-back", &one, WORD);
    for session in ["s-wander", "s-back"] {
        scene.event(session, &two, "SessionEnd", json!({"reason": "exit"}));
    }
    scene.run_as_user(&two, ["maintain"]).ok();
    scene.run_as_user(&two, ["backup"]).ok();

    let before: Vec<Value> = found(&scene, OTHER);
    let inside = scene.run_as_user(&one, ["search", WORD, "--json", "--limit", "100"]).json();
    let inside = inside.as_array().expect("rows").len();
    assert!(inside >= 8, "{inside}");
    let memory = |rows: &[Value]| {
        rows.iter()
            .any(|row| row["content_preview"].as_str().is_some_and(|text| text.contains("a memory of")))
    };
    assert!(memory(&found(&scene, WORD)) && memory(&before));
    scene.run_as_user(&two, ["purge", "--project", &format!("p-{WORD}"), "--confirm"]).ok();

    assert_eq!(found(&scene, WORD), Vec::<Value>::new());
    let exported = scene.run_as_user(&two, ["export", "--json"]).ok();
    assert!(exported.contains(&format!("k-{WORD}")), "hints are the person's and stay: {exported}");
    scene.run_as_user(&two, ["delete", "c", &format!("k-{WORD}")]).ok();
    scene.run_as_user(&two, ["maintain"]).ok();
    scene.run_as_user(&two, ["purge", "--search", &format!("k-{WORD}"), "--confirm"]).ok();
    let place = one.display().to_string();
    assert_eq!(scene.home.files_holding(&place), Vec::<PathBuf>::new(), "its directory");
    assert_eq!(
        scene.home.files_holding(&format!("{WORD} of the till")),
        Vec::<PathBuf>::new(),
        "its prompts"
    );
    assert_eq!(scene.home.files_holding(&format!("make {WORD}")), Vec::<PathBuf>::new(), "its commands");
    assert_eq!(
        scene.home.files_holding(&format!("a memory of {WORD}")),
        Vec::<PathBuf>::new(),
        "its memories"
    );

    let names: Vec<Value> = scene.projects(&two).into_iter().map(|one| one["name"].clone()).collect();
    assert!(!names.contains(&json!(format!("p-{WORD}"))), "{names:?}");
    let of_rows = |rows: &[Value]| {
        let mut ids: Vec<i64> = rows
            .iter()
            .filter(|row| row["obs_type"] != "summary")
            .filter_map(|row| row["id"].as_i64())
            .collect();
        ids.sort_unstable();
        ids
    };
    let (kept, had) = (of_rows(&found(&scene, OTHER)), of_rows(&before));
    assert!(had.iter().all(|id| kept.contains(id)), "lost of the other: {had:?} {kept:?}");
    let trace = scene.run_as_user(&two, ["trace", "s-wander", "--json"]).json();
    assert_eq!(trace["project"], format!("p-{OTHER}"), "{trace}");
}

/// @project_belongs Memories imported for a name belong to the place that had the name first.
#[test]
fn memories_of_a_name_belong_to_the_first_place_of_it() {
    let scene = Scene::new();
    let first = scene.dir("a/shop");
    scene.work("s-1", &first, "first");
    let file = scene
        .home
        .file("notes.jsonl", &json!({"id": 1, "project": "shop", "text": "the safe is blue"}).to_string());
    scene.home.nudge(["import".as_ref(), "memories".as_ref(), file.as_os_str()]).run().ok();
    let later = scene.dir("b/shop");
    let rows = |dir: &Path| {
        let answer = scene.run_as_user(dir, ["search", "blue", "--json"]).json();
        answer.as_array().expect("rows").len()
    };
    assert_eq!((rows(&first), rows(&later)), (1, 0), "before anything was kept there");
    scene.work("s-2", &later, "second");
    assert_eq!((rows(&first), rows(&later)), (1, 0));
    scene.run_as_user(&first, ["purge", "--project", later.to_str().expect("text"), "--confirm"]).ok();
    assert_eq!(rows(&first), 1);
    scene.run_as_user(&first, ["purge", "--project", "shop", "--confirm"]).ok();
    assert_eq!(found(&scene, "blue"), Vec::<Value>::new());
}
