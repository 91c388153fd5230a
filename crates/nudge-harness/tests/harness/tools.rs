//! Checks what tools did against the fixtures' file names, which do not come from the adapters.

use nudge_core::event::{EventKind, HookEvent, Outcome, ToolKind};
use nudge_harness::{Harness, parse, tool_use};
use serde_json::{Value, json};

use crate::fixtures;

/// The words in a file's name for each kind of tool.
const WORDS: &[(ToolKind, &[&str])] = &[
    (ToolKind::Command, &["Bash", "bash", "run_shell_command", "run_commands", "Shell"]),
    (ToolKind::Read, &["Read", "read_file", "view", "read"]),
    (ToolKind::Write, &["Write", "write_file", "create", "write"]),
    (ToolKind::Edit, &["Edit", "edit", "replace"]),
    (ToolKind::TaskSpawn, &["Agent", "agent", "spawn_agent", "task"]),
];

fn expected(name: &str) -> Option<ToolKind> {
    if name.contains("probe") || name.contains("-MCP-") {
        return Some(ToolKind::McpCall);
    }
    let (_, last) = name.strip_suffix("-failing").unwrap_or(name).rsplit_once('-')?;
    WORDS.iter().find(|(_, words)| words.contains(&last)).map(|(kind, _)| *kind)
}

/// @harness_tools
#[test]
fn every_tool_is_what_its_name_says() {
    let mut seen = 0;
    for fixture in fixtures::all() {
        let Some(kind) = expected(&fixture.name) else { continue };
        let event = fixture.event();
        let used = tool_use(&event).unwrap_or_else(|| panic!("{} has no tool", fixture.name));
        if fixture.name == "files--PreToolUse-Bash" && fixture.harness == Harness::Codex {
            assert_eq!((used.kind, used.files), (ToolKind::Write, vec!["b.txt"]));
            continue;
        }
        assert_eq!(used.kind, kind, "{:?} {}", fixture.harness, fixture.name);
        match kind {
            ToolKind::Command => assert!(used.command.is_some(), "{}", fixture.name),
            ToolKind::Read | ToolKind::Write | ToolKind::Edit => {
                assert_eq!(used.files, ["/home/dev/project/b.txt"], "{}", fixture.name);
            }
            ToolKind::TaskSpawn => assert!(used.target.is_some(), "{}", fixture.name),
            _ => assert!(used.mcp.is_some(), "{}", fixture.name),
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

/// @harness_outcomes
#[test]
fn outcomes_are_what_happened_or_unknown_and_never_wrong() {
    for fixture in fixtures::all() {
        let event = fixture.event();
        let Some(used) = tool_use(&event) else { continue };
        let ran = matches!(event.kind, EventKind::PostTool | EventKind::ToolFailure);
        let failing = fixture.name.ends_with("-failing");
        let shown = format!("{:?} {}", fixture.harness, fixture.name);
        match used.outcome {
            _ if !ran => assert_eq!(used.outcome, Outcome::Unknown, "{shown}"),
            Outcome::Success => assert!(!failing, "{shown}"),
            Outcome::Failed { exit } => {
                assert!(failing, "{shown}");
                assert_eq!(exit, (used.kind == ToolKind::Command).then_some(3), "{shown}");
            }
            // Codex does not report the status of commands, nor whether a subagent started.
            Outcome::Unknown => {
                assert!(fixture.harness == Harness::Codex || event.repeats, "{shown}");
            }
        }
    }
}

/// How a finished tool call ended, for agents with the same payload format.
fn ended(harness: Harness, event: &str, name: &str, input: Value, response: Value) -> Outcome {
    tool_use(&ran(harness, event, name, input, response)).expect("a tool").outcome
}

fn ran(harness: Harness, event: &str, name: &str, input: Value, response: Value) -> HookEvent {
    let payload = json!({
        "hook_event_name": event, "session_id": "s", "cwd": "/p",
        "tool_name": name, "tool_input": input, "tool_response": response,
    });
    parse(harness, &payload.to_string()).expect("an event")
}

/// @harness_outcomes
#[test]
fn a_patch_of_codex_tells_its_files_and_its_status() {
    let patch = json!({"command": "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch"});
    let patched =
        |response: &str| ran(Harness::Codex, "PostToolUse", "apply_patch", patch.clone(), json!(response));
    let event = patched(
        "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/a.rs",
    );
    let used = tool_use(&event).expect("a tool");
    assert_eq!((used.kind, used.files, used.outcome), (ToolKind::Edit, vec!["src/a.rs"], Outcome::Success));
    let outcome = |response: &str| tool_use(&patched(response)).expect("a tool").outcome;
    assert_eq!(outcome("Exit code: 1\nno such line"), Outcome::Failed { exit: Some(1) });
    assert_eq!(outcome("what?"), Outcome::Unknown);
}

/// @harness_outcomes
#[test]
fn what_a_command_printed_is_not_taken_for_its_status() {
    let printed =
        |harness, event, name, response| ended(harness, event, name, json!({"command": "cat log"}), response);
    let gemini =
        |text: &str| printed(Harness::Gemini, "AfterTool", "run_shell_command", json!({"llmContent": text}));
    assert_eq!(gemini("Output: Exit Code: 9\nmore\nProcess Group PGID: 1"), Outcome::Success);
    assert_eq!(gemini("Output: Signal: 9\nmore\nProcess Group PGID: 1"), Outcome::Success);
    let codex = printed(Harness::Codex, "PostToolUse", "Bash", json!("Exit code: 1\nsaid the log"));
    assert_eq!(codex, Outcome::Unknown);
    let copilot = |text: &str| {
        let response = json!({"resultType": "success", "textResultForLlm": text});
        printed(Harness::Copilot, "PostToolUse", "bash", response)
    };
    assert_eq!(
        copilot("<shellId: 1 completed with exit code 9>\n<shellId: 2 completed with exit code 0>"),
        Outcome::Success
    );
    assert_eq!(copilot("<shellId: 1 completed with exit code 9>\nstill running"), Outcome::Unknown);
}

/// @harness_outcomes
#[test]
fn commands_that_were_stopped_failed_and_those_that_still_run_have_no_outcome_yet() {
    let gemini = |text: &str| {
        let response = json!({"llmContent": text});
        ended(Harness::Gemini, "AfterTool", "run_shell_command", json!({"command": "make"}), response)
    };
    assert_eq!(
        gemini("Command was cancelled by user before it could complete."),
        Outcome::Failed { exit: None }
    );
    assert_eq!(gemini("Output: x\nSignal: 9\nProcess Group PGID: 1"), Outcome::Failed { exit: None });
    assert_eq!(gemini("Command moved to background (PID: 7). Output hidden."), Outcome::Unknown);
    let claude =
        |response| ended(Harness::Claude, "PostToolUse", "Bash", json!({"command": "make"}), response);
    assert_eq!(claude(json!({"stdout": "", "interrupted": false})), Outcome::Success);
    assert_eq!(
        claude(json!({"stdout": "", "interrupted": false, "backgroundTaskId": "b1"})),
        Outcome::Unknown
    );
    assert_eq!(claude(json!({"stdout": "", "interrupted": true})), Outcome::Failed { exit: None });
}
