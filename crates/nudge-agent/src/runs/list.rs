//! `get_runs`: the runs of a project, newest first.

use nudge_core::run::run_status;
use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::show::{self, head_of};
use super::wire::RunView;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};
use nudge_memory::recall::{ProjectParam, projects_meant};

/// How many runs are returned by default, and how many at most.
const LIMIT: u32 = 20;
const LIMIT_MOST: u32 = 200;

/// Parameters of `get_runs`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRunsParams {
    /// Maximum runs to return, 1-200. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Runs to skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// Name, id or directory of a project; "*" for all. Default: the caller's.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `get_runs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunList {
    /// The runs, newest first, without their history.
    pub runs: Vec<RunView>,
    /// True if there are more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The `get_runs` operation.
pub struct GetRuns;

impl Op for GetRuns {
    const NAME: &'static str = "get_runs";
    const ALIASES: &'static [&'static str] = &["nudge.get_runs", "getRuns"];
    const TITLE: &'static str = "List runs";
    const DOC: &'static str = "List the runs of a project, newest first.";
    const REFERENCE: &'static str = "List the runs of a project, newest first, with prompt, state and usage.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = GetRunsParams;
    type Answer = RunList;

    fn run(ctx: &OpContext<'_>, params: GetRunsParams) -> Result<RunList, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MOST);
        let (skip, keep) = (params.offset.unwrap_or(0) as usize, limit as usize + 1);
        let projects = projects_meant(ctx, &params.project)?;
        let mut found = Vec::new();
        for project in &projects {
            found.extend(ctx.store().runs(Some(*project), (skip + keep) as u32, 0)?);
        }
        found.sort_by_key(|run| std::cmp::Reverse((run.updated_at, run.id)));
        let mut runs: Vec<_> = found.into_iter().skip(skip).take(keep).collect();
        let more = runs.len() >= keep;
        runs.truncate(limit as usize);
        let mut views = Vec::new();
        for run in &runs {
            let mut view = head_of(ctx.store(), run)?;
            view.status = run_status(run.state, run.outcome.as_deref());
            view.telemetry = Some(show::telemetry(&ctx.store().turns(run.id)?));
            views.push(view);
        }
        Ok(RunList { runs: views, more })
    }
}
