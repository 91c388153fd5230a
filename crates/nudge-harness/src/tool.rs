//! What a tool call did: its kind, the files, the command, how it ended.

mod change;
mod exit;
mod input;
mod output;
mod patch;
mod result;

pub use change::{FileChange, LINES_MOST, Line, change};
pub use output::output;

pub(crate) use exit::{
    TRAILER, after_output, in_closing_tag, in_sentence, on_first_line, told, was_cancelled,
};
pub(crate) use result::mcp_outcome;

use nudge_core::event::{EventKind, HookEvent, McpName, Outcome, ToolCall, ToolKind};

use crate::Harness;

/// A tool call, in words that are the same for every agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// What the tool does.
    pub kind: ToolKind,
    /// The files it read, wrote or searched, as given: absolute, or relative to the working directory.
    pub files: Vec<String>,
    /// The command it ran; several are separated by newlines.
    pub command: Option<String>,
    /// What it looked for, fetched, or told a subagent to do.
    pub target: Option<String>,
    /// The MCP server and tool it called.
    pub mcp: Option<McpName>,
    /// How it ended. Unknown before it ran.
    pub outcome: Outcome,
}

/// Says what the tool call of an event did; `None` when the event is about none, or about one that never began.
///
/// An event of an unknown agent is read with what all agents share.
pub fn classify(event: &HookEvent) -> Option<ToolUse> {
    let tool = event.tool.as_ref()?;
    if event.kind == EventKind::ToolFailure && tool.error.as_deref().is_some_and(was_cancelled) {
        return None;
    }
    let harness = Harness::from_name(&event.harness);
    let mcp = mcp_name(harness, tool);
    let patch = patch::of(tool);
    let kind = match (&patch, &mcp) {
        (Some(patch), _) => patch.kind,
        (None, Some(_)) => ToolKind::McpCall,
        (None, None) => {
            harness.and_then(|harness| harness.spec().tool(&tool.name)).unwrap_or(ToolKind::Other)
        }
    };
    Some(ToolUse {
        kind,
        files: patch.map_or_else(|| input::files(kind, tool), |patch| patch.files),
        command: (kind == ToolKind::Command).then(|| input::command(&tool.input)).flatten(),
        target: input::target(kind, &tool.input),
        outcome: outcome(harness, event, tool, kind),
        mcp,
    })
}

/// Whether the end of the call that an event announces may never be told, so that this is all there will be of it.
///
/// Of Codex's calls: a patch that is applied through the shell has no other event, an MCP call that fails has none either. Nor has a
/// failing MCP call of opencode.
pub fn may_end_unseen(event: &HookEvent) -> bool {
    let Some(tool) = event.tool.as_ref().filter(|_| event.kind == EventKind::PreTool) else { return false };
    match Harness::from_name(&event.harness) {
        Some(harness @ Harness::Codex) => {
            mcp_name(Some(harness), tool).is_some()
                || (tool.name != "apply_patch" && patch::of(tool).is_some())
        }
        Some(harness @ Harness::Opencode) => mcp_name(Some(harness), tool).is_some(),
        _ => false,
    }
}

/// Built-in names are never split, whatever they look like.
fn mcp_name(harness: Option<Harness>, tool: &ToolCall) -> Option<McpName> {
    let spec = harness?.spec();
    let by_name = || spec.tool(&tool.name).is_none().then(|| spec.mcp.split(&tool.name)).flatten();
    tool.mcp.clone().or_else(by_name)
}

fn outcome(harness: Option<Harness>, event: &HookEvent, tool: &ToolCall, kind: ToolKind) -> Outcome {
    match event.kind {
        EventKind::ToolFailure => Outcome::Failed { exit: exit::in_error(tool, kind) },
        EventKind::PostTool if tool.interrupted => Outcome::Failed { exit: None },
        EventKind::PostTool => {
            harness.map_or(Outcome::Unknown, |harness| (harness.hooks().outcome)(tool, kind))
        }
        _ => Outcome::Unknown,
    }
}
