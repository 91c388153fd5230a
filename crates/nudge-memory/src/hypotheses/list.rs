//! `get_active_ghap` and `list_ghap_entries`.

use nudge_context::clean_text;
use nudge_core::hypothesis::{Domain, Status};
use nudge_core::text::one_line_of_chars;
use nudge_core::{Fault, Tier, Timestamp};
use nudge_store::HypothesisFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::GhapRecord;
use super::stored::{Stored, active_of, all};
use super::words::Word;
use crate::context_sets::SessionParam;
use crate::context_sets::session_to_read;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{ProjectParam, projects_meant};

/// How many are listed unless asked otherwise, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// How much of a goal or a hypothesis a list shows, in characters.
const SHORT: usize = 160;

/// The hypothesis that a session works on. Without one all fields are null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveGhap {
    /// Whether there is one.
    pub has_active: bool,
    /// Its id.
    pub id: Option<String>,
    /// The session that works on it.
    pub session_id: Option<String>,
    /// When it was made.
    pub created_at: Option<String>,
    /// What sort of work it belongs to.
    pub domain: Option<String>,
    /// How it is gone about.
    pub strategy: Option<String>,
    /// What is to be reached.
    pub goal: Option<String>,
    /// What is believed.
    pub hypothesis: Option<String>,
    /// What is done about it.
    pub action: Option<String>,
    /// What should then be seen.
    pub prediction: Option<String>,
    /// How many iterations there were.
    pub iteration_count: Option<u32>,
    /// What a run said against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<String>,
}

/// The operation.
pub struct GetActiveGhap;

impl Op for GetActiveGhap {
    const NAME: &'static str = "get_active_ghap";
    const ALIASES: &'static [&'static str] = &["nudge.get_active_ghap"];
    const TITLE: &'static str = "Get the active hypothesis";
    const DOC: &'static str = "The hypothesis that this session works on.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = SessionParam;
    type Answer = ActiveGhap;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<ActiveGhap, Fault> {
        let session = session_to_read(ctx, params.session.as_deref())?;
        let active = match session {
            Some(session) => active_of(ctx.store(), session.id)?,
            None => None,
        };
        Ok(active.map_or_else(ActiveGhap::default, |stored| shown(stored.record)))
    }
}

fn shown(record: GhapRecord) -> ActiveGhap {
    let text = |said: &str| Some(clean_text(said));
    ActiveGhap {
        has_active: true,
        id: text(&record.id),
        session_id: text(&record.session_id),
        created_at: text(&record.created_at),
        domain: text(record.domain.0.name()),
        strategy: text(record.strategy.0.name()),
        goal: text(&record.goal),
        hypothesis: text(&record.hypothesis),
        action: text(&record.action),
        prediction: text(&record.prediction),
        iteration_count: Some(record.iteration_count),
        contradicted: record.contradicted.map(|run| clean_text(&run.result)),
    }
}

/// Which hypotheses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListGhapParams {
    /// Only these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Word<Status>>,
    /// Only of this sort of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Word<Domain>>,
    /// Not older than this time (ISO 8601).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// 1-100 (20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Hypotheses, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapList {
    /// They.
    pub results: Vec<ListedGhap>,
    /// How many.
    pub count: usize,
}

/// A hypothesis in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedGhap {
    /// Its id.
    pub id: String,
    /// Its entry, for get_observations.
    pub entry: i64,
    /// How far it has come.
    pub status: String,
    /// What sort of work it belongs to.
    pub domain: String,
    /// How it is gone about.
    pub strategy: String,
    /// What is to be reached.
    pub goal: String,
    /// What is believed.
    pub hypothesis: String,
    /// What should then be seen.
    #[serde(default)]
    pub prediction: String,
    /// When it was made.
    pub created_at: String,
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// How much the outcome can be relied on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<String>,
}

impl From<&Stored> for ListedGhap {
    fn from(stored: &Stored) -> Self {
        let record = &stored.record;
        let short = |said: &str| one_line_of_chars(&clean_text(said), SHORT);
        Self {
            id: short(&record.id),
            entry: stored.row.entry.0,
            status: record.status().name().to_owned(),
            domain: record.domain.0.name().to_owned(),
            strategy: record.strategy.0.name().to_owned(),
            goal: short(&record.goal),
            hypothesis: short(&record.hypothesis),
            prediction: short(&record.prediction),
            created_at: short(&record.created_at),
            result: record.outcome.as_ref().map(|outcome| short(&outcome.result)),
            root_cause: record
                .root_cause
                .as_ref()
                .map(|cause| format!("{}: {}", cause.category.0.name(), short(&cause.description))),
            confidence_tier: record.confidence_tier.as_deref().map(short),
        }
    }
}

/// The operation.
pub struct ListGhap;

impl Op for ListGhap {
    const NAME: &'static str = "list_ghap_entries";
    const ALIASES: &'static [&'static str] = &["nudge.list_ghap_entries", "list_ghap"];
    const TITLE: &'static str = "List hypotheses";
    const DOC: &'static str = "Hypotheses of a project, newest first: what was tried and how it ended.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ListGhapParams;
    type Answer = GhapList;

    fn run(ctx: &OpContext<'_>, params: ListGhapParams) -> Result<GhapList, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST);
        let since = match params.since.as_deref() {
            Some(said) => Some(Timestamp::parse(said).ok_or_else(|| no_time(said))?),
            None => None,
        };
        let mut found = Vec::new();
        for project in projects_meant(ctx, &params.project)? {
            let filter = HypothesisFilter {
                project: Some(project),
                status: params.status.map(|status| status.0),
                domain: params.domain.map(|domain| domain.0),
                since,
                ..HypothesisFilter::default()
            };
            found.extend(all(ctx.store(), filter, u32::try_from(limit).unwrap_or(1))?);
        }
        found.sort_by_key(|stored| std::cmp::Reverse((stored.row.created_at, stored.row.entry)));
        let results: Vec<ListedGhap> = found.iter().take(limit as usize).map(ListedGhap::from).collect();
        Ok(GhapList { count: results.len(), results })
    }
}

fn no_time(said: &str) -> Fault {
    let shown = nudge_core::text::without_controls(said, 60);
    Fault::invalid("since", format!("`{shown}` is no time"))
        .with("field", "since")
        .next("give it as 2026-11-17T10:00:00Z")
}
