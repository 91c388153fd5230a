//! Qwen Code: the facts, and what its hooks send and accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use crate::agent::Agent;
use crate::hooks::{Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};
use crate::tool;
use crate::transcript::item::{status, word};
use crate::transcript::{Format, Tail, TailFormat, Thinking, ToolEnd};

pub(super) const AGENT: Agent =
    Agent { hooks: HOOKS, transcript: FORMAT, installer: None, manual_steps: MANUAL_STEPS };

const MANUAL_STEPS: &[&str] = &[
    "In ~/.qwen/settings.json, add to \"hooks\" for each of the events SessionStart, UserPromptSubmit,\n\
     PostToolUse, PostToolUseFailure, PreCompact, PostCompact, Stop and SessionEnd:\n\
     [{\"hooks\": [{\"type\": \"command\", \"name\": \"nudge\", \"command\": \"{nudge} hook qwen\", \"timeout\": 5000}]}]",
    "In the same file, add to \"mcpServers\":\n\
     \"nudge\": {\"command\": \"{nudge}\", \"args\": [\"serve\"]}",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit: event::nested, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_with_cwd(&SPEC, fields)
}

/// Failures have their own event; even so, a command that ended reports its status.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return Outcome::Success;
    }
    let text = call.response.as_ref().and_then(|response| response.get("llmContent")).and_then(Value::as_str);
    tool::outcome_of_status(text.and_then(tool::after_output))
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "qwen",
    title: "Qwen Code",
    measured: "0.24.4",
    events: &[
        EventSpec::both("SessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::silent("SessionDelete", HookPoint::Other),
        EventSpec::both("UserPromptSubmit", HookPoint::Prompt),
        EventSpec::notice("PreToolUse", HookPoint::PreTool),
        EventSpec::both("PostToolUse", HookPoint::PostTool),
        EventSpec::notice("PostToolUseFailure", HookPoint::ToolFailure),
        EventSpec::repeat("PostToolBatch", HookPoint::Batch),
        EventSpec::notice("Stop", HookPoint::Stop),
        EventSpec::notice("StopFailure", HookPoint::Stop),
        EventSpec::notice("SubagentStart", HookPoint::SubagentStart),
        EventSpec::notice("SubagentStop", HookPoint::SubagentStop),
        EventSpec::notice("PreCompact", HookPoint::PreCompact),
        EventSpec::notice("PostCompact", HookPoint::PostCompact),
        EventSpec::silent("Notification", HookPoint::Notification),
        EventSpec::silent("MessageDisplay", HookPoint::Other),
        EventSpec::silent("PermissionRequest", HookPoint::Other),
        EventSpec::silent("PermissionDenied", HookPoint::Other),
        EventSpec::silent("TodoCreated", HookPoint::Other),
        EventSpec::silent("TodoCompleted", HookPoint::Other),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Command),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("replace", ToolKind::Edit),
        ("notebook_edit", ToolKind::Edit),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("lsp", ToolKind::Search),
        ("web_fetch", ToolKind::WebFetch),
        ("web_search", ToolKind::WebSearch),
        ("agent", ToolKind::TaskSpawn),
        ("task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpDouble,
    limit: Limit::NotFound,
    timeout: HookTimeout::millis(60_000),
    session_env: &["QWEN_CODE_SESSION_ID"],
    traces: Traces {
        variables: &["QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_CODE_CLI"],
        programs: &["qwen"],
        packages: &["@qwen-code/qwen-code"],
        clients: &["qwen"],
    },
    unseen_ends: &[],
    silence: "",
    traps: &[
        "UserPromptSubmit fires again with an empty prompt for every tool result, and injects each time.",
        "The person's own words are in submitted_prompt.",
        "PostToolBatch knows calls by the provider's id, PostToolUse by both.",
        "SessionEnd does not fire in headless runs.",
        "Time-outs of commands are in milliseconds, those of http hooks in seconds.",
    ],
};

// Qwen Code's record of a session.

const FORMAT: Format = Format {
    tail: Some(TailFormat { words: &["\"thought\"", "\"toolCallResult\""], has_answers: false, take }),
    ..Format::NONE
};

/// Thoughts, which are parts of a message, and results, which name their call by the provider's id.
fn take(mut line: Fields, tail: &mut Tail) {
    if let Some(end) = line.take(&["toolCallResult"]).as_ref().and_then(ended) {
        tail.ends.push(end);
    }
    let message = line.take_object(&["message"]);
    let parts = message.get("parts").and_then(Value::as_array).into_iter().flatten();
    let thoughts =
        parts.filter(|part| part["thought"].as_bool() == Some(true)).filter_map(|part| word(part, "text"));
    tail.thinking.extend(thoughts.map(|text| Thinking {
        text: text.to_owned(),
        at: line.point("timestamp"),
        session: line.text(&["sessionId"]),
        turn: None,
        agent: None,
    }));
}

fn ended(result: &Value) -> Option<ToolEnd> {
    let id = word(result, "callId")?.to_owned();
    let exit = status(result.get("resultDisplay").unwrap_or(&Value::Null), "exitCode");
    let outcome = match (exit, word(result, "status")?) {
        (Some(status), _) => Outcome::of_exit(status),
        (None, "success") => Outcome::Success,
        (None, "error" | "cancelled") => Outcome::Failed { exit: None },
        _ => return None,
    };
    Some(ToolEnd { id, outcome, output: None })
}
