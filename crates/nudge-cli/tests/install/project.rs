//! Installing Nudge for one project only.

use std::fs;

use nudge_testkit::git::repository;

use crate::install::agents::{LIVED_IN, lived_in};
use crate::install::{json, text, tree};

/// @install_project
#[test]
fn a_project_gets_hooks_of_its_own_and_loses_them_again() {
    let home = lived_in();
    let project = home.dir("src/app");
    repository(&project, None, "main");
    let before = tree(home.path());
    let install = |words: &[&str]| home.nudge(words).cwd(&project).run();
    install(&["install", "--project", "--yes"]).ok();
    for name in [
        ".claude/settings.local.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".opencode/plugins/nudge.js",
        ".github/hooks/nudge.json",
        ".mcp.json",
    ] {
        assert!(text(&project.join(name)).contains("nudge"), "{name}");
    }
    let state = json(&home.path().join(".claude.json"));
    let root = project.canonicalize().expect("there").to_string_lossy().into_owned();
    assert!(state["projects"][&root]["mcpServers"]["nudge"].is_object(), "{state}");
    install(&["uninstall", "--project", "--yes"]).ok();
    install(&["uninstall", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
}

/// @install_project
#[test]
fn a_project_leaves_what_is_for_the_person_alone() {
    let home = lived_in();
    let project = home.dir("src/app");
    repository(&project, None, "main");
    let before = tree(home.path());
    let run = |words: &[&str]| home.nudge(words).cwd(&project).run();
    run(&["install", "claude", "--yes"]).ok();
    let for_person = tree(home.path());
    run(&["install", "claude", "--project", "--yes"]).ok();
    run(&["uninstall", "claude", "--project", "--yes"]).ok();
    let ledger = ".local/share/nudge/install/ledger.json";
    let without = |mut tree: std::collections::BTreeMap<String, (u32, Vec<u8>)>| {
        tree.remove(ledger);
        tree
    };
    assert_eq!(
        without(tree(home.path())),
        without(for_person),
        "directories that are empty now are gone, too"
    );
    // The agent rewrites its own file in the meantime.
    let state = home.path().join(".claude.json");
    fs::write(&state, text(&state).replace("\"numStartups\": 3", "\"numStartups\": 4")).expect("written");
    run(&["install", "claude", "--project", "--yes"]).ok();
    run(&["uninstall", "--yes"]).ok();
    assert_eq!(text(&state), LIVED_IN[1].1.replace('3', "4"));
    fs::write(&state, LIVED_IN[1].1).expect("written");
    assert_eq!(tree(home.path()), before);
}
