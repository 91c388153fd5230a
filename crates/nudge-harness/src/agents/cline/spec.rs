//! Cline CLI: the facts.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cline",
    title: "Cline CLI",
    measured: "3.0.65",
    // Names as in the payloads. The registered files are called TaskStart, PreToolUse and so on.
    events: &[
        EventSpec::silent("agent_start", HookPoint::SessionStart),
        EventSpec::silent("agent_resume", HookPoint::SessionStart),
        EventSpec::silent("prompt_submit", HookPoint::Prompt),
        EventSpec::context("tool_call", HookPoint::PreTool),
        EventSpec::context("tool_result", HookPoint::PostTool),
        EventSpec::silent("agent_end", HookPoint::Stop),
        EventSpec::silent("agent_abort", HookPoint::Stop),
        EventSpec::silent("agent_error", HookPoint::Stop),
        EventSpec::silent("session_shutdown", HookPoint::SessionEnd),
    ],
    tools: &[
        ("run_commands", ToolKind::Command),
        ("execute_command", ToolKind::Command),
        ("read_files", ToolKind::Read),
        ("read_file", ToolKind::Read),
        ("write_to_file", ToolKind::Write),
        ("replace_in_file", ToolKind::Edit),
        ("editor", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("search_codebase", ToolKind::Search),
        ("search_files", ToolKind::Search),
        ("list_files", ToolKind::Search),
        ("fetch_web_content", ToolKind::WebFetch),
        ("web_fetch", ToolKind::WebFetch),
        ("web_search", ToolKind::WebSearch),
        ("spawn_agent", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::Double,
    limit: Limit::Utf16(50_000),
    timeout: HookTimeout::millis(120_000),
    session_env: &[],
    traces: Traces {
        variables: &["CLINE_ACTIVE", "CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_BUILD_ENV"],
        programs: &["cline"],
        packages: &["@cline/cli"],
        clients: &["@cline/", "cline"],
    },
    unseen_ends: &[],
    silence: "{}",
    traps: &[
        "The events of tasks and prompts are detached: what they print goes nowhere.",
        "UserPromptSubmit does not fire in headless runs.",
        "TaskStart fires at every run of a session, SessionShutdown only after one that was stopped.",
        "A failing command is reported as a success; its own result says otherwise.",
        "Every payload has an agent id; only one with a parent is of a subagent.",
        "The hook is one file per event, so its name is the file's and the payload's is another.",
    ],
};
