//! Cursor: the facts. Not measured: read from its published types and documentation.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cursor",
    title: "Cursor",
    measured: "1.0.32",
    events: &[
        EventSpec::context("sessionStart", HookPoint::SessionStart),
        EventSpec::silent("sessionEnd", HookPoint::SessionEnd),
        EventSpec::context("beforeSubmitPrompt", HookPoint::Prompt),
        EventSpec::context("preToolUse", HookPoint::PreTool),
        EventSpec::context("postToolUse", HookPoint::PostTool),
        EventSpec::context("postToolUseFailure", HookPoint::ToolFailure),
        EventSpec::context("subagentStart", HookPoint::SubagentStart),
        // Context given here would go to a subagent that has finished.
        EventSpec::silent("subagentStop", HookPoint::SubagentStop),
        EventSpec::silent("preCompact", HookPoint::PreCompact),
        EventSpec::silent("stop", HookPoint::Stop),
        // It has the agent's last message, which `stop` lacks.
        EventSpec::silent("afterAgentResponse", HookPoint::Stop),
        // Each of these repeats preToolUse or postToolUse.
        EventSpec::repeat("beforeShellExecution", HookPoint::PreTool),
        EventSpec::repeat("afterShellExecution", HookPoint::PostTool),
        EventSpec::repeat("beforeMCPExecution", HookPoint::PreTool),
        EventSpec::repeat("afterMCPExecution", HookPoint::PostTool),
        EventSpec::repeat("beforeReadFile", HookPoint::PreTool),
        EventSpec::repeat("afterFileEdit", HookPoint::PostTool),
        EventSpec::silent("beforeTabFileRead", HookPoint::Other),
        EventSpec::silent("afterTabFileEdit", HookPoint::Other),
        EventSpec::silent("afterAgentThought", HookPoint::Other),
        EventSpec::silent("workspaceOpen", HookPoint::Other),
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
    // With one character more, nothing is delivered.
    limit: Limit::Utf16(10_000),
    timeout: HookTimeout::millis(60_000),
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
