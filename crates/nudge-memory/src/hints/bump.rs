//! How hints are found to work: `bump` reports it, and the results of commands show it.

use std::path::Path;

use nudge_core::hint::Sensitivity;
use nudge_core::{Context, EnvView, Fault, HintMeta, HintValue, ObservationKind, Outcome};
use nudge_home::surroundings;
use nudge_outcomes::fingerprint;

use super::wire::{BumpParams, HintAnswer};
use super::{choice, get, limits, secrets, stored};
use crate::capture::reaction::Ended;
use crate::operation::{Effect, Op, OpContext};

/// The `bump` operation.
pub struct BumpHint;

impl Op for BumpHint {
    const NAME: &'static str = "bump";
    const ALIASES: &'static [&'static str] = &["bump_hint"];
    const TITLE: &'static str = "Bump hint";
    const DOC: &'static str = "Report that a hint worked, so that it ranks higher. Call it after the \
        command or path in a hint succeeded.";
    const REFERENCE: &'static str = "Report that a hint worked. This raises its use count, so it ranks \
        higher.";
    const EFFECT: Effect = Effect::Write;
    type Params = BumpParams;
    type Answer = HintAnswer;

    fn run(ctx: &OpContext<'_>, params: BumpParams) -> Result<HintAnswer, Fault> {
        let delta = limits::check_delta(params.delta)?;
        let hints = get::variants(ctx, &params.component, &params.key)?;
        let caller_facts = choice::context_for(ctx, params.context)?;
        let mut hint = choice::one_variant(ctx.caller, hints, &caller_facts, ctx.now())?;
        ctx.writer()?.use_hint(hint.id, delta, ctx.now())?;
        hint.use_count = hint.use_count.saturating_add(delta);
        hint.last_used_at = Some(ctx.now());
        let mut hint = stored::wire_hint(ctx, &hint)?;
        if !secrets::allowed(ctx.caller, ctx.settings) {
            hint = hint.without_secret();
        }
        Ok(HintAnswer { hint })
    }

    fn for_repeat(answer: HintAnswer) -> HintAnswer {
        HintAnswer { hint: answer.hint.without_secret() }
    }
}

// Hints learn from the commands that agents run, so nobody has to report that one worked.

/// The hash that finds a hint when its command runs. `None` for a secret, which is stored in its
/// row only.
pub(super) fn command_of(value: &HintValue, meta: &HintMeta) -> Option<i64> {
    match value {
        HintValue::Command { cmd, .. } if meta.sensitivity != Some(Sensitivity::Secret) => {
            Some(hash_command(cmd))
        }
        _ => None,
    }
}

/// Records how a command ended in the hints that contain it and apply where it ran. Success counts
/// as a use; failure lowers their confidence. Old runs say nothing about the present, so an import
/// has no effect.
///
/// Conditions on the environment are treated as not met, because the agent's variables are not
/// known.
pub(crate) fn from_command(ended: &Ended<'_>) -> Result<(), Fault> {
    let ran = matches!(ended.kind, ObservationKind::Command | ObservationKind::CommandError);
    if !ran || ended.event.via.is_import() {
        return Ok(());
    }
    let Ended { writer, at: now, body: command, outcome, .. } = *ended;
    let rows = writer.hints_of_command(hash_command(command), now)?;
    if rows.is_empty() {
        return Ok(());
    }
    let here = surroundings::here(Path::new(ended.event.cwd.as_deref().unwrap_or("/")));
    let here = choice::CallerFacts::at(Context { env: EnvView::Absent, ..here }, Vec::new);
    let hints = rows.into_iter().map(stored::hint_of).collect::<Result<Vec<_>, _>>()?;
    for ranked in choice::split_by_eligibility(hints, &here, now)?.eligible {
        match outcome {
            Outcome::Success => writer.hint_worked(ranked.hint.id, now)?,
            _ => writer.hint_failed(ranked.hint.id, now)?,
        }
    }
    Ok(())
}

fn hash_command(command: &str) -> i64 {
    fingerprint(&["command", command.trim()])
}
