//! Orphans: open hypotheses that nobody works on any more. They can be adopted or abandoned.

use nudge_context::clean_text;
use nudge_core::hypothesis::Status;
use nudge_core::{Fault, FaultKind};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::MAX_RESULT_CHARS;
use super::start::GhapAnswer;
use super::stored::{Stored, active_of, orphans_of};
use crate::context_sets::SessionParam;
use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext};
use crate::projects::CallerPlace;
use crate::statements::checked_text;

/// Answer of `get_orphaned_ghap`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrphanAnswer {
    /// True if there is an orphaned hypothesis.
    pub has_orphan: bool,
    /// Id of the hypothesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The session that left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What the session wanted to achieve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What the session believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<String>,
    /// What the session did to test it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Time it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// The `get_orphaned_ghap` operation.
pub struct GetOrphan;

impl Op for GetOrphan {
    const NAME: &'static str = "get_orphaned_ghap";
    const TITLE: &'static str = "Get an orphaned hypothesis";
    const DOC: &'static str = "Return a hypothesis of this project that an ended session, or one silent \
        for four hours, left open. Adopt it, or abandon it with a reason.";
    const REFERENCE: &'static str = "Return a hypothesis that an earlier session of the project left open. \
        A hypothesis is orphaned when its session ended or was silent for four hours.";
    const EFFECT: Effect = Effect::Read;
    type Params = SessionParam;
    type Answer = OrphanAnswer;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<OrphanAnswer, Fault> {
        let session = crate::context_sets::session_to_read(ctx, params.session.as_deref())?;
        let project = match &session {
            Some(session) => Some(session.project),
            None => CallerPlace::of(ctx.store(), ctx.caller)?.project,
        };
        let Some(project) = project else { return Ok(OrphanAnswer::default()) };
        let own = session.map(|session| session.id);
        let orphan = orphans_of(ctx.store(), project, own, ctx.now())?.into_iter().next();
        Ok(orphan.map_or_else(OrphanAnswer::default, shown))
    }
}

fn shown(orphan: Stored) -> OrphanAnswer {
    let record = orphan.record;
    let text = |given: &str| Some(clean_text(given));
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

/// Parameters of `adopt_orphan_ghap`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrphanParams {
    /// Id of the hypothesis. Default: the newest orphan of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The `adopt_orphan_ghap` operation.
pub struct AdoptOrphan;

impl Op for AdoptOrphan {
    const NAME: &'static str = "adopt_orphan_ghap";
    const TITLE: &'static str = "Adopt an orphaned hypothesis";
    const DOC: &'static str = "Continue a hypothesis that an earlier session left open. All of its content \
        is kept.";
    const REFERENCE: &'static str = "Continue a hypothesis that an earlier session left open. The calling \
        session becomes its owner.";
    const EFFECT: Effect = Effect::Write;
    type Params = OrphanParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: OrphanParams) -> Result<GhapAnswer, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        if let Some(active) = active_of(ctx.store(), session.id)? {
            let why = format!("this session already works on {}", active.record.id);
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

/// Parameters of `abandon_orphan_ghap`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AbandonOrphanParams {
    /// Why you abandon it.
    pub reason: String,
    /// Id of the hypothesis. Default: the newest orphan of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The `abandon_orphan_ghap` operation.
pub struct AbandonOrphan;

impl Op for AbandonOrphan {
    const NAME: &'static str = "abandon_orphan_ghap";
    const TITLE: &'static str = "Abandon an orphaned hypothesis";
    const DOC: &'static str = "Close a hypothesis that an earlier session left open, with a reason. It \
        stays with that session.";
    const REFERENCE: &'static str = "Close a hypothesis that an earlier session left open, with a reason. \
        It stays in that session's history as abandoned.";
    const EFFECT: Effect = Effect::Write;
    type Params = AbandonOrphanParams;
    type Answer = GhapAnswer;

    fn run(ctx: &OpContext<'_>, params: AbandonOrphanParams) -> Result<GhapAnswer, Fault> {
        let reason = checked_text(ctx, "reason", &params.reason, MAX_RESULT_CHARS)
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
        Fault::new(FaultKind::NotFound, "no_orphan", "there is no such orphaned hypothesis in this project")
            .next("get_orphaned_ghap shows one; a hypothesis of a running session stays with that session")
    })
}
