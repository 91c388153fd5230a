//! `file_history`: who touched a file, and what for.

mod which;

use nudge_core::{Fault, Tier};
use nudge_store::{FileTouch, Reader, SessionId, TracedObservation, Voice, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::observation::{Shelf, one_line};
use super::preview::preview;
use super::session_trace::{said, summary};
use super::unix_time::seconds;
use super::unix_time::window;
use crate::operation::{Effect, Op, OpContext, Profile};

use which::Meant;

/// How many touches are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// Which file, and how much of its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileHistoryParams {
    /// Its path.
    pub file_path: String,
    /// Only before this Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// Only after this Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
    /// At most so many touches [default: 10, at most 50].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
}

/// The history of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileHistoryAnswer {
    /// Its path.
    pub file_path: String,
    /// The sessions that touched it, the last one first.
    pub sessions: Vec<FileSession>,
}

/// A session that touched it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSession {
    /// Its id.
    pub session_id: String,
    /// What its project is called.
    pub project: Option<String>,
    /// When it began, in Unix seconds.
    pub started_at: i64,
    /// What it was about, once it was summed up.
    pub summary_intent: Option<String>,
    /// What it did to the file, the last first.
    pub touches: Vec<Touch>,
}

/// Something that was done to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// The number of the observation.
    pub observation_id: i64,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// What sort of thing.
    pub obs_type: String,
    /// The first 120 characters.
    pub content_preview: String,
    /// What the person had asked for.
    pub prompt_content: Option<String>,
    /// Whether it is kept for good.
    pub is_pinned: bool,
}

/// The operation.
pub struct FileHistory;

impl Op for FileHistory {
    const NAME: &'static str = "file_history";
    const ALIASES: &'static [&'static str] = &["nudge.file_history"];
    const TITLE: &'static str = "File history";
    const DOC: &'static str = "Which sessions read or changed a file, and what the person had asked for.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = FileHistoryParams;
    type Answer = FileHistoryAnswer;

    fn run(ctx: &OpContext<'_>, params: FileHistoryParams) -> Result<FileHistoryAnswer, Fault> {
        let reader = ctx.store();
        let Meant { name, files } = Meant::by(ctx, &params.file_path)?;
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let walls = ctx.walls()?;
        let found = touches(reader, &files, window(params.after, params.before), limit)?;
        let mut sessions: Vec<(SessionId, FileSession)> = Vec::new();
        for touch in found {
            let Some(row) = reader.traced_observation(touch.id)? else { continue };
            if walls.hide_entry(reader, touch.id)? {
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

/// What touched any of the files, the last first, each once.
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
    let (reader, walls) = (ctx.store(), ctx.walls()?);
    let Some(session) = reader.agent_session(id)?.filter(|session| !walls.hide(session.project)) else {
        return Ok(None);
    };
    let is_closed = match reader.summary_entry(session.id)? {
        Some(entry) => walls.hide_entry(reader, entry)?,
        None => false,
    };
    let summary = if is_closed { None } else { summary(reader, &session)? };
    let intent = summary.and_then(|mut summary| summary.remove("intent"));
    Ok(Some(FileSession {
        session_id: one_line(&session.name),
        project: Shelf::of(ctx)?.project_name(session.project)?,
        started_at: seconds(session.started_at),
        summary_intent: intent.as_ref().and_then(Value::as_str).map(str::to_owned),
        touches: vec![first],
    }))
}

fn touched(ctx: &OpContext<'_>, row: &TracedObservation) -> Result<Touch, Fault> {
    let (reader, walls) = (ctx.store(), ctx.walls()?);
    let prompt = match row.prompt {
        Some(id) if walls.hide_entry(reader, id)? => None,
        Some(id) => reader.prompt(id)?.filter(|prompt| prompt.voice == Voice::Person),
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
