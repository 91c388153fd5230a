//! Help, completions and manual pages: what a person reads before anything else.

use insta::assert_snapshot;

use crate::home;

const COMMANDS: [&str; 55] = [
    "set",
    "get",
    "query",
    "ls",
    "delete",
    "bump",
    "export",
    "import",
    "install",
    "uninstall",
    "update",
    "hook",
    "record",
    "pause",
    "unpause",
    "serve",
    "status",
    "stop",
    "token",
    "discover",
    "config",
    "doctor",
    "backup",
    "restore",
    "search",
    "show",
    "timeline",
    "trace",
    "session",
    "focus",
    "handoff",
    "hypotheses",
    "journal",
    "history",
    "recent",
    "learn",
    "fix",
    "context",
    "why",
    "usage",
    "statusline",
    "mark",
    "pin",
    "unpin",
    "purge",
    "project",
    "maintain",
    "remember",
    "correct",
    "forget",
    "knows",
    "review",
    "stop-showing",
    "completions",
    "man",
];

/// @cli_help
#[test]
fn every_command_explains_itself_in_eighty_columns() {
    let home = home();
    let page = home.nudge(["--help"]).env("COLUMNS", "80").run();
    assert_snapshot!("help", page.page());
    let summaries = page.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for command in COMMANDS {
        let short = home.nudge([command, "-h"]).env("COLUMNS", "80").run().ok();
        let summary = short.lines().next().unwrap_or_default();
        assert!(summaries.contains(&format!("{command} {summary}")), "{command} is summed up as {summary:?}");
        assert_snapshot!(format!("help_{command}"), short);
        let long = home.nudge([command, "--help"]).env("COLUMNS", "80").run().ok();
        for line in short.lines().chain(long.lines()) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

/// @cli_help
#[test]
fn a_typing_error_finds_its_neighbour() {
    assert_snapshot!("typo", home().run(["qurey"]).page());
}

/// @cli_help
#[test]
fn every_setting_has_a_flag_of_its_own() {
    let page = home().run(["get", "--help"]).ok();
    for flag in
        ["--no-secret-guard", "--default-ttl", "--log-level", "--max-hints", "--max-components", "--profile"]
    {
        assert!(page.contains(flag), "{flag} is missing");
    }
}

/// @completions_and_man
#[test]
fn completions_exist_for_every_shell() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.run(["completions", shell]).ok();
        assert!(script.contains("scope-cwd-glob"), "{shell} does not know the flags of set");
    }
}

/// @completions_and_man
#[test]
fn there_is_a_manual_page_for_every_command() {
    let home = home();
    let page = home.run(["man"]).ok();
    assert!(page.contains(".TH nudge 1") && page.contains("Exit codes"), "{page}");
    let dir = home.dir("man1");
    home.run(["man", "--dir", dir.to_str().expect("utf-8")]).ok();
    for command in COMMANDS {
        let page = std::fs::read_to_string(dir.join(format!("nudge-{command}.1"))).expect(command);
        assert!(page.contains(&format!("nudge\\-{}", command.replace('-', "\\-"))), "{command}");
    }
}

/// @cli_discover
#[test]
fn operations_are_listed_described_and_written_as_a_reference() {
    let home = home();
    assert_snapshot!("discover", home.nudge(["discover"]).env("COLUMNS", "80").run().page());
    assert_snapshot!("discover_bump", home.nudge(["discover", "bump"]).env("COLUMNS", "80").run().page());
    let by_alias = home.run(["discover", "nudge.bump", "--json"]).json();
    assert_eq!(by_alias["operations"][0]["name"], "bump");
    let all = home.run(["discover", "--json"]).json();
    let reference = home.run(["discover", "--markdown"]).ok();
    for row in all["operations"].as_array().expect("a list") {
        let name = row["name"].as_str().expect("a name");
        assert!(reference.contains(&format!("\n## `{name}`\n")), "{name} is not in the reference");
    }
    assert!(reference.contains("| `E_SECRET_REJECTED` | 40002 |"));
}
