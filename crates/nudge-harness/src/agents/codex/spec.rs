//! Codex: the facts.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces, UnseenEnd};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "codex",
    title: "Codex",
    measured: "0.166.0",
    events: &[
        EventSpec::both("SessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::both("UserPromptSubmit", HookPoint::Prompt),
        EventSpec::both("PreToolUse", HookPoint::PreTool),
        EventSpec::silent("PermissionRequest", HookPoint::Other),
        EventSpec::both("PostToolUse", HookPoint::PostTool),
        EventSpec::notice("PreCompact", HookPoint::PreCompact),
        EventSpec::notice("PostCompact", HookPoint::PostCompact),
        EventSpec::both("SubagentStart", HookPoint::SubagentStart),
        EventSpec::notice("SubagentStop", HookPoint::SubagentStop),
        EventSpec::notice("Stop", HookPoint::Stop),
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
    // 2,500 tokens of four bytes, by Codex's own estimate; longer text goes to a file.
    limit: Limit::Bytes(10_000),
    timeout: HookTimeout::millis(600_000).with_session_end(1_000),
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
