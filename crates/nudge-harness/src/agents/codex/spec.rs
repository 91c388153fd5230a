//! Codex.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use super::transcript::end;
use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "codex",
    title: "Codex",
    measured: "0.166.0",
    events: &[
        EventSpec::both("SessionStart", Moment::SessionStart),
        EventSpec::silent("SessionEnd", Moment::SessionEnd),
        EventSpec::both("UserPromptSubmit", Moment::Prompt),
        EventSpec::both("PreToolUse", Moment::PreTool),
        EventSpec::silent("PermissionRequest", Moment::Other),
        EventSpec::both("PostToolUse", Moment::PostTool),
        EventSpec::notice("PreCompact", Moment::PreCompact),
        EventSpec::notice("PostCompact", Moment::PostCompact),
        EventSpec::both("SubagentStart", Moment::SubagentStart),
        EventSpec::notice("SubagentStop", Moment::SubagentStop),
        EventSpec::notice("Stop", Moment::Stop),
    ],
    tools: &[
        ("Bash", ToolKind::Command),
        ("apply_patch", ToolKind::Edit),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("view_image", ToolKind::Read),
        ("web_search", ToolKind::WebSearch),
        ("spawn_agent", ToolKind::TaskSpawn),
        ("Agent", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpDouble,
    // 2,500 tokens of four bytes, by its own estimate; more spills into a file.
    limit: Limit::Bytes(10_000),
    patience: Patience::millis(600_000).with_session_end(1_000),
    session_env: &[],
    silence: "",
    traps: &[
        "An answer with one unknown key is dropped whole, without a word.",
        "A hook runs only while its hash is trusted: the registered command must never change.",
        "There is no event of failure: a failing command looks like any other, without its exit status.",
        "An MCP call that fails fires PreToolUse and nothing more.",
        "A patch applied through the shell fires PreToolUse of Bash and no PostToolUse.",
        "SessionStart with source compact fires in the middle of a turn.",
    ],
    read,
    outcome,
    emit: reply::nested,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_placed(&SPEC, fields)
}

/// Only patches and MCP calls tell their hooks how they ended; the rollout file tells the rest, and what is read from it has
/// it in its response.
fn outcome(call: &ToolCall, _: ToolKind) -> Outcome {
    if let Some(told) = call.response.as_ref().filter(|response| response.is_object()).and_then(end::outcome)
    {
        return told;
    }
    if call.name == "apply_patch" {
        let text = call.response.as_ref().and_then(serde_json::Value::as_str);
        return tool::told(text.and_then(tool::on_first_line));
    }
    tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Unknown)
}
