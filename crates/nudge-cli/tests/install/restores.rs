//! Uninstalling restores the files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use insta::assert_snapshot;

use crate::install::{SETTINGS, STATE, home, json, lived_in, text, tree};

/// @uninstall_restores
#[test]
fn a_fresh_home_is_left_without_a_trace() {
    let home = home();
    let before = tree(home.path());
    home.run(["install", "claude", "--yes"]).ok();
    assert_snapshot!("uninstall_fresh", home.run(["uninstall", "claude", "--yes"]).page());
    assert_eq!(tree(home.path()), before);
    assert_snapshot!("uninstall_again", home.run(["uninstall", "claude", "--yes"]).page());
    assert_eq!(tree(home.path()), before);
}

/// @uninstall_restores
#[test]
fn files_that_nobody_touched_come_back_byte_for_byte() {
    let odd = [
        ("{}", "{}"),
        ("{ }\n\n", "{\"mcpServers\": {}}"),
        ("", "{\"mcpServers\":{}}\n"),
        ("{\"hooks\":{}}", "{\r\n\t\"a\": 1\r\n}\r\n"),
        ("{\"hooks\": {\"Stop\": []}, \"x\": \"ü\\u00e9\"}", "{\n\n  \"b\" : [ ] }"),
        (SETTINGS, STATE),
    ];
    for (settings, state) in odd {
        let home = home();
        let file = home.file(".claude/settings.json", settings);
        home.file(".claude.json", state);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
        let before = tree(home.path());
        home.run(["install", "claude", "--yes"]).ok();
        assert_ne!(tree(home.path()), before);
        home.run(["uninstall", "claude", "--yes"]).ok();
        assert_eq!(tree(home.path()), before, "{settings}");
    }
}

/// @uninstall_restores
#[test]
fn what_others_changed_since_stays() {
    let home = lived_in();
    home.run(["install", "claude", "--yes"]).ok();
    let (settings, state) = (home.path().join(".claude/settings.json"), home.path().join(".claude.json"));
    fs::write(&settings, text(&settings).replace("\"opus\"", "\"sonnet\"")).expect("written");
    fs::write(&state, text(&state).replace("\"numStartups\": 7", "\"numStartups\": 8")).expect("written");
    assert_snapshot!("uninstall_changed", home.run(["uninstall", "claude", "--yes"]).page());
    assert_eq!(text(&settings), SETTINGS.replace("\"opus\"", "\"sonnet\""));
    assert_eq!(text(&state), STATE.replace("7", "8"));
}

/// @uninstall_restores
#[test]
fn a_file_of_ours_that_the_agent_filled_stays_without_ours() {
    let home = home();
    home.run(["install", "claude", "--yes"]).ok();
    let state = home.path().join(".claude.json");
    let mut value = json(&state);
    value["userID"] = "ada".into();
    fs::write(&state, value.to_string()).expect("written");
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(text(&state), "{\"userID\":\"ada\"}");
    assert!(!home.path().join(".claude").exists(), "made by us, and empty");
}

/// @uninstall_restores
#[test]
fn without_a_record_only_ours_is_taken_out() {
    let home = lived_in();
    home.run(["install", "claude", "--yes"]).ok();
    fs::remove_dir_all(home.memory()).expect("removed");
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(text(&home.path().join(".claude/settings.json")), SETTINGS);
    assert_eq!(text(&home.path().join(".claude.json")), STATE);
    assert_eq!(text(&home.config_file()), "# mine\nlog_level = \"warn\"\n");
}

/// @uninstall_restores
#[test]
fn a_link_to_the_settings_stays_a_link() {
    let home = home();
    home.file("dotfiles/settings.json", SETTINGS);
    symlink("../dotfiles/settings.json", home.dir(".claude").join("settings.json")).expect("a link");
    let before = tree(home.path());
    home.run(["install", "claude", "--yes"]).ok();
    assert!(text(&home.path().join("dotfiles/settings.json")).contains(" hook claude 2>/dev/null || :\""));
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
    assert!(home.path().join(".claude/settings.json").is_symlink());
}

/// @uninstall_restores
#[test]
fn the_record_keeps_nothing_of_the_settings_but_what_changed() {
    let home = home();
    home.file(".claude.json", "{\"primaryApiKey\": \"marker-of-a-key\", \"mcpServers\": {}}");
    home.file(".claude/settings.json", "{\"env\": {\"TOKEN\": \"marker-of-a-token\"}}");
    home.run(["install", "claude", "--yes"]).ok();
    let record = text(&home.memory().join("install/ledger.json"));
    assert!(!record.contains("marker"), "{record}");
}
