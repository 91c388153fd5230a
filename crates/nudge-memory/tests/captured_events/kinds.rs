//! What is captured of each kind of tool.

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome};
use nudge_harness::Harness;
use nudge_memory::capture::EventBody;
use serde_json::{Value, json};

use crate::captured_events::fixtures::{action, captured, ended, failed, one, what};

fn check(payload: &Value, kind: ObservationKind, body: &str, files: &[&str]) {
    let kept = action(payload);
    assert_eq!((kept.kind, kept.body.as_str()), (kind, body));
    assert_eq!(kept.files, files);
}

/// @capture_kinds
#[test]
fn each_tool_leaves_what_it_was_about() {
    use ObservationKind::*;
    let done = |tool, input| ended(tool, input, json!("ok"));
    check(
        &done("Read", json!({"file_path": "src/../a.rs"})),
        FileRead,
        "/home/dev/project/a.rs",
        &["/home/dev/project/a.rs"],
    );
    check(
        &done("Grep", json!({"pattern": "fn main", "path": "src"})),
        Search,
        "fn main in /home/dev/project/src",
        &["/home/dev/project/src"],
    );
    check(&done("Glob", json!({"pattern": "**/*.rs"})), Search, "**/*.rs", &[]);
    check(
        &done("WebFetch", json!({"url": "https://example.org/a", "prompt": "x"})),
        WebFetch,
        "https://example.org/a",
        &[],
    );
    check(&done("WebSearch", json!({"query": "rust"})), WebSearch, "rust", &[]);
    check(&done("Task", json!({"description": "look", "prompt": "long"})), TaskSpawn, "look", &[]);
    check(
        &done("AskUserQuestion", json!({"questions": [{"question": "Which one?"}, {"question": "And?"}]})),
        ToolOther,
        "Which one?",
        &[],
    );
    check(&done("TodoWrite", json!({"todos": []})), ToolOther, "TodoWrite", &[]);
    check(
        &done("mcp__db__query", json!({"sql": "select 1"})),
        McpCall,
        r#"db.query {"sql":"select 1"}"#,
        &[],
    );
    check(&done("Bash", json!({"command": 5})), ToolOther, "Bash", &[]);
}

/// @capture_one_observation
#[test]
fn a_call_is_reported_by_its_end_alone() {
    for name in ["PostToolBatch", "files--PreToolUse-Write"] {
        let seen = captured(Harness::Claude, &one(Harness::Claude, name)).expect("a moment");
        assert_eq!(seen.what, EventBody::Seen, "{name}");
    }
    let about = captured(Harness::Claude, &one(Harness::Claude, "PreToolUse-Bash")).expect("a moment");
    assert_eq!(about.what, EventBody::About { command: "cat a.txt".to_owned() });
    let kept = captured(Harness::Claude, &one(Harness::Claude, "PostToolUse-Bash")).expect("a moment");
    assert!(matches!(kept.what, EventBody::Action(_)));
}

/// @capture_one_observation
#[test]
fn where_the_end_may_never_be_reported_the_beginning_counts() {
    for (name, kind) in [
        ("files--PreToolUse-Bash", ObservationKind::FileWrite),
        ("PreToolUse-mcp__probe__memory_search-failing", ObservationKind::McpCall),
    ] {
        let EventBody::Action(kept) =
            captured(Harness::Codex, &one(Harness::Codex, name)).expect("a moment").what
        else {
            panic!("nothing kept of {name}");
        };
        assert_eq!((kept.kind, kept.outcome), (kind, Outcome::Unknown), "{name}");
    }
    let plain = captured(Harness::Codex, &one(Harness::Codex, "PreToolUse-Bash")).expect("a moment");
    assert_eq!(plain.what, EventBody::About { command: "cat a.txt".to_owned() });
    let begun = captured(Harness::Codex, &one(Harness::Codex, "PreToolUse-mcp__probe__memory_search"));
    let ended = captured(Harness::Codex, &one(Harness::Codex, "PostToolUse-mcp__probe__memory_search"));
    assert_eq!(begun.map(|captured| captured.identity), ended.map(|captured| captured.identity));
}

/// @capture_failures
#[test]
fn a_failed_command_is_an_error_with_the_end_of_what_it_said() {
    let said = format!("Exit code 2\n{}the last words", "line of output\n".repeat(1000));
    let kept = action(&failed("Bash", json!({"command": "make", "description": "build"}), &said));
    assert_eq!(kept.kind, ObservationKind::CommandError);
    assert_eq!(kept.outcome, Outcome::Failed { exit: Some(2) });
    let response = kept.metadata["response"].as_str().expect("a text");
    assert!(response.starts_with("Exit code 2\n") && response.ends_with("the last words"), "{response}");
    assert!(response.chars().count() <= 2_005, "{}", response.chars().count());
    assert_eq!(kept.metadata["description"], "build");
    let well = action(&ended("Bash", json!({"command": "make"}), json!({"stdout": "secret of the output"})));
    assert!(!format!("{well:?}").contains("secret of the output"));
}

/// @capture_failures
#[test]
fn what_is_not_reported_is_not_an_error() {
    let background = json!({"stdout": "", "backgroundTaskId": "b1"});
    let kept = action(&ended("Bash", json!({"command": "serve"}), background));
    assert_eq!((kept.kind, kept.outcome), (ObservationKind::Command, Outcome::Unknown));
    let edit = action(&failed(
        "Edit",
        json!({"file_path": "/a", "old_string": "x", "new_string": "y"}),
        "not found",
    ));
    assert_eq!(edit.kind, ObservationKind::FileEdit);
    assert_eq!(edit.outcome, Outcome::Failed { exit: None });
    assert_eq!((edit.metadata.get("changed"), &edit.metadata["response"]), (None, &json!("not found")));
}

/// @capture_changed_lines
#[test]
fn files_are_kept_as_size_hash_and_changed_lines() {
    let content = (0..500).map(|n| format!("line {n}\n")).collect::<String>();
    let response = json!({"type": "create", "content": content, "structuredPatch": [], "originalFile": null});
    let kept = action(&ended("Write", json!({"file_path": "/w", "content": content}), response));
    assert_eq!(kept.metadata["size"], content.len());
    assert_eq!(kept.metadata["hash"], blake3::hash(content.as_bytes()).to_hex()[..16]);
    assert_eq!((&kept.metadata["lines_added"], &kept.metadata["lines_removed"]), (&json!(500), &json!(0)));
    let changed = kept.metadata["changed"].as_str().expect("lines");
    assert_eq!(changed.lines().count(), 40);
    assert!(changed.starts_with("+line 0\n+line 1\n"));
    assert_eq!(kept.metadata["changed_truncated"], true);
    assert!(!format!("{kept:?}").contains("line 499"));
}

/// @capture_changed_lines
#[test]
fn one_endless_line_is_cut() {
    let content = format!("{}\nend\n", "word ".repeat(2_000_000));
    let kept = action(&ended("Write", json!({"file_path": "/w", "content": content}), json!({})));
    assert!(kept.metadata["changed"].as_str().expect("lines").len() <= 2_000);
    assert_eq!(
        kept.metadata["size"],
        content.len().div_ceil(256) * 256,
        "what was not looked through is rounded"
    );
}

/// The stored lines of a change, and whether they are marked as cut.
fn changed(tool: &str, input: Value, response: Value) -> (Option<String>, bool) {
    let kept = action(&ended(tool, input, response));
    let lines = kept.metadata.get("changed").map(|lines| lines.as_str().expect("a text").to_owned());
    (lines, kept.metadata.contains_key("changed_truncated"))
}

/// @capture_changed_lines
#[test]
fn of_a_file_that_is_written_whole_at_most_half_is_kept() {
    let some = |lines: &str| (Some(lines.to_owned()), true);
    let write =
        |content: &str, response| changed("Write", json!({"file_path": "/w", "content": content}), response);
    let create = json!({"type": "create", "structuredPatch": [], "originalFile": null});
    assert_eq!(write("one\n", create.clone()), (None, false));
    assert_eq!(write("one\n\n\n", create.clone()), (None, false), "blank lines are no lines to leave out");
    assert_eq!(write("one\ntwo", create.clone()), some("+one"));
    assert_eq!(write("one\ntwo\nthree\n", create), some("+one"));
    let over = |lines: &[&str]| json!({"type": "update", "structuredPatch": [{"lines": lines}]});
    let all_new = over(&["-a", "-b", "-c", "+one", "+two", "+three"]);
    assert_eq!(write("one\ntwo\nthree\n", all_new), some("-a\n+one"));
    let a_little = over(&[" one", "-b", "+two", " three"]);
    assert_eq!(write("one\ntwo\nthree\n", a_little), (Some("-b\n+two".to_owned()), false));
}

/// @capture_changed_lines
#[test]
fn an_edit_or_a_patch_that_makes_a_file_writes_it_whole() {
    let some = |lines: &str, cut| (Some(lines.to_owned()), cut);
    let edit = |old: &str, new: &str| {
        changed("Edit", json!({"file_path": "/e", "old_string": old, "new_string": new}), json!({}))
    };
    assert_eq!(edit("", "one\ntwo"), some("+one", true));
    assert_eq!(edit("", "one"), (None, false));
    assert_eq!(edit("zero", "one\ntwo"), some("-zero\n+one\n+two", false));
    let edits = json!({"file_path": "/e", "edits": [{"old_string": "", "new_string": "one\ntwo\n"}]});
    assert_eq!(changed("MultiEdit", edits, json!({})), some("+one", true));
    let patched = |patch: &str| {
        let patch = format!("*** Begin Patch\n{patch}*** End Patch");
        changed("apply_patch", json!({"command": patch}), json!({}))
    };
    assert_eq!(patched("*** Add File: a\n+one\n+two\n+three\n"), some("+one", true));
    assert_eq!(patched("*** Add File: a\n+one\n*** Add File: b\n+two\n"), (None, false));
    let mixed = "*** Add File: a\n+one\n+two\n*** Update File: b\n@@\n c\n-d\n+e\n";
    assert_eq!(patched(mixed), some("@ a\n+one\n@ b\n-d\n+e", true));
    let long = format!("*** Add File: a\n{}", "+line\n".repeat(100));
    assert_eq!(patched(&long).0.expect("lines").lines().count(), 40);
}

/// @capture_kinds
#[test]
fn long_commands_are_cut_and_say_so() {
    let kept = action(&ended("Bash", json!({"command": "echo äöü ".repeat(2_000)}), json!("")));
    assert!(kept.body.ends_with('…') && kept.body.chars().count() <= 4_001);
    assert_eq!(kept.metadata["truncated"], true);
}

/// @capture_subagents
#[test]
fn what_a_subagent_does_and_is_reported_carries_its_label() {
    let mut payload = ended("Bash", json!({"command": "ls"}), json!(""));
    payload["agent_id"] = json!("a1");
    payload["agent_type"] = json!("explorer");
    let kept = captured(Harness::Claude, &payload.to_string()).expect("a moment");
    let agent = kept.agent.expect("a label");
    assert_eq!((agent.id.as_str(), agent.kind.as_deref()), ("a1", Some("explorer")));
    let mut reported = crate::captured_events::fixtures::prompted("look for the parser");
    reported["agent_id"] = json!("a1");
    let system = EventBody::Prompt { text: "look for the parser".into(), by: Speaker::Program };
    assert_eq!(what(&reported), system);
}

/// @capture_hashes: size and hash of a written file are the same whatever password it contains.
#[test]
fn a_written_file_does_not_tell_its_password() {
    let reported = |password: &str| {
        let content = format!("user = app\npassword = {password}\nhost = db\n");
        let payload = ended(
            "Write",
            json!({"file_path": "a.ini", "content": content}),
            json!({"type": "create", "filePath": "a.ini", "content": content}),
        );
        let kept = action(&payload);
        assert!(!format!("{kept:?}").contains(password));
        (kept.metadata["size"].clone(), kept.metadata["hash"].clone())
    };
    let (one, other) =
        (reported(concat!("tr0ub4dor", "-and-3")), reported(concat!("9Rxw9kFdu", "DvtsVBT0yd5")));
    assert_eq!(one, other);
}

/// @capture_redacted: the arguments of a call and the lines of an edit are screened as they read.
#[test]
fn lines_and_arguments_are_screened_before_they_are_written_out() {
    let secret = concat!("9Rxw9kFdu", "DvtsVBT0yd5");
    let text = format!("env:\n- name: DATABASE_PASSWORD\n  value: \"{secret}\"\n- name: TZ\n  value: UTC");
    let call = ended("mcp__chat__send", json!({"message": text}), json!("sent"));
    let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
    let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 5, "lines": lines}]);
    let input = json!({"file_path": "a.yml", "old_string": "x", "new_string": text});
    let edit = ended("Edit", input, json!({"filePath": "a.yml", "structuredPatch": patch}));
    for payload in [call, edit] {
        let kept = action(&payload);
        let said = format!("{kept:?}");
        assert!(said.contains("[REDACTED]") && !said.contains(secret), "{said}");
        assert_eq!(kept.metadata["redacted"], true);
    }
}
