//! What `install` registers, and where.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::install::{SETTINGS, STATE, home, json, lived_in, text, tree};

/// The registered command line, ending with `rest`.
pub(crate) fn line(program: &std::path::Path, rest: &str) -> String {
    let program = program.display();
    format!("[ ! -x {program} ] || {program} hook claude{rest} 2>/dev/null || :")
}

/// @install_agents
#[test]
fn a_fresh_home_gets_hooks_server_and_default() {
    let home = home();
    let outcome = home.run(["install", "claude", "--yes"]);
    assert_snapshot!("install_fresh", outcome.page());
    let settings = json(&home.path().join(".claude/settings.json"));
    let hooks = settings["hooks"].as_object().expect("hooks are an object");
    let mut events: Vec<&str> = hooks.keys().map(String::as_str).collect();
    events.sort_unstable();
    let wanted = [
        "PostCompact",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "SubagentStop",
        "UserPromptSubmit",
    ];
    assert_eq!(events, wanted);
    for groups in hooks.values() {
        let handler = &groups[0]["hooks"][0];
        assert_eq!(handler["command"], line(home.binary(), ""));
    }
    let server = &json(&home.path().join(".claude.json"))["mcpServers"]["nudge"];
    assert_eq!((&server["type"], &server["args"]), (&json!("stdio"), &json!(["serve"])));
    let mode = |name: &str| fs::metadata(home.path().join(name)).expect(name).permissions().mode() & 0o777;
    assert_eq!(mode(".claude.json"), 0o600);
    assert_eq!(mode(".local/share/nudge/install/ledger.json"), 0o600);
    let config = home.run(["config", "--json"]).json();
    let ttl = config["keys"].as_array().expect("a list").iter().find(|row| row["key"] == "default_ttl");
    assert_eq!(ttl.expect("the key is listed")["value"], "forever");
}

/// @install_agents
#[test]
fn everything_else_in_the_files_stays_as_it_is() {
    let home = lived_in();
    assert_snapshot!("install_lived_in", home.run(["install", "claude", "--yes"]).page());
    let settings = text(&home.path().join(".claude/settings.json"));
    assert!(
        settings.starts_with(SETTINGS[..SETTINGS.find("]\n    }").expect("hooks end")].trim_end()),
        "{settings}"
    );
    assert!(settings.ends_with("\n    },\n    \"env\": { \"LANG\": \"C\" }\n}"), "{settings}");
    let state = text(&home.path().join(".claude.json"));
    assert!(
        state.starts_with("{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"other\": {\n"),
        "{state}"
    );
    assert!(state.ends_with("\n  },\n  \"projects\": {}\n}"), "{state}");
    let config = text(&home.config_file());
    assert!(config.ends_with("\n# mine\nlog_level = \"warn\"\n"), "{config}");
}

/// @install_agents
#[test]
fn comments_stay_where_they_are() {
    let settings = "// mine\n{\n  \"model\": \"opus\" // for now\n}\n";
    let home = lived_in();
    home.file(".claude/settings.json", settings);
    home.run(["install", "claude", "--yes"]).ok();
    let installed = text(&home.path().join(".claude/settings.json"));
    assert!(
        installed.starts_with("// mine\n{\n  \"model\": \"opus\", // for now\n  \"hooks\": {\n"),
        "{installed}"
    );
    fs::remove_dir_all(home.memory()).expect("removed");
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(text(&home.path().join(".claude/settings.json")), settings);
}

/// @install_agents
#[test]
fn another_memory_and_another_directory_of_claude_are_passed_on() {
    let home = home();
    let (memory, dir) = (home.path().join("m m"), home.path().join("cc"));
    let memory = memory.to_str().expect("utf-8");
    let answer = home
        .nudge(["install", "claude", "--yes", "--json", "--home", memory])
        .env("CLAUDE_CONFIG_DIR", &dir)
        .run()
        .json();
    assert_eq!((&answer["home"], &answer["changed"]), (&json!(memory), &json!(true)));
    let line = &json(&dir.join("settings.json"))["hooks"]["Stop"][0]["hooks"][0]["command"];
    assert_eq!(*line, crate::install::claude::line(home.binary(), &format!(" --home '{memory}'")));
    let args = &json(&dir.join(".claude.json"))["mcpServers"]["nudge"]["args"];
    assert_eq!(*args, json!(["serve", "--home", memory]));
    assert!(!home.path().join(".claude").exists() && !home.path().join(".claude.json").exists());
    home.run(["uninstall", "claude", "--yes", "--home", memory]).ok();
    assert!(!dir.exists(), "found again though the variable is gone");
}

/// @install_agents
#[test]
fn a_dry_run_and_no_mcp_leave_out_what_they_say() {
    let home = lived_in();
    let before = tree(home.path());
    let page = home.run(["install", "claude", "--dry-run"]).page();
    assert_snapshot!("install_dry_run", page.replace(&home.binary().display().to_string(), "NUDGE"));
    let plan = home.run(["install", "claude", "--dry-run", "--json"]).json();
    assert_eq!(
        plan["files"][0]["entries"]["hooks"]["Stop"][0]["hooks"][0]["command"],
        line(home.binary(), "")
    );
    assert_eq!(tree(home.path()), before);
    home.run(["install", "claude", "--yes", "--no-mcp"]).ok();
    assert_eq!(text(&home.path().join(".claude.json")), STATE);
}

/// @install_agents
#[test]
fn a_lifetime_that_the_person_chose_stays() {
    let home = home();
    let config = home.file(".config/nudge/config.toml", "default_ttl = \"P7D\"\n");
    assert_snapshot!("install_own_lifetime", home.run(["install", "claude", "--yes"]).page());
    assert_eq!(text(&config), "default_ttl = \"P7D\"\n");
}

/// @install_idempotent
#[test]
fn a_second_time_changes_nothing() {
    let home = lived_in();
    home.run(["install", "claude", "--yes"]).ok();
    let before = tree(home.path());
    assert_snapshot!("install_again", home.run(["install", "claude", "--yes"]).page());
    assert_eq!(tree(home.path()), before);
}

/// @install_idempotent
#[test]
fn from_another_place_only_our_entries_move() {
    let home = lived_in();
    let untouched = tree(home.path());
    home.run(["install", "claude", "--yes"]).ok();
    let link = home.dir("bin").join("nudge");
    symlink(home.binary(), &link).expect("a link");
    let mut moved = Command::new(&link);
    moved.args(["install", "claude", "--yes", "--json"]).env_clear().env("HOME", home.path());
    moved.env("TEST_WITHOUT_ANCESTORS", "1");
    let answer: Value = serde_json::from_slice(&moved.output().expect("it starts").stdout).expect("JSON");
    assert_eq!(
        answer["program"],
        link.to_str().expect("utf-8"),
        "a link is kept: what it points to may move"
    );
    let mut by_name = Command::new(&link);
    by_name.arg0("nudge").args(["install", "claude", "--yes", "--json"]).env_clear().env("HOME", home.path());
    by_name.env("TEST_WITHOUT_ANCESTORS", "1");
    let output = by_name.env("PATH", home.path().join("bin")).output().expect("it starts");
    let again: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&again["program"], &again["changed"]), (&answer["program"], &json!(false)));
    let settings = json(&home.path().join(".claude/settings.json"));
    let stop = settings["hooks"]["Stop"].as_array().expect("a list");
    assert_eq!((stop.len(), &stop[0]["hooks"][0]["command"]), (2, &json!("bell")));
    assert_eq!(stop[1]["hooks"][0]["command"], line(&link, ""));
    fs::remove_dir_all(home.path().join("bin")).expect("removed");
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(tree(home.path()), untouched, "the way back leads over both");
}
