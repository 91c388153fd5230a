//! Setting, reading, using and deleting a hint.

use insta::assert_snapshot;
use serde_json::json;

use crate::cli::home;

/// @cli_set_get @cli_transcript @cli_delete_bump
#[test]
fn the_transcript_of_the_manual() {
    let home = home();
    let dir = home.dir("work/http-proxy");
    for _ in 0..2 {
        home.run([
            "set",
            "http-proxy",
            "build",
            "docker compose build",
            "--scope-cwd-glob",
            "**/http-proxy*",
        ])
        .ok();
    }
    let set = home.run([
        "set",
        "http-proxy",
        "build",
        "docker compose build router",
        "--tags",
        "build,docker",
        "--priority",
        "7",
        "--ttl",
        "session",
        "--scope-cwd-glob",
        "**/http-proxy*",
    ]);
    assert_snapshot!("set", set.page());
    for _ in 0..3 {
        home.nudge(["bump", "http-proxy", "build"]).cwd(&dir).run().ok();
    }
    assert_snapshot!("bump", home.nudge(["bump", "http-proxy", "build"]).cwd(&dir).run().page());
    assert_snapshot!("get", home.nudge(["get", "http-proxy", "build"]).cwd(&dir).run().page());
    let again =
        ["set", "http-proxy", "build", "docker compose build router", "--scope-cwd-glob", "**/http-proxy*"];
    let verbose = [
        home.run([&again[..], &["--verbose"]].concat()).page(),
        home.nudge(["bump", "http-proxy", "build", "-v"]).cwd(&dir).run().page(),
        home.nudge(["get", "http-proxy", "build", "-v"]).cwd(&dir).run().page(),
    ];
    assert_snapshot!("verbose", verbose.join("\n"));
    assert_snapshot!("delete", home.nudge(["delete", "http-proxy", "build"]).cwd(&dir).run().page());
}

/// @cli_set_get
#[test]
fn a_hint_can_be_replaced_and_its_version_rises() {
    let home = home();
    home.run(["set", "api", "test", "make test"]).ok();
    let second = home.run(["set", "api", "test", "cargo test", "--json"]).json();
    assert_eq!(second["hint"]["version"], 2);
    let got = home.run(["get", "api", "test", "--json"]).json();
    assert_eq!(got["hint"]["value"], "cargo test");
    assert_eq!(got["match_explain"]["reasons"], json!(["no scope restrictions"]));
}

/// @cli_set_flags
#[test]
fn every_field_of_a_hint_has_a_flag() {
    let home = home();
    let set = home.run([
        "set",
        "api",
        "run",
        "make run",
        "--type",
        "command",
        "--shell",
        "bash",
        "--tags",
        "run",
        "--tags",
        "make,dev",
        "--priority",
        "9",
        "--confidence",
        "0.8",
        "--ttl",
        "P7D",
        "--reason",
        "the container needs make",
        "--sensitivity",
        "normal",
        "--source",
        "tool-output",
        "--added-by",
        "agent:codex",
        "--scope-cwd-glob",
        "**/{api,web}/**,**/srv*",
        "--repo",
        "git:org/api",
        "--scope-branch",
        "dev,main",
        "--scope-os",
        "linux,darwin",
        "--scope-env",
        "CI,HOME",
        "--env",
        "STAGE=dev|test",
        "--if-match-version",
        "0",
        "--json",
    ]);
    let hint = set.json()["hint"].clone();
    assert_eq!(hint["value"], json!({"type": "command", "shell": "bash", "cmd": "make run"}));
    assert_eq!(
        hint["meta"],
        json!({
            "reason": "the container needs make",
            "tags": ["run", "make", "dev"],
            "priority": 9,
            "confidence": 0.8,
            "ttl": "P7D",
            "sensitivity": "normal",
            "scope": {
                "cwd_glob": ["**/{api,web}/**", "**/srv*"],
                "repo": "git:org/api",
                "branch": ["dev", "main"],
                "os": ["linux", "darwin"],
                "env_required": ["CI", "HOME"],
                "env_match": {"STAGE": ["dev", "test"]},
            },
            "source": "tool-output",
            "added_by": "agent:codex",
        })
    );
    assert_eq!(hint["origin"]["source"], "user");
}

/// @cli_set_get
#[test]
fn values_of_all_five_types_are_kept_and_shown() {
    let home = home();
    home.run(["set", "v", "text", "plain words"]).ok();
    home.run(["set", "v", "command", "Get-ChildItem", "--shell", "powershell", "--reason", "lists files"])
        .ok();
    home.run(["set", "v", "path", "/srv/app", "--path-os", "linux,darwin"]).ok();
    let template = "Hello {{name}}";
    home.run(["set", "v", "template", template, "--format", "mustache", "--default", "name=World"]).ok();
    home.run(["set", "v", "json", r#"{"ports":[80,443]}"#, "--type", "json"]).ok();
    let pages: Vec<String> = ["text", "command", "path", "template", "json"]
        .iter()
        .map(|key| home.run(["get", "v", key]).page())
        .collect();
    assert_snapshot!("get_types", pages.join("\n"));
    let json = home.run(["get", "v", "json", "--json"]).json();
    assert_eq!(json["hint"]["value"], json!({"type": "json", "data": {"ports": [80, 443]}}));
}

/// @cli_set_get
#[test]
fn a_dash_reads_the_value_from_standard_input() {
    let home = home();
    home.nudge(["set", "api", "notes", "-"]).stdin("first line\nsecond line\n").run().ok();
    let got = home.run(["get", "api", "notes", "--json"]).json();
    assert_eq!(got["hint"]["value"], "first line\nsecond line");
    assert_snapshot!("get_multiline", home.run(["get", "api", "notes"]).page());
}

/// @cli_set_get
#[test]
fn negative_numbers_and_leading_dashes_are_values() {
    let home = home();
    home.run(["set", "api", "offset", "-5"]).ok();
    home.run(["set", "api", "flags", "--", "--release --locked"]).ok();
    assert_eq!(home.run(["get", "api", "flags", "--json"]).json()["hint"]["value"], "--release --locked");
    assert_eq!(home.run(["get", "api", "offset", "--json"]).json()["hint"]["value"], "-5");
}

/// @hint_versions
#[test]
fn a_stale_version_is_refused_and_nothing_changes() {
    let home = home();
    home.run(["set", "api", "build", "one"]).ok();
    let outcome = home.run(["set", "api", "build", "two", "--if-match-version", "7"]);
    assert_snapshot!("conflict", outcome.page());
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "one");
    home.run(["set", "api", "build", "two", "--if-match-version", "1"]).ok();
    home.run(["set", "api", "build", "three", "--if-match-version", "0", "--json"]).fault(6);
}

/// @hint_bump
#[test]
fn a_bump_counts_and_changes_neither_version_nor_update() {
    let home = home();
    let before = home.run(["set", "api", "build", "make", "--json"]).json();
    let after = home.run(["bump", "api", "build", "--delta", "3", "--json"]).json();
    assert_eq!(after["hint"]["use_count"], 3);
    assert_eq!(after["hint"]["version"], before["hint"]["version"]);
    assert_eq!(after["hint"]["updated_at"], before["hint"]["updated_at"]);
    assert!(after["hint"]["last_used_at"].is_string());
}

/// @cli_set_get
#[test]
fn the_value_alone_is_exact_for_scripts() {
    let home = home();
    home.run(["set", "api", "build", "make -j4\nmake test", "--type", "command"]).ok();
    assert_eq!(home.run(["get", "api", "build", "--value"]).ok(), "make -j4\nmake test\n");
}

/// @cli_set_flags
#[test]
fn a_dot_and_a_tilde_mean_what_a_person_means() {
    let home = home();
    let dir = home.dir("app/src");
    home.nudge(["set", "app", "here", "v", "--scope-cwd-glob", "./**"]).cwd(home.dir("app")).run().ok();
    home.nudge(["set", "app", "home", "v", "--scope-cwd-glob", "~/app/**"]).cwd("/").run().ok();
    home.nudge(["set", "app", "repo", "v", "--scope-repo", "."]).cwd(&dir).run().ok();
    for key in ["here", "home", "repo"] {
        home.nudge(["get", "app", key]).cwd(&dir).run().exits(0);
        home.nudge(["get", "app", key]).cwd("/").run().exits(3);
    }
}

/// @cli_set_get
#[test]
fn reading_makes_no_home() {
    let home = home();
    home.run(["get", "api", "build"]).exits(3);
    home.run(["ls"]).exits(0);
    assert!(!home.memory().exists());
}
