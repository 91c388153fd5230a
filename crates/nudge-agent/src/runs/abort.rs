//! `abort_run`: stops what a run works on. Prompts that wait are answered next.

use nudge_core::run::{RunState, TurnState};
use nudge_core::view::EntryState;
use nudge_core::{Fault, Tier};
use nudge_store::{LoopRow, RunRow, TurnEnd, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::wire::RunAccepted;
use super::{find, partial};
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// Parameters of operations on one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Name, id or directory of its project. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The `abort_run` operation.
pub struct AbortRun;

impl Op for AbortRun {
    const NAME: &'static str = "abort_run";
    const ALIASES: &'static [&'static str] = &["nudge.abort_run", "run/abort"];
    const TITLE: &'static str = "Abort a run";
    const DOC: &'static str = "Stop what a run works on. Prompts that wait are answered next.";
    const REFERENCE: &'static str = "Stop what a run works on. Prompts that wait are answered next.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunAccepted, Fault> {
        let run = find::run_to_change(ctx, &params.run, params.project.as_deref())?;
        let note = abort(ctx, &run)?;
        let accepted = RunAccepted::of(&find::fresh(ctx, &run)?);
        Ok(match note {
            Some(note) => accepted.noting(note),
            None => accepted,
        })
    }
}

/// Ends the loop that is under way or next. Returns what to say about it.
pub(super) fn abort(ctx: &OpContext<'_>, run: &RunRow) -> Result<Option<String>, Fault> {
    let writer = ctx.writer()?;
    let Some(open) = writer.open_loop(run.id)? else {
        if run.state.is_over() {
            return Ok(Some("it was not running".to_owned()));
        }
        writer.set_run_state(run.id, RunState::Aborted, Some("abort"), ctx.now())?;
        writer.touch(run.entry, ctx.now())?;
        return Ok(None);
    };
    let mut result = Map::new();
    result.insert("reason".to_owned(), json!("aborted by the user"));
    settle(ctx, run, &open)?;
    writer.end_loop(open.id, RunState::Aborted, Some("abort"), &result, ctx.now())?;
    let waiting = writer.loops(run.id)?.iter().filter(|row| !row.state.is_over()).count();
    if waiting == 0 {
        writer.set_run_state(run.id, RunState::Aborted, Some("abort"), ctx.now())?;
    } else if run.state == RunState::Proposed {
        writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
    }
    writer.touch(run.entry, ctx.now())?;
    Ok((waiting > 0).then(|| format!("prompts that wait and are answered next: {waiting}")))
}

/// Ends what the loop has under way: the turn, and the calls that were not carried out.
fn settle(ctx: &OpContext<'_>, run: &RunRow, open: &LoopRow) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    if let Some(turn) = writer.turns_of_loop(open.id)?.last() {
        let state = match turn.state {
            TurnState::Sent => Some(TurnState::Failed),
            TurnState::Answered => Some(TurnState::Ended),
            TurnState::Ended | TurnState::Failed | TurnState::Lost => None,
        };
        if turn.state == TurnState::Sent {
            partial::estimate(writer, run, (turn.id, turn.seq))?;
        }
        if let Some(state) = state {
            let end =
                TurnEnd { state, errors: turn.errors, strikes: turn.strikes, fingerprint: String::new() };
            writer.end_turn(turn.id, &end, ctx.now())?;
        }
    }
    let change = ViewChange {
        state: Some((EntryState::Cancelled, Some("aborted".to_owned()))),
        ..ViewChange::default()
    };
    for row in writer.views(&run.scope)? {
        if matches!(row.state, EntryState::Streaming | EntryState::Proposed) {
            writer.change_view(&run.scope, row.entry, &change, ctx.now())?;
        }
    }
    Ok(())
}
