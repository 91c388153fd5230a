//! Gemini CLI: the facts.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "gemini",
    title: "Gemini CLI",
    measured: "0.61.0",
    events: &[
        EventSpec::both("SessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::both("BeforeAgent", HookPoint::Prompt),
        EventSpec::notice("AfterAgent", HookPoint::Stop),
        EventSpec::notice("BeforeTool", HookPoint::PreTool),
        EventSpec::both("AfterTool", HookPoint::PostTool),
        EventSpec::silent("Notification", HookPoint::Notification),
        // Fires before every model call, whether anything is compacted or not.
        EventSpec::silent("PreCompress", HookPoint::Other),
        EventSpec::silent("BeforeModel", HookPoint::Other),
        EventSpec::silent("AfterModel", HookPoint::Other),
        EventSpec::silent("BeforeToolSelection", HookPoint::Other),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Command),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("replace", ToolKind::Edit),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("web_fetch", ToolKind::WebFetch),
        ("google_web_search", ToolKind::WebSearch),
        ("invoke_agent", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpSingle,
    limit: Limit::NotFound,
    timeout: HookTimeout::millis(60_000),
    session_env: &["GEMINI_SESSION_ID"],
    traces: Traces {
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_CLI_NO_RELAUNCH"],
        programs: &["gemini"],
        packages: &["@google/gemini-cli"],
        clients: &["gemini-cli"],
    },
    unseen_ends: &[],
    silence: "",
    traps: &[
        "The first prompt of a run comes with what SessionStart injected in front of it.",
        "PreCompress fires before every model call and AfterModel for every chunk: neither is to be registered.",
        "Tool calls have no id.",
        "Nothing but JSON may be printed.",
        "SessionEnd is not waited for.",
        "Time-outs are in milliseconds.",
    ],
};
