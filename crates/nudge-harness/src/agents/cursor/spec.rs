//! Cursor: what is known of it. Not measured: read from its published types and documentation.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, Limit, McpNaming, Moment, Patience, Traces};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cursor",
    title: "Cursor",
    measured: "1.0.32",
    events: &[
        EventSpec::context("sessionStart", Moment::SessionStart),
        EventSpec::silent("sessionEnd", Moment::SessionEnd),
        EventSpec::context("beforeSubmitPrompt", Moment::Prompt),
        EventSpec::context("preToolUse", Moment::PreTool),
        EventSpec::context("postToolUse", Moment::PostTool),
        EventSpec::context("postToolUseFailure", Moment::ToolFailure),
        EventSpec::context("subagentStart", Moment::SubagentStart),
        // Context given here would go to a subagent that is done.
        EventSpec::silent("subagentStop", Moment::SubagentStop),
        EventSpec::silent("preCompact", Moment::PreCompact),
        EventSpec::silent("stop", Moment::Stop),
        // It has the agent's last words, which `stop` has not.
        EventSpec::silent("afterAgentResponse", Moment::Stop),
        // Each of these tells again what preToolUse and postToolUse tell.
        EventSpec::repeat("beforeShellExecution", Moment::PreTool),
        EventSpec::repeat("afterShellExecution", Moment::PostTool),
        EventSpec::repeat("beforeMCPExecution", Moment::PreTool),
        EventSpec::repeat("afterMCPExecution", Moment::PostTool),
        EventSpec::repeat("beforeReadFile", Moment::PreTool),
        EventSpec::repeat("afterFileEdit", Moment::PostTool),
        EventSpec::silent("beforeTabFileRead", Moment::Other),
        EventSpec::silent("afterTabFileEdit", Moment::Other),
        EventSpec::silent("afterAgentThought", Moment::Other),
        EventSpec::silent("workspaceOpen", Moment::Other),
    ],
    tools: &[
        ("Shell", ToolKind::Command),
        ("Read", ToolKind::Read),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("StrReplace", ToolKind::Edit),
        ("Delete", ToolKind::Edit),
        ("Grep", ToolKind::Search),
        ("Glob", ToolKind::Search),
        ("LS", ToolKind::Search),
        ("WebFetch", ToolKind::WebFetch),
        ("WebSearch", ToolKind::WebSearch),
        ("Task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::Colon,
    // One character more and nothing is delivered.
    limit: Limit::Utf16(10_000),
    patience: Patience::millis(60_000),
    session_env: &[],
    traces: Traces {
        variables: &["CURSOR_AGENT"],
        programs: &["cursor-agent"],
        packages: &[],
        clients: &["cursor"],
    },
    unseen_ends: &[],
    silence: "{}",
    traps: &[
        "Context over 10,000 characters is refused with an error, not cut.",
        "Hooks and plugins of Claude Code are loaded too: with both installed every event fires twice.",
        "The answer of preToolUse may hold a permission; ours never does, so that the person is still asked.",
    ],
};
