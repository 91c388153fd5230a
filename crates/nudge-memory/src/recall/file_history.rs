//! `file_history`: who touched a file, and why.

use std::path::Path;

use nudge_core::{Fault, Speaker};
use nudge_home::git;
use nudge_store::{FileTouch, Reader, SessionId, TracedObservation, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::recall::place::{Asked, ProjectParam, ProjectScopes};
use super::observation::{EntryLookup, one_line, preview, time_window, unix_seconds};
use super::session_trace::{prompt_text, summary};
use crate::caller::Ambient;
use crate::capture::project::normal;
use crate::operation::{Effect, Op, OpContext};

/// How many touches are returned by default, and how many at most.
const DEFAULT_LIMIT: i64 = 10;

const MAX_LIMIT: i64 = 50;

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
    const TITLE: &'static str = "File history";
    const DOC: &'static str = "List the sessions that read or changed a file, and what the user had asked \
        for. Call before you change a file you don't know.";
    const REFERENCE: &'static str = "List the sessions that read or changed a file, what each did, and \
        what the user had asked for.";
    const EFFECT: Effect = Effect::Read;
    type Params = FileHistoryParams;
    type Answer = FileHistoryAnswer;

    fn run(ctx: &OpContext<'_>, params: FileHistoryParams) -> Result<FileHistoryAnswer, Fault> {
        let reader = ctx.store();
        let ResolvedFile { name, files } = ResolvedFile::by(ctx, &params.file_path)?;
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let hidden = ctx.hidden()?;
        let found = touches(reader, &files, time_window(params.after, params.before), limit)?;
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
        started_at: unix_seconds(session.started_at),
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
        timestamp: unix_seconds(row.at),
        obs_type: row.kind.name().to_owned(),
        content_preview: preview(&row.begin),
        prompt_content: prompt.map(|prompt| prompt_text(&prompt)),
        is_pinned: row.pinned,
    })
}

// Which file a caller means: a file of its project, in every worktree where it was touched.

/// How many files with the same ending are read.
const MAX_FILES_BY_ENDING: u32 = 50;

/// How many worktrees of a project are distinguished.
const MAX_WORKTREES: u32 = 200;

/// The file that the caller means.
struct ResolvedFile {
    /// Its path, or the caller's words if it has several.
    name: String,
    /// Its numbers in the store, one for each of its paths; empty if nobody touched it.
    files: Vec<i64>,
}

impl ResolvedFile {
    /// Resolves the path as given, then relative to the caller's directory, then to the project's
    /// root; failing those, by the project's files with that ending.
    fn by(ctx: &OpContext<'_>, given: &str) -> Result<Self, Fault> {
        let given = given.trim();
        let here = match &ctx.caller.ambient {
            Ambient::Here(context) => context.cwd.as_deref(),
            Ambient::Nothing => None,
        };
        let trees = match Asked::of(ctx, &ProjectParam::Here)? {
            Asked::In(place) if !place.project.root.is_empty() => Some(Trees::of(ctx.store(), place, here)?),
            _ => None,
        };
        let root = trees.as_ref().map(|trees| trees.place.project.root.as_str());
        for path in seen_from([here, root], given) {
            let number = ctx.store().file_number(&path)?;
            let twins =
                trees.as_ref().map_or_else(|| Ok(Vec::new()), |trees| trees.twins(ctx.store(), &path))?;
            if number.is_some() || !twins.is_empty() {
                return Ok(Self::of(number.map_or_else(|| given.to_owned(), |_| path), number, twins));
            }
        }
        // Outside a project, a common name such as `main.rs` identifies nothing.
        let ending = trees.map_or_else(|| Ok(Vec::new()), |trees| trees.ending(ctx.store(), given))?;
        Ok(Self::of(given.to_owned(), None, ending))
    }

    fn of(name: String, number: Option<i64>, others: Vec<(String, i64)>) -> Self {
        match (number, others.as_slice()) {
            (None, [(path, only)]) => Self { name: path.clone(), files: vec![*only] },
            _ => {
                let others = others.iter().map(|(_, other)| *other).filter(|other| Some(*other) != number);
                Self { name, files: number.into_iter().chain(others).collect() }
            }
        }
    }
}

/// A path as given, and joined to each directory; each once.
fn seen_from(dirs: [Option<&str>; 2], given: &str) -> Vec<String> {
    let mut paths = vec![given.to_owned()];
    for dir in dirs.into_iter().flatten() {
        let path = normal(&Path::new(dir).join(given)).to_string_lossy().into_owned();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The directories of a project's checkouts.
struct Trees {
    place: ProjectScopes,
    /// Its root and the roots of its worktrees, each with a trailing slash.
    tops: Vec<String>,
    /// The roots of other projects.
    other_roots: Vec<String>,
}

impl Trees {
    fn of(reader: &Reader<'_>, place: ProjectScopes, here: Option<&str>) -> Result<Self, Fault> {
        let project = &place.project;
        let mut tops = reader.worktrees_of(project.id, MAX_WORKTREES)?;
        let own = here.and_then(|dir| git::checkout(Path::new(dir)));
        let own = own.filter(|own| project.keys.iter().any(|key| own.common_dir == Path::new(key)));
        tops.extend(own.map(|own| own.root.to_string_lossy().into_owned()));
        tops.push(project.root.clone());
        let mut strange = reader.other_roots(project.id)?;
        // A directory that contains the project, such as the user's home, also contains its
        // worktrees.
        let root = slashed(&project.root);
        strange.iter_mut().for_each(|other| *other = slashed(other));
        strange.retain(|other| !root.starts_with(other.as_str()));
        Ok(Self { tops: tops.iter().map(|top| slashed(top)).collect(), other_roots: strange, place })
    }

    /// A file's path within its tree; with nested trees, the inner one counts.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let tops = self.tops.iter().filter(|top| path.starts_with(top.as_str()));
        tops.map(|top| top.len()).max().map(|length| &path[length..]).filter(|inside| !inside.is_empty())
    }

    /// The files at the same path in any tree, including the file itself; empty if it is in no
    /// tree.
    fn twins(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let Some(inside) = self.inside(path) else { return Ok(Vec::new()) };
        let mut found = self.ending(reader, path)?;
        if !found.iter().any(|(other, _)| self.inside(other) == Some(inside)) {
            return Ok(Vec::new());
        }
        // If the root is unknown, such as that of a worktree a session moved to later, the ending
        // decides.
        found.retain(|(other, _)| self.inside(other).is_none_or(|there| there == inside));
        Ok(found)
    }

    /// The project's files that end with a path: the whole path, or its part within a tree.
    fn ending(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let end = if path.starts_with('/') { self.inside(path).unwrap_or_default() } else { path };
        let end = end.trim_start_matches("./");
        if end.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.place.project.root.trim_end_matches('/');
        let mut found = reader.files_ending(end, root, &self.place.scopes, MAX_FILES_BY_ENDING)?;
        found.retain(|(path, _)| self.inside(path).is_some() || !self.is_in_other_project(path));
        Ok(found)
    }

    fn is_in_other_project(&self, path: &str) -> bool {
        self.other_roots.iter().any(|other| path.starts_with(other.as_str()))
    }
}

fn slashed(dir: &str) -> String {
    format!("{}/", dir.trim_end_matches('/'))
}
