//! The session that a call belongs to: one rule for every operation and every entry point.
//!
//! In this order: the session named in the call's `_meta`; the one with a hook that announced the
//! call's tool-use id; the one in the environment of the calling process; the newest hook session
//! of that client in the caller's project, within twelve hours; otherwise a generated one, the same
//! for a day and a project. A connection proves nothing, because it may carry many sessions.
//! Operations with a session argument use that first.
//!
//! A call over HTTP has no directory, so it belongs to the project of its session.

use std::time::Duration;

use nudge_core::text::without_controls;
use nudge_core::{Fault, Provenance};
use nudge_harness::Harness;
use nudge_store::{ProjectId, Reader, SessionRow, SessionSeen};

use crate::caller::Surface;
use crate::capture::identity;
use crate::capture::reaction::Stored;
use crate::operation::{CallSession, OWN, OpContext};
use crate::projects::resolve::UNKNOWN;
use crate::projects::{self, CallerPlace, HiddenProjects};

/// A session with activity within this time may be the calling one.
const RECENT_TIME: Duration = Duration::from_secs(12 * 60 * 60);

/// The longest id of a session that a call may give, in characters.
const MAX_ID_CHARS: usize = 128;

/// Among how many sessions, of a project or of all projects, to look for the newest.
const MAX_SEARCHED_SESSIONS: u32 = 50;

impl OpContext<'_> {
    /// The session of the call, looked up once.
    pub(crate) fn session(&self) -> Result<&CallSession, Fault> {
        if let Some(known) = self.known_session().get() {
            return Ok(known);
        }
        let found = of_call(self)?;
        Ok(self.known_session().get_or_init(|| found))
    }

    /// The provenance of what the call writes. Commands the user types in a terminal belong to no
    /// agent's session.
    pub fn provenance(&self) -> Result<Provenance, Fault> {
        let session = match self.caller.surface {
            Surface::Mcp | Surface::Rpc => Some(self.session()?.name.clone()),
            Surface::Cli | Surface::AgentCli | Surface::Client | Surface::Browser | Surface::Run => {
                self.caller.session.clone()
            }
        };
        Ok(self.caller.provenance(session))
    }
}

/// The name of a session that a call gives, if it can be one.
pub(crate) fn checked_name(name: &str) -> Result<String, Fault> {
    if name.chars().count() <= MAX_ID_CHARS && without_controls(name, MAX_ID_CHARS) == name {
        return Ok(name.to_owned());
    }
    let why = format!("the id of a session has at most {MAX_ID_CHARS} characters, all of them visible");
    Err(Fault::invalid("session", why).with("field", "session").next("pass the full id of your session"))
}

/// The key of the project that a call without a directory belongs to: that of the session it names,
/// or else the one project that its agent worked in lately. `None` if neither is known, or if the
/// project is private.
pub(crate) fn project_of_call(ctx: &OpContext<'_>, named: Option<&str>) -> Result<Option<String>, Fault> {
    let reader = ctx.store();
    let session = match named {
        // Who names a session is not in another one.
        Some(name) => reader.agent_session_by_name(name)?,
        None => match stated(ctx)? {
            Some(CallSession { row: Some(row), .. }) => Some(row),
            // A session that is hidden from the caller is known, and so no reason to guess.
            Some(CallSession { name, .. }) if reader.agent_session_by_name(&name)?.is_some() => None,
            _ if client(ctx).is_some() => newest_anywhere(ctx)?,
            _ => None,
        },
    };
    let Some(session) = session else { return Ok(None) };
    let hidden = ctx.hidden()?;
    Ok(project_key(reader, &hidden, &session)?.filter(|key| key != UNKNOWN))
}

/// The key of a session's project; `None` if that project is hidden.
pub(crate) fn project_key(
    reader: &Reader<'_>,
    hidden: &HiddenProjects,
    session: &SessionRow,
) -> Result<Option<String>, Fault> {
    if hidden.hide(session.project) {
        return Ok(None);
    }
    let project = reader.project_uncounted(session.project)?;
    Ok(project.and_then(|row| row.keys.into_iter().next()))
}

/// The session of a call.
fn of_call(ctx: &OpContext<'_>) -> Result<CallSession, Fault> {
    if let Some(stated) = stated(ctx)? {
        return Ok(stated);
    }
    let standing = CallerPlace::of(ctx.store(), ctx.caller)?;
    let newest = match standing.project.filter(|_| !standing.is_unknown()) {
        Some(project) => newest_in(ctx, project)?,
        None if standing.is_unknown() => newest_anywhere(ctx)?,
        None => None,
    };
    Ok(match newest {
        Some(row) => CallSession { name: row.name.clone(), row: Some(row) },
        None => {
            let name = generated(ctx, standing.project);
            // A place without a project has no session either.
            let is_placed = standing.project.is_some() || standing.is_unknown();
            let row = if is_placed { ctx.store().agent_session_by_name(&name)? } else { None };
            let hidden = ctx.hidden()?;
            CallSession { row: row.filter(|row| !hidden.hide(row.project)), name }
        }
    })
}

/// The session that the call or its process states, without guessing. For a session hidden from the
/// caller, only the name is returned.
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

/// Whether a session belongs to another project than the agent's; the agent may not write to it.
fn is_elsewhere(ctx: &OpContext<'_>, session: &SessionRow) -> Result<bool, Fault> {
    if projects::is_person(ctx.caller) {
        return Ok(false);
    }
    let standing = CallerPlace::of(ctx.store(), ctx.caller)?;
    Ok(!standing.is_unknown() && standing.project != Some(session.project))
}

/// The newest session in a project: of the calling agent, or of any if a command line asks.
/// Sessions that have not ended come first, and a subagent's session counts as its parent's.
pub(crate) fn newest_in(ctx: &OpContext<'_>, project: ProjectId) -> Result<Option<SessionRow>, Fault> {
    let sessions = ctx.store().agent_sessions_of(project, MAX_SEARCHED_SESSIONS)?;
    newest_of(ctx, sessions)
}

/// The name of a generated session: one per day and project.
pub(crate) fn generated(ctx: &OpContext<'_>, project: Option<ProjectId>) -> String {
    let day: String = ctx.now().to_string().chars().take(10).collect();
    project.map_or_else(|| format!("{OWN}-{day}"), |project| format!("{OWN}-{day}-{}", project.0))
}

/// The session with this name; `None` if it belongs to another project.
fn named(ctx: &OpContext<'_>, name: &str) -> Result<Option<CallSession>, Fault> {
    let row = match ctx.store().agent_session_by_name(name)? {
        Some(row) if ctx.hidden()?.hide(row.project) => None,
        Some(row) if is_elsewhere(ctx, &row)? => return Ok(None),
        row => row,
    };
    Ok(Some(CallSession { name: name.to_owned(), row }))
}

/// The session with a hook that announced this call.
fn announced(ctx: &OpContext<'_>, tool_use: &str) -> Result<Option<SessionRow>, Fault> {
    let reader = ctx.store();
    // Other agents' clients do not send Claude's tool-use ids.
    if client(ctx).is_some_and(|client| client != Harness::Claude) {
        return Ok(None);
    }
    for session in reader.newest_sessions_by(Harness::Claude.name(), MAX_SEARCHED_SESSIONS)? {
        if is_announced(reader, &session, tool_use)? {
            let is_open = !ctx.hidden()?.hide(session.project) && !is_elsewhere(ctx, &session)?;
            return Ok(Some(session).filter(|_| is_open));
        }
    }
    Ok(None)
}

/// For a caller without a known place: the newest session of its agent, provided that all of them
/// are in one project.
fn newest_anywhere(ctx: &OpContext<'_>) -> Result<Option<SessionRow>, Fault> {
    let since = ctx.now().minus(RECENT_TIME);
    let mut recent = Vec::new();
    for session in ctx.store().newest_sessions_by(program(ctx), MAX_SEARCHED_SESSIONS)? {
        if ctx.store().last_activity(&session)? >= since {
            recent.push(session);
        }
    }
    let Some(project) = recent.first().map(|session| session.project) else { return Ok(None) };
    if recent.iter().any(|session| session.project != project) || ctx.hidden()?.hide(project) {
        return Ok(None);
    }
    newest_of(ctx, recent)
}

fn newest_of(ctx: &OpContext<'_>, sessions: Vec<SessionRow>) -> Result<Option<SessionRow>, Fault> {
    let since = ctx.now().minus(RECENT_TIME);
    let by = program(ctx);
    let is_callers = |session: &SessionRow| match ctx.caller.surface {
        Surface::Mcp | Surface::Rpc | Surface::Run => by == session.harness,
        Surface::Cli | Surface::AgentCli | Surface::Client | Surface::Browser => session.harness != OWN,
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

/// The calling program, as sessions name it: an agent's name, or Nudge's own if it is not a known
/// agent.
pub(crate) fn program(ctx: &OpContext<'_>) -> &'static str {
    client(ctx).map_or(OWN, Harness::name)
}

/// The session to write to; created if nothing is stored for it yet.
pub(crate) fn session_for_writing(ctx: &OpContext<'_>, project: ProjectId) -> Result<SessionRow, Fault> {
    // The caller may not use the name of a session that is hidden from it or belongs to another
    // project.
    if let Some(stated) = stated(ctx)?
        && ctx.store().agent_session_by_name(&stated.name)?.is_none()
    {
        return enter(ctx, &stated.name, program(ctx), project);
    }
    enter(ctx, &generated(ctx, Some(project)), OWN, project)
}

/// Creates a session, or returns to it.
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

// Calls to Nudge's own tools that a hook announced: how an MCP call finds its session.

/// The agent that passes its hook's id of a call to MCP servers, and the event that announces a
/// call. Nothing else is stored about calls to Nudge's own tools.
const ANNOUNCING_EVENT: (Harness, &str) = (Harness::Claude, "PreToolUse");

/// Stores a call that an event announces.
pub(super) fn note_announced(stored: &Stored<'_>) -> Result<(), Fault> {
    let event = stored.event;
    if (event.harness.as_str(), event.event.as_str()) == (ANNOUNCING_EVENT.0.name(), ANNOUNCING_EVENT.1) {
        stored.writer.note_call(event.identity.hash, stored.at)?;
    }
    Ok(())
}

/// Whether a session's hook announced a tool call: an MCP call with that id belongs to the session.
fn is_announced(reader: &Reader<'_>, session: &SessionRow, tool_use: &str) -> Result<bool, Fault> {
    Ok(reader.is_call_noted(identity::of_call(&session.harness, &session.name, tool_use).hash)?)
}
