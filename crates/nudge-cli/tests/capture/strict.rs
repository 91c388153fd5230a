//! Projects with strict credential detection.

use serde_json::json;

use crate::capture::kit::{home, quiet};

/// Looks like a credential only to the strict detector. Built at run time, so that this file
/// contains none.
fn token() -> String {
    format!("{}{}", "xK3vQ9tR", "2mWz7LpD4")
}

/// @secret_sensitivity: a project's own file makes the detector strict for everything captured and
/// stated there, and nowhere else.
#[test]
fn a_project_may_be_stricter_than_the_others() {
    let home = home();
    let (strict, other) = (home.dir("strict"), home.dir("other"));
    home.file("strict/.nudge.toml", "[secrets]\nsensitivity = \"strict\"\n");
    for (session, dir) in [("s-strict", &strict), ("s-other", &other)] {
        let prompt = json!({"session_id": session, "cwd": dir, "hook_event_name": "UserPromptSubmit",
            "prompt": format!("the till opens with {}", token())});
        quiet(home.nudge(["record"]).stdin(prompt.to_string()).run());
        let ran = json!({"session_id": session, "cwd": dir, "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": session, "tool_input": {"command": format!("login {}", token())}, "tool_response": {"stdout": "ok"}});
        quiet(home.nudge(["record"]).stdin(ran.to_string()).run());
    }
    let kept = crate::capture::kit::stored(&home);
    assert_eq!(kept.prompt_texts("s-strict"), ["the till opens with [REDACTED]"]);
    assert_eq!(kept.did("s-strict"), ["command login [REDACTED]"]);
    assert_eq!(kept.prompt_texts("s-other"), [format!("the till opens with {}", token())]);
    let set = |dir: &std::path::PathBuf| home.nudge(["set", "c", "k", &token(), "--json"]).cwd(dir).run();
    assert_eq!(set(&strict).fault(4)["id"], "E_SECRET_REJECTED");
    set(&other).ok();
    let mark = |dir: &std::path::PathBuf| home.nudge(["mark", &token(), "--json"]).cwd(dir).run();
    assert_eq!(mark(&strict).fault(4)["id"], "E_SECRET_REJECTED");
    mark(&other).ok();
}

/// @secret_sensitivity: a project's file never makes the detector less strict; only the user's own
/// settings do, for that project.
#[test]
fn only_the_person_makes_a_project_less_strict() {
    let home = home();
    let (cloned, own) = (home.dir("cloned"), home.dir("own"));
    home.file("cloned/.nudge.toml", "[secrets]\nsensitivity = \"normal\"\nrelaxed = [\"/\"]\n");
    home.file("own/.nudge.toml", "[secrets]\nsensitivity = \"strict\"\n");
    let sensitivity = |dir: &std::path::PathBuf| {
        let keys = home.nudge(["config", "--json"]).cwd(dir).run().json()["keys"].clone();
        let row =
            keys.as_array().expect("keys").iter().find(|row| row["key"] == "secrets.sensitivity").cloned();
        row.expect("a row")["value"].clone()
    };
    home.file(".config/nudge/config.toml", "[secrets]\nsensitivity = \"strict\"\n");
    assert_eq!((sensitivity(&cloned), sensitivity(&own)), (json!("strict"), json!("strict")));
    home.file(".config/nudge/config.toml", "");
    assert_eq!((sensitivity(&cloned), sensitivity(&own)), (json!("normal"), json!("strict")));
    let dir = own.canonicalize().expect("there");
    home.file(
        ".config/nudge/config.toml",
        &format!("[secrets]\nrelaxed = [{:?}]\n", dir.display().to_string()),
    );
    assert_eq!(sensitivity(&dir), json!("normal"));
}

/// @secret_sensitivity @capture_hashes: in a strict project no identity, size or hash reveals a
/// value that only the strict detector finds.
#[test]
fn hashes_of_a_strict_project_tell_nothing() {
    let home = home();
    let dir = home.dir("strict");
    home.file("strict/.nudge.toml", "[secrets]\nsensitivity = \"strict\"\n");
    for value in ["tiny1", "tiny22"] {
        let prompt = json!({"session_id": "s", "cwd": dir, "hook_event_name": "UserPromptSubmit", "prompt_id": "p",
            "prompt": format!("use api_key: {value} for it")});
        quiet(home.nudge(["record"]).stdin(prompt.to_string()).run());
    }
    let kept = crate::capture::kit::stored(&home);
    assert_eq!(kept.prompt_texts("s"), ["use api_key: [REDACTED] for it"], "both have one identity");
    let mut injected = Vec::new();
    for value in ["tiny1", "tiny22"] {
        let session = format!("w-{value}");
        let write = json!({"session_id": session, "cwd": dir, "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_use_id": session, "tool_input": {"file_path": dir.join("a.yml"), "content": format!("api_key: {value}\n")},
            "tool_response": {}});
        quiet(home.nudge(["record"]).stdin(write.to_string()).run());
        let shown = home.nudge(["trace", &session, "--json"]).cwd(&dir).run().ok();
        let id = shown
            .split("\"id\":")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .expect("an id")
            .trim()
            .to_owned();
        let row = home.nudge(["show", &id, "--json"]).cwd(&dir).run().ok();
        let field = |name: &str| {
            let rest = row.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("{name} in {row}"));
            rest.split([',', '}']).next().expect("a value").trim().to_owned()
        };
        injected.push((field("size"), field("hash")));
    }
    assert_eq!(injected[0], injected[1]);
}
