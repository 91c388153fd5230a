//! `start_ghap` states what is tried and what is expected; `update_ghap` states the current belief.

use std::time::Duration;

use nudge_context::quoted;
use nudge_core::hypothesis::{Domain, RootCause, Status, Strategy};
use nudge_core::text::age;
use nudge_core::{EntryId, Fault, FaultKind, Scope, Timestamp};
use nudge_outcomes::fingerprint;
use nudge_store::{HypothesisFilter, HypothesisRow, ProjectId, Reader, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::likeness::Corpus;
use super::record::{GhapRecord, Iteration, MAX_PART_CHARS, MAX_RESULT_CHARS, Word};
use super::stored::{Stored, active_of, all, last_of};
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::checked_text;

/// Parameters of `start_ghap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartGhapParams {
    /// Kind of work.
    #[schemars(extend("x-listed" = ""))]
    pub domain: Word<Domain>,
    /// How you approach it.
    #[schemars(extend("x-listed" = ""))]
    pub strategy: Word<Strategy>,
    /// What you want to achieve.
    #[schemars(extend("x-listed" = ""))]
    pub goal: String,
    /// What you believe.
    #[schemars(extend("x-listed" = ""))]
    pub hypothesis: String,
    /// What you do to test it.
    #[schemars(extend("x-listed" = ""))]
    pub action: String,
    /// What you expect to see. Name the command or test that decides: a run of it resolves the
    /// hypothesis.
    #[schemars(extend("x-listed" = "Name the command or test that decides: a run of it resolves this."))]
    pub prediction: String,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub session: Option<String>,
}

/// Answer to a change of a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapAnswer {
    /// True if the call succeeded.
    pub ok: bool,
    /// Id of the hypothesis.
    pub id: String,
    /// Warnings about similar attempts that failed before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The `start_ghap` operation.
pub struct StartGhap;

impl Op for StartGhap {
    const NAME: &'static str = "start_ghap";
    const TITLE: &'static str = "Start a hypothesis";
    const DOC: &'static str = "Call before you try a fix or test a belief: state the goal, your \
        hypothesis, your action and your prediction. One at a time. Warns of similar attempts that failed.";
    const REFERENCE: &'static str = "Record a hypothesis before testing it: goal, hypothesis, action and \
        prediction. A session has one active hypothesis. If the prediction names a command or test, a run \
        of it resolves the hypothesis.";
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Work;
    type Params = StartGhapParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: StartGhapParams) -> Result<GhapAnswer, Fault> {
        let part = |name: &'static str, said: &str| {
            checked_text(ctx, name, said, MAX_PART_CHARS).map_err(|fault| fault.with("field", name))
        };
        let session = session_to_write(ctx, params.session.as_deref())?;
        let (reader, writer) = (ctx.store(), ctx.writer()?);
        if let Some(active) = active_of(reader, session.id)? {
            return Err(exists(&active));
        }
        let record = GhapRecord {
            id: new_id(ctx, &session.name, &params),
            session_id: session.name.clone(),
            created_at: ctx.now().to_string(),
            domain: params.domain,
            strategy: params.strategy,
            goal: part("goal", &params.goal)?,
            hypothesis: part("hypothesis", &params.hypothesis)?,
            action: part("action", &params.action)?,
            prediction: part("prediction", &params.prediction)?,
            history: Vec::new(),
            iteration_count: 1,
            outcome: None,
            surprise: None,
            root_cause: None,
            lesson: None,
            confidence_tier: None,
            notes: Vec::new(),
            contradicted: None,
        };
        let warnings = warnings_for(reader, session.project, &record, ctx.now())?;
        let project = reader.project_uncounted(session.project)?;
        let key = project.and_then(|row| row.keys.into_iter().next()).unwrap_or_default();
        let row = HypothesisRow {
            entry: EntryId(0),
            project: session.project,
            session: session.id,
            status: Status::Active,
            domain: params.domain.0,
            strategy: params.strategy.0,
            root_cause: None,
            created_at: ctx.now(),
            resolved_at: None,
        };
        let mut stored = Stored { row, scope: Scope::Project(key), record };
        stored.put(writer, &ctx.provenance()?, ctx.secret_policy(), ctx.now())?;
        writer.set_tool_count(session.id, 0)?;
        Ok(GhapAnswer { ok: true, id: stored.record.id, warnings })
    }
}

fn exists(active: &Stored) -> Fault {
    let why = format!("a hypothesis is already active: {}", active.record.id);
    Fault::new(FaultKind::Conflict, "active_ghap_exists", why)
        .with("id", active.record.id.clone())
        .next("end it with resolve_ghap, or change it with update_ghap")
}

/// For example: `ghap_20261117_101530_1a2b3c`.
fn new_id(ctx: &OpContext<'_>, session: &str, params: &StartGhapParams) -> String {
    let now = ctx.now().to_string();
    let digits: String = now.chars().take(19).filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    let operation = ctx.caller.operation_id.as_deref().unwrap_or_default();
    let number = fingerprint(&[session, &now, operation, &params.goal, &params.hypothesis]);
    format!("ghap_{day}_{time}_{:06x}", number & 0xff_ffff)
}

// Warnings before the same mistake is made again.

/// How far back wrong hypotheses are searched, and how many.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

const MAX_SEARCHED: u32 = 200;

/// The lowest similarity of two hypotheses about the same thing.
const MIN_SIMILARITY: f32 = 0.45;

/// How many wrong hypotheses with the same kind of cause make a habit.
const MIN_HABIT: usize = 2;

/// How many warnings are given, and how many characters each quotes.
const MAX_WARNINGS: usize = 3;

const MAX_QUOTE_CHARS: usize = 160;

/// Warnings from earlier wrong hypotheses: one that is similar, and two or more in the same kind of
/// work with the same kind of cause.
fn warnings_for(
    reader: &Reader<'_>,
    project: ProjectId,
    new: &GhapRecord,
    now: Timestamp,
) -> Result<Vec<String>, Fault> {
    let filter = HypothesisFilter {
        project: Some(project),
        status: Some(Status::Falsified),
        since: Some(now.minus(MAX_AGE)),
        ..HypothesisFilter::default()
    };
    let wrong = all(reader, filter, MAX_SEARCHED)?;
    let mut warnings = alike(&wrong, new, now);
    for cause in &RootCause::ALL {
        let is_habit =
            |stored: &&Stored| stored.record.domain == new.domain && stored.row.root_cause == Some(*cause);
        let habit: Vec<&Stored> = wrong.iter().filter(is_habit).collect();
        if habit.len() >= MIN_HABIT {
            let newest = &habit[0].record;
            warnings.push(format!(
                "{} hypotheses about {} were wrong for the same kind of reason, {}. The last: \"{}\", because: \"{}\"",
                habit.len(),
                new.domain.0.name(),
                cause.name(),
                quoted(&newest.hypothesis, MAX_QUOTE_CHARS),
                reason(newest),
            ));
        }
    }
    warnings.truncate(MAX_WARNINGS);
    Ok(warnings)
}

fn alike(wrong: &[Stored], new: &GhapRecord, now: Timestamp) -> Vec<String> {
    let said = |record: &GhapRecord| format!("{} {}", record.hypothesis, record.action);
    let texts: Vec<String> = wrong.iter().map(|stored| said(&stored.record)).collect();
    let corpus = Corpus::of(texts.iter().map(String::as_str));
    let own = said(new);
    let mut near: Vec<(f32, &Stored)> =
        wrong.iter().enumerate().map(|(at, stored)| (corpus.alike_to(&own, at), stored)).collect();
    near.retain(|(alike, _)| *alike >= MIN_SIMILARITY);
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let lines = near.into_iter().take(1).map(|(_, stored)| {
        let record = &stored.record;
        let at = stored.row.resolved_at.unwrap_or(stored.row.created_at);
        format!(
            "a hypothesis like this was falsified {}: \"{}\". Root cause: \"{}\"",
            age(at, now).replace("now", "just now"),
            quoted(&record.hypothesis, MAX_QUOTE_CHARS),
            reason(record),
        )
    });
    lines.collect()
}

fn reason(record: &GhapRecord) -> String {
    record.root_cause.as_ref().map_or_else(String::new, |cause| quoted(&cause.description, MAX_QUOTE_CHARS))
}

// `update_ghap`: states the current belief; earlier versions stay readable.

/// How many notes a hypothesis may have.
const MAX_NOTES: usize = 50;

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
    const TITLE: &'static str = "Update the hypothesis";
    const DOC: &'static str = "Change the hypothesis, action, prediction or strategy of the active \
        hypothesis, or add a note. Earlier iterations are kept.";
    const REFERENCE: &'static str = "Change the active hypothesis or add a note to it. Earlier iterations \
        are kept.";
    const EFFECT: Effect = Effect::Write;
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
        let checked = said.as_deref().map(|said| checked_text(ctx, name, said, MAX_PART_CHARS));
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
        if record.notes.len() >= MAX_NOTES {
            let why = format!("a hypothesis is limited to {MAX_NOTES} notes");
            return Err(Fault::new(FaultKind::Quota, "notes", why).with("field", "note"));
        }
        let note =
            checked_text(ctx, "note", note, MAX_RESULT_CHARS).map_err(|fault| fault.with("field", "note"))?;
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
