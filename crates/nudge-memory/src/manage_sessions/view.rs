//! One session with its context sets (`get_session`), the newest ones (`list_session_states`), and
//! one for a program that has none (`start_session`).

use std::path::Path;

use nudge_context::clean_text;
use nudge_core::context_set::resume_text;
use nudge_core::text::one_line_of_chars;
use nudge_core::{Fault, FaultKind};
use nudge_store::{SessionRow, SessionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capture;
use crate::context_sets::{ENV_HINT, SessionParam, Sets, items_of, session_to_read, stated_about};
use crate::operation::{Effect, NoParams, Op, OpContext};
use crate::projects::resolve::resolve;
use crate::recall::{ProjectParam, projects_meant};
use crate::sessions::call_session;
use crate::statements::project_to_write;

/// How much of a prompt is shown as the session's current task, in characters.
const MAX_INTENT_CHARS: usize = 120;

/// The attributes of a session's entry with its name and its current intent.
pub(super) const NAME: &str = "name";

pub(super) const INTENT_FIELD: &str = "currentIntent";

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Session id.
    pub id: String,
    /// The agent's program.
    pub agent: String,
    /// Name of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// State: busy, idle or ended.
    pub state: String,
    /// True if the user has not looked at it since its agent stopped.
    pub unobserved: bool,
    /// Time it started.
    pub started_at: String,
    /// Time of the last activity.
    pub last_active_at: String,
    /// Time it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Name, current work and context sets.
    pub meta: SessionMeta,
    /// Text that reminds an agent of its context; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resume: String,
}

/// Name, current work and context sets of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMeta {
    /// Name of the session; empty if it has none.
    pub name: String,
    /// Time the user last looked at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_observed_at: Option<String>,
    /// Time its agent last ended a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_idle_at: Option<String>,
    /// What it is working on: as set, else the newest prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_intent: Option<String>,
    /// State of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_hint: Option<String>,
    /// Context sets.
    pub context: Sets,
}

/// The `get_session` operation.
pub struct GetSession;

impl Op for GetSession {
    const NAME: &'static str = "get_session";
    const TITLE: &'static str = "Get session";
    const DOC: &'static str = "Return one session: state, name, current work, context sets, and the text \
        that resumes it.";
    const REFERENCE: &'static str = "Return one session: state, name, current work, context sets, and the \
        text that an agent gets on resume.";
    const EFFECT: Effect = Effect::Read;
    type Params = SessionParam;
    type Answer = SessionView;

    fn run(ctx: &OpContext<'_>, params: SessionParam) -> Result<SessionView, Fault> {
        let session = session_to_read(ctx, params.session.as_deref())?.ok_or_else(no_session)?;
        let mut shown = view(ctx, &session)?;
        let sets = shown.meta.context.iter().map(|(name, items)| (name.as_str(), items.as_slice()));
        shown.resume = resume_text(shown.meta.env_hint.as_deref(), sets, &|file| Path::new(file).exists());
        Ok(shown)
    }
}

pub(super) fn no_session() -> Fault {
    Fault::new(FaultKind::NotFound, "no_session", "no session was captured here")
        .with("field", "session")
        .next("name a session; run `nudge sessions` to see them")
}

/// A session as it is shown.
pub(super) fn view(ctx: &OpContext<'_>, session: &SessionRow) -> Result<SessionView, Fault> {
    let reader = ctx.store();
    let stated = stated_about(reader, session)?;
    let text = |name: &str| stated.get(name).and_then(Value::as_str).map(clean_text);
    let activity = session.activity;
    let state = match (session.ended_at, activity.state) {
        (Some(_), _) => "ended",
        (None, SessionState::Busy) => "busy",
        (None, SessionState::Idle | SessionState::Resumed) => "idle",
    };
    let current_intent = match text(INTENT_FIELD) {
        Some(intent) => Some(intent),
        None => newest_prompt(ctx, session)?,
    };
    Ok(SessionView {
        id: clean_text(&session.name),
        agent: clean_text(&session.harness),
        project: reader.project_label(session.project)?.map(|(name, _)| clean_text(&name)),
        state: state.to_owned(),
        unobserved: activity.is_unobserved(),
        started_at: session.started_at.to_string(),
        last_active_at: reader.last_activity(session)?.to_string(),
        ended_at: session.ended_at.map(|at| at.to_string()),
        meta: SessionMeta {
            name: text(NAME).unwrap_or_default(),
            last_observed_at: activity.observed_at.map(|at| at.to_string()),
            last_idle_at: activity.idle_at.map(|at| at.to_string()),
            current_intent,
            env_hint: text(ENV_HINT),
            context: cleaned(items_of(reader, session)?),
        },
        resume: String::new(),
    })
}

fn cleaned(sets: Sets) -> Sets {
    let clean = |items: Vec<String>| items.iter().map(|item| clean_text(item)).collect();
    sets.into_iter().map(|(name, items)| (clean_text(&name), clean(items))).collect()
}

/// The user's newest request, if it is open to the caller.
fn newest_prompt(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Option<String>, Fault> {
    let hidden = ctx.hidden()?;
    for prompt in ctx.store().recent_prompts(session.id, 1)? {
        if !hidden.hide_entry(ctx.store(), prompt.entry)? {
            return Ok(Some(one_line_of_chars(&clean_text(&prompt.text), MAX_INTENT_CHARS)));
        }
    }
    Ok(None)
}

// `list_session_states`: what the newest sessions are doing.

/// How many are listed by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;

const MAX_LIMIT: i64 = 100;

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
    const TITLE: &'static str = "List session states";
    const DOC: &'static str = "List what the newest sessions are doing: busy, idle or ended, with name, \
        context sets, and whether the user has looked at them.";
    const EFFECT: Effect = Effect::Read;
    type Params = StatesParams;
    type Answer = SessionStates;

    fn run(ctx: &OpContext<'_>, params: StatesParams) -> Result<SessionStates, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
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

// `start_session`: a session for a program that has none of its own.

/// Answer of `start_session`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StartedSession {
    /// Session id.
    pub session_id: String,
    /// Time it started.
    pub started_at: String,
}

/// The `start_session` operation.
pub struct StartSession;

impl Op for StartSession {
    const NAME: &'static str = "start_session";
    const TITLE: &'static str = "Start session";
    const DOC: &'static str = "Start a session. Only for programs without a session id of their own; their \
        later calls belong to it.";
    const REFERENCE: &'static str = "Start a session for a program that has no session id of its own. \
        Later calls of that program belong to it.";
    const EFFECT: Effect = Effect::Write;
    type Params = NoParams;
    type Answer = StartedSession;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<StartedSession, Fault> {
        // A program that has no place may still count and have hypotheses; they reach no project.
        let project = match ctx.caller.has_no_place() {
            true => capture::record_project(ctx.writer()?, &resolve(None, None), ctx.now())?,
            false => project_to_write(ctx, None)?.id,
        };
        let name = uuid()?;
        let session = call_session::enter(ctx, &name, call_session::program(ctx), project)?;
        Ok(StartedSession { session_id: session.name, started_at: session.started_at.to_string() })
    }
}

/// A random UUID, in the form of RFC 9562.
fn uuid() -> Result<String, Fault> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Fault::new(
            FaultKind::Unavailable,
            "no_random",
            format!("the system returned no random numbers: {error}"),
        )
        .next("try again")
    })?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
