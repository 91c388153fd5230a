//! opencode: what is known of it.

use nudge_core::event::ToolKind;

use crate::spec::{EventSpec, HarnessSpec, Limit, McpNaming, Moment, Patience, Traces, UnseenEnd};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "opencode",
    title: "opencode",
    measured: "1.18.33",
    events: &[
        EventSpec::context("session.started", Moment::SessionStart),
        EventSpec::silent("session.created", Moment::SessionStart),
        EventSpec::silent("session.deleted", Moment::SessionEnd),
        EventSpec::context("chat.message", Moment::Prompt),
        EventSpec::context("experimental.chat.system.transform", Moment::Other),
        EventSpec::silent("tool.execute.before", Moment::PreTool),
        EventSpec::context("tool.execute.after", Moment::PostTool),
        EventSpec::silent("session.idle", Moment::Stop),
        EventSpec::context("experimental.session.compacting", Moment::PreCompact),
        EventSpec::silent("session.compacted", Moment::PostCompact),
        // The tool that edited has told so already.
        EventSpec::repeat("file.edited", Moment::Other),
        EventSpec::repeat("file.watcher.updated", Moment::Other),
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
    // The plugin waits as long as we tell it to.
    patience: Patience::millis(60_000),
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
