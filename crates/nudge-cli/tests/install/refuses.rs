//! Files that `install` leaves alone, and its messages about them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use insta::assert_snapshot;

use crate::install::{home, lived_in, text, tree};

/// @install_refuses
#[test]
fn a_file_that_is_not_json_stops_everything() {
    for (broken, text) in [
        (".claude/settings.json", "{\n  // mine\n  \"model\": opus\n}\n"),
        (".claude/settings.json", "[]"),
        (".claude/settings.json", "{\"hooks\": \"none\"}"),
        (".claude.json", "{\"mcpServers\": "),
    ] {
        let home = lived_in();
        home.file(broken, text);
        let before = tree(home.path());
        for command in ["install", "uninstall"] {
            let fault = home.run([command, "claude", "--yes", "--json"]).fault(1);
            assert_eq!(fault["id"], "E_INVALID", "{text}");
            assert!(fault["message"].as_str().expect("a message").contains(broken), "{fault}");
            assert_eq!(tree(home.path()), before, "{command} {text}");
        }
    }
    let home = home();
    home.file(".claude/settings.json", "{\n  \"model\": \"opus\",\n}\n");
    assert_snapshot!("install_not_json", home.run(["install", "claude", "--yes"]).page());
}

/// @install_refuses
#[test]
fn a_file_that_is_closed_to_writing_stays() {
    let home = lived_in();
    let settings = home.path().join(".claude/settings.json");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).expect("a mode");
    let before = tree(home.path());
    assert_snapshot!("install_not_writable", home.run(["install", "claude", "--yes"]).page());
    assert_eq!(tree(home.path()), before);
}

/// @install_refuses
#[test]
fn a_server_of_the_same_name_is_not_replaced() {
    let home = home();
    let state =
        home.file(".claude.json", "{\"mcpServers\":{\"nudge\":{\"command\":\"npx\",\"args\":[\"x\"]}}}");
    let before = tree(home.path());
    assert_snapshot!("install_name_taken", home.run(["install", "claude", "--yes"]).page());
    assert_eq!(tree(home.path()), before);
    home.run(["install", "claude", "--yes", "--no-mcp"]).ok();
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert!(text(&state).contains("npx"));
}

/// @install_refuses
#[test]
fn links_that_lead_nowhere_directories_and_binary_files_are_refused() {
    let home = home();
    let settings = home.dir(".claude").join("settings.json");
    symlink("nowhere", &settings).expect("a link");
    assert_eq!(home.run(["install", "claude", "--yes", "--json"]).fault(1)["data"]["reason"], "broken_link");
    fs::remove_file(&settings).expect("removed");
    fs::create_dir(&settings).expect("made");
    assert_eq!(
        home.run(["install", "claude", "--yes", "--json"]).fault(1)["data"]["reason"],
        "settings_unreadable"
    );
    fs::remove_dir(&settings).expect("removed");
    fs::write(&settings, b"{\"a\": \"\xff\"}").expect("written");
    assert_eq!(
        home.run(["install", "claude", "--yes", "--json"]).fault(1)["data"]["reason"],
        "settings_unreadable"
    );
    assert!(!home.memory().exists(), "nothing was noted either");
}

/// @install_refuses
#[test]
fn an_agent_that_is_not_known_is_named_with_those_that_are() {
    assert_snapshot!("install_unknown_agent", home().run(["install", "emacs"]).page());
}
