//! `session_trace`: a session from beginning to end, what was asked and what was done about it.

use std::collections::HashMap;

use nudge_context::clean_text;
use nudge_core::text::cut_to_chars;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Tier};
use nudge_store::{DocumentSort, PromptRow, Reader, SessionRow, TracedObservation, Voice, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::observation::{Shelf, cleaned, one_line};
use super::preview::preview;
use super::truncate::{self, size};
use super::unix_time::{seconds, window};
use crate::caller::Surface;
use crate::operation::{Effect, Op, OpContext, Profile};

/// How much of a session is given at once; from there on it is read with `timeline`.
const PROMPTS: usize = 500;
const OBSERVATIONS: usize = 1_000;

/// How many bytes of it an agent is given at once; the rest of an answer is for the summary.
const ROOM: usize = truncate::MOST / 3 * 2;

/// How much of a prompt is repeated, in characters.
const PROMPT_CHARS: usize = 2_000;

/// Fewer characters name no session but the one they are the whole name of.
const LEAST_BEGINNING: usize = 4;

/// Among how many sessions that begin alike the only open one is looked for.
const ALIKE: u32 = 50;

/// Which session, and what of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionTraceParams {
    /// Its id; a beginning that no other has will do.
    pub session_id: String,
    /// Only before this Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// Only after this Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTraceAnswer {
    /// Its id.
    pub session_id: String,
    /// What its project is called.
    pub project: Option<String>,
    /// When it began, in Unix seconds.
    pub started_at: i64,
    /// When it ended, in Unix seconds.
    pub ended_at: Option<i64>,
    /// What it came to, once it was summed up.
    pub summary: Option<Map<String, Value>>,
    /// What was asked, oldest first.
    pub prompts: Vec<TracedPrompt>,
    /// Whether there is more: `timeline` goes on from the last id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Something that was asked, and what was done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracedPrompt {
    /// Its number; null where nobody asked.
    pub prompt_id: Option<i64>,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// Who spoke: user, agent, program; system for what happened to the session itself.
    pub source: String,
    /// What was said.
    pub content: String,
    /// How it was said, when not by a prompt: refusal, queued, answer, `beside_result`, command, `plan_comment`, shell, note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What it was said to: the call that was refused, the question, the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How many observations followed.
    pub observation_count: u64,
    /// They, oldest first.
    pub observations: Vec<TraceRow>,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRow {
    /// Its number.
    pub id: i64,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// What sort of thing.
    pub obs_type: String,
    /// The file it is about.
    pub file_path: Option<String>,
    /// The first 120 characters.
    pub content_preview: String,
    /// Of a note: who left it, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// Whether it is kept for good.
    pub is_pinned: bool,
}

/// The operation.
pub struct SessionTrace;

impl Op for SessionTrace {
    const NAME: &'static str = "session_trace";
    const ALIASES: &'static [&'static str] = &["nudge.session_trace"];
    const TITLE: &'static str = "Session trace";
    const DOC: &'static str = "A session in order: each prompt with what was done about it.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = SessionTraceParams;
    type Answer = SessionTraceAnswer;

    fn run(ctx: &OpContext<'_>, params: SessionTraceParams) -> Result<SessionTraceAnswer, Fault> {
        let reader = ctx.store();
        let session =
            session_called(ctx, &params.session_id).map_err(|fault| fault.with("field", "session_id"))?;
        let window = window(params.after, params.before);
        let room = if ctx.caller.surface == Surface::Mcp { ROOM } else { usize::MAX };
        let (prompts, truncated) = told(ctx, &session, window, room)?;
        let walls = ctx.walls()?;
        let summary = match reader.summary_entry(session.id)? {
            Some(id) if walls.hide_entry(reader, id)? => None,
            _ => summary(reader, &session)?,
        };
        Ok(SessionTraceAnswer {
            session_id: one_line(&session.name),
            project: Shelf::of(ctx)?.project_name(session.project)?,
            started_at: seconds(session.started_at),
            ended_at: session.ended_at.map(seconds),
            summary,
            prompts,
            truncated,
        })
    }
}

/// The session with that id, or the only one whose id begins so. Where there is none the parameter `session` is to blame.
pub(crate) fn session_called(ctx: &OpContext<'_>, text: &str) -> Result<SessionRow, Fault> {
    let walls = ctx.walls()?;
    session_among(ctx.store(), text, |session| !walls.hide(session.project))
}

/// Like [`session_called`], among the sessions that may be seen.
pub(crate) fn session_among(
    reader: &Reader<'_>,
    text: &str,
    is_open: impl Fn(&SessionRow) -> bool,
) -> Result<SessionRow, Fault> {
    let text = text.trim();
    if let Some(session) = reader.agent_session_by_name(text)?.filter(&is_open) {
        return Ok(session);
    }
    let begins = text.chars().count() >= LEAST_BEGINNING;
    let mut found = if begins { reader.agent_sessions_called(text, ALIKE)? } else { Vec::new() };
    found.retain(is_open);
    match found.len() {
        0 => Err(not_found(text)),
        1 => Ok(found.swap_remove(0)),
        _ => Err(Fault::invalid(
            Fault::AMBIGUOUS_SESSION,
            format!("several sessions begin with {}", preview(text)),
        )
        .with("field", "session")
        .next("give more of its id")),
    }
}

fn not_found(text: &str) -> Fault {
    Fault::new(FaultKind::NotFound, Fault::NO_SESSION, format!("session not found: {}", preview(text)))
        .with("field", "session")
        .next("`nudge sessions` lists sessions; the first four characters of an id are enough")
}

/// What the session came to, if that was told.
pub(super) fn summary(
    reader: &Reader<'_>,
    session: &SessionRow,
) -> Result<Option<Map<String, Value>>, Fault> {
    let Some(id) = reader.summary_entry(session.id)? else { return Ok(None) };
    Ok(reader.entry_by_id(id)?.map(|entry| cleaned(entry.attributes)))
}

/// Prompts with their observations, and whether there would be more.
fn told(
    ctx: &OpContext<'_>,
    session: &SessionRow,
    window: Window,
    room: usize,
) -> Result<(Vec<TracedPrompt>, bool), Fault> {
    let (reader, walls) = (ctx.store(), ctx.walls()?);
    let mut prompts = reader.prompts_within(session.id, window, PROMPTS as u32 + 1)?;
    let mut seen = reader.observations_within(session.id, window, OBSERVATIONS as u32 + 1)?;
    let is_long = prompts.len() > PROMPTS || seen.len() > OBSERVATIONS;
    if !walls.is_empty() {
        // A session may have gone into a private project for a while.
        let open = |id: EntryId| Ok::<_, Fault>(!walls.hide_entry(reader, id)?);
        prompts = kept(prompts, |prompt| open(prompt.id))?;
        seen = kept(seen, |row| open(row.id))?;
    }
    prompts.truncate(PROMPTS);
    seen.truncate(OBSERVATIONS);
    let mut told = arranged(prompts, seen);
    name_authors(ctx, &mut told)?;
    let truncated = leave_what_fits(&mut told, room) || is_long;
    if truncated {
        let counts: HashMap<_, _> = reader.observations_by_prompt(session.id, window)?.into_iter().collect();
        for prompt in told.iter_mut().filter(|prompt| prompt.prompt_id.is_some()) {
            prompt.observation_count = counts.get(&prompt.prompt_id.map(EntryId)).copied().unwrap_or(0);
        }
    }
    Ok((told, truncated))
}

/// Says of each note who left it.
fn name_authors(ctx: &OpContext<'_>, told: &mut [TracedPrompt]) -> Result<(), Fault> {
    let shelf = Shelf::of(ctx)?;
    let marker = ObservationKind::Marker;
    let rows = told.iter_mut().flat_map(|prompt| &mut prompt.observations);
    for row in rows.filter(|row| row.obs_type == marker.name()) {
        row.stated_by = shelf.stated_by(EntryId(row.id), DocumentSort::Observation(Some(marker)))?;
    }
    Ok(())
}

fn kept<T>(rows: Vec<T>, is_kept: impl Fn(&T) -> Result<bool, Fault>) -> Result<Vec<T>, Fault> {
    let mut open = Vec::with_capacity(rows.len());
    for row in rows {
        if is_kept(&row)? {
            open.push(row);
        }
    }
    Ok(open)
}

/// Leaves as much from the beginning as there is room for, in bytes, and says whether there was more.
fn leave_what_fits(told: &mut Vec<TracedPrompt>, room: usize) -> bool {
    let mut taken = 0;
    let mut fits = |bytes: usize| {
        taken += bytes;
        taken <= room
    };
    for place in 0..told.len() {
        let prompt = &mut told[place];
        let rows = std::mem::take(&mut prompt.observations);
        let count = rows.len();
        // The first is always told: from nothing there is no going on.
        let has_room = fits(size(prompt)) || place == 0;
        prompt.observations = rows.into_iter().take_while(|row| has_room && fits(size(row))).collect();
        if prompt.observations.len() < count || !has_room {
            told.truncate(place + usize::from(has_room));
            return true;
        }
    }
    false
}

/// Each prompt with what belongs to it. What belongs to none stands where it happened, under a prompt that nobody gave;
/// what belongs to a prompt outside the window is left out with it.
fn arranged(prompts: Vec<PromptRow>, seen: Vec<TracedObservation>) -> Vec<TracedPrompt> {
    let (owned, orphans): (Vec<_>, Vec<_>) = seen.into_iter().partition(|row| row.prompt.is_some());
    let mut of_prompt: HashMap<EntryId, Vec<TraceRow>> = HashMap::new();
    for row in &owned {
        of_prompt.entry(row.prompt.expect("it has one")).or_default().push(line(row));
    }
    let mut told: Vec<TracedPrompt> = Vec::new();
    let mut orphans = orphans.into_iter().peekable();
    for prompt in prompts {
        while let Some(row) = orphans.next_if(|row| (row.at, row.id) < (prompt.at, prompt.id)) {
            add_orphan(&mut told, &row);
        }
        told.push(asked(&prompt, of_prompt.remove(&prompt.id).unwrap_or_default()));
    }
    orphans.for_each(|row| add_orphan(&mut told, &row));
    told
}

fn add_orphan(told: &mut Vec<TracedPrompt>, row: &TracedObservation) {
    match told.last_mut().filter(|last| last.prompt_id.is_none()) {
        Some(last) => {
            last.observations.push(line(row));
            last.observation_count += 1;
        }
        None => told.push(TracedPrompt {
            prompt_id: None,
            timestamp: seconds(row.at),
            source: "system".to_owned(),
            content: String::new(),
            said: None,
            about: None,
            observation_count: 1,
            observations: vec![line(row)],
        }),
    }
}

fn asked(prompt: &PromptRow, observations: Vec<TraceRow>) -> TracedPrompt {
    let source = match prompt.voice {
        Voice::Person => "user",
        Voice::Agent => "agent",
        Voice::Program => "program",
    };
    let known = |key: &str| prompt.attributes.get(key).and_then(Value::as_str).map(one_line);
    TracedPrompt {
        prompt_id: Some(prompt.id.0),
        timestamp: seconds(prompt.at),
        source: source.to_owned(),
        content: said(prompt),
        said: known("said"),
        about: known("about").map(|about| preview(&about)),
        observation_count: observations.len() as u64,
        observations,
    }
}

/// What was said, as far as it is repeated; what was cut ends in `…`.
pub(super) fn said(prompt: &PromptRow) -> String {
    match cut_to_chars(&prompt.body, PROMPT_CHARS) {
        Some(beginning) => clean_text(beginning) + "…",
        None => clean_text(&prompt.body),
    }
}

fn line(row: &TracedObservation) -> TraceRow {
    TraceRow {
        id: row.id.0,
        timestamp: seconds(row.at),
        obs_type: row.kind.name().to_owned(),
        file_path: row.file.as_deref().map(one_line),
        content_preview: preview(&row.begin),
        stated_by: None,
        is_pinned: row.pinned,
    }
}
