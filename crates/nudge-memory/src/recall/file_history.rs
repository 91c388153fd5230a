//! `file_history`: who touched a file, and why.

mod which;

use nudge_core::Speaker;
use nudge_core::{Fault, Tier};
use nudge_store::{FileTouch, Reader, SessionId, TracedObservation, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::observation::{EntryLookup, one_line};
use super::preview::preview;
use super::session_trace::{said, summary};
use super::unix_time::seconds;
use super::unix_time::window;
use crate::operation::{Effect, Op, OpContext, Profile};

use which::ResolvedFile;

/// How many touches are returned by default, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// Parameters of `file_history`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileHistoryParams {
    /// Path of the file.
    pub file_path: String,
    /// Only before this time, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// Only after this time, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
    /// Maximum touches to return, up to 50. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
}

/// Answer of `file_history`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileHistoryAnswer {
    /// Path of the file.
    pub file_path: String,
    /// Sessions that read or changed the file, newest first.
    pub sessions: Vec<FileSession>,
}

/// A session that read or changed the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSession {
    /// Session id.
    pub session_id: String,
    /// Name of the project.
    pub project: Option<String>,
    /// Time it started, in Unix seconds.
    pub started_at: i64,
    /// What the session was about, once it is summarised.
    pub summary_intent: Option<String>,
    /// What it did with the file, newest first.
    pub touches: Vec<Touch>,
}

/// One read or change of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// Observation id, for get_observations.
    pub observation_id: i64,
    /// Time, in Unix seconds.
    pub timestamp: i64,
    /// Kind of observation.
    pub obs_type: String,
    /// First 120 characters.
    pub content_preview: String,
    /// What the user had asked for.
    pub prompt_content: Option<String>,
    /// True if it is pinned.
    pub is_pinned: bool,
}

/// The `file_history` operation.
pub struct FileHistory;

impl Op for FileHistory {
    const NAME: &'static str = "file_history";
    const ALIASES: &'static [&'static str] = &["nudge.file_history"];
    const TITLE: &'static str = "File history";
    const DOC: &'static str = "List the sessions that read or changed a file, and what the user had asked \
        for. Call before you change a file you don't know.";
    const REFERENCE: &'static str = "List the sessions that read or changed a file, what each did, and \
        what the user had asked for.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = FileHistoryParams;
    type Answer = FileHistoryAnswer;

    fn run(ctx: &OpContext<'_>, params: FileHistoryParams) -> Result<FileHistoryAnswer, Fault> {
        let reader = ctx.store();
        let ResolvedFile { name, files } = ResolvedFile::by(ctx, &params.file_path)?;
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let hidden = ctx.hidden()?;
        let found = touches(reader, &files, window(params.after, params.before), limit)?;
        let mut sessions: Vec<(SessionId, FileSession)> = Vec::new();
        for touch in found {
            let Some(row) = reader.traced_observation(touch.id)? else { continue };
            if hidden.hide_entry(reader, touch.id)? {
                continue;
            }
            let touched = touched(ctx, &row)?;
            match sessions.iter_mut().find(|(id, _)| *id == row.session) {
                Some((_, session)) => session.touches.push(touched),
                None => {
                    if let Some(session) = opened(ctx, row.session, touched)? {
                        sessions.push((row.session, session));
                    }
                }
            }
        }
        let sessions = sessions.into_iter().map(|(_, session)| session).collect();
        Ok(FileHistoryAnswer { file_path: one_line(&name), sessions })
    }
}

/// What touched any of the files, newest first, each once.
fn touches(
    reader: &Reader<'_>,
    files: &[i64],
    window: Window,
    limit: usize,
) -> Result<Vec<FileTouch>, Fault> {
    let mut touches = Vec::new();
    for file in files {
        touches.extend(reader.touches_of_file(*file, window, limit)?);
    }
    touches.sort_by_key(|touch| std::cmp::Reverse((touch.at, touch.id)));
    touches.dedup_by_key(|touch| touch.id);
    touches.truncate(limit);
    Ok(touches)
}

fn opened(ctx: &OpContext<'_>, id: SessionId, first: Touch) -> Result<Option<FileSession>, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    let Some(session) = reader.agent_session(id)?.filter(|session| !hidden.hide(session.project)) else {
        return Ok(None);
    };
    let is_closed = match reader.summary_entry(session.id)? {
        Some(entry) => hidden.hide_entry(reader, entry)?,
        None => false,
    };
    let summary = if is_closed { None } else { summary(reader, &session)? };
    let intent = summary.and_then(|mut summary| summary.remove("intent"));
    Ok(Some(FileSession {
        session_id: one_line(&session.name),
        project: EntryLookup::of(ctx)?.project_name(session.project)?,
        started_at: seconds(session.started_at),
        summary_intent: intent.as_ref().and_then(Value::as_str).map(str::to_owned),
        touches: vec![first],
    }))
}

fn touched(ctx: &OpContext<'_>, row: &TracedObservation) -> Result<Touch, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    let prompt = match row.prompt {
        Some(id) if hidden.hide_entry(reader, id)? => None,
        Some(id) => reader.prompt(id)?.filter(|prompt| prompt.speaker == Speaker::Person),
        None => None,
    };
    Ok(Touch {
        observation_id: row.id.0,
        timestamp: seconds(row.at),
        obs_type: row.kind.name().to_owned(),
        content_preview: preview(&row.begin),
        prompt_content: prompt.map(|prompt| said(&prompt)),
        is_pinned: row.pinned,
    })
}
