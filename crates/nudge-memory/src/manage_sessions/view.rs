//! `get_session`: one session, with what matters in it.

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

/// How much of a prompt stands for what a session is at, in characters.
const INTENT: usize = 120;

/// Where the entry of a session keeps what somebody said of it.
pub(super) const NAME: &str = "name";
pub(super) const INTENT_OF: &str = "currentIntent";

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub id: String,
    /// The agent's program.
    pub agent: String,
    /// What its project is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What it is doing: busy, idle, ended.
    pub state: String,
    /// Whether the person has not looked at it since its agent stopped.
    pub unobserved: bool,
    /// When it began.
    pub started_at: String,
    /// When something last happened in it.
    pub last_active_at: String,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// What is said of it.
    pub meta: SessionMeta,
    /// The text that reminds an agent of its context; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resume: String,
}

/// What is said of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMeta {
    /// What it is called; empty where nobody named it.
    pub name: String,
    /// When the person last looked at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_observed_at: Option<String>,
    /// When its agent last ended a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_idle_at: Option<String>,
    /// What it is at: what was said of it, else the newest prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_intent: Option<String>,
    /// What its surroundings are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_hint: Option<String>,
    /// Its context sets.
    pub context: Sets,
}

/// The operation.
pub struct GetSession;

impl Op for GetSession {
    const NAME: &'static str = "get_session";
    const ALIASES: &'static [&'static str] = &["nudge.get_session"];
    const TITLE: &'static str = "Get session";
    const DOC: &'static str = "One session: what it is doing, its name, what it is at, its context sets, and the text that resumes it.";
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
    Fault::new(FaultKind::NotFound, "no_session", "nothing is stored of a session here")
        .with("field", "session")
        .next("name one; `nudge sessions` lists them")
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

/// The newest thing that the person asked for, where it is open to the caller.
fn newest_prompt(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Option<String>, Fault> {
    let walls = ctx.walls()?;
    for prompt in ctx.store().recent_prompts(session.id, 1)? {
        if !walls.hide_entry(ctx.store(), prompt.entry)? {
            return Ok(Some(one_line_of_chars(&clean_text(&prompt.text), INTENT)));
        }
    }
    Ok(None)
}
