//! The plan for each agent, in typical homes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::json;

use crate::install::{home, text, tree};

/// The files of the four agents, each with some content of the user's.
pub(crate) const LIVED_IN: [(&str, &str); 8] = [
    (
        ".claude/settings.json",
        "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]\n  }\n}\n",
    ),
    (".claude.json", "{\"mcpServers\": {\"other\": {\"command\": \"other\"}}, \"numStartups\": 3}"),
    (
        ".codex/hooks.json",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}\n    ]\n  }\n}\n",
    ),
    (
        ".codex/config.toml",
        "# mine\nmodel = \"gpt-5.5\" # for now\n\n[mcp_servers.other]\ncommand = \"other\"\n\n[tui]\ntheme = \"dark\"\n",
    ),
    (
        ".config/opencode/opencode.jsonc",
        "{\n  // mine\n  \"model\": \"x/y\",\n  \"mcp\": {\n    \"other\": {\"type\": \"local\", \"command\": [\"other\"]},\n  },\n}\n",
    ),
    (".config/opencode/plugins/mine.js", "export const Mine = async () => ({})\n"),
    (
        ".copilot/mcp-config.json",
        "{\n  \"mcpServers\": {\n    \"other\": {\"type\": \"local\", \"command\": \"other\", \"args\": [], \"tools\": [\"*\"]}\n  }\n}\n",
    ),
    (".copilot/hooks/mine.json", "{\"version\": 1, \"hooks\": {}}\n"),
];

pub(crate) fn lived_in() -> TestHome {
    let home = home();
    for (name, text) in LIVED_IN {
        home.file(name, text);
    }
    home
}

/// The plan as a user sees it, without the program's path and the paths of agents on this machine.
fn plan(home: &TestHome, args: &[&str]) -> String {
    let mut words = vec!["install", "--dry-run"];
    words.extend(args);
    home.nudge(words)
        .env("PATH", "/usr/bin:/bin")
        .run()
        .page()
        .replace(&home.binary().display().to_string(), "NUDGE")
}

/// @install_plan
#[test]
fn the_plan_for_a_home_full_of_other_peoples_hooks_and_servers() {
    let home = lived_in();
    let before = tree(home.path());
    assert_snapshot!("plan_lived_in", plan(&home, &[]));
    assert_eq!(tree(home.path()), before, "a plan changes nothing");
}

/// @install_plan
#[test]
fn the_plan_for_an_empty_home_names_what_was_looked_for() {
    let home = home();
    let none = home.nudge(["install", "--dry-run"]).env("PATH", "/nowhere").run();
    assert_snapshot!("plan_empty", none.page());
    assert_snapshot!("plan_empty_named", plan(&home, &["codex", "opencode"]));
}

/// @install_plan
#[test]
fn line_ends_of_windows_stay() {
    let home = home();
    for (name, text) in LIVED_IN {
        home.file(name, &text.replace('\n', "\r\n"));
    }
    let before = tree(home.path());
    home.run(["install", "--yes"]).ok();
    for (name, _) in LIVED_IN {
        let text = text(&home.path().join(name));
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{name}: {text:?}");
    }
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
}

/// @install_plan
#[test]
fn an_older_nudge_is_replaced_and_nothing_else() {
    let home = lived_in();
    let old = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/old/nudge hook codex\", \"timeout\": 5}]}]}}";
    home.file(".codex/hooks.json", old);
    home.file(".codex/config.toml", "[mcp_servers.nudge]\ncommand = \"/old/nudge\"\nargs = [\"serve\"]\n");
    assert_snapshot!("plan_old_nudge", plan(&home, &["codex"]));
    home.run(["install", "codex", "--yes"]).ok();
    assert!(!text(&home.path().join(".codex/hooks.json")).contains("/old/nudge"));
    home.run(["uninstall", "codex", "--yes"]).ok();
    assert_eq!(text(&home.path().join(".codex/config.toml")).trim(), "");
}

/// @install_plan
#[test]
fn further_profiles_are_named_and_not_touched() {
    let home = lived_in();
    home.file(".claude-work/.claude.json", "{}");
    home.file(".codex-work/config.toml", "");
    let before = tree(&home.path().join(".claude-work"));
    let page = home.run(["install", "claude", "codex", "--yes"]).page();
    assert!(page.contains("CLAUDE_CONFIG_DIR=") && page.contains(".claude-work"), "{page}");
    assert!(page.contains("CODEX_HOME=") && page.contains(".codex-work"), "{page}");
    assert_eq!(tree(&home.path().join(".claude-work")), before);
    let dir = home.path().join(".codex-work");
    home.nudge(["install", "codex", "--yes"]).env("CODEX_HOME", &dir).run().ok();
    assert!(dir.join("hooks.json").exists());
    home.run(["uninstall", "--yes"]).ok();
    assert!(!dir.join("hooks.json").exists(), "found again though the variable is gone");
}

/// @install_plan
#[test]
fn versions_are_read_from_the_files_beside_a_program() {
    let home = home();
    let package = "lib/node_modules/@openai/codex";
    home.file(&format!("{package}/package.json"), "{\"name\": \"@openai/codex\", \"version\": \"0.166.0\"}");
    let program = home.file(&format!("{package}/bin/codex.js"), "#!/usr/bin/env node\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    symlink(&program, home.dir("bin").join("codex")).expect("a link");
    let answer =
        home.nudge(["install", "--dry-run", "--json"]).env("PATH", home.path().join("bin")).run().json();
    assert_eq!(answer["agents"][0]["name"], "codex");
    assert_eq!(answer["agents"][0]["version"], "0.166.0");
}

/// @install_confirm
#[test]
fn nothing_is_changed_without_consent() {
    let home = lived_in();
    let before = tree(home.path());
    for command in ["install", "uninstall"] {
        if command == "uninstall" {
            home.run(["install", "--yes"]).ok();
        }
        let before = tree(home.path());
        let fault = home.run([command, "--json"]).fault(4);
        assert_eq!(fault["data"]["reason"], "not_confirmed");
        assert_eq!(tree(home.path()), before);
    }
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
}

/// @install_confirm: before the question there is a summary; the lines come only if asked for.
#[test]
fn the_summary_comes_first_and_the_lines_on_request() {
    let home = lived_in();
    let shown = |words: &[&str]| home.run(words).page();
    let (plain, whole) = (shown(&["install", "claude"]), shown(&["install", "claude", "--diff"]));
    let added = "    + ";
    assert!(plain.contains("Claude Code") && plain.contains("--diff shows the changes"), "{plain}");
    assert!(!plain.contains(added), "{plain}");
    let summary = whole.find("Claude Code").expect("a summary");
    assert!(summary < whole.find(added).expect("lines"), "{whole}");
    assert!(shown(&["install", "claude", "--dry-run"]).contains(added));
}

/// @install_confirm
#[test]
fn an_agent_does_not_install_itself() {
    let home = lived_in();
    let before = tree(home.path());
    for words in [&["install", "--yes"][..], &["uninstall", "--yes", "--purge"], &["doctor", "--fix"]] {
        let fault = home.nudge([words, &["--json"]].concat()).env("CLAUDECODE", "1").run().fault(4);
        assert_eq!(fault["data"]["reason"], "agent_above");
    }
    assert_eq!(tree(home.path()), before);
}

/// @install_by_hand
#[test]
fn other_agents_get_the_steps_by_hand() {
    let home = home();
    for agent in ["gemini", "qwen", "cline", "cursor"] {
        let page = home.run(["install", agent]).page().replace(&home.binary().display().to_string(), "NUDGE");
        assert_snapshot!(format!("by_hand_{agent}"), page);
    }
    assert!(tree(home.path()).is_empty());
}

/// @install_by_hand
#[test]
fn agents_by_hand_beside_others_are_both_done() {
    let home = home();
    let page = home.run(["install", "gemini", "claude", "--yes"]).page();
    assert!(
        page.contains("installed Nudge in Claude Code") && page.contains("Gemini CLI by itself yet"),
        "{page}"
    );
    let event = json!({"session_id": "g1", "cwd": home.path(), "hook_event_name": "BeforeAgent", "prompt": "hello there"});
    home.run(["set", "a", "b", "c"]).ok();
    home.nudge(["hook", "gemini"]).stdin(event.to_string()).run().ok();
    let doctor = home.run(["doctor", "--no-probe"]).page();
    assert!(doctor.contains("Gemini CLI, set up by hand: last event"), "{doctor}");
}
