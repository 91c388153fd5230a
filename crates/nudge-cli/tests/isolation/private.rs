//! Projects that show nothing outside themselves.

use std::path::{Path, PathBuf};

use nudge_testkit::McpStdio;
use serde_json::{Value, json};

use crate::isolation::kit::{Http, REMOTE, Scene, assert_refused};

/// A private project full of the word `jewel`, and another one next to it.
fn filled(by_settings: bool) -> (Scene, PathBuf, PathBuf) {
    let scene = Scene::new();
    let vault = scene.repository("vault", Some(REMOTE));
    if by_settings {
        std::fs::write(vault.join(".nudge.toml"), "private = true\n").expect("a file");
    }
    for number in 0..3 {
        let session = format!("s-vault-{number}");
        scene.work(&session, &vault, "jewel_opal");
        let failed = json!({"tool_name": "Bash", "tool_use_id": format!("f-{number}"), "tool_input": {"command": "jewel --polish opal"}, "error": "Exit code 1\njewel lost, opal too"});
        scene.event(&session, &vault, "PostToolUseFailure", failed);
    }
    let noted = scene.run_as_user(&vault, ["mark", "the jewel is here, the opal too", "--json"]).json();
    scene.run_as_user(&vault, ["pin", noted["path"].as_str().expect("a path")]).ok();
    let other = scene.repository("other", Some(REMOTE));
    scene.work("s-other", &other, "pebble");
    // A session of the other project that moved into this one for a while.
    scene.event("s-wander", &other, "SessionStart", json!({"source": "startup"}));
    scene.event(
        "s-wander",
        &vault,
        "UserPromptSubmit",
        json!({"prompt": "count the opal and the jewel in the vault"}),
    );
    for number in 0..4 {
        let ran = json!({"tool_name": "Bash", "tool_use_id": format!("w-{number}"), "tool_input": {"command": format!("polish opal {number}")}, "tool_response": {}});
        scene.event("s-wander", &vault, "PostToolUse", ran);
        let ran = json!({"tool_name": "Bash", "tool_use_id": format!("v-{number}"), "tool_input": {"command": format!("make pebble {number}")}, "tool_response": {}});
        scene.event("s-wander", &other, "PostToolUse", ran);
    }
    scene.event("s-wander", &other, "SessionEnd", json!({"reason": "exit"}));
    scene.run_as_user(&other, ["maintain"]).ok();
    if !by_settings {
        scene.run_as_user(&other, ["project", "private", "vault"]).ok();
    }
    (scene, vault, other)
}

fn ids(scene: &Scene, vault: &Path) -> Vec<i64> {
    let found = scene.run_as_user(vault, ["search", "jewel", "--json", "--limit", "100"]).json();
    let ids: Vec<i64> = found.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
    assert!(ids.len() >= 10, "inside it is all there: {found}");
    ids
}

/// Every operation that reads across projects, asked in every way for the private one.
fn questions(scene: &Scene, vault: &Path) -> Vec<(&'static str, Value)> {
    let ids = ids(scene, vault);
    let mut all = Vec::new();
    for project in [
        json!(null),
        json!("*"),
        json!("vault"),
        json!("id:1"),
        json!(1),
        json!(vault),
        json!(vault.join(".git")),
    ] {
        all.push(("search", json!({"query": "jewel", "project": project})));
        all.push(("recent_context", json!({"project": project, "limit": 100})));
        all.push(("learn", json!({"project": project, "threshold": 1})));
        all.push(("find_fix", json!({"error": "jewel", "project": project})));
        all.push(("preview_context", json!({"project": project})));
        all.push(("explain_injection", json!({"project": project})));
    }
    all.push(("search", json!({"query": "jewel"})));
    all.push(("search", json!({"query": "jewel", "session": "s-vault-0", "project": null})));
    all.push(("recent_context", json!({})));
    all.push(("list_projects", json!({})));
    all.push(("session_trace", json!({"session_id": "s-vault-0"})));
    all.push(("session_trace", json!({"session_id": "s-vault"})));
    all.push(("session_trace", json!({"session_id": "s-wander"})));
    all.push(("search", json!({"query": "pebble", "project": null, "limit": 100})));
    all.push(("search", json!({"query": "count", "project": null, "session": "s-wander"})));
    all.push(("learn", json!({"threshold": 1})));
    all.push(("file_history", json!({"file_path": vault.join("jewel_opal.rs")})));
    all.push(("file_history", json!({"file_path": "jewel_opal.rs"})));
    all.push(("get_observations", json!({"ids": ids})));
    all.push(("injection_usage", json!({})));
    all.push(("injection_usage", json!({"session": "s-vault-0"})));
    all.push(("injection_usage", json!({"project": "vault"})));
    for id in ids {
        all.push(("timeline", json!({"anchor": id})));
        all.push(("explain_injection", json!({"id": id})));
    }
    all
}

/// The answer without the words of the question, which answers may repeat.
fn clean(answer: &Value, asked: &Value) -> String {
    let mut text = answer.to_string();
    let mut said: Vec<String> = Vec::new();
    collect(asked, &mut said);
    said.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in said.iter().filter(|word| word.len() > 2) {
        text = text.replace(word.as_str(), "");
    }
    text
}

fn collect(value: &Value, said: &mut Vec<String>) {
    match value {
        Value::String(text) => said.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, said)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, said)),
        _ => {}
    }
}

#[track_caller]
fn says_nothing(question: &(&str, Value), answer: &Value) {
    let text = clean(answer, &question.1);
    for word in ["opal", "vault", "polish"] {
        assert!(!text.contains(word), "{question:?} tells of {word}: {answer}");
    }
    assert!(!text.contains("withheld"), "{question:?} counts: {answer}");
}

/// @project_private Nothing of a private project is searched, listed, counted or injected outside
/// it, by any operation.
#[test]
fn nothing_of_it_is_shown_outside() {
    for by_settings in [true, false] {
        let (scene, vault, other) = filled(by_settings);
        let questions = questions(&scene, &vault);
        let mut agent: McpStdio = scene.agent(&other);
        for question in &questions {
            says_nothing(question, &agent.call_raw(question.0, question.1.clone()));
            // Nor when the client claims one of its sessions.
            let call =
                json!({"name": question.0, "arguments": question.1, "_meta": {"threadId": "s-vault-0"}});
            says_nothing(question, &agent.request("tools/call", call)["result"]);
        }
        agent.hang_up();
        let started = scene.begin("s-next", &other);
        assert!(!started.is_empty(), "its own work is injected");
        assert!(!["jewel", "opal", "vault", "polish"].iter().any(|word| started.contains(word)), "{started}");
        let http = Http::open(&scene.home);
        for question in &questions {
            says_nothing(question, &http.rpc(question.0, &question.1));
            says_nothing(question, &http.mcp(question.0, &question.1, "s-vault-0"));
        }
    }
}

/// @project_private A caller inside it sees all of it; the user elsewhere sees it only by naming
/// it, and in the list of projects.
#[test]
fn it_is_open_inside_and_to_the_person_who_names_it() {
    let (scene, vault, other) = filled(true);
    let mut agent = scene.agent(&vault);
    assert!(agent.call("search", json!({"query": "jewel"})).to_string().contains("jewel"));
    assert!(agent.call("list_projects", json!({})).to_string().contains("vault"));
    agent.hang_up();
    assert!(scene.begin("s-again", &vault).contains("jewel"));
    let rows = |args: &[&str]| {
        let found = scene.home.nudge(args).cwd(&other).run().json();
        found.as_array().expect("rows").len()
    };
    assert_eq!(rows(&["search", "jewel", "--json"]), 0);
    assert_eq!(rows(&["search", "jewel", "--all", "--json"]), 0);
    assert!(rows(&["search", "jewel", "--project", "vault", "--json"]) > 0);
    assert!(scene.run_as_user(&other, ["project", "ls"]).ok().contains("vault"));
    assert!(!scene.agent(&other).call("list_projects", json!({})).to_string().contains("vault"));
    assert!(!scene.run_as_user(&other, ["status"]).ok().contains("vault"));
    assert!(
        scene.run_as_user(&vault, ["project", "ls"]).ok().contains("private: not shown outside the project")
    );
}

/// @project_private It stays private when the directory is gone, and only the user makes it public
/// again.
#[test]
fn it_stays_private_when_its_directory_is_gone() {
    let (scene, vault, other) = filled(true);
    let gone = ids(&scene, &vault);
    std::fs::remove_dir_all(&vault).expect("removed");
    let mut agent = scene.agent(&other);
    assert_eq!(agent.call("search", json!({"query": "jewel", "project": "*"}))["results"], json!([]));
    assert_refused(&agent.call_raw("timeline", json!({"anchor": gone[0]})), "no_observation");
    assert_refused(&agent.call_raw("set_private", json!({"project": "vault", "private": false})), "tier");
    agent.hang_up();
    scene.run_as_user(&other, ["project", "private", "vault", "--off"]).ok();
    let found = scene.run_as_user(&other, ["search", "jewel", "--all", "--json"]).json();
    assert!(!found.as_array().expect("rows").is_empty());
}
