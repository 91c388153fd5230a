//! `list_session_states`: what the newest sessions are doing.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{SessionView, view};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{ProjectParam, projects_meant};

/// How many are listed by default, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// Parameters of `list_session_states`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatesParams {
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `list_session_states`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStates {
    /// Sessions, newest first.
    pub sessions: Vec<SessionView>,
    /// Number of all sessions that the user has not looked at since their agents stopped.
    pub unobserved_count: u64,
}

/// The `list_session_states` operation.
pub struct ListSessionStates;

impl Op for ListSessionStates {
    const NAME: &'static str = "list_session_states";
    const ALIASES: &'static [&'static str] = &["nudge.list_session_states"];
    const TITLE: &'static str = "List session states";
    const DOC: &'static str = "List what the newest sessions are doing: busy, idle or ended, with name, \
        context sets, and whether the user has looked at them.";
    const REFERENCE: &'static str = "List what the newest sessions are doing: busy, idle or ended, with \
        name, context sets, and whether the user has looked at them.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = StatesParams;
    type Answer = SessionStates;

    fn run(ctx: &OpContext<'_>, params: StatesParams) -> Result<SessionStates, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST);
        let (reader, hidden) = (ctx.store(), ctx.hidden()?);
        let mut found = Vec::new();
        for project in projects_meant(ctx, &params.project)? {
            let sessions = reader.agent_sessions_of(project, u32::try_from(limit).unwrap_or(1))?;
            found.extend(sessions.into_iter().filter(|session| session.parent.is_none()));
        }
        found.sort_by_key(|session| std::cmp::Reverse((session.started_at, session.id)));
        found.truncate(limit as usize);
        let sessions = found.iter().map(|session| view(ctx, session)).collect::<Result<_, _>>()?;
        let unobserved =
            reader.unobserved_sessions()?.into_iter().filter(|(project, _)| !hidden.hide(*project));
        Ok(SessionStates { sessions, unobserved_count: unobserved.map(|(_, count)| count).sum() })
    }
}
