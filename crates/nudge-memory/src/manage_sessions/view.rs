//! `get_session`: one session and its context sets.

use std::path::Path;

use nudge_context::clean_text;
use nudge_core::context_set::resume_text;
use nudge_core::text::one_line_of_chars;
use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::{SessionRow, SessionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context_sets::{ENV_HINT, SessionParam, Sets, items_of, said_of, session_to_read};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How much of a prompt is shown as the session's current task, in characters.
const INTENT: usize = 120;

/// The attributes of a session's entry with its name and its current intent.
pub(super) const NAME: &str = "name";
pub(super) const INTENT_OF: &str = "currentIntent";

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
    const ALIASES: &'static [&'static str] = &["nudge.get_session"];
    const TITLE: &'static str = "Get session";
    const DOC: &'static str = "Return one session: state, name, current work, context sets, and the text \
        that resumes it.";
    const REFERENCE: &'static str = "Return one session: state, name, current work, context sets, and the \
        text that an agent gets on resume.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
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
    let said = said_of(reader, session)?;
    let text = |name: &str| said.get(name).and_then(Value::as_str).map(clean_text);
    let activity = session.activity;
    let state = match (session.ended_at, activity.state) {
        (Some(_), _) => "ended",
        (None, SessionState::Busy) => "busy",
        (None, SessionState::Idle | SessionState::Resumed) => "idle",
    };
    let current_intent = match text(INTENT_OF) {
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
            return Ok(Some(one_line_of_chars(&clean_text(&prompt.text), INTENT)));
        }
    }
    Ok(None)
}
