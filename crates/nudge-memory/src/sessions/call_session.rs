//! The session that a call belongs to: one rule for every operation and every door.
//!
//! In this order: the session that the call's `_meta` names; the one whose hook announced the call's tool-use id; the one in
//! the environment of the process that asks; the newest hook session of that client in the project it stands in, within twelve
//! hours; else a generated one, the same for a day and a project. A connection says nothing: it may carry many sessions. An
//! operation that takes a session as an argument asks that first.

use std::time::Duration;

use nudge_core::{Fault, Provenance};
use nudge_harness::Harness;
use nudge_store::{ProjectId, SessionRow, SessionSeen};

use super::announced::is_announced;
use crate::caller::Surface;
use crate::operation::{CallSession, OWN, OpContext};
use crate::projects::{self, Standing};

/// A session that was heard of within this time may be the one that calls.
const RECENT: Duration = Duration::from_secs(12 * 60 * 60);

/// Among how many sessions of a project, and of all projects, the newest is looked for.
const LOOKED_AT: u32 = 50;

impl OpContext<'_> {
    /// The session that the call belongs to, found once.
    pub(crate) fn session(&self) -> Result<&CallSession, Fault> {
        if let Some(known) = self.known_session().get() {
            return Ok(known);
        }
        let found = of_call(self)?;
        Ok(self.known_session().get_or_init(|| found))
    }

    /// The provenance of what the call writes. What the person types in a terminal is of no agent's session.
    pub(crate) fn provenance(&self) -> Result<Provenance, Fault> {
        let session = match self.caller.surface {
            Surface::Mcp | Surface::Rpc => Some(self.session()?.name.clone()),
            Surface::Cli | Surface::AgentCli => self.caller.session.clone(),
        };
        Ok(self.caller.provenance(session))
    }
}

/// The session of a call.
fn of_call(ctx: &OpContext<'_>) -> Result<CallSession, Fault> {
    if let Some(stated) = stated(ctx)? {
        return Ok(stated);
    }
    let standing = Standing::of(ctx.store(), ctx.caller)?;
    let newest = match standing.project.filter(|_| !standing.is_unknown()) {
        Some(project) => newest_in(ctx, project)?,
        None if standing.is_unknown() => newest_anywhere(ctx)?,
        None => None,
    };
    Ok(match newest {
        Some(row) => CallSession { name: row.name.clone(), row: Some(row) },
        None => {
            let name = generated(ctx, standing.project);
            // In a place that nothing is known of yet there is no session either.
            let is_placed = standing.project.is_some() || standing.is_unknown();
            let row = if is_placed { ctx.store().agent_session_by_name(&name)? } else { None };
            let walls = ctx.walls()?;
            CallSession { row: row.filter(|row| !walls.hide(row.project)), name }
        }
    })
}

/// The session that the call or its process states, without a guess. What is closed to the caller is only a name.
pub(crate) fn stated(ctx: &OpContext<'_>) -> Result<Option<CallSession>, Fault> {
    let caller = ctx.caller;
    if let Some(name) = &caller.session {
        return named(ctx, name);
    }
    if let Some(id) = &caller.tool_use
        && let Some(row) = announced(ctx, id)?
    {
        return Ok(Some(CallSession { name: row.name.clone(), row: Some(row) }));
    }
    match caller.process_session.as_deref() {
        Some(name) => named(ctx, name),
        None => Ok(None),
    }
}

/// Whether a session is of another project than the one an agent stands in: it leaves nothing there.
fn is_elsewhere(ctx: &OpContext<'_>, session: &SessionRow) -> Result<bool, Fault> {
    if projects::is_person(ctx.caller) {
        return Ok(false);
    }
    let standing = Standing::of(ctx.store(), ctx.caller)?;
    Ok(!standing.is_unknown() && standing.project != Some(session.project))
}

/// The newest session in a project, of the agent that calls, or of any where a command line asks. One that has not ended
/// comes before one that has, and subagents' sessions are their parents'.
pub(crate) fn newest_in(ctx: &OpContext<'_>, project: ProjectId) -> Result<Option<SessionRow>, Fault> {
    let sessions = ctx.store().agent_sessions_of(project, LOOKED_AT)?;
    newest_of(ctx, sessions)
}

/// The name of a session of our own: one for a day and a project.
pub(crate) fn generated(ctx: &OpContext<'_>, project: Option<ProjectId>) -> String {
    let day: String = ctx.now().to_string().chars().take(10).collect();
    project.map_or_else(|| format!("{OWN}-{day}"), |project| format!("{OWN}-{day}-{}", project.0))
}

/// The session of that name; none where it is another project's.
fn named(ctx: &OpContext<'_>, name: &str) -> Result<Option<CallSession>, Fault> {
    let row = match ctx.store().agent_session_by_name(name)? {
        Some(row) if ctx.walls()?.hide(row.project) => None,
        Some(row) if is_elsewhere(ctx, &row)? => return Ok(None),
        row => row,
    };
    Ok(Some(CallSession { name: name.to_owned(), row }))
}

/// The session whose hook said that this call was about to be made.
fn announced(ctx: &OpContext<'_>, tool_use: &str) -> Result<Option<SessionRow>, Fault> {
    let reader = ctx.store();
    // Other agents' clients have no tool-use ids of Claude's.
    if client(ctx).is_some_and(|client| client != Harness::Claude) {
        return Ok(None);
    }
    for session in reader.newest_sessions_by(Harness::Claude.name(), LOOKED_AT)? {
        if is_announced(reader, &session, tool_use)? {
            let is_open = !ctx.walls()?.hide(session.project) && !is_elsewhere(ctx, &session)?;
            return Ok(Some(session).filter(|_| is_open));
        }
    }
    Ok(None)
}

/// Where nothing is known of the caller's place: the newest session of its agent, as long as all of them are in one project.
fn newest_anywhere(ctx: &OpContext<'_>) -> Result<Option<SessionRow>, Fault> {
    let since = ctx.now().minus(RECENT);
    let mut recent = Vec::new();
    for session in ctx.store().newest_sessions_by(program(ctx), LOOKED_AT)? {
        if ctx.store().last_activity(&session)? >= since {
            recent.push(session);
        }
    }
    let Some(project) = recent.first().map(|session| session.project) else { return Ok(None) };
    if recent.iter().any(|session| session.project != project) || ctx.walls()?.hide(project) {
        return Ok(None);
    }
    newest_of(ctx, recent)
}

fn newest_of(ctx: &OpContext<'_>, sessions: Vec<SessionRow>) -> Result<Option<SessionRow>, Fault> {
    let since = ctx.now().minus(RECENT);
    let by = program(ctx);
    let is_callers = |session: &SessionRow| match ctx.caller.surface {
        Surface::Mcp | Surface::Rpc => by == session.harness,
        Surface::Cli | Surface::AgentCli => session.harness != OWN,
    };
    let mut newest = None;
    for session in sessions.into_iter().filter(|session| session.parent.is_none() && is_callers(session)) {
        let last = ctx.store().last_activity(&session)?;
        let rank = (session.ended_at.is_none(), last);
        if last >= since && newest.as_ref().is_none_or(|(best, _)| rank > *best) {
            newest = Some((rank, session));
        }
    }
    Ok(newest.map(|(_, session)| session))
}

/// The program that calls, as sessions name it: an agent's, or our own where it is none that we know.
pub(crate) fn program(ctx: &OpContext<'_>) -> &'static str {
    client(ctx).map_or(OWN, Harness::name)
}

/// The session of a call to write into: made where nothing is stored of it yet.
pub(crate) fn entered(ctx: &OpContext<'_>, project: ProjectId) -> Result<SessionRow, Fault> {
    // A name of a session that is closed to the caller, or is elsewhere, is none that it may use.
    if let Some(stated) = stated(ctx)?
        && ctx.store().agent_session_by_name(&stated.name)?.is_none()
    {
        return enter(ctx, &stated.name, program(ctx), project);
    }
    enter(ctx, &generated(ctx, Some(project)), OWN, project)
}

/// Makes a session, or returns to it.
pub(crate) fn enter(
    ctx: &OpContext<'_>,
    name: &str,
    harness: &str,
    project: ProjectId,
) -> Result<SessionRow, Fault> {
    Ok(ctx.writer()?.enter_session(&SessionSeen {
        name,
        harness,
        harness_version: None,
        project,
        parent: None,
        headless: None,
        at: ctx.now(),
    })?)
}

fn client(ctx: &OpContext<'_>) -> Option<Harness> {
    Harness::of_client(ctx.caller.client.as_deref()?)
}
