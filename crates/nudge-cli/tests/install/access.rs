//! Other people's content stays untouched, and only Nudge's own files are read or deleted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nudge_testkit::TestHome;
use nudge_testkit::unprivileged::Unprivileged;
use serde_json::json;

use crate::install::agents::{LIVED_IN, lived_in};
use crate::install::{home, json, text, tree};

/// @install_refuses
#[test]
fn a_program_that_others_can_exchange_is_not_registered() {
    let home = lived_in();
    let dir = home.dir("shared");
    let copy = dir.join("nudge");
    fs::copy(home.binary(), &copy).expect("copied");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).expect("a mode");
    let other = TestHome::new(&copy);
    assert_eq!(
        other.run(["install", "claude", "--yes", "--json"]).fault(4)["data"]["reason"],
        "program_not_safe"
    );
    assert!(!other.path().join(".claude").exists());
}

/// @install_refuses
#[test]
fn files_that_this_user_cannot_write_stay() {
    let user = Unprivileged::new(home().binary());
    for (name, text) in LIVED_IN {
        let path = user.home().join(name);
        for dir in
            path.ancestors().skip(1).take_while(|dir| *dir != user.home()).collect::<Vec<_>>().iter().rev()
        {
            user.make_dir(dir, 0o755);
        }
        fs::write(&path, text).expect("written");
        user.give(&path, if name.ends_with("config.toml") { 0o444 } else { 0o644 });
    }
    let before = tree(&user.home());
    let outcome = user.run(["install", "--yes", "--json"]);
    assert_eq!(outcome.fault(1)["data"]["reason"], "settings_not_writable");
    assert_eq!(tree(&user.home()), before);
}

/// @install_refuses
#[test]
fn a_malformed_file_of_any_agent_stops_everything() {
    for (name, broken) in [
        (".codex/config.toml", "model = = 1\n"),
        (".codex/config.toml", "mcp_servers = 3\n"),
        (".codex/hooks.json", "{\"hooks\": []}"),
        (".config/opencode/opencode.jsonc", "{\"mcp\": "),
        (".copilot/mcp-config.json", "[]"),
    ] {
        let home = lived_in();
        home.file(name, broken);
        let before = tree(home.path());
        let fault = home.run(["install", "--yes", "--json"]).fault(1);
        assert!(fault["message"].as_str().expect("a message").contains(name), "{fault}");
        assert_eq!(tree(home.path()), before, "{name}");
    }
}

/// @install_ledger
#[test]
fn one_agent_leaves_and_the_others_stay() {
    let home = lived_in();
    let before = tree(home.path());
    home.run(["install", "--yes"]).ok();
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(text(&home.path().join(".claude.json")), LIVED_IN[1].1);
    assert!(text(&home.config_file()).contains("forever"), "still wanted by the others");
    assert!(text(&home.path().join(".codex/hooks.json")).contains("nudge"));
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
}

/// @install_ledger
#[test]
fn what_an_earlier_version_noted_is_understood() {
    let home = lived_in();
    let before = text(&home.path().join(".claude.json"));
    home.run(["install", "claude", "--yes"]).ok();
    // The same in the format and place of the previous version.
    let ledger = json(&home.memory().join("install/ledger.json"));
    fs::remove_file(home.memory().join("install/ledger.json")).expect("removed");
    home.file(".local/share/nudge/install/claude/record.json", &ledger.to_string());
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(text(&home.path().join(".claude.json")), before);
    assert!(!home.memory().join("install").exists());
}

/// @install_guard
#[test]
fn a_hook_whose_program_is_gone_or_broken_says_nothing() {
    let home = home();
    let copy = home.dir("bin").join("nudge");
    fs::copy(home.binary(), &copy).expect("copied");
    let installed = TestHome::new(&copy);
    installed.run(["install", "claude", "copilot", "--yes"]).ok();
    let settings = json(&installed.path().join(".claude/settings.json"));
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a line").to_owned();
    let quiet = |why: &str| {
        let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("a shell");
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{why}: {output:?}"
        );
    };
    fs::write(&copy, "#!/no/such/interpreter\n").expect("written");
    quiet("broken");
    fs::remove_file(&copy).expect("removed");
    quiet("gone");
    fs::create_dir(&copy).expect("made");
    quiet("a directory");
}

/// @uninstall_restores
#[test]
fn a_purge_deletes_nothing_that_is_not_ours() {
    let home = home();
    let theirs = [
        "index.html",
        "run.sh",
        "lock",
        "logs/a",
        "backups/photos.tar",
        "run/e",
        "search/d",
        "index/page.html",
    ];
    for name in theirs {
        home.file(&format!("proj/{name}"), "mine");
    }
    let proj = home.path().join("proj");
    fs::set_permissions(proj.join("run"), fs::Permissions::from_mode(0o700)).expect("a mode");
    let before = tree(&proj);
    let memory = proj.to_str().expect("utf-8");
    home.run(["uninstall", "--purge", "--yes", "--home", memory]).ok();
    assert_eq!(tree(&proj), before, "it was no memory");
    home.run(["set", "a", "b", "c", "--home", memory]).ok();
    home.run(["install", "claude", "--yes", "--home", memory]).ok();
    home.run(["uninstall", "--purge", "--yes", "--home", memory]).ok();
    assert_eq!(tree(&proj), before, "only ours is gone");
}

/// @install_refuses
#[test]
fn lines_of_other_people_that_name_us_stay() {
    for line in [
        "/opt/acme/nudge-notify hook claude",
        "echo do not run nudge hook claude today",
        "/usr/local/bin/nudge hook claude && notify-me",
    ] {
        let home = home();
        let settings =
            json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}).to_string();
        let file = home.file(".claude/settings.json", &settings);
        home.run(["install", "claude", "--yes"]).ok();
        assert!(text(&file).contains(line), "{line}");
        home.run(["uninstall", "claude", "--yes"]).ok();
        assert_eq!(text(&file), settings);
    }
}

/// @install_ledger
#[test]
fn a_ledger_cannot_name_files_that_no_installer_has() {
    let home = lived_in();
    home.run(["install", "opencode", "--yes"]).ok();
    let victim = home.file("victim", "precious");
    let path = home.memory().join("install/ledger.json");
    let mut ledger = json(&path);
    let hash = blake3::hash(b"precious").to_hex().to_string();
    let files = ledger["files"].as_array_mut().expect("a list");
    files
        .push(json!({"agent": "opencode", "part": "hooks", "path": victim, "written": hash, "before": null}));
    fs::write(&path, ledger.to_string()).expect("written");
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(text(&victim), "precious");
}
