//! `resolve_ghap`: how a hypothesis ended.

use nudge_core::hypothesis::Status;
use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{GhapLesson, GhapRootCause, RESULT_MOST};
use super::start::GhapAnswer;
use super::stored::{Stored, active_of, named};
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
    let text = |name: &'static str, said: &str| {
        checked_text(ctx, name, said, RESULT_MOST).map_err(|fault| fault.with("field", name))
    };
    let status = Status::from(params.status);
    if let Some(known) = stored.record.outcome.as_ref().filter(|known| known.status.0 != status) {
        let why = format!("{} is resolved already: {}", stored.record.id, known.status.0.name());
        return Err(Fault::new(FaultKind::Conflict, "resolved", why).next("start a new one"));
    }
    let is_said = params.surprise.as_deref().is_some_and(|said| !said.trim().is_empty());
    if status == Status::Falsified && (!is_said || params.root_cause.is_none()) {
        let field = if is_said { "root_cause" } else { "surprise" };
        return Err(Fault::invalid(field, "a falsified hypothesis needs `surprise` and `root_cause`")
            .with("field", field)
            .next("say what you did not expect, and the cause: later sessions are warned with it"));
    }
    let result = text("result", &params.result)?;
    let record = &mut stored.record;
    // What is left out stays as it was said.
    if let Some(said) = &params.surprise {
        record.surprise = Some(text("surprise", said)?);
    }
    if let Some(cause) = params.root_cause {
        let description = text("root_cause", &cause.description)?;
        record.root_cause = Some(GhapRootCause { description, ..cause });
    }
    if let Some(lesson) = params.lesson {
        let what_worked = text("lesson", &lesson.what_worked)?;
        let takeaway = lesson.takeaway.as_deref().map(|said| text("lesson", said)).transpose()?;
        record.lesson = Some(GhapLesson { what_worked, takeaway });
    }
    // What a run decided stays decided by it, with what it showed.
    if record.outcome.as_ref().is_some_and(|outcome| outcome.auto_captured) {
        return Ok(());
    }
    let contradicted = record.contradicted.as_ref().filter(|_| status == Status::Falsified);
    let run = contradicted.map(|run| run.run);
    record.end(status, result, run, ctx.now());
    Ok(())
}

/// Refuses to end what another session is working on.
fn may_resolve(ctx: &OpContext<'_>, stored: &Stored) -> Result<(), Fault> {
    let is_open = stored.record.outcome.is_none();
    if !is_open || projects::is_person(ctx.caller) || session_to_write(ctx, None)?.id == stored.row.session {
        return Ok(());
    }
    let why = format!("{} is of another session", stored.record.id);
    Err(Fault::new(FaultKind::Forbidden, "other_session", why)
        .next("adopt_orphan_ghap or abandon_orphan_ghap, once that session is over"))
}
