//! Compares whole files before and after.

use super::*;
use crate::edit::EditError;
use crate::install::{Http, InstallError};

const WHO: Registration<'static> =
    Registration { program: "/opt/nudge/bin/nudge", home: None, http: None, project: None };
const MOVED: Registration<'static> =
    Registration { program: "/home/ada/bin/nudge", home: Some("/mnt/memory"), http: None, project: None };

fn with_hooks(text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
    INSTALLER.files[0].with_entries(text, who)
}

fn without_hooks(text: &str) -> Result<String, InstallError> {
    INSTALLER.files[0].without_entries(text, &WHO)
}

fn with_server(text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
    INSTALLER.files[1].with_entries(text, who)
}

fn without_server(text: &str) -> Result<String, InstallError> {
    INSTALLER.files[1].without_entries(text, &WHO)
}

/// A settings file with everything a user may have in it, in unusual formatting.
const SETTINGS: &str = r#"{
    "permissions": { "allow": ["Bash(git *)", "Read"] },
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "prettier --write" }] }
        ],
        "Notification": [{"hooks": [{"type": "command", "command": "othertool hook claude"}]}]
    },
    "model": "opus"
}
"#;

#[test]
fn hooks_of_a_fresh_file() {
    let text = with_hooks(None, &WHO).expect("an empty file takes hooks");
    insta::assert_snapshot!("fresh_settings", text);
    assert_eq!(without_hooks(&text), Ok("{}\n".to_owned()));
}

#[test]
fn hooks_beside_those_of_others() {
    let text = with_hooks(Some(SETTINGS), &MOVED).expect("settings take hooks");
    insta::assert_snapshot!("settings_with_hooks", text);
    assert_eq!(without_hooks(&text).expect("hooks come out"), SETTINGS);
}

#[test]
fn a_second_time_changes_nothing_and_another_place_moves_only_ours() {
    let once = with_hooks(Some(SETTINGS), &WHO).expect("hooks go in");
    assert_eq!(with_hooks(Some(&once), &WHO), Ok(once.clone()));
    let moved = with_hooks(Some(&once), &MOVED).expect("hooks move");
    assert_eq!(Ok(moved), with_hooks(Some(SETTINGS), &MOVED));
}

#[test]
fn hooks_written_by_hand_are_known_and_strangers_are_not() {
    let ours = |handler: Value| {
        let text = json!({"hooks": {"Stop": [{"hooks": [handler]}]}}).to_string();
        let who = Registration { program: "/usr/bin/mynudge", ..Registration::default() };
        INSTALLER.files[0].without_entries(&text, &who).expect("settings") != text
    };
    assert!(ours(json!({"command": "nudge hook claude"})));
    assert!(ours(json!({"command": "[ ! -x /opt/nudge ] || /opt/nudge hook claude"})));
    assert!(ours(json!({"command": "\"/opt/my tools/nudge\" hook claude --home /m"})));
    assert!(ours(json!({"command": "/usr/bin/mynudge", "args": ["--home", "/m", "hook", "claude"]})));
    assert!(ours(json!({"command": "C:\\nudge-0.2.exe", "args": ["hook", "claude"]})));
    assert!(!ours(json!({"command": "othertool hook claude"})));
    assert!(!ours(json!({"command": "nudgery hook claude"})));
    assert!(!ours(json!({"command": "nudge hook claude-code"})));
    assert!(!ours(json!({"command": "nudge", "args": ["hook", "codex"]})));
    assert!(!ours(json!({"type": "http", "url": "http://127.0.0.1:1"})));
}

#[test]
fn over_http_the_token_is_asked_for_and_not_written() {
    let http = Some(Http { url: "http://127.0.0.1:8765/mcp", token_file: "/m/run/token" });
    let text = with_server(None, &Registration { http, ..WHO }).expect("a server goes in");
    insta::assert_snapshot!("server_http", text);
    assert_eq!(without_server(&text).as_deref(), Ok("{}\n"));
    let stdio = with_server(Some(&text), &WHO).expect("ours is replaced");
    assert_eq!(Ok(stdio), with_server(None, &WHO));
}

#[test]
fn a_project_has_its_own_server_in_the_same_file() {
    let who = Registration { project: Some("/src/app"), ..WHO };
    let file = &INSTALLER.project_files[1];
    let before = "{\n  \"projects\": {\n    \"/src/app\": {\n      \"x\": 1\n    }\n  }\n}\n";
    let text = file.with_entries(Some(before), &who).expect("a server goes in");
    insta::assert_snapshot!("server_of_a_project", text);
    assert_eq!(file.without_entries(&text, &who).as_deref(), Ok(before));
    let fresh = file.with_entries(None, &who).expect("a server goes in");
    assert_eq!(file.without_entries(&fresh, &who).as_deref(), Ok("{}\n"));
}

#[test]
fn a_group_that_a_person_added_to_stays() {
    let text = r#"{"hooks":{"Stop":[{"hooks":[{"command":"nudge hook claude"},{"command":"bell"}]}]}}"#;
    let without = without_hooks(text).expect("ours come out");
    assert_eq!(without, r#"{"hooks":{"Stop":[{"hooks":[{"command":"bell"}]}]}}"#);
}

#[test]
fn the_server_goes_in_and_out() {
    let before = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {},\n  \"projects\": {}\n}";
    let after = with_server(Some(before), &MOVED).expect("a server goes in");
    insta::assert_snapshot!("server", after);
    assert_eq!(with_server(Some(&after), &MOVED), Ok(after.clone()));
    let moved = with_server(Some(&after), &WHO).expect("ours is replaced");
    assert!(moved.contains(WHO.program) && !moved.contains(MOVED.program), "{moved}");
    let out = without_server(&after).expect("ours comes out");
    assert_eq!(out, "{\n  \"numStartups\": 3,\n  \"projects\": {}\n}");
    let beside = "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}";
    let both = with_server(Some(beside), &WHO).expect("a server goes in");
    assert_eq!(without_server(&both).as_deref(), Ok(beside));
}

/// @install_claude
#[test]
fn comments_of_a_person_stay_where_they_are() {
    let settings = SETTINGS
        .replace("\n    \"hooks\"", "\n    // what runs beside it\n    \"hooks\"")
        .replace("        ],\n", "        ], /* formatting */\n")
        .replace("\"opus\"\n", "\"opus\" // \"sonnet\", when it is late\n");
    let text = with_hooks(Some(&settings), &MOVED).expect("settings take hooks");
    assert_eq!(with_hooks(Some(&text), &MOVED), Ok(text.clone()));
    for comment in
        ["// what runs beside it\n", "], /* formatting */\n", "\"opus\" // \"sonnet\", when it is late\n"]
    {
        assert!(text.contains(comment), "{text}");
    }
    assert_eq!(without_hooks(&text).expect("hooks come out"), settings);
    let bare = "{\n  \"hooks\": {\n    // none so far\n  }\n}\n";
    let text = with_hooks(Some(bare), &WHO).expect("settings take hooks");
    assert_eq!(without_hooks(&text).expect("hooks come out"), bare);
}

#[test]
fn a_server_of_somebody_else_stays() {
    for theirs in [
        r#"{"mcpServers":{"nudge":{"command":"npx","args":["nudge"]}}}"#,
        r#"{"mcpServers":{"nudge":{"type":"stdio","command":"nudge","args":["serve","--profile","full"],"env":{}}}}"#,
    ] {
        assert_eq!(with_server(Some(theirs), &WHO), Err(InstallError::Taken("mcpServers.nudge".into())));
        assert_eq!(without_server(theirs).as_deref(), Ok(theirs));
    }
}

#[test]
fn places_of_another_kind_are_refused() {
    let wrong = |place: &str, expected| Err(EditError::WrongKind { place: place.into(), expected }.into());
    assert_eq!(with_hooks(Some(r#"{"hooks":[]}"#), &WHO), wrong("hooks", "an object"));
    assert_eq!(with_hooks(Some(r#"{"hooks":{"Stop":{}}}"#), &WHO), wrong("hooks.Stop", "a list"));
    assert_eq!(with_server(Some(r#"{"mcpServers":1}"#), &WHO), wrong("mcpServers", "an object"));
}
