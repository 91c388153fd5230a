//! Every captured payload becomes one event with the right kind, session, prompt, tool, files and
//! outcome.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, McpName, Outcome, PromptText, Speaker, ToolCall};
use nudge_core::{Timestamp, event::StartSource};
use nudge_harness::{Harness, tool_use};
use serde_json::json;

use crate::fixtures;

/// One line per payload, with the values that memory uses.
fn table(harness: Harness) -> String {
    fixtures::of(harness)
        .iter()
        .map(|fixture| format!("{}: {}\n", fixture.name, line(&fixture.event())))
        .collect()
}

fn line(event: &HookEvent) -> String {
    let mut parts = vec![match &event.kind {
        EventKind::SessionStart { source } => format!("session_start({})", source.word()),
        EventKind::SessionEnd { reason } => format!("session_end({})", reason.as_deref().unwrap_or("-")),
        EventKind::PreCompact { trigger } | EventKind::PostCompact { trigger } => {
            format!("{}({})", event.kind.name(), trigger.as_deref().unwrap_or("-"))
        }
        EventKind::Batch { tool_use_ids } => format!("batch({})", tool_use_ids.join(" ")),
        EventKind::Other => format!("other({})", event.name),
        kind => kind.name().to_owned(),
    }];
    let mut part = |key: &str, value: Option<&str>| {
        parts.extend(
            value.map(|value| format!("{key}={}", value.chars().take(60).collect::<String>().escape_debug())),
        );
    };
    part("repeats", event.repeats.then_some("yes"));
    part("session", event.session.as_deref());
    part("prompt_id", event.prompt_id.as_deref());
    part("agent", event.agent.as_ref().map(|agent| agent.id.as_str()));
    part("agent_type", event.agent.as_ref().and_then(|agent| agent.kind.as_deref()));
    part("at", event.at.map(|at| at.to_string()).as_deref());
    part("cwd", event.cwd.as_deref().filter(|cwd| *cwd != "/home/dev/project"));
    part("no_cwd", event.cwd.is_none().then_some("yes"));
    if let Some(prompt) = &event.prompt {
        part(if prompt.by == Speaker::Person { "prompt" } else { "program's prompt" }, Some(&prompt.text));
    }
    part("message", event.message.as_deref());
    if let (Some(call), Some(used)) = (&event.tool, tool_use(event)) {
        part("tool", Some(&format!("{} is {}", call.name, used.kind.name())));
        part("id", call.id.as_deref());
        part("files", (!used.files.is_empty()).then(|| used.files.join(" ")).as_deref());
        part("command", used.command.as_deref());
        part("target", used.target.as_deref());
        part("mcp", used.mcp.map(|mcp| format!("{} {}", mcp.server, mcp.tool)).as_deref());
        part(
            "outcome",
            Some(&format!("{:?}", used.outcome))
                .filter(|_| event.kind != EventKind::PreTool)
                .map(|s| s.as_str()),
        );
    }
    parts.join(" | ")
}

/// @harness_events
#[test]
fn claude_code() {
    insta::assert_snapshot!(table(Harness::Claude));
}

/// @harness_events
#[test]
fn codex() {
    insta::assert_snapshot!(table(Harness::Codex));
}

/// @harness_events
#[test]
fn opencode() {
    insta::assert_snapshot!(table(Harness::Opencode));
}

/// @harness_events
#[test]
fn copilot() {
    insta::assert_snapshot!(table(Harness::Copilot));
}

/// @harness_events
#[test]
fn gemini() {
    insta::assert_snapshot!(table(Harness::Gemini));
}

/// @harness_events
#[test]
fn qwen() {
    insta::assert_snapshot!(table(Harness::Qwen));
}

/// @harness_events
#[test]
fn cline() {
    insta::assert_snapshot!(table(Harness::Cline));
}

/// @harness_events
#[test]
fn cursor_as_documented() {
    insta::assert_snapshot!(table(Harness::Cursor));
}

/// @harness_events
#[test]
fn a_payload_loses_nothing_that_memory_wants() {
    let event = fixtures::one(Harness::Copilot, "PPostToolUse-Bash-failing").event();
    let expected = HookEvent {
        session: Some("42631d7d-e9ca-407a-a1fa-1a549e537d79".into()),
        cwd: Some("/home/dev/project".into()),
        at: Timestamp::parse("2026-11-14T23:30:59.780Z"),
        tool: Some(ToolCall {
            input: json!({"command": "exit 3", "description": "fail"}),
            response: Some(json!({
                "result_type": "success",
                "text_result_for_llm": "\n<shellId: 1 completed with exit code 3>"
            })),
            ..ToolCall::new("Bash")
        }),
        ..HookEvent::new("copilot", "PostToolUse", EventKind::PostTool)
    };
    assert_eq!(event, expected);
    let used = tool_use(&event).expect("a tool");
    assert_eq!(used.outcome, Outcome::Failed { exit: Some(3) });
}

/// @harness_events
#[test]
fn the_same_event_in_both_spellings_of_copilot_is_alike() {
    for (pascal, camel) in [
        ("PPostToolUse-probe-memory_search", "postToolUse-probe-memory_search"),
        ("PPreToolUse-hprobe-nudge-http_hint", "preToolUse-hprobe-nudge-http_hint"),
        ("PUserPromptSubmit", "userPromptSubmitted"),
        ("PSessionStart-new", "sessionStart-new"),
        ("PSessionEnd", "sessionEnd"),
        ("PStop", "agentStop"),
    ] {
        let [mut pascal, camel] = [pascal, camel].map(|name| fixtures::one(Harness::Copilot, name).event());
        pascal.name.clone_from(&camel.name);
        if let (Some(tool), Some(other)) = (&mut pascal.tool, &camel.tool) {
            tool.response.clone_from(&other.response);
        }
        assert_eq!(pascal, camel);
    }
}

/// @harness_subagents
#[test]
fn subagents_are_labelled_and_the_main_thread_is_not() {
    let agent = |harness, name| fixtures::one(harness, name).event().agent;
    let label = |id: &str, kind: Option<&str>, parent: Option<&str>| {
        Some(AgentLabel { id: id.into(), kind: kind.map(Into::into), parent: parent.map(Into::into) })
    };
    let claude = label("a45fd4c67461358dd", Some("general-purpose"), None);
    assert_eq!(agent(Harness::Claude, "subagent--SubagentStart"), claude);
    assert_eq!(agent(Harness::Claude, "subagent--SubagentStop"), claude);
    assert_eq!(agent(Harness::Claude, "compact--SubagentStop"), label("acf22a45b666fe30a", None, None));
    assert_eq!(agent(Harness::Claude, "subagent--PreToolUse-Agent"), None);
    let codex = label("01a1dc59-09c3-70f1-a04d-f9f991cb713f", Some("default"), None);
    assert_eq!(agent(Harness::Codex, "subagent--SubagentStop"), codex);
    let (child, parent) = ("299a4e03-a46a-4830-b40b-505f2222cfec", "fa99b820-c4dd-489d-bc49-63a783add80d");
    let copilot = label(child, Some("general-purpose"), Some(parent));
    assert_eq!(agent(Harness::Copilot, "files--subagentStart"), copilot);
    assert_eq!(agent(Harness::Copilot, "files--agentStop"), copilot);
    assert_eq!(agent(Harness::Copilot, "agentStop"), None);
    let qwen = label("general-purpose-call_cbf70f3b", Some("general-purpose"), None);
    assert_eq!(agent(Harness::Qwen, "files--SubagentStart"), qwen);
    assert_eq!(agent(Harness::Cline, "TaskStart"), None);
    assert_eq!(agent(Harness::Cursor, "subagentStop"), label("sub_1", Some("explore"), None));
}

/// @harness_prompts
#[test]
fn prompts_are_the_persons_own_words() {
    let prompt = |harness, name| fixtures::one(harness, name).event().prompt.expect("a prompt");
    let gemini = prompt(Harness::Gemini, "files--BeforeAgent");
    assert!(gemini.text.starts_with("files <<SCRIPT"), "{gemini:?}");
    assert_eq!(gemini.by, Speaker::Person);
    let continued = PromptText { text: String::new(), by: Speaker::Program };
    assert_eq!(prompt(Harness::Qwen, "UserPromptSubmit-toolresult-continuation"), continued);
    let notified = prompt(Harness::Claude, "subagent--UserPromptSubmit-task-notification");
    assert_eq!(notified.by, Speaker::Program);
    assert_eq!(prompt(Harness::Codex, "resume--UserPromptSubmit").by, Speaker::Person);
}

/// @harness_repeats
#[test]
fn events_that_tell_again_what_others_reported_are_marked() {
    let repeating = |harness| {
        let all = fixtures::of(harness).into_iter().filter(|fixture| fixture.event().repeats);
        all.map(|fixture| fixture.name).collect::<Vec<_>>()
    };
    assert_eq!(
        repeating(Harness::Claude),
        ["PostToolBatch", "files--PostToolBatch", "subagent--PostToolBatch"]
    );
    assert_eq!(repeating(Harness::Qwen), ["PostToolBatch", "files--PostToolBatch", "mcp--PostToolBatch"]);
    assert_eq!(
        repeating(Harness::Opencode),
        ["files--event.file.edited", "files--event.file.watcher.updated"]
    );
    assert_eq!(
        repeating(Harness::Cursor),
        [
            "afterFileEdit",
            "afterMCPExecution",
            "afterShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "beforeShellExecution"
        ]
    );
}

/// @harness_repeats
#[test]
fn a_batch_names_the_calls_that_it_repeats() {
    for (harness, batch, single) in [
        (Harness::Claude, "PostToolBatch", "PostToolUse-Bash"),
        (Harness::Qwen, "PostToolBatch", "PostToolUse-run_shell_command"),
    ] {
        let EventKind::Batch { tool_use_ids } = fixtures::one(harness, batch).event().kind else {
            panic!("no batch")
        };
        let call = fixtures::one(harness, single).event().tool.expect("a tool");
        let ids = [call.id, call.provider_id];
        assert!(tool_use_ids.iter().all(|id| ids.contains(&Some(id.clone()))), "{tool_use_ids:?} {ids:?}");
    }
}

/// @harness_events
#[test]
fn sessions_begin_for_the_reason_the_program_gives() {
    let source = |harness, name| match fixtures::one(harness, name).event().kind {
        EventKind::SessionStart { source } => source,
        other => panic!("{other:?}"),
    };
    assert_eq!(source(Harness::Claude, "compact--SessionStart-compact"), StartSource::Compact);
    assert_eq!(source(Harness::Codex, "resume--SessionStart-resume"), StartSource::Resume);
    assert_eq!(source(Harness::Copilot, "sessionStart-new"), StartSource::Startup);
    assert_eq!(source(Harness::Opencode, "event.session.created"), StartSource::Startup);
}

/// @harness_tools
#[test]
fn the_server_behind_a_tool_is_the_same_by_every_name() {
    let named = |harness, name| tool_use(&fixtures::one(harness, name).event()).and_then(|used| used.mcp);
    let probe = Some(McpName { server: "probe".into(), tool: "memory_search".into() });
    for (harness, name) in [
        (Harness::Claude, "PostToolUse-mcp__probe__memory_search"),
        (Harness::Codex, "PostToolUse-mcp__probe__memory_search"),
        (Harness::Opencode, "tool.execute.after-probe_memory_search"),
        (Harness::Copilot, "postToolUse-probe-memory_search"),
        (Harness::Copilot, "permissionRequest-probe-memory_search"),
        (Harness::Gemini, "AfterTool-mcp_probe_memory_search"),
        (Harness::Qwen, "mcp--PostToolUse-mcp__probe__memory_search"),
        (Harness::Cline, "PostToolUse-probe__memory_search"),
        (Harness::Cursor, "afterMCPExecution"),
    ] {
        assert_eq!(named(harness, name), probe, "{harness:?}");
    }
}
