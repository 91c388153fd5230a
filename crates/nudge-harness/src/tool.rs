//! What a tool call did: its kind, files, command and outcome.

mod change;
mod exit;
mod input;
mod output;

pub use change::{FileChange, Line, MAX_CHANGED_LINES};

pub(crate) use exit::{
    TRAILER_LINES, after_output, in_closing_tag, in_sentence, mcp_outcome, on_first_line, outcome_of_status,
    state_outcome, was_cancelled,
};

use std::borrow::Cow;

use nudge_core::event::{EventKind, HookEvent, McpName, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use crate::hooks::Hooks;
use crate::spec::UnseenEnd;

/// A tool call, in terms that are the same for every agent. Large values are borrowed from the
/// event.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse<'a> {
    /// The agent's name for the tool.
    pub name: &'a str,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The files it read, wrote or searched, as given: absolute, or relative to the working
    /// directory.
    pub files: Vec<&'a str>,
    /// The command it ran; several are separated by newlines.
    pub command: Option<Cow<'a, str>>,
    /// The purpose of the command, in the agent's words.
    pub description: Option<&'a str>,
    /// What it searched for, fetched, or asked a subagent to do.
    pub target: Option<Cow<'a, str>>,
    /// The kind of subagent it started.
    pub agent_type: Option<&'a str>,
    /// The MCP server and tool it called.
    pub mcp: Option<McpName>,
    /// The plan that it showed the user.
    pub plan: Option<&'a str>,
    /// The question it asked the user.
    pub question: Option<&'a str>,
    /// Its changes to files. A failed call changed nothing.
    pub change: Option<FileChange<'a>>,
    /// How it ended; unknown before it ran.
    pub outcome: Outcome,
    /// The error of a failed call, else its response.
    pub failure: Option<Cow<'a, str>>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Whether this announces a call that may never be reported as ended, so that this is all we
    /// get.
    pub ends_unseen: bool,
    /// The whole input.
    pub input: &'a Value,
    /// The whole response.
    pub response: Option<&'a Value>,
}

impl<'a> ToolUse<'a> {
    /// What the tool call of an event did; `hooks` are those of its agent. `None` when the event
    /// has no call, or the call never began.
    pub(crate) fn of(event: &'a HookEvent, hooks: Option<&Hooks>) -> Option<Self> {
        let tool = event.tool.as_ref()?;
        if event.kind == EventKind::ToolFailure && tool.error.as_deref().is_some_and(was_cancelled) {
            return None;
        }
        let mcp = mcp_name(hooks, tool);
        let patch = input::patch_of(tool);
        let kind = kind(hooks, tool, patch.as_ref(), mcp.is_some());
        let unseen = event.kind == EventKind::PreTool && ends_unseen(hooks, tool, patch.is_some(), &mcp);
        let files = patch.map_or_else(|| input::files(kind, tool), |patch| patch.files);
        let outcome = outcome(hooks, event, tool, kind);
        let failed = matches!(outcome, Outcome::Failed { .. });
        let changes = matches!(kind, ToolKind::Write | ToolKind::Edit) && !failed && !files.is_empty();
        let of_kind = |wanted: ToolKind| (kind == wanted).then_some(&tool.input);
        Some(Self {
            name: &tool.name,
            kind,
            files,
            command: of_kind(ToolKind::Command).and_then(input::command),
            description: of_kind(ToolKind::Command).and_then(|input| input::words(input, &["description"])),
            target: input::target(kind, &tool.input),
            agent_type: of_kind(ToolKind::TaskSpawn).and_then(|input| input::words(input, AGENT_TYPE)),
            mcp,
            plan: input::plan(tool),
            question: input::question(&tool.input),
            change: changes.then(|| change::change(tool)).flatten(),
            outcome,
            failure: failed.then(|| failure(tool)).flatten(),
            duration_ms: tool.duration_ms,
            ends_unseen: unseen,
            input: &tool.input,
            response: tool.response.as_ref(),
        })
    }

    /// The text of the response, with both output streams of a command one after the other. It can
    /// be large, so it is built on request.
    pub fn output(&self) -> Option<Cow<'a, str>> {
        self.response.and_then(output::output)
    }
}

/// The names under which the kind of subagent is given.
const AGENT_TYPE: &[&str] = &["subagent_type", "agent_type", "agent"];

/// For an unknown agent, only the conventions that all agents share are used.
fn kind(hooks: Option<&Hooks>, tool: &ToolCall, patch: Option<&input::Patch<'_>>, is_mcp: bool) -> ToolKind {
    match patch {
        Some(patch) => patch.kind,
        None if is_mcp => ToolKind::McpCall,
        None => match hooks {
            Some(hooks) => hooks.spec.tool(&tool.name).unwrap_or(ToolKind::Other),
            // Nudge's own runs name a tool after its kind.
            None => ToolKind::from_name(&tool.name).unwrap_or(ToolKind::Other),
        },
    }
}

/// Built-in names are never split, even if they look like MCP names.
fn mcp_name(hooks: Option<&Hooks>, tool: &ToolCall) -> Option<McpName> {
    // Nudge's own runs say it themselves.
    let Some(hooks) = hooks else { return tool.mcp.clone() };
    let spec = hooks.spec;
    let by_name = || spec.tool(&tool.name).is_none().then(|| spec.mcp.split(&tool.name)).flatten();
    tool.mcp.clone().or_else(by_name)
}

fn ends_unseen(hooks: Option<&Hooks>, tool: &ToolCall, patches: bool, mcp: &Option<McpName>) -> bool {
    let unseen = hooks.map_or(&[][..], |hooks| hooks.spec.unseen_ends);
    unseen.iter().any(|end| match end {
        UnseenEnd::McpCall => mcp.is_some(),
        UnseenEnd::ShellPatch => patches && tool.name != input::PATCH_TOOL,
    })
}

fn outcome(hooks: Option<&Hooks>, event: &HookEvent, tool: &ToolCall, kind: ToolKind) -> Outcome {
    match event.kind {
        EventKind::ToolFailure => Outcome::Failed { exit: exit::in_error(tool, kind) },
        EventKind::PostTool if tool.interrupted => Outcome::Failed { exit: None },
        EventKind::PostTool if tool.stated.is_some() => tool.stated.unwrap_or(Outcome::Unknown),
        EventKind::PostTool => hooks.map_or(Outcome::Unknown, |hooks| (hooks.outcome)(tool, kind)),
        _ => Outcome::Unknown,
    }
}

fn failure(tool: &ToolCall) -> Option<Cow<'_, str>> {
    let error = tool.error.as_deref().filter(|error| !error.trim().is_empty());
    error.map(Cow::Borrowed).or_else(|| output::output(tool.response.as_ref()?))
}
