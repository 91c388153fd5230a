//! `file_history`: who touched a file, and what for.

use std::path::Path;

use nudge_core::{Fault, Tier};
use nudge_store::{Reader, SessionId, TracedObservation, Voice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::observation::{Shelf, one_line};
use super::place::{Asked, ProjectParam};
use super::preview::preview;
use super::seconds;
use super::session_trace::{beginning, summary};
use super::times::window;
use crate::caller::Ambient;
use crate::capture::project::normal;
use crate::desk::Desk;
use crate::operation::{Effect, Op, Profile};

/// How many touches are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// How much of the prompt behind a touch is repeated, in characters.
const PROMPT_CHARS: usize = 300;

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

    fn run(desk: &Desk<'_>, params: FileHistoryParams) -> Result<FileHistoryAnswer, Fault> {
        let reader = desk.store();
        let Some((path, number)) = known_file(desk, &params.file_path)? else {
            return Ok(FileHistoryAnswer { file_path: one_line(&params.file_path), sessions: Vec::new() });
        };
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let found = reader.touches_of_file(number, window(params.after, params.before), limit)?;
        let mut sessions: Vec<(SessionId, FileSession)> = Vec::new();
        for touch in found {
            let Some(row) = reader.traced_observation(touch.id)? else { continue };
            let touched = touched(reader, &row)?;
            match sessions.iter_mut().find(|(id, _)| *id == row.session) {
                Some((_, session)) => session.touches.push(touched),
                None => {
                    if let Some(session) = opened(reader, row.session, touched)? {
                        sessions.push((row.session, session));
                    }
                }
            }
        }
        let sessions = sessions.into_iter().map(|(_, session)| session).collect();
        Ok(FileHistoryAnswer { file_path: one_line(&path), sessions })
    }
}

/// How many files that end alike are looked at.
const ENDINGS: u32 = 100;

/// The file that is meant: as it is written, or seen from where the caller stands, or from the top of its project; else the end
/// of one of its paths.
fn known_file(desk: &Desk<'_>, given: &str) -> Result<Option<(String, i64)>, Fault> {
    let reader = desk.store();
    let given = given.trim();
    let mut paths = vec![given.to_owned()];
    let below = |dir: &str| normal(&Path::new(dir).join(given)).to_string_lossy().into_owned();
    if let Ambient::Here(context) = &desk.caller.ambient
        && let Some(cwd) = &context.cwd
    {
        paths.push(below(cwd));
    }
    let mut root = None;
    if let Asked::In(place) = Asked::of(desk, &ProjectParam::Here)?
        && !place.project.root.is_empty()
    {
        paths.push(below(&place.project.root));
        root = Some(format!("{}/", place.project.root.trim_end_matches('/')));
    }
    for path in paths {
        if let Some(number) = reader.file_number(&path)? {
            return Ok(Some((path, number)));
        }
    }
    // Else the end of a path, if it is one of this project. Elsewhere a name as common as `main.rs` means nothing.
    let Some(root) = root.filter(|_| !given.is_empty() && !given.starts_with('/')) else { return Ok(None) };
    let ending = reader.files_ending(given.trim_start_matches("./"), ENDINGS)?;
    Ok(ending.into_iter().find(|(path, _)| path.starts_with(&root)))
}

fn opened(reader: &Reader<'_>, id: SessionId, first: Touch) -> Result<Option<FileSession>, Fault> {
    let Some(session) = reader.agent_session(id)? else { return Ok(None) };
    let intent = summary(reader, &session)?.and_then(|mut summary| summary.remove("intent"));
    Ok(Some(FileSession {
        session_id: one_line(&session.name),
        project: Shelf::new(reader).project_name(session.project)?,
        started_at: seconds(session.started_at),
        summary_intent: intent.as_ref().and_then(Value::as_str).map(str::to_owned),
        touches: vec![first],
    }))
}

fn touched(reader: &Reader<'_>, row: &TracedObservation) -> Result<Touch, Fault> {
    let prompt = match row.prompt {
        Some(id) => reader.prompt(id)?.filter(|prompt| prompt.voice == Voice::Person),
        None => None,
    };
    Ok(Touch {
        observation_id: row.id.0,
        timestamp: seconds(row.at),
        obs_type: row.kind.name().to_owned(),
        content_preview: preview(&row.begin),
        prompt_content: prompt.map(|prompt| beginning(&prompt.body, PROMPT_CHARS)),
        is_pinned: row.pinned,
    })
}
