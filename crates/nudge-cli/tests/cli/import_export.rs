//! Export to a file and import from one, whole or not at all.

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::cli::home;

fn stocked() -> TestHome {
    let home = home();
    home.run([
        "set",
        "api",
        "build",
        "make",
        "--tags",
        "build",
        "--ttl",
        "forever",
        "--reason",
        "there is a Makefile",
    ])
    .ok();
    home.run(["set", "api", "dir", "/srv/api", "--type", "path", "--scope-os", "linux"]).ok();
    home.run(["set", "api", "dir", "/Users/dev/api", "--type", "path", "--scope-os", "darwin"]).ok();
    home.run(["set", "web", "test", "npm test", "--shell", "bash", "--ttl", "P30D"]).ok();
    home.run(["bump", "api", "build", "--delta", "4"]).ok();
    home
}

fn components(payload: &Value) -> Value {
    payload["components"].clone()
}

/// @cli_export_import
#[test]
fn an_export_read_into_another_memory_is_the_same_export() {
    let here = stocked();
    let exported = here.run(["export", "--format", "json"]).ok();
    let payload: Value = serde_json::from_str(&exported).expect("JSON");
    assert_eq!(payload["schema_version"], "1.0");
    let there = home();
    let page = there.nudge(["import", "-"]).stdin(exported.clone()).run().page();
    assert_eq!(page, "✔ imported 4 hints, 0 unchanged\n");
    let again: Value = serde_json::from_str(&there.run(["export"]).ok()).expect("JSON");
    assert_eq!(components(&again), components(&payload));
    let repeat = there.nudge(["import", "-", "--json"]).stdin(exported).run().json();
    assert_eq!(repeat, json!({"imported": 0, "skipped": 4}));
}

/// @cli_export_import
#[test]
fn one_variant_is_an_object_and_several_are_a_list() {
    let payload: Value = serde_json::from_str(&stocked().run(["export"]).ok()).expect("JSON");
    assert!(payload["components"]["api"]["hints"]["build"].is_object());
    assert_eq!(payload["components"]["api"]["hints"]["dir"].as_array().map(Vec::len), Some(2));
}

/// @cli_export_import
#[test]
fn a_file_is_written_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = stocked();
    let file = home.path().join("hints.json");
    let outcome = home
        .nudge(["export", "--component", "api", "-o"].iter().copied().chain([file.to_str().expect("utf-8")]));
    assert_snapshot!("export_file", outcome.run().page());
    assert_eq!(std::fs::metadata(&file).expect("written").permissions().mode() & 0o777, 0o600);
    let payload: Value = serde_json::from_slice(&std::fs::read(&file).expect("readable")).expect("JSON");
    assert_eq!(payload["components"].as_object().map(|all| all.len()), Some(1));
}

/// @cli_export_import
#[test]
fn the_result_of_export_under_json_can_be_imported_too() {
    let exported = stocked().run(["export", "--json"]).ok();
    assert!(exported.starts_with("{\"payload\":"));
    let there = home();
    assert_eq!(there.nudge(["import", "-", "--json"]).stdin(exported).run().json()["imported"], 4);
}

/// @cli_export_import
#[test]
fn replace_removes_what_is_not_in_the_file() {
    let home = stocked();
    let seed = r#"{"schema_version":"1.0","components":{"ci":{"hints":{"url":{"value":"https://ci"}}}}}"#;
    let file = home.file("seed.json", seed);
    let merged = home.run(["import", file.to_str().expect("utf-8"), "--json"]).json();
    assert_eq!(merged, json!({"imported": 1, "skipped": 0}));
    assert_eq!(home.run(["ls", "--json"]).json()["components"].as_array().map(Vec::len), Some(3));
    let file = file.to_str().expect("utf-8");
    assert_eq!(
        home.run(["import", file, "--mode", "replace", "--json"]).fault(4)["data"]["reason"],
        "not_confirmed"
    );
    let replaced = home.run(["import", file, "--mode", "replace", "--yes", "--json"]).json();
    assert_eq!((&replaced["skipped"], replaced["removed"].as_i64() > Some(0)), (&json!(1), true));
    assert_eq!(home.run(["ls", "--json"]).json(), json!({"components": [{"name": "ci", "hint_count": 1}]}));
}

/// @cli_export_import
#[test]
fn one_bad_record_refuses_all_and_every_fault_is_listed() {
    let home = stocked();
    let seed = json!({"schema_version": "1.0", "components": {"new": {"hints": {
        "good": {"value": "fine"},
        "glob": {"value": "x", "meta": {"scope": {"cwd_glob": ["../up"]}}},
        "path": {"value": {"type": "path", "abs": "not/absolute"}},
        "priority": {"value": "x", "meta": {"priority": 77}},
    }}}});
    let outcome = home.nudge(["import", "-"]).stdin(seed.to_string()).run();
    assert_snapshot!("import_bad_records", outcome.page());
    home.run(["get", "new", "good"]).exits(3);
}

/// @cli_export_import
#[test]
fn damaged_and_future_files_are_refused() {
    let home = stocked();
    let pages = [
        home.nudge(["import", "-"]).stdin("{\"schema_version\": \"1.0\", \"comp").run().page(),
        home.nudge(["import", "-"]).stdin("[]").run().page(),
        home.nudge(["import", "-"]).stdin("{\"schema_version\":\"2.0\",\"components\":{}}").run().page(),
        home.nudge(["import", "-"]).stdin([0xff, 0xfe, 0x00]).run().page(),
        home.run(["import", "missing.json"]).page(),
    ];
    assert_snapshot!("import_refused", pages.join("\n"));
    assert_eq!(home.run(["ls", "--json"]).json()["components"].as_array().map(Vec::len), Some(2));
}
