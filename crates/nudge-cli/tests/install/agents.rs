//! The plan for each agent, on homes as people have them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use nudge_testkit::unprivileged::Unprivileged;
use serde_json::json;

use crate::{home, json, text, tree};

/// The files of the four agents, and something of a person's own in each.
const LIVED_IN: [(&str, &str); 8] = [
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

fn lived_in() -> TestHome {
    let home = home();
    for (name, text) in LIVED_IN {
        home.file(name, text);
    }
    home
}

/// The plan as a person sees it, without the path of the program and of the agents that this machine may have.
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

/// @install_project
#[test]
fn a_project_gets_hooks_of_its_own_and_loses_them_again() {
    let home = lived_in();
    let project = home.dir("src/app");
    fs::create_dir_all(project.join(".git")).expect("made");
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
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

/// @install_http
#[test]
fn over_http_the_token_is_in_no_file_argument_or_variable() {
    let home = lived_in();
    let port = free_port();
    let outcome = home.run(["install", "claude", "codex", "opencode", "--http", "--yes", "--port", &port]);
    outcome.ok();
    let token = text(&home.memory().join("run/token"));
    let header = home.run(["token", "header"]).json();
    assert_eq!(header, json!({"Authorization": format!("Bearer {}", token.trim())}));
    for (name, (_, bytes)) in tree(home.path()) {
        let holds = String::from_utf8_lossy(&bytes).contains(token.trim());
        assert!(!holds || name.ends_with("run/token"), "{name}");
    }
    let server = &json(&home.path().join(".claude.json"))["mcpServers"]["nudge"];
    assert_eq!(server["url"], format!("http://127.0.0.1:{port}/mcp"));
    let refused = home.run(["install", "copilot", "--http", "--yes", "--json"]).fault(1);
    assert_eq!(refused["data"]["reason"], "no_http");
    home.run(["uninstall", "--yes", "--purge"]).ok();
    assert!(!home.memory().exists(), "the server is stopped and the memory is gone");
    for (name, text_before) in LIVED_IN {
        assert_eq!(text(&home.path().join(name)), text_before, "{name}");
    }
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
        let fault = home.run([command, "--json"]).fault(1);
        assert_eq!(fault["data"]["reason"], "not_confirmed");
        assert_eq!(tree(home.path()), before);
    }
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(tree(home.path()), before);
}

/// @install_confirm
#[test]
fn an_agent_does_not_install_itself() {
    let home = lived_in();
    let before = tree(home.path());
    for words in [&["install", "--yes"][..], &["uninstall", "--yes", "--purge"], &["doctor", "--fix"]] {
        let fault = home.nudge([words, &["--json"]].concat()).env("CLAUDECODE", "1").run().fault(1);
        assert_eq!(fault["data"]["reason"], "agent_above");
    }
    assert_eq!(tree(home.path()), before);
}

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
        other.run(["install", "claude", "--yes", "--json"]).fault(1)["data"]["reason"],
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
    // The same in the form and place of the version before.
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

/// A port that nobody has now.
fn free_port() -> String {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port().to_string()
}

/// @install_daemon
#[test]
fn a_server_is_started_once_and_waited_for() {
    let home = home();
    let port = free_port();
    let first = home.run(["install", "claude", "--yes", "--daemon", "--port", &port]);
    assert!(first.stderr.contains("a server runs in the background"), "{}", first.stderr);
    let status = home.run(["status", "--json"]).json();
    assert_eq!(status["responding"], true, "{status}");
    let pid = status["pid"].clone();
    let again = home.run(["install", "claude", "--yes", "--daemon", "--port", &port]);
    assert!(again.stderr.contains("a server runs already"), "{}", again.stderr);
    assert_eq!(home.run(["status", "--json"]).json()["pid"], pid, "no second one");
    home.run(["uninstall", "--yes"]).ok();
}

/// @uninstall_stops
#[test]
fn the_server_ends_with_the_last_agent_and_none_is_no_failure() {
    let home = home();
    home.run(["install", "claude", "codex", "--yes", "--daemon", "--port", &free_port()]).ok();
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(home.run(["status", "--json"]).json()["running"], true, "codex is still there");
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(home.run(["status", "--json"]).json()["running"], false);
    assert!(!home.memory().join("run/state.json").exists());
    home.run(["install", "claude", "--yes"]).ok();
    home.run(["uninstall", "--yes"]).ok();
}

/// @install_project
#[test]
fn a_project_leaves_what_is_for_the_person_alone() {
    let home = lived_in();
    let project = home.dir("src/app");
    fs::create_dir_all(project.join(".git")).expect("made");
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
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
    // The agent rewrites its own file in between.
    let state = home.path().join(".claude.json");
    fs::write(&state, text(&state).replace("\"numStartups\": 3", "\"numStartups\": 4")).expect("written");
    run(&["install", "claude", "--project", "--yes"]).ok();
    run(&["uninstall", "--yes"]).ok();
    assert_eq!(text(&state), LIVED_IN[1].1.replace('3', "4"));
    fs::write(&state, LIVED_IN[1].1).expect("written");
    assert_eq!(tree(home.path()), before);
}

/// @install_by_hand
#[test]
fn agents_by_hand_beside_others_are_both_done() {
    let home = home();
    let page = home.run(["install", "gemini", "claude", "--yes"]).page();
    assert!(
        page.contains("Nudge is in Claude Code now") && page.contains("Gemini CLI by itself yet"),
        "{page}"
    );
    let event = json!({"session_id": "g1", "cwd": home.path(), "hook_event_name": "BeforeAgent", "prompt": "hello there"});
    home.run(["set", "a", "b", "c"]).ok();
    home.nudge(["hook", "gemini"]).stdin(event.to_string()).env("TEST_DEADLINE_SECONDS", "20").run().ok();
    let doctor = home.run(["doctor", "--no-probe"]).page();
    assert!(doctor.contains("Gemini CLI, set up by hand: last event"), "{doctor}");
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
