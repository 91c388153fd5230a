//! `resume_run`: goes on with the last prompt of a run that stopped without an answer.

use nudge_core::run::RunState;
use nudge_core::{Fault, FaultKind, Tier};

use super::abort::RunParams;
use super::find;
use super::wire::RunAccepted;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// The `resume_run` operation.
pub struct ResumeRun;

impl Op for ResumeRun {
    const NAME: &'static str = "resume_run";
    const ALIASES: &'static [&'static str] = &["nudge.resume_run", "run/resume"];
    const TITLE: &'static str = "Resume a run";
    const DOC: &'static str = "Go on with the last prompt of a run that stopped without an answer.";
    const REFERENCE: &'static str = "Go on with the last prompt of a run that was aborted, failed or lost \
        its server. A request that was lost is asked again as a new turn.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunAccepted, Fault> {
        let run = find::run_to_change(ctx, &params.run, params.project.as_deref())?;
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
        let Some(last) = last else {
            return Err(Fault::new(FaultKind::Conflict, "no_prompt", "it has no prompt to go on with")
                .next("ask it with `nudge ask --run`"));
        };
        writer.reopen_loop(last.id, run.next_turn)?;
        writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
        writer.touch(run.entry, ctx.now())?;
        Ok(RunAccepted::of(&find::fresh(ctx, &run)?).in_loop(last.seq))
    }
}
