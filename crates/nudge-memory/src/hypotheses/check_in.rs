//! Check-ins: how many tools an agent has used since it last stated what it believes.

use nudge_core::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::Phase;
use crate::capture::reaction::Stored;
use crate::context_sets::SessionParam;
use crate::context_sets::{session_to_read, session_to_write};
use crate::operation::{Effect, Op, OpContext};

/// How many tool calls are made between two check-ins.
pub(crate) const CALLS_BETWEEN_CHECK_INS: i64 = 10;

/// The highest count.
const MAX_CALLS: i64 = 1_000_000;

/// Counts a tool call while the session works on a hypothesis. A call counts once, whether its
/// start, its end or both are reported.
pub(crate) fn count_tool(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, at, .. } = *stored;
    let is_tool = matches!(event.phase, Phase::BeforeTool | Phase::AfterTool);
    if !is_tool || event.agent.is_some() || writer.active_hypothesis(session.id)?.is_none() {
        return Ok(());
    }
    if writer.is_call_noted(event.identity.hash)? {
        return Ok(());
    }
    writer.note_call(event.identity.hash, at)?;
    writer.set_tool_count(session.id, (session.activity.tool_count + 1).min(MAX_CALLS))?;
    Ok(())
}

/// Parameters of `should_check_in`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckInParams {
    /// Tool calls between check-ins. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub frequency: Option<i64>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Answer of `should_check_in`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckInAnswer {
    /// True if a check-in is due.
    pub should_check_in: bool,
}

/// The `should_check_in` operation.
pub struct ShouldCheckIn;

impl Op for ShouldCheckIn {
    const NAME: &'static str = "should_check_in";
    const TITLE: &'static str = "Check whether a check-in is due";
    const DOC: &'static str = "Report whether this session has made enough tool calls for a check-in on \
        its hypothesis.";
    const REFERENCE: &'static str = "Report whether a session has made enough tool calls since its last \
        check-in.";
    const EFFECT: Effect = Effect::Read;
    type Params = CheckInParams;
    type Answer = CheckInAnswer;

    fn run(ctx: &OpContext<'_>, params: CheckInParams) -> Result<CheckInAnswer, Fault> {
        let session = session_to_read(ctx, params.session.as_deref())?;
        let count = session.map_or(0, |session| session.activity.tool_count);
        Ok(CheckInAnswer {
            should_check_in: count >= params.frequency.unwrap_or(CALLS_BETWEEN_CHECK_INS).max(1),
        })
    }
}

/// Tool calls of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCount {
    /// Tool calls since the last check-in.
    pub tool_count: i64,
}

/// The `increment_tool_count` operation.
pub struct IncrementToolCount;

impl Op for IncrementToolCount {
    const NAME: &'static str = "increment_tool_count";
    const TITLE: &'static str = "Increment the tool count";
    const DOC: &'static str = "Count one tool call of this session. Call it only if no hook counts tool \
        calls for you.";
    const REFERENCE: &'static str = "Count one tool call of a session. Hooks do this automatically.";
    const EFFECT: Effect = Effect::Write;
    type Params = SessionParam;
    type Answer = ToolCount;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<ToolCount, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        let tool_count = (session.activity.tool_count + 1).min(MAX_CALLS);
        ctx.writer()?.set_tool_count(session.id, tool_count)?;
        Ok(ToolCount { tool_count })
    }
}

/// The `reset_tool_count` operation.
pub struct ResetToolCount;

impl Op for ResetToolCount {
    const NAME: &'static str = "reset_tool_count";
    const TITLE: &'static str = "Reset the tool count";
    const DOC: &'static str = "Reset the tool count of this session to zero, after a check-in.";
    const REFERENCE: &'static str = "Reset the tool count of a session to zero.";
    const EFFECT: Effect = Effect::Write;
    type Params = SessionParam;
    type Answer = ToolCount;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<ToolCount, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        ctx.writer()?.set_tool_count(session.id, 0)?;
        Ok(ToolCount { tool_count: 0 })
    }
}
