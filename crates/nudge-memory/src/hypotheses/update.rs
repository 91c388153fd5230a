//! `update_ghap`: states the current belief; earlier versions stay readable.

use nudge_core::hypothesis::Strategy;
use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Iteration, PART_MOST, RESULT_MOST};
use super::start::GhapAnswer;
use super::stored::{Stored, active_of, last_of};
use super::words::Word;
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::checked_text;

/// How many notes a hypothesis may have.
const NOTES_MOST: usize = 50;

/// Parameters of `update_ghap`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateGhapParams {
    /// What you believe now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<String>,
    /// What you do now to test it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What you expect to see now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<String>,
    /// How you approach it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Word<Strategy>>,
    /// A note to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The `update_ghap` operation.
pub struct UpdateGhap;

impl Op for UpdateGhap {
    const NAME: &'static str = "update_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.update_ghap"];
    const TITLE: &'static str = "Update the hypothesis";
    const DOC: &'static str = "Change the hypothesis, action, prediction or strategy of the active \
        hypothesis, or add a note. Earlier iterations are kept.";
    const REFERENCE: &'static str = "Change the active hypothesis or add a note to it. Earlier iterations \
        are kept.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = UpdateGhapParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: UpdateGhapParams) -> Result<GhapAnswer, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        let stored = active_of(ctx.store(), session.id)?;
        let mut stored = stored.map_or_else(|| Err(none_active(ctx, session.id)), Ok)?;
        change(ctx, &mut stored, &params)?;
        stored.put(ctx.writer()?, &ctx.provenance()?, ctx.secret_policy(), ctx.now())?;
        ctx.writer()?.set_tool_count(session.id, 0)?;
        Ok(GhapAnswer { ok: true, id: stored.record.id, warnings: Vec::new() })
    }
}

fn change(ctx: &OpContext<'_>, stored: &mut Stored, params: &UpdateGhapParams) -> Result<(), Fault> {
    let part = |name: &'static str, said: &Option<String>| {
        let checked = said.as_deref().map(|said| checked_text(ctx, name, said, PART_MOST));
        checked.transpose().map_err(|fault| fault.with("field", name))
    };
    let record = &mut stored.record;
    let hypothesis = part("hypothesis", &params.hypothesis)?.unwrap_or_else(|| record.hypothesis.clone());
    let action = part("action", &params.action)?.unwrap_or_else(|| record.action.clone());
    let prediction = part("prediction", &params.prediction)?.unwrap_or_else(|| record.prediction.clone());
    if (&hypothesis, &action, &prediction) != (&record.hypothesis, &record.action, &record.prediction) {
        record.history.push(Iteration {
            timestamp: ctx.now().to_string(),
            hypothesis: std::mem::replace(&mut record.hypothesis, hypothesis),
            action: std::mem::replace(&mut record.action, action),
            prediction: std::mem::replace(&mut record.prediction, prediction),
        });
        record.iteration_count = record.iteration_count.saturating_add(1);
        // Evidence against the previous version does not contradict this one.
        record.contradicted = None;
    }
    if let Some(strategy) = params.strategy {
        record.strategy = strategy;
    }
    if let Some(note) = &params.note {
        if record.notes.len() >= NOTES_MOST {
            let why = format!("a hypothesis is limited to {NOTES_MOST} notes");
            return Err(Fault::new(FaultKind::Quota, "notes", why).with("field", "note"));
        }
        let note =
            checked_text(ctx, "note", note, RESULT_MOST).map_err(|fault| fault.with("field", "note"))?;
        record.notes.push(note);
    }
    Ok(())
}

/// The fault for a session without an open hypothesis. It says how the last one ended, because a
/// run may have resolved it.
pub(super) fn none_active(ctx: &OpContext<'_>, session: SessionId) -> Fault {
    let last = last_of(ctx.store(), session).ok().flatten();
    let ended = last.and_then(|stored| Some((stored.record.id, stored.record.outcome?)));
    let said = ended.map_or_else(String::new, |(id, outcome)| {
        let by = if outcome.auto_captured { "by a run, " } else { "" };
        format!("; the last one, {id}, is resolved as {} {by}{}", outcome.status.0.name(), outcome.result)
    });
    let why = format!("no hypothesis is active in this session{said}");
    Fault::new(FaultKind::NotFound, "no_active_ghap", nudge_context::clean(&why, 400))
        .next("start one with start_ghap; get_orphaned_ghap shows an orphaned one")
}
