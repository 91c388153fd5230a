//! Who may write what, and what happens when it is not allowed.

use nudge_core::Tier;
use nudge_core::scheme::{Category, SCHEMES, rules_of};
use serde_json::json;

use super::setup::scene;

/// @scheme_registry
#[test]
fn the_registry_says_category_scope_and_writers() {
    let writers = |scheme: &str| {
        let rules = rules_of(scheme);
        let names: Vec<&str> = [Tier::Model, Tier::Client, Tier::Plugin, Tier::System]
            .iter()
            .filter(|tier| rules.may_write(**tier))
            .map(|tier| tier.name())
            .collect();
        (rules.category.name(), rules.default_scope.name(), rules.model_visible, names.join(" "))
    };
    let all: String = SCHEMES
        .iter()
        .map(|rules| {
            let (category, scope, seen, tiers) = writers(rules.name);
            format!(
                "{:<13}{category:<9}{scope:<9}{:<7}{tiers}\n",
                rules.name,
                if seen { "shown" } else { "hidden" }
            )
        })
        .collect();
    insta::assert_snapshot!(all);
    let shares = |scheme: &str| {
        (rules_of(scheme).category == Category::Data, rules_of(scheme).category == Category::Logging)
    };
    assert!(SCHEMES.iter().all(|rules| shares(rules.name) != (true, true)));
}

/// @scheme_registry @run_memory: the category and the writers of the schemes that runs are made of;
/// what a run writes under any of them is in its own scope.
#[test]
fn the_schemes_of_runs() {
    const TABLE: [(&str, &str, &str); 20] = [
        ("file", "data", "model plugin"),
        ("known", "data", "model plugin"),
        ("skill", "data", "model plugin"),
        ("http", "data", "model plugin"),
        ("https", "data", "model plugin"),
        ("sh", "data", "model plugin"),
        ("env", "data", "model plugin"),
        ("unknown", "unknown", "model plugin"),
        ("prompt", "prompt", "plugin"),
        ("log", "logging", "model plugin system"),
        ("update", "logging", "model plugin"),
        ("error", "logging", "model plugin"),
        ("tool", "audit", "system"),
        ("instructions", "audit", "system"),
        ("system", "audit", "system"),
        ("reasoning", "audit", "system"),
        ("model", "audit", "system"),
        ("user", "audit", "system"),
        ("assistant", "audit", "system"),
        ("content", "audit", "system"),
    ];
    let mut scene = scene();
    for (scheme, category, writers) in TABLE {
        let rules = rules_of(scheme);
        let tiers = [Tier::Model, Tier::Plugin, Tier::System].into_iter();
        let found: Vec<&str> = tiers.filter(|tier| rules.may_write(*tier)).map(Tier::name).collect();
        assert_eq!((rules.category.name(), found.join(" ").as_str()), (category, writers), "{scheme}");
        assert_eq!(
            rules.may_write(Tier::Client),
            rules.may_write(Tier::Model),
            "the user has a model's rights"
        );
        if scheme == "file" {
            continue;
        }
        let path = format!("{scheme}://shop.example/a");
        let answer = scene.agent().one("set", json!({"path": path, "body": "x", "run": "night"}));
        let is_writer = writers.contains("model");
        assert_eq!(answer["status"], if is_writer { 200 } else { 403 }, "{scheme}: {answer}");
        let stored = scene.bench.memory.store().read(|reader| reader.newest(scheme, 9)).expect("read");
        let mut stored = stored.into_iter().filter(|entry| entry.path.as_str() == path);
        let scope = stored.next().map(|entry| entry.scope.kind());
        assert_eq!(scope, is_writer.then_some("run"), "{scheme}");
    }
}

/// @writes_without_right
#[test]
fn a_write_without_the_right_is_recorded_as_failed() {
    let mut scene = scene();
    for scheme in ["prompt://1", "obs://1", "session://x", "system://1", "ghap://x"] {
        let refused = scene.agent().set(scheme, "planted");
        assert_eq!(
            (refused["status"].as_u64(), refused["outcome"].as_str()),
            (Some(403), Some("permission:403")),
            "{scheme}"
        );
        assert_eq!(refused["state"], "failed");
    }
    let refused = scene.user().set("prompt://1", "planted");
    assert_eq!(refused["status"], 403, "prompts are written by nobody through the verbs");
    let log = scene.bench.ok("get", json!({"path": "log://turn_0/**", "preview": true}));
    let record = &log["entries"][0];
    assert_eq!((record["state"].as_str(), record["status"].as_u64()), (Some("failed"), Some(403)));
    let whole = log.to_string();
    assert!(!whole.contains("planted"), "what was refused is not stored: {whole}");
}

/// @writes_without_right
#[test]
fn refused_writes_do_not_fill_the_store() {
    let mut scene = scene();
    scene.agent();
    for number in 0..150 {
        scene.set(&format!("prompt://{number}"), "x");
    }
    let log = scene.bench.ok("get", json!({"path": "log://turn_0/set/*", "preview": true}));
    assert_eq!(log["matched"], 100);
}

/// @writer_tiers
#[test]
fn the_tier_is_the_surfaces() {
    let mut scene = scene();
    let by = |entry: &serde_json::Value| entry["stated_by"].as_str().expect("who").to_owned();
    scene.agent().set("known://a", "one");
    scene.user().set("known://b", "two");
    let entries = scene.bench.ok("get", json!({"path": "known://*"}));
    assert_eq!(by(&entries["entries"][0]), "an agent, in shop");
    assert_eq!(by(&entries["entries"][1]), "the person, in shop");
}

/// @no_shadowing
#[test]
fn a_run_cannot_hide_an_entry_of_the_project() {
    let mut scene = scene();
    scene.user().one("update", json!({"body": "shared"}));
    let refused =
        scene.agent().one("set", json!({"path": "update://shared", "body": "mine", "run": "night"}));
    // The project's entry is the user's, so its change is a proposal and never a second entry.
    assert_eq!(refused["status"], 202);
    let refused = scene.one("set", json!({"path": "log://x", "body": "mine", "run": "night"}));
    assert_eq!(refused["status"], 200);
    scene.set("log://y", "the project's");
    let other = scene.one("set", json!({"path": "log://y", "body": "edited", "run": "night"}));
    assert_eq!(
        (other["status"].as_u64(), other["version"].as_i64()),
        (Some(200), Some(2)),
        "it edits the one entry"
    );
    assert_eq!(scene.paths("log://y").len(), 1);
}

/// @scheme_hidden
#[test]
fn agents_do_not_see_hidden_schemes() {
    let mut scene = scene();
    scene.bench.ok("store", json!({"path": "src/**", "readonly": true}));
    assert_eq!(scene.paths("constraint://**").len(), 1);
    assert_eq!(scene.agent().paths("constraint://**").len(), 0);
    assert_eq!(scene.paths("/constraint.*/").len(), 0);
}

/// @packet_costs
#[test]
fn an_entry_says_what_it_costs() {
    let scene = scene();
    scene.set("known://a", "some words");
    let entry = &scene.bench.ok("get", json!({"path": "known://a"}))["entries"][0];
    let (visible, short, premium) =
        (&entry["tokens"]["visible"], &entry["tokens"]["summarized"], &entry["tokens"]["premium"]);
    assert_eq!(
        visible.as_u64().expect("a number") - short.as_u64().expect("a number"),
        premium.as_u64().expect("a number")
    );
}
