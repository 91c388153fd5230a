//! opencode: the facts.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces, UnseenEnd};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "opencode",
    title: "opencode",
    measured: "1.18.33",
    events: &[
        EventSpec::context("session.started", HookPoint::SessionStart),
        EventSpec::silent("session.created", HookPoint::SessionStart),
        EventSpec::silent("session.deleted", HookPoint::SessionEnd),
        EventSpec::context("chat.message", HookPoint::Prompt),
        EventSpec::context("experimental.chat.system.transform", HookPoint::Other),
        EventSpec::silent("tool.execute.before", HookPoint::PreTool),
        EventSpec::context("tool.execute.after", HookPoint::PostTool),
        EventSpec::silent("session.idle", HookPoint::Stop),
        EventSpec::context("experimental.session.compacting", HookPoint::PreCompact),
        EventSpec::silent("session.compacted", HookPoint::PostCompact),
        // The event of the editing tool has reported it already.
        EventSpec::repeat("file.edited", HookPoint::Other),
        EventSpec::repeat("file.watcher.updated", HookPoint::Other),
    ],
    tools: &[
        ("bash", ToolKind::Command),
        ("read", ToolKind::Read),
        ("write", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("multiedit", ToolKind::Edit),
        ("patch", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("glob", ToolKind::Search),
        ("grep", ToolKind::Search),
        ("list", ToolKind::Search),
        ("webfetch", ToolKind::WebFetch),
        ("websearch", ToolKind::WebSearch),
        ("codesearch", ToolKind::WebSearch),
        ("task", ToolKind::TaskSpawn),
        ("plan_enter", ToolKind::Other),
        ("plan_exit", ToolKind::Other),
    ],
    mcp: McpNaming::Single,
    limit: Limit::NotFound,
    // The plugin waits as long as we set.
    timeout: HookTimeout::millis(60_000),
    session_env: &[],
    traces: Traces {
        variables: &["OPENCODE", "OPENCODE_SESSION_ID"],
        programs: &["opencode"],
        packages: &["opencode-ai"],
        clients: &["opencode"],
    },
    unseen_ends: &[UnseenEnd::McpCall],
    silence: "",
    traps: &[
        "Text can be added to the output of built-in tools, not of MCP tools.",
        "An MCP call that fails fires tool.execute.before and nothing more.",
        "With a plugin in its folder opencode installs a package at start and stalls for a minute when offline.",
        "Hooks without a session fire too: init, config, dispose, integration.updated.",
        "The first argument of opencode run comes with quotes around it.",
    ],
};
