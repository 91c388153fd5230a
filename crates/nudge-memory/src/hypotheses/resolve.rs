//! `resolve_ghap`: how a hypothesis ended.

use nudge_core::hypothesis::Status;
use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{GhapLesson, GhapRootCause, RESULT_MOST};
use super::start::GhapAnswer;
use super::stored::{Stored, active_of, named, secrets};
use super::update::none_active;
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::statements::checked_text;

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveGhapParams {
    /// How it ended.
    #[schemars(description = "")]
    pub status: EndWord,
    /// What you saw.
    pub result: String,
    /// What you did not expect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub surprise: Option<String>,
    /// Why it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GhapRootCause")]
    pub root_cause: Option<GhapRootCause>,
    /// What worked, and what to take from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GhapLesson", description = "")]
    pub lesson: Option<GhapLesson>,
    /// The hypothesis [default: the active one]. One that a run has resolved gets its lesson this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub id: Option<String>,
    /// Session id [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub session: Option<String>,
}

/// How a hypothesis can end.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "")]
pub enum EndWord {
    /// It held.
    Confirmed,
    /// It was wrong.
    Falsified,
    /// It was given up.
    Abandoned,
}

impl From<EndWord> for Status {
    fn from(end: EndWord) -> Self {
        match end {
            EndWord::Confirmed => Self::Confirmed,
            EndWord::Falsified => Self::Falsified,
            EndWord::Abandoned => Self::Abandoned,
        }
    }
}

/// The operation.
pub struct ResolveGhap;

impl Op for ResolveGhap {
    const NAME: &'static str = "resolve_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.resolve_ghap"];
    const TITLE: &'static str = "Resolve the hypothesis";
    const DOC: &'static str = "End the active hypothesis. falsified needs surprise and root_cause: that is what later sessions are warned with.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = ResolveGhapParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: ResolveGhapParams) -> Result<GhapAnswer, Fault> {
        let mut stored = match &params.id {
            Some(id) => {
                let stored = named(ctx, id)?;
                projects::may_write_into(ctx.store(), ctx.caller, Some(stored.row.project), "")?;
                stored
            }
            None => {
                let session = session_to_write(ctx, params.session.as_deref())?;
                let active = active_of(ctx.store(), session.id)?;
                active.map_or_else(|| Err(none_active(ctx, session.id)), Ok)?
            }
        };
        resolve(ctx, &mut stored, params)?;
        stored.put(ctx.writer()?, &ctx.provenance()?, secrets(ctx), ctx.now())?;
        ctx.writer()?.set_tool_count(stored.row.session, 0)?;
        Ok(GhapAnswer { ok: true, id: stored.record.id, warnings: Vec::new() })
    }
}

fn resolve(ctx: &OpContext<'_>, stored: &mut Stored, params: ResolveGhapParams) -> Result<(), Fault> {
    let text = |name: &'static str, said: &str| {
        checked_text(ctx, name, said, RESULT_MOST).map_err(|fault| fault.with("field", name))
    };
    let status = Status::from(params.status);
    if let Some(known) = stored.record.outcome.as_ref().filter(|known| known.status.0 != status) {
        let why = format!("{} is resolved already: {}", stored.record.id, known.status.0.name());
        return Err(Fault::new(FaultKind::Conflict, "resolved", why).next("start a new one"));
    }
    let missing = |field: &'static str| {
        Fault::invalid(field, format!("a falsified hypothesis needs `{field}`"))
            .with("field", field)
            .next("say what you did not expect, and the cause: later sessions are warned with it")
    };
    if status == Status::Falsified {
        params
            .surprise
            .as_deref()
            .filter(|said| !said.trim().is_empty())
            .ok_or_else(|| missing("surprise"))?;
        params.root_cause.as_ref().ok_or_else(|| missing("root_cause"))?;
    }
    let result = text("result", &params.result)?;
    let record = &mut stored.record;
    record.surprise = params.surprise.as_deref().map(|said| text("surprise", said)).transpose()?;
    record.root_cause = params
        .root_cause
        .map(|cause| {
            let description = text("root_cause", &cause.description)?;
            Ok::<_, Fault>(GhapRootCause { description, ..cause })
        })
        .transpose()?;
    record.lesson = params
        .lesson
        .map(|lesson| {
            let what_worked = text("lesson", &lesson.what_worked)?;
            let takeaway = lesson.takeaway.as_deref().map(|said| text("lesson", said)).transpose()?;
            Ok::<_, Fault>(GhapLesson { what_worked, takeaway })
        })
        .transpose()?;
    let decided = record.outcome.as_ref().and_then(|outcome| outcome.run);
    let contradicted = record.contradicted.as_ref().filter(|_| status == Status::Falsified);
    let run = decided.or_else(|| contradicted.map(|run| run.run));
    record.end(status, result, run, ctx.now());
    Ok(())
}
