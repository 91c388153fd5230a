//! `resolve_ghap`: how a hypothesis ended.

use nudge_core::hypothesis::Status;
use nudge_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{GhapLesson, GhapRootCause, MAX_RESULT_CHARS};
use super::start::{GhapAnswer, none_active};
use super::stored::{Stored, active_of, named};
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::statements::checked_text;

/// Parameters of `resolve_ghap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveGhapParams {
    /// How it ended.
    #[schemars(extend("x-listed" = ""))]
    pub status: EndWord,
    /// What you observed.
    pub result: String,
    /// What you did not expect. Required if falsified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("x-listed" = "What you did not expect."))]
    pub surprise: Option<String>,
    /// Why the hypothesis was wrong. Required if falsified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GhapRootCause", extend("x-listed" = "Why it was wrong."))]
    pub root_cause: Option<GhapRootCause>,
    /// What worked, and what to do next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GhapLesson", extend("x-listed" = "What worked; what to do next time."))]
    pub lesson: Option<GhapLesson>,
    /// Id of the hypothesis. Default: the active one. Use it to add a lesson after a run resolved
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub id: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub session: Option<String>,
}

/// How a hypothesis can end.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EndWord {
    /// It was right.
    Confirmed,
    /// It was wrong.
    Falsified,
    /// It was abandoned.
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

/// The `resolve_ghap` operation.
pub struct ResolveGhap;

impl Op for ResolveGhap {
    const NAME: &'static str = "resolve_ghap";
    const TITLE: &'static str = "Resolve the hypothesis";
    const DOC: &'static str = "End the active hypothesis. \"falsified\" needs surprise and root_cause, \
        which warn later sessions.";
    const REFERENCE: &'static str = "End the active hypothesis as confirmed, falsified or abandoned. A \
        falsified one needs a surprise and a root cause, and later sessions are warned with them.";
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Work;
    type Params = ResolveGhapParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: ResolveGhapParams) -> Result<GhapAnswer, Fault> {
        let mut stored = match &params.id {
            Some(id) => {
                let stored = named(ctx, id)?;
                projects::may_write_into(ctx.store(), ctx.caller, Some(stored.row.project), "")?;
                may_resolve(ctx, &stored)?;
                stored
            }
            None => {
                let session = session_to_write(ctx, params.session.as_deref())?;
                let active = active_of(ctx.store(), session.id)?;
                active.map_or_else(|| Err(none_active(ctx, session.id)), Ok)?
            }
        };
        resolve(ctx, &mut stored, params)?;
        stored.put(ctx.writer()?, &ctx.provenance()?, ctx.secret_policy(), ctx.now())?;
        ctx.writer()?.set_tool_count(stored.row.session, 0)?;
        Ok(GhapAnswer { ok: true, id: stored.record.id, warnings: Vec::new() })
    }
}

fn resolve(ctx: &OpContext<'_>, stored: &mut Stored, params: ResolveGhapParams) -> Result<(), Fault> {
    let text = |name: &'static str, given: &str| {
        checked_text(ctx, name, given, MAX_RESULT_CHARS).map_err(|fault| fault.with("field", name))
    };
    let status = Status::from(params.status);
    if let Some(known) = stored.record.outcome.as_ref().filter(|known| known.status.0 != status) {
        let why = format!("{} is already resolved: {}", stored.record.id, known.status.0.name());
        return Err(Fault::new(FaultKind::Conflict, "resolved", why).next("start a new one"));
    }
    let is_said = params.surprise.as_deref().is_some_and(|given| !given.trim().is_empty());
    if status == Status::Falsified && (!is_said || params.root_cause.is_none()) {
        let field = if is_said { "root_cause" } else { "surprise" };
        return Err(Fault::invalid(field, "a falsified hypothesis needs `surprise` and `root_cause`")
            .with("field", field)
            .next("add what you did not expect, and the cause: later sessions get it as a warning"));
    }
    let result = text("result", &params.result)?;
    let record = &mut stored.record;
    // Fields that are left out keep their values.
    if let Some(given) = &params.surprise {
        record.surprise = Some(text("surprise", given)?);
    }
    if let Some(cause) = params.root_cause {
        let description = text("root_cause", &cause.description)?;
        record.root_cause = Some(GhapRootCause { description, ..cause });
    }
    if let Some(lesson) = params.lesson {
        let what_worked = text("lesson", &lesson.what_worked)?;
        let takeaway = lesson.takeaway.as_deref().map(|given| text("lesson", given)).transpose()?;
        record.lesson = Some(GhapLesson { what_worked, takeaway });
    }
    // If a run decided the outcome, that decision and its result are kept.
    if record.outcome.as_ref().is_some_and(|outcome| outcome.auto_captured) {
        return Ok(());
    }
    let contradicted = record.contradicted.as_ref().filter(|_| status == Status::Falsified);
    let run = contradicted.map(|run| run.run);
    record.end(status, result, run, ctx.now());
    Ok(())
}

/// Refuses to resolve a hypothesis that another session is working on.
fn may_resolve(ctx: &OpContext<'_>, stored: &Stored) -> Result<(), Fault> {
    let is_open = stored.record.outcome.is_none();
    if !is_open || projects::is_person(ctx.caller) || session_to_write(ctx, None)?.id == stored.row.session {
        return Ok(());
    }
    let why = format!("{} belongs to another session", stored.record.id);
    Err(Fault::new(FaultKind::Forbidden, "other_session", why)
        .next("use adopt_orphan_ghap or abandon_orphan_ghap when that session has ended"))
}
