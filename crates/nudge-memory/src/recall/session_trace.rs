//! `session_trace`: a session from start to end, with what was asked and what was done about it.

use std::collections::HashMap;

use nudge_context::clean_text;
use nudge_core::text::cut_to_chars;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Speaker};
use nudge_store::{DocumentKind, PromptRow, Reader, SessionRow, TracedObservation, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::observation::{EntryLookup, cleaned, one_line, preview, time_window, unix_seconds};
use super::truncate::{self, size};
use crate::caller::Surface;
use crate::operation::{Effect, Op, OpContext};

/// How much of a session is returned at once; the rest is read with `timeline`.
const MAX_PROMPTS: usize = 500;
const MAX_OBSERVATIONS: usize = 1_000;

/// How many bytes of it an agent gets at once; the rest of the answer is for the summary.
const MAX_ROWS_BYTES: usize = truncate::MAX_ANSWER_BYTES / 3 * 2;

/// How much of a prompt is shown, in characters.
const MAX_PROMPT_CHARS: usize = 2_000;

/// A shorter prefix does not identify a session; a short full name does.
const MIN_PREFIX_CHARS: usize = 4;

/// How many sessions with the same prefix are searched for the only open one.
const MAX_SAME_PREFIX: u32 = 50;

/// Parameters of `session_trace`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionTraceParams {
    /// Session id or a unique prefix.
    pub session_id: String,
    /// Only before this time, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// Only after this time, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
}

/// Answer of `session_trace`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTraceAnswer {
    /// Session id.
    pub session_id: String,
    /// Name of the project.
    pub project: Option<String>,
    /// Time it started, in Unix seconds.
    pub started_at: i64,
    /// Time it ended, in Unix seconds.
    pub ended_at: Option<i64>,
    /// Summary of the session, once there is one.
    pub summary: Option<Map<String, Value>>,
    /// Prompts, oldest first.
    pub prompts: Vec<TracedPrompt>,
    /// True if there is more; continue with `timeline` from the last id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A prompt, and what was done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracedPrompt {
    /// Id of the prompt; null if work began without one.
    pub prompt_id: Option<i64>,
    /// Time, in Unix seconds.
    pub timestamp: i64,
    /// Who spoke: user, agent or program; system for events of the session itself.
    pub source: String,
    /// The text.
    pub content: String,
    /// How it was said, if not as a prompt: refusal, queued, answer, `beside_result`, command,
    /// `plan_comment`, shell or note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What it refers to: the call that was refused, the question, the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Number of observations that followed.
    pub observation_count: u64,
    /// Observations, oldest first.
    pub observations: Vec<TraceRow>,
}

/// An observation in a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRow {
    /// Observation id.
    pub id: i64,
    /// Time, in Unix seconds.
    pub timestamp: i64,
    /// Kind of observation.
    pub obs_type: String,
    /// The file it is about.
    pub file_path: Option<String>,
    /// First 120 characters.
    pub content_preview: String,
    /// For a note: who wrote it and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// True if it is pinned.
    pub is_pinned: bool,
}

/// The `session_trace` operation.
pub struct SessionTrace;

impl Op for SessionTrace {
    const NAME: &'static str = "session_trace";
    const TITLE: &'static str = "Session trace";
    const DOC: &'static str = "Return one session in order: each prompt with what was done about it.";
    const REFERENCE: &'static str = "Return one session in order: each prompt, and what was done about it.";
    const EFFECT: Effect = Effect::Read;
    type Params = SessionTraceParams;
    type Answer = SessionTraceAnswer;

    fn run(ctx: &OpContext<'_>, params: SessionTraceParams) -> Result<SessionTraceAnswer, Fault> {
        let reader = ctx.store();
        let session =
            session_called(ctx, &params.session_id).map_err(|fault| fault.with("field", "session_id"))?;
        let window = time_window(params.after, params.before);
        let room = if ctx.caller.surface == Surface::Mcp { MAX_ROWS_BYTES } else { usize::MAX };
        let (prompts, truncated) = traced(ctx, &session, window, room)?;
        let hidden = ctx.hidden()?;
        let summary = match reader.summary_entry(session.id)? {
            Some(id) if hidden.hide_entry(reader, id)? => None,
            _ => summary(reader, &session)?,
        };
        Ok(SessionTraceAnswer {
            session_id: one_line(&session.name),
            project: EntryLookup::of(ctx)?.project_name(session.project)?,
            started_at: unix_seconds(session.started_at),
            ended_at: session.ended_at.map(unix_seconds),
            summary,
            prompts,
            truncated,
        })
    }
}

/// The session with this id, or the only one with this prefix. If there is none, the fault names
/// the parameter `session`.
pub(crate) fn session_called(ctx: &OpContext<'_>, text: &str) -> Result<SessionRow, Fault> {
    let hidden = ctx.hidden()?;
    session_among(ctx.store(), text, |session| !hidden.hide(session.project))
}

/// Like [`session_called`], among the sessions that the caller may see.
pub(crate) fn session_among(
    reader: &Reader<'_>,
    text: &str,
    is_open: impl Fn(&SessionRow) -> bool,
) -> Result<SessionRow, Fault> {
    let text = text.trim();
    if let Some(session) = reader.agent_session_by_name(text)?.filter(&is_open) {
        return Ok(session);
    }
    let begins = text.chars().count() >= MIN_PREFIX_CHARS;
    let mut found = if begins { reader.agent_sessions_called(text, MAX_SAME_PREFIX)? } else { Vec::new() };
    found.retain(is_open);
    match found.len() {
        0 => Err(not_found(text)),
        1 => Ok(found.swap_remove(0)),
        _ => Err(Fault::invalid(
            Fault::AMBIGUOUS_SESSION,
            format!("several session ids begin with {}", preview(text)),
        )
        .with("field", "session")
        .next("use more characters of the id")),
    }
}

fn not_found(text: &str) -> Fault {
    Fault::new(FaultKind::NotFound, Fault::NO_SESSION, format!("session not found: {}", preview(text)))
        .with("field", "session")
        .next("run `nudge sessions` to see them; the first four characters of an id are enough")
}

/// The session's summary, if there is one.
pub(super) fn summary(
    reader: &Reader<'_>,
    session: &SessionRow,
) -> Result<Option<Map<String, Value>>, Fault> {
    let Some(id) = reader.summary_entry(session.id)? else { return Ok(None) };
    Ok(reader.entry_by_id(id)?.map(|entry| cleaned(entry.attributes)))
}

/// Prompts with their observations, and whether there are more.
fn traced(
    ctx: &OpContext<'_>,
    session: &SessionRow,
    window: Window,
    room: usize,
) -> Result<(Vec<TracedPrompt>, bool), Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    let mut prompts = reader.prompts_within(session.id, window, MAX_PROMPTS as u32 + 1)?;
    let mut seen = reader.observations_within(session.id, window, MAX_OBSERVATIONS as u32 + 1)?;
    let is_long = prompts.len() > MAX_PROMPTS || seen.len() > MAX_OBSERVATIONS;
    if !hidden.is_empty() {
        // A session may have entered a private project for a while.
        let open = |id: EntryId| Ok::<_, Fault>(!hidden.hide_entry(reader, id)?);
        prompts = visible(prompts, |prompt| open(prompt.id))?;
        seen = visible(seen, |row| open(row.id))?;
    }
    prompts.truncate(MAX_PROMPTS);
    seen.truncate(MAX_OBSERVATIONS);
    let mut traced = arranged(prompts, seen);
    name_authors(ctx, &mut traced)?;
    let truncated = leave_what_fits(&mut traced, room) || is_long;
    if truncated {
        let counts: HashMap<_, _> = reader.observations_by_prompt(session.id, window)?.into_iter().collect();
        for prompt in traced.iter_mut().filter(|prompt| prompt.prompt_id.is_some()) {
            prompt.observation_count = counts.get(&prompt.prompt_id.map(EntryId)).copied().unwrap_or(0);
        }
    }
    Ok((traced, truncated))
}

/// Sets the author of each note.
fn name_authors(ctx: &OpContext<'_>, traced: &mut [TracedPrompt]) -> Result<(), Fault> {
    let lookup = EntryLookup::of(ctx)?;
    let marker = ObservationKind::Marker;
    let rows = traced.iter_mut().flat_map(|prompt| &mut prompt.observations);
    for row in rows.filter(|row| row.obs_type == marker.name()) {
        row.stated_by = lookup.stated_by(EntryId(row.id), DocumentKind::Observation(Some(marker)))?;
    }
    Ok(())
}

fn visible<T>(rows: Vec<T>, is_visible: impl Fn(&T) -> Result<bool, Fault>) -> Result<Vec<T>, Fault> {
    let mut open = Vec::with_capacity(rows.len());
    for row in rows {
        if is_visible(&row)? {
            open.push(row);
        }
    }
    Ok(open)
}

/// Keeps as much from the start as fits into `room` bytes; returns whether anything was cut.
fn leave_what_fits(traced: &mut Vec<TracedPrompt>, room: usize) -> bool {
    let mut taken = 0;
    let mut fits = |bytes: usize| {
        taken += bytes;
        taken <= room
    };
    for place in 0..traced.len() {
        let prompt = &mut traced[place];
        let rows = std::mem::take(&mut prompt.observations);
        let count = rows.len();
        // The first prompt is always kept: otherwise the caller could not continue.
        let has_room = fits(size(prompt)) || place == 0;
        prompt.observations = rows.into_iter().take_while(|row| has_room && fits(size(row))).collect();
        if prompt.observations.len() < count || !has_room {
            traced.truncate(place + usize::from(has_room));
            return true;
        }
    }
    false
}

/// Each prompt with its observations. Observations without a prompt are placed by time, under an
/// empty prompt. Those of a prompt outside the window are left out with it.
fn arranged(prompts: Vec<PromptRow>, seen: Vec<TracedObservation>) -> Vec<TracedPrompt> {
    let (owned, orphans): (Vec<_>, Vec<_>) = seen.into_iter().partition(|row| row.prompt.is_some());
    let mut of_prompt: HashMap<EntryId, Vec<TraceRow>> = HashMap::new();
    for row in &owned {
        of_prompt.entry(row.prompt.expect("it has one")).or_default().push(line(row));
    }
    let mut traced: Vec<TracedPrompt> = Vec::new();
    let mut orphans = orphans.into_iter().peekable();
    for prompt in prompts {
        while let Some(row) = orphans.next_if(|row| (row.at, row.id) < (prompt.at, prompt.id)) {
            add_orphan(&mut traced, &row);
        }
        traced.push(asked(&prompt, of_prompt.remove(&prompt.id).unwrap_or_default()));
    }
    orphans.for_each(|row| add_orphan(&mut traced, &row));
    traced
}

fn add_orphan(traced: &mut Vec<TracedPrompt>, row: &TracedObservation) {
    match traced.last_mut().filter(|last| last.prompt_id.is_none()) {
        Some(last) => {
            last.observations.push(line(row));
            last.observation_count += 1;
        }
        None => traced.push(TracedPrompt {
            prompt_id: None,
            timestamp: unix_seconds(row.at),
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
    let source = match prompt.speaker {
        Speaker::Person => "user",
        Speaker::Agent => "agent",
        Speaker::Program => "program",
    };
    let known = |key: &str| prompt.attributes.get(key).and_then(Value::as_str).map(one_line);
    TracedPrompt {
        prompt_id: Some(prompt.id.0),
        timestamp: unix_seconds(prompt.at),
        source: source.to_owned(),
        content: prompt_text(prompt),
        said: known("said"),
        about: known("about").map(|about| preview(&about)),
        observation_count: observations.len() as u64,
        observations,
    }
}

/// The text of a prompt as shown; if it was cut, it ends in `…`.
pub(super) fn prompt_text(prompt: &PromptRow) -> String {
    match cut_to_chars(&prompt.body, MAX_PROMPT_CHARS) {
        Some(beginning) => clean_text(beginning) + "…",
        None => clean_text(&prompt.body),
    }
}

fn line(row: &TracedObservation) -> TraceRow {
    TraceRow {
        id: row.id.0,
        timestamp: unix_seconds(row.at),
        obs_type: row.kind.name().to_owned(),
        file_path: row.file.as_deref().map(one_line),
        content_preview: preview(&row.begin),
        stated_by: None,
        is_pinned: row.pinned,
    }
}
