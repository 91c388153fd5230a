//! `nudge doctor` on broken set-ups, one by one: each fault is named with its fix.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::cli::home;

/// A home with all four agents, and Nudge installed in each.
fn installed() -> TestHome {
    let home = home();
    for dir in [".claude", ".codex", ".config/opencode", ".copilot"] {
        home.dir(dir);
    }
    home.file(".codex/config.toml", "model = \"gpt-5.5\"\n");
    home.nudge(["install", "--yes"]).env("PATH", "/usr/bin:/bin").run().ok();
    trust(&home);
    home
}

/// Trusts Nudge's hooks in Codex, as a user does in its terminal.
fn trust(home: &TestHome) {
    let path = home.path().join(".codex/hooks.json");
    let hooks: Value = serde_json::from_slice(&fs::read(&path).expect("installed")).expect("JSON");
    let mut config = fs::read_to_string(home.path().join(".codex/config.toml")).expect("installed");
    for (event, groups) in hooks["hooks"].as_object().expect("hooks") {
        let hash = nudge_harness::codex_hash(event, &groups[0], &groups[0]["hooks"][0]);
        let event: String = event
            .char_indices()
            .map(|(at, c)| {
                if c.is_uppercase() && at > 0 {
                    format!("_{}", c.to_ascii_lowercase())
                } else {
                    c.to_ascii_lowercase().to_string()
                }
            })
            .collect();
        let path = path.canonicalize().expect("there");
        config.push_str(&format!(
            "\n[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"{hash}\"\n",
            path.display()
        ));
    }
    fs::write(home.path().join(".codex/config.toml"), config).expect("written");
}

/// The problems that doctor finds, with their fixes, without anything that differs between runs.
fn findings(home: &TestHome, args: &[&str]) -> String {
    let mut words = vec!["doctor"];
    words.extend(args);
    let outcome = home.nudge(words).env("PATH", "/usr/bin:/bin").run();
    let page = outcome.page().replace(&home.binary().display().to_string(), "NUDGE");
    let mut shown = Vec::new();
    let mut is_shown = false;
    for line in page.lines() {
        let is_new =
            ["ok ", "warn", "fail", "fixed", "not fixed", "---"].iter().any(|mark| line.starts_with(mark));
        // The machine that runs the tests is not part of the set-up.
        is_shown = if is_new { !line.starts_with("ok ") && !line.contains("  disk  ") } else { is_shown };
        if is_shown {
            shown.push(line);
        }
    }
    shown.join("\n")
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("there");
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, if from.starts_with('{') { 1 } else { usize::MAX }))
        .expect("written");
}

/// @doctor_agents
#[test]
fn a_set_up_that_works_is_well_and_a_test_event_is_found_and_removed() {
    let home = installed();
    assert_eq!(findings(&home, &[]), "");
    let report = home.nudge(["doctor", "--json"]).run().json();
    let probed = report["checks"].as_array().expect("a list").iter().filter(|check| {
        check["message"].as_str().is_some_and(|message| message.contains("a test event was stored and found"))
    });
    assert_eq!(probed.count(), 4);
    assert_eq!(home.run(["sessions", "--all", "--json"]).json(), json!([]), "nothing of it stays");
}

/// @doctor_agents
#[test]
fn hooks_that_somebody_removed() {
    let home = installed();
    home.file(".claude/settings.json", "{}");
    assert_snapshot!("broken_hooks_removed", findings(&home, &["--no-probe"]));
    home.run(["doctor", "--fix"]);
    assert_eq!(findings(&home, &["--no-probe"]), "");
}

/// @doctor_agents
#[test]
fn a_program_that_is_gone() {
    let home = installed();
    replace(&home.path().join(".codex/hooks.json"), &home.binary().display().to_string(), "/gone/nudge");
    assert_snapshot!("broken_program_gone", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn a_program_of_another_version() {
    let home = installed();
    let other = home.file("bin/nudge", "#!/bin/sh\necho nudge 0.0.9\n");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("a mode");
    replace(
        &home.path().join(".copilot/hooks/nudge.json"),
        &home.binary().display().to_string(),
        &other.display().to_string(),
    );
    assert_snapshot!("broken_other_version", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn settings_that_are_no_json() {
    let home = installed();
    home.file(".claude/settings.json", "{\"hooks\": ");
    assert_snapshot!("broken_not_json", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn settings_that_are_no_toml() {
    let home = installed();
    home.file(".codex/config.toml", "model = = 1\n");
    assert_snapshot!("broken_not_toml", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn hooks_that_nobody_trusted() {
    let home = installed();
    let config = home.path().join(".codex/config.toml");
    let text = fs::read_to_string(&config).expect("there");
    fs::write(&config, text.split("\n[hooks.state").next().expect("a head")).expect("written");
    assert_snapshot!("broken_untrusted", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn hooks_that_changed_since_they_were_trusted() {
    let home = installed();
    replace(&home.path().join(".codex/config.toml"), "sha256:", "sha256:00");
    assert_snapshot!("broken_trust_changed", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn hooks_that_are_switched_off() {
    let home = installed();
    replace(&home.path().join(".claude/settings.json"), "{\n", "{\n  \"disableAllHooks\": true,\n");
    assert_snapshot!("broken_hooks_off_claude", findings(&home, &["--no-probe"]));
    let home = installed();
    replace(&home.path().join(".codex/config.toml"), "model =", "features.hooks = false\nmodel =");
    assert_snapshot!("broken_hooks_off_codex", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn events_that_fire_twice() {
    let home = installed();
    let project = home.dir("app");
    nudge_testkit::git::repository(&project, None, "main");
    home.nudge(["install", "opencode", "--project", "--yes"]).cwd(&project).run().ok();
    let page = home.nudge(["doctor", "--no-probe"]).cwd(&project).run().page();
    let line = page.split("\nwarn").find(|part| part.contains("fires twice")).expect("named");
    assert_snapshot!("broken_fires_twice", line.split("\nok").next().expect("a part"));
}

/// @doctor_agents
#[test]
fn a_server_entry_that_is_somebody_elses() {
    let home = installed();
    home.file(
        ".copilot/mcp-config.json",
        "{\"mcpServers\": {\"nudge\": {\"type\": \"local\", \"command\": \"npx\"}}}",
    );
    assert_snapshot!("broken_server_taken", findings(&home, &["--no-probe"]));
}

/// @doctor_agents
#[test]
fn a_plugin_that_is_gone() {
    let home = installed();
    fs::remove_file(home.path().join(".config/opencode/plugins/nudge.js")).expect("removed");
    assert_snapshot!("broken_plugin_gone", findings(&home, &["--no-probe"]));
    home.run(["doctor", "--fix"]);
    assert_eq!(findings(&home, &["--no-probe"]), "");
}

/// @doctor_agents
#[test]
fn an_event_that_does_not_arrive() {
    let home = installed();
    home.run(["pause"]).ok();
    assert_snapshot!("broken_paused", findings(&home, &[]));
}

/// @doctor_agents
#[test]
fn a_program_that_others_can_exchange() {
    let first = installed();
    let dir = first.dir("shared");
    let copy = dir.join("nudge");
    fs::copy(first.binary(), &copy).expect("copied");
    let home = TestHome::new(&copy);
    home.dir(".claude");
    home.run(["install", "claude", "--yes"]).ok();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).expect("a mode");
    let shown = findings(&home, &["--no-probe"]).replace(&first.path().display().to_string(), "ELSEWHERE");
    assert_snapshot!("broken_unsafe_program", shown);
}

/// @doctor_agents: copies of settings that a killed process left are removed an hour later. Files
/// of the user and of others stay, whatever they are called.
#[test]
fn copies_of_settings_that_a_killed_install_left() {
    let home = installed();
    let make_old = |path: &Path| {
        let two_hours_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        let file = fs::File::open(path).expect("opened");
        file.set_modified(two_hours_ago).expect("made to look old");
    };
    let young = |name: &str| {
        home.file(&format!(".claude/.nudge-part-{name}"), "{\"env\": {\"KEY\": \"of the user\"}}")
    };
    let left = |name: &str| {
        let path = young(name);
        make_old(&path);
        path
    };
    let mut stay = vec![young("cD34567890123456")];
    stay.extend(["notes.md", "notes1", "a-longer-name.md", "aB345678901234567"].map(left));
    let dir = home.dir(".claude/.nudge-part-eF34567890123456");
    make_old(&dir);
    stay.push(dir);
    if rustix::process::geteuid().is_root() {
        let other = left("gH34567890123456");
        std::os::unix::fs::chown(&other, Some(12_345), None).expect("given away");
        stay.push(other);
    }
    let old = left("aB34567890123456");
    let said = findings(&home, &["--no-probe"]);
    assert!(said.contains("a killed process left copies of settings: "), "{said}");
    assert_eq!(said.matches("/.nudge-part-").count(), 1, "{said}");
    assert!(said.contains("/.nudge-part-aB34567890123456"), "{said}");
    home.run(["doctor", "--fix"]);
    assert!(!old.exists() && stay.iter().all(|path| path.exists()));
    assert_eq!(findings(&home, &["--no-probe"]), "");
    home.run(["uninstall", "claude", "--yes"]).ok();
    let old = left("iJ34567890123456");
    home.run(["install", "claude", "--yes"]).ok();
    assert!(!old.exists() && stay.iter().all(|path| path.exists()));
}

/// @doctor_agents
#[test]
fn a_memory_that_is_open_to_others() {
    let home = installed();
    home.run(["set", "a", "b", "c"]).ok();
    fs::set_permissions(home.memory(), fs::Permissions::from_mode(0o755)).expect("a mode");
    assert_snapshot!("broken_open_home", findings(&home, &["--no-probe"]));
    home.run(["doctor", "--fix"]);
    assert_eq!(findings(&home, &["--no-probe"]), "");
}

/// @doctor_agents
#[test]
fn events_that_were_dropped() {
    let home = installed();
    home.run(["set", "a", "b", "c"]).ok();
    home.nudge(["hook", "claude"]).stdin("this is no event").run().ok();
    let shown = findings(&home, &["--no-probe"]);
    let shown = shown.split("; the newest at").next().expect("a part");
    assert_snapshot!("broken_dropped", shown);
}

/// @doctor_agents
#[test]
fn a_ledger_that_cannot_be_read() {
    let home = installed();
    home.file(".local/share/nudge/install/ledger.json", "{");
    assert_snapshot!("broken_ledger", findings(&home, &["--no-probe"]));
}

/// @own_memories
#[test]
fn the_agents_own_memories_are_named_and_left_alone() {
    let home = installed();
    let project = home.dir("app");
    let notes = home.file(
        "app/CLAUDE.md",
        "# Rules\n\n- Prices are integers in cents.\n- Run the tests before a commit.\n",
    );
    home.file(".codex/AGENTS.md", "Answer in short sentences, please.\n");
    let before = fs::read(&notes).expect("there");
    let page = home.nudge(["doctor", "--no-probe"]).cwd(&project).run().page();
    let line = page.split("\nok    ").find(|part| part.starts_with("memories")).expect("named");
    assert_snapshot!("own_memories", line.split("\nok").next().expect("a part"));
    let dry = home.nudge(["import", "notes", "--dry-run"]).cwd(&project).run().page();
    assert_snapshot!("import_notes_dry_run", dry);
    home.nudge(["import", "notes"]).cwd(&project).run().ok();
    let again = home.nudge(["import", "notes", "--json"]).cwd(&project).run().json();
    assert_eq!(again["files"][0]["created"], 0, "known already");
    let knows = home.nudge(["knows", "--json"]).cwd(&project).run().json().to_string();
    assert!(knows.contains("Prices are integers in cents.") && knows.contains("CLAUDE.md"), "{knows}");
    assert_eq!(fs::read(&notes).expect("there"), before);
}
