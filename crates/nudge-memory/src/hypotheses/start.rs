//! `start_ghap`: states what is tried and what is expected.

use nudge_core::hypothesis::{Domain, Status, Strategy};
use nudge_core::{EntryId, Fault, FaultKind, Scope, Tier};
use nudge_outcomes::fingerprint;
use nudge_store::HypothesisRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{GhapRecord, PART_MOST};
use super::stored::{Stored, active_of};
use super::warn;
use super::words::Word;
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
    const ALIASES: &'static [&'static str] = &["nudge.start_ghap"];
    const TITLE: &'static str = "Start a hypothesis";
    const DOC: &'static str = "Call before you try a fix or test a belief: state the goal, your \
        hypothesis, your action and your prediction. One at a time. Warns of similar attempts that failed.";
    const REFERENCE: &'static str = "Record a hypothesis before testing it: goal, hypothesis, action and \
        prediction. A session has one active hypothesis. If the prediction names a command or test, a run \
        of it resolves the hypothesis.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = StartGhapParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: StartGhapParams) -> Result<GhapAnswer, Fault> {
        let part = |name: &'static str, said: &str| {
            checked_text(ctx, name, said, PART_MOST).map_err(|fault| fault.with("field", name))
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
        let warnings = warn::warnings_for(reader, session.project, &record, ctx.now())?;
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
