//! `get_active_ghap` and `list_ghap_entries`.

use nudge_context::clean_text;
use nudge_core::hypothesis::{Domain, Status};
use nudge_core::text::one_line_of_chars;
use nudge_core::{Fault, Timestamp};
use nudge_store::HypothesisFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{GhapRecord, Word};
use super::stored::{Stored, active_of, all};
use crate::context_sets::{SessionParam, session_to_read};
use crate::operation::{Effect, Op, OpContext};
use crate::recall::{ProjectParam, projects_meant};

/// How many are listed by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

/// How much of a goal or a hypothesis a list shows, in characters.
const MAX_SHOWN_CHARS: usize = 160;

/// The active hypothesis of a session. All other fields are null if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveGhap {
    /// True if there is an active hypothesis.
    pub has_active: bool,
    /// Id of the hypothesis.
    pub id: Option<String>,
    /// The session that owns it.
    pub session_id: Option<String>,
    /// Time it was created.
    pub created_at: Option<String>,
    /// Kind of work.
    pub domain: Option<String>,
    /// How the work is approached.
    pub strategy: Option<String>,
    /// What the session wants to achieve.
    pub goal: Option<String>,
    /// What the session believes.
    pub hypothesis: Option<String>,
    /// What the session does to test it.
    pub action: Option<String>,
    /// What the session expects to see.
    pub prediction: Option<String>,
    /// Number of iterations.
    pub iteration_count: Option<u32>,
    /// Output of a run that contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<String>,
}

/// The `get_active_ghap` operation.
pub struct GetActiveGhap;

impl Op for GetActiveGhap {
    const NAME: &'static str = "get_active_ghap";
    const TITLE: &'static str = "Get the active hypothesis";
    const DOC: &'static str = "Return the active hypothesis of this session.";
    const REFERENCE: &'static str = "Return the hypothesis that a session is testing.";
    const EFFECT: Effect = Effect::Read;
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
    let text = |given: &str| Some(clean_text(given));
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

/// Parameters of `list_ghap_entries`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListGhapParams {
    /// Only this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Word<Status>>,
    /// Only this kind of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Word<Domain>>,
    /// Only entries since this time (ISO 8601).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `list_ghap_entries`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapList {
    /// Hypotheses, newest first.
    pub results: Vec<ListedGhap>,
    /// Number of results.
    pub count: usize,
}

/// Summary of a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedGhap {
    /// Id of the hypothesis.
    pub id: String,
    /// Entry id, for get_observations.
    pub entry: i64,
    /// Status: active, confirmed, falsified or abandoned.
    pub status: String,
    /// Kind of work.
    pub domain: String,
    /// How the work was approached.
    pub strategy: String,
    /// What the session wanted to achieve.
    pub goal: String,
    /// What the session believed.
    pub hypothesis: String,
    /// What the session expected to see.
    #[serde(default)]
    pub prediction: String,
    /// Time it was created.
    pub created_at: String,
    /// What was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// How reliable the outcome is: gold, silver, bronze or abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<String>,
}

impl From<&Stored> for ListedGhap {
    fn from(stored: &Stored) -> Self {
        let record = &stored.record;
        let short = |given: &str| one_line_of_chars(&clean_text(given), MAX_SHOWN_CHARS);
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

/// The `list_ghap_entries` operation.
pub struct ListGhap;

impl Op for ListGhap {
    const NAME: &'static str = "list_ghap_entries";
    const ALIASES: &'static [&'static str] = &["list_ghap"];
    const TITLE: &'static str = "List hypotheses";
    const DOC: &'static str = "List the hypotheses of a project, newest first: what was tried and how it \
        ended.";
    const REFERENCE: &'static str = "List the hypotheses of a project, newest first, with their outcome.";
    const EFFECT: Effect = Effect::Read;
    type Params = ListGhapParams;
    type Answer = GhapList;

    fn run(ctx: &OpContext<'_>, params: ListGhapParams) -> Result<GhapList, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let since = match params.since.as_deref() {
            Some(given) => Some(Timestamp::parse(given).ok_or_else(|| no_time(given))?),
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

fn no_time(given: &str) -> Fault {
    let shown = nudge_core::text::without_controls(given, 60);
    Fault::invalid("since", format!("`{shown}` is not a time"))
        .with("field", "since")
        .next("use the form 2026-11-17T10:00:00Z")
}
