//! Hints and statements keep their own rules when the verbs reach them.

use serde_json::json;

use super::setup::scene;

/// @entry_kinds
#[test]
fn a_hint_is_set_and_removed_by_its_path() {
    let mut scene = scene();
    assert_eq!(scene.set("hint://api/build", "cargo build")["status"], 200);
    let hint = scene.bench.ok("get_hint", json!({"component": "api", "key": "build"}));
    assert_eq!(hint["hint"]["value"], "cargo build", "{hint}");
    assert_eq!(scene.set("hint://api/build", "s/build/check/")["status"], 200);
    assert_eq!(scene.body("hint://api/build"), "cargo check");
    let refused = scene.agent().set("hint://api/build", "rm -rf");
    assert_eq!(refused["status"], 202, "it is the user's: {refused}");
    assert_eq!(scene.set("hint://api", "x")["status"], 400);
    assert_eq!(scene.user().one("rm", json!({"path": "hint://api/build"}))["status"], 200);
    assert_eq!(scene.paths("hint://**"), Vec::<String>::new());
}

/// @entry_kinds
#[test]
fn a_secret_hint_is_never_shown_by_the_verbs() {
    let mut scene = scene();
    let meta = json!({"sensitivity": "secret"});
    scene.bench.ok("set_hint", json!({"component": "api", "key": "code", "value": "xyzzy42", "meta": meta}));
    for agent in [false, true] {
        if agent {
            scene.agent();
        }
        let shown = scene.bench.ok("get", json!({"path": "hint://**"})).to_string();
        assert!(!shown.contains("xyzzy42") && shown.contains("secret"), "{shown}");
        let filtered = scene.bench.ok("get", json!({"path": "hint://**", "body": "xyzzy"}));
        assert_eq!(filtered["matched"], 0);
        assert_eq!(scene.one("cp", json!({"path": "hint://api/code", "to": "known://code"}))["status"], 403);
    }
}

/// @entry_kinds
#[test]
fn an_edit_or_a_preview_does_not_tell_a_secret() {
    let mut scene = scene();
    let meta = json!({"sensitivity": "secret"});
    scene.bench.ok("set_hint", json!({"component": "api", "key": "code", "value": "xyzzy42", "meta": meta}));
    scene.agent();
    let mut answers = Vec::new();
    for body in ["s/^x.*/y/", "s/^a.*/y/", "<<SEARCH\nxyzzy42\nSEARCH\n<<REPLACE\ny\nREPLACE"] {
        for preview in [false, true] {
            let params = json!({"path": "hint://api/code", "body": body, "preview": preview});
            answers.push(scene.one("set", params).to_string());
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.contains("403")), "{answers:#?}");
    assert!(!answers.concat().contains("xyzzy42"));
}

/// @authority_unreadable
#[test]
fn an_agent_does_not_read_a_hint_for_another_place() {
    let mut scene = scene();
    let meta = json!({"scope": {"cwd_glob": ["/elsewhere/**"]}});
    scene
        .bench
        .ok("set_hint", json!({"component": "api", "key": "build", "value": "make far", "meta": meta}));
    scene.bench.ok("set_hint", json!({"component": "api", "key": "test", "value": "make near"}));
    assert_eq!(scene.paths("hint://**").len(), 2, "the user sees all");
    scene.agent();
    assert_eq!(scene.paths("hint://**"), ["hint://api/test"]);
    let found = scene.bench.ok("get", json!({"path": "hint://**", "body": "make", "max_tokens": 9999}));
    assert!(!found.to_string().contains("far"), "{found}");
}

/// @entry_kinds
#[test]
fn a_statement_is_corrected_and_forgotten() {
    let scene = scene();
    scene.bench.ok("remember", json!({"text": "We use pnpm, never npm."}));
    let path = scene.paths("known://**").remove(0);
    assert_eq!(scene.set(&path, "s/pnpm/yarn/")["status"], 200);
    let paths = scene.paths("known://**");
    assert_eq!(paths.len(), 1, "the corrected one is gone: {paths:?}");
    assert_eq!(scene.body(&paths[0]), "We use yarn, never npm.");
    assert_eq!(scene.one("rm", json!({"path": paths[0]}))["status"], 200);
    assert_eq!(scene.paths("known://**"), Vec::<String>::new());
}

/// @entry_size
#[test]
fn an_agents_knowledge_is_one_fact_an_entry() {
    let mut scene = scene();
    let long = "many words in one entry ".repeat(200);
    let refused = scene.agent().set("known://all", &long);
    assert_eq!(refused["status"], 413);
    assert!(refused["outcome"].as_str().expect("why").starts_with("overflow:"), "{refused}");
    assert_eq!(scene.set("unknown://all", &long)["status"], 200);
    assert_eq!(scene.user().set("known://all", &long)["status"], 200);
}

/// @entry_parts
#[test]
fn an_entry_has_a_path_of_limited_length() {
    let scene = scene();
    let long = format!("known://{}", "x".repeat(2_041));
    assert_eq!(scene.bench.fault("set", json!({"path": long, "body": "a"})).kind.code(), 40001);
    assert_eq!(scene.set(&long[..2_048], "a")["status"], 200);
    assert!(scene.bench.call("set", json!({"path": "known://a\nb", "body": "a"})).is_err());
    let entry = &scene.bench.ok("get", json!({"path": "known://*", "max": 1}))["entries"][0];
    for part in ["path", "body", "visibility", "state", "status", "scope", "stated_by", "version", "category"]
    {
        assert!(!entry[part].is_null(), "{part}: {entry}");
    }
}
