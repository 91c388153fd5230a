//! Orphans: open hypotheses that nobody works on any more, adopted or abandoned.

use nudge_context::clean_text;
use nudge_core::hypothesis::Status;
use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::RESULT_MOST;
use super::start::GhapAnswer;
use super::stored::{Stored, active_of, orphans_of};
use crate::context_sets::SessionParam;
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects::Standing;
use crate::statements::checked_text;

/// An orphan, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrphanAnswer {
    /// Whether there is one.
    pub has_orphan: bool,
    /// The hypothesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The session that left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What was to be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What was believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<String>,
    /// What was done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// The operation.
pub struct GetOrphan;

impl Op for GetOrphan {
    const NAME: &'static str = "get_orphaned_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.get_orphaned_ghap"];
    const TITLE: &'static str = "Get an orphaned hypothesis";
    const DOC: &'static str = "A hypothesis of this project whose session has ended or was silent for four hours. Adopt it, or abandon it with a reason.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = SessionParam;
    type Answer = OrphanAnswer;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<OrphanAnswer, Fault> {
        let session = crate::context_sets::session_to_read(ctx, params.session.as_deref())?;
        let project = match &session {
            Some(session) => Some(session.project),
            None => Standing::of(ctx.store(), ctx.caller)?.project,
        };
        let Some(project) = project else { return Ok(OrphanAnswer::default()) };
        let own = session.map(|session| session.id);
        let orphan = orphans_of(ctx.store(), project, own, ctx.now())?.into_iter().next();
        Ok(orphan.map_or_else(OrphanAnswer::default, shown))
    }
}

fn shown(orphan: Stored) -> OrphanAnswer {
    let record = orphan.record;
    let text = |said: &str| Some(clean_text(said));
    OrphanAnswer {
        has_orphan: true,
        id: text(&record.id),
        session_id: text(&record.session_id),
        goal: text(&record.goal),
        hypothesis: text(&record.hypothesis),
        action: text(&record.action),
        created_at: text(&record.created_at),
    }
}

/// Which orphan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrphanParams {
    /// The hypothesis [default: the newest orphan of the project].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Session id [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The operation.
pub struct AdoptOrphan;

impl Op for AdoptOrphan {
    const NAME: &'static str = "adopt_orphan_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.adopt_orphan_ghap"];
    const TITLE: &'static str = "Adopt an orphaned hypothesis";
    const DOC: &'static str = "Go on with a hypothesis that an earlier session left; all that it says stays.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = OrphanParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: OrphanParams) -> Result<GhapAnswer, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        if let Some(active) = active_of(ctx.store(), session.id)? {
            let why = format!("this session works on {} already", active.record.id);
            return Err(Fault::new(FaultKind::Conflict, "active_ghap_exists", why)
                .with("id", active.record.id)
                .next("resolve it first"));
        }
        let mut orphan = orphan(ctx, session.project, Some(session.id), params.id.as_deref())?;
        orphan.record.session_id.clone_from(&session.name);
        orphan.row.session = session.id;
        orphan.put(ctx.writer()?, &ctx.provenance()?, ctx.secret_policy(), ctx.now())?;
        ctx.writer()?.set_tool_count(session.id, 0)?;
        Ok(GhapAnswer { ok: true, id: orphan.record.id, warnings: Vec::new() })
    }
}

/// Which orphan, and why it is given up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AbandonOrphanParams {
    /// Why.
    pub reason: String,
    /// The hypothesis [default: the newest orphan of the project].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Session id [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The operation.
pub struct AbandonOrphan;

impl Op for AbandonOrphan {
    const NAME: &'static str = "abandon_orphan_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.abandon_orphan_ghap"];
    const TITLE: &'static str = "Abandon an orphaned hypothesis";
    const DOC: &'static str =
        "Give up a hypothesis that an earlier session left, with a reason. It stays with that session.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = AbandonOrphanParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: AbandonOrphanParams) -> Result<GhapAnswer, Fault> {
        let reason = checked_text(ctx, "reason", &params.reason, RESULT_MOST)
            .map_err(|fault| fault.with("field", "reason"))?;
        let session = session_to_write(ctx, params.session.as_deref())?;
        let mut orphan = orphan(ctx, session.project, Some(session.id), params.id.as_deref())?;
        orphan.record.end(Status::Abandoned, reason, None, ctx.now());
        orphan.put(ctx.writer()?, &ctx.provenance()?, ctx.secret_policy(), ctx.now())?;
        Ok(GhapAnswer { ok: true, id: orphan.record.id, warnings: Vec::new() })
    }
}

fn orphan(
    ctx: &OpContext<'_>,
    project: ProjectId,
    own: Option<nudge_store::SessionId>,
    id: Option<&str>,
) -> Result<Stored, Fault> {
    let orphans = orphans_of(ctx.store(), project, own, ctx.now())?;
    let found = orphans.into_iter().find(|orphan| id.is_none_or(|id| orphan.record.id == id));
    found.ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_orphan", "no such hypothesis was left in this project")
            .next("one whose session is still at work belongs to that session")
    })
}
