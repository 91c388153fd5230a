//! Codex: what is known of it.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, Limit, McpNaming, Moment, Patience, Traces, UnseenEnd};

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
    traces: Traces {
        variables: &[
            "CODEX_MANAGED_BY_NPM",
            "CODEX_MANAGED_BY_BUN",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_THREAD_ID",
        ],
        programs: &["codex"],
        packages: &["@openai/codex"],
        clients: &["codex"],
    },
    unseen_ends: &[UnseenEnd::McpCall, UnseenEnd::ShellPatch],
    silence: "",
    traps: &[
        "An answer with one unknown key is dropped whole, without a word.",
        "A hook runs only while its hash is trusted: the registered command must never change.",
        "There is no event of failure: a failing command looks like any other, without its exit status.",
        "An MCP call that fails fires PreToolUse and nothing more.",
        "A patch applied through the shell fires PreToolUse of Bash and no PostToolUse.",
        "SessionStart with source compact fires in the middle of a turn.",
    ],
};
