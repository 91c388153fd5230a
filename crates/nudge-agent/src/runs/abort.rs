//! `abort_run` stops what a run works on; prompts that wait are answered next. `resume_run` goes on
//! with the last prompt of a run that stopped without an answer. `remove_run` deletes a run.

use nudge_core::entry_state::EntryState;
use nudge_core::run::{Mode, RunState, TurnState};
use nudge_core::{Fault, FaultKind, Tier};
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::projects::is_person;
use nudge_store::{LoopRow, RunRow, TurnEnd, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::log::estimate_tokens;
use super::named::{fresh, run_to_change};
use super::wire::{RunAccepted, RunParams};
use super::{command, records};

/// The `abort_run` operation.
pub struct AbortRun;

impl Op for AbortRun {
    const NAME: &'static str = "abort_run";
    const ALIASES: &'static [&'static str] = &["run/abort"];
    const TITLE: &'static str = "Abort a run";
    const DOC: &'static str = "Stop what a run works on. Prompts that wait are answered next.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunAccepted, Fault> {
        let run = run_to_change(ctx, &params.run, params.project.as_deref())?;
        let note = abort(ctx, &run)?;
        let accepted = RunAccepted::of(&fresh(ctx, &run)?);
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
            estimate_tokens(writer, run, (turn.id, turn.seq))?;
        }
        if let Some(state) = state {
            let end =
                TurnEnd { state, errors: turn.errors, strikes: turn.strikes, fingerprint: String::new() };
            writer.end_turn(turn.id, &end, ctx.now())?;
        }
    }
    command::cancel_all(ctx, run)?;
    let change = ViewChange {
        state: Some((EntryState::Cancelled, Some("aborted".to_owned()))),
        ..ViewChange::default()
    };
    for row in writer.views(&run.scope)? {
        if matches!(row.state, EntryState::Streaming | EntryState::Proposed) {
            if let Some(entry) = writer.entry_by_id(row.entry)? {
                records::withdraw(ctx, &entry)?;
            }
            writer.change_view(&run.scope, row.entry, &change, ctx.now())?;
        }
    }
    Ok(())
}

/// The `resume_run` operation.
pub struct ResumeRun;

impl Op for ResumeRun {
    const NAME: &'static str = "resume_run";
    const ALIASES: &'static [&'static str] = &["run/resume"];
    const TITLE: &'static str = "Resume a run";
    const DOC: &'static str = "Go on with the last prompt of a run that stopped without an answer.";
    const REFERENCE: &'static str = "Go on with the last prompt of a run that was aborted, failed or lost \
        its server. A request that was lost is asked again as a new turn.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunAccepted, Fault> {
        let run = run_to_change(ctx, &params.run, params.project.as_deref())?;
        if !run.state.is_over() && ctx.store().open_loop(run.id)?.is_some() {
            return Ok(RunAccepted::of(&run).noting("it is running already"));
        }
        if run.state == RunState::Completed {
            let why = format!("`{}` has ended with an answer", run.alias);
            return Err(Fault::new(FaultKind::Conflict, "run_completed", why)
                .next("ask it something else with `nudge ask --run`"));
        }
        let writer = ctx.writer()?;
        let last = writer.loops(run.id)?.into_iter().rev().find(|row| row.state != RunState::Completed);
        let acts = last.as_ref().is_some_and(|row| row.mode == Mode::Act);
        if acts && !is_person(ctx.caller) {
            let why = "only the user goes on with a run that acts";
            return Err(Fault::new(FaultKind::Forbidden, "tier", why)
                .next("ask the user to run `nudge run resume` in their own terminal"));
        }
        let Some(last) = last else {
            return Err(Fault::new(FaultKind::Conflict, "no_prompt", "it has no prompt to go on with")
                .next("ask it with `nudge ask --run`"));
        };
        writer.reopen_loop(last.id, run.next_turn)?;
        writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
        writer.touch(run.entry, ctx.now())?;
        Ok(RunAccepted::of(&fresh(ctx, &run)?).in_loop(last.seq))
    }
}

/// Answer of `remove_run`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRemoved {
    /// Name of the run that is gone.
    pub run: String,
}

/// The `remove_run` operation.
pub struct RemoveRun;

impl Op for RemoveRun {
    const NAME: &'static str = "remove_run";
    const ALIASES: &'static [&'static str] = &["run/remove"];
    const TITLE: &'static str = "Remove a run";
    const DOC: &'static str = "Remove a run with everything in it. The user decides this.";
    const REFERENCE: &'static str = "Remove a run that is over, with its prompts, its answers and what its \
        model noted. What was kept of it stays, and so do the files that it changed.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunRemoved;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunRemoved, Fault> {
        let run = run_to_change(ctx, &params.run, params.project.as_deref())?;
        let writer = ctx.writer()?;
        if !run.state.is_over() {
            let why = format!("`{}` is not over", run.alias);
            return Err(Fault::new(FaultKind::Conflict, "run_open", why)
                .next(format!("abort it first with `nudge run abort {}`", run.alias)));
        }
        let forks = writer.forks(run.id)?;
        if !forks.is_empty() {
            let why = format!("`{}` was copied, and its copies show what stands in it", run.alias);
            return Err(Fault::new(FaultKind::Conflict, "run_forked", why)
                .next(format!("remove its copies first: {}", forks.join(", "))));
        }
        writer.remove_run(&run, ctx.now())?;
        Ok(RunRemoved { run: run.alias })
    }
}
