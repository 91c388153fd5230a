//! Turns an event into the captured event to store.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nudge_core::EventKind;
use nudge_core::event::{AgentLabel, HookEvent, Speaker, Speech};
use nudge_home::git;

use crate::anchors::make_anchors;
use crate::capture::captured_event::{
    Action, AgentRef, CapturedEvent, CapturedVia, EventBody, Phase, ReadContext,
};
use crate::capture::extract::text::{self, id};
use crate::capture::{extract, identity, strict};

/// The limit for a prompt: its first pages. Text pasted below them is rarely what the prompt is
/// about.
const MAX_PROMPT_CHARS: usize = 8_000;

/// The limit for the question that was answered, or for the purpose of a rejected call.
const MAX_ABOUT_CHARS: usize = 1_000;

/// The limit for the last message of a turn: enough for what was found and done.
const MAX_CONCLUSION_CHARS: usize = 1_500;

/// The limit for a thought, which is longer than a conclusion.
const MAX_THOUGHT_CHARS: usize = 2_000;

/// Longer commands are programs in their own right.
const MAX_COMMAND_CHARS: usize = 4_000;

/// Longer than any real path.
const MAX_PATH_BYTES: usize = 4_096;

/// Clocks on one machine agree, so a time further ahead than this is not a clock's.
const MAX_CLOCK_DIFFERENCE: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

/// Prompts from the agent program that only remind the agent of something.
const REMINDER_TAG: &str = "<system-reminder>";

/// The captured event to store; `None` if the event belongs to no session.
///
/// `payload` is the text the event was read from; it is only hashed. The captured event is small
/// regardless of the payload's size.
pub fn read(event: &HookEvent, payload: &str, here: &ReadContext) -> Option<CapturedEvent> {
    if here.project.claims.strict {
        let (event, payload) = strict::event(event, payload);
        return read_as_is(&event, &payload, here);
    }
    read_as_is(event, payload, here)
}

fn read_as_is(event: &HookEvent, payload: &str, here: &ReadContext) -> Option<CapturedEvent> {
    let session = id(event.session.as_deref().filter(|session| !session.trim().is_empty())?);
    let at = event
        .at
        .filter(|at| *at <= here.now.plus(MAX_CLOCK_DIFFERENCE) && at.as_millis() > 0)
        .unwrap_or(here.now);
    Some(fit_event(CapturedEvent {
        harness: word(&event.harness),
        harness_version: event.harness_version.as_deref().map(word),
        event: word(&event.name),
        project: here.project.clone(),
        cwd: path(event.cwd.as_deref()),
        at: at.as_millis(),
        identity: identity::of(event, &session, payload),
        turn: event.prompt_id.as_deref().map(id),
        agent: event.agent.as_ref().map(agent),
        headless: here.headless.or(event.headless),
        transcript: path(event.transcript.as_deref()),
        worktree: None,
        remote: None,
        branch: None,
        phase: phase(event),
        via: here.via,
        what: what(event, here),
        session,
    }))
}

const fn phase(event: &HookEvent) -> Phase {
    match event.kind {
        EventKind::PreTool => Phase::BeforeTool,
        EventKind::PostTool | EventKind::ToolFailure => Phase::AfterTool,
        EventKind::Stop if event.agent.is_none() => Phase::TurnEnded,
        _ => Phase::Other,
    }
}

/// Words as they are stored: without private spans and anything Nudge injected. `None` if nothing
/// is left.
pub fn speech(by: Speaker, text: &str) -> Option<EventBody> {
    let most = if by == Speaker::Agent { MAX_THOUGHT_CHARS } else { MAX_PROMPT_CHARS };
    let text = text::head(text, most).text;
    (!text.is_empty()).then_some(EventBody::Prompt { text, by })
}

fn what(event: &HookEvent, here: &ReadContext) -> EventBody {
    if event.repeats {
        return EventBody::Seen;
    }
    match &event.kind {
        EventKind::SessionStart { source } => {
            EventBody::Start { source: word(source.word()), model: event.model.as_deref().map(word) }
        }
        EventKind::SessionEnd { reason } => EventBody::End { reason: reason.as_deref().map(word) },
        EventKind::Prompt => prompt(event).unwrap_or(EventBody::Seen),
        EventKind::PreTool => {
            action(event, here).map(EventBody::Action).or_else(|| about(event)).unwrap_or(EventBody::Seen)
        }
        EventKind::PostTool | EventKind::ToolFailure => {
            action(event, here).map_or(EventBody::Seen, EventBody::Action)
        }
        EventKind::SubagentStart => EventBody::Subagent,
        EventKind::Stop => concluded(event, here).unwrap_or(EventBody::Seen),
        EventKind::PreCompact { trigger } => {
            EventBody::Compact { trigger: trigger.as_deref().map(word), ahead: true }
        }
        EventKind::PostCompact { trigger } => {
            EventBody::Compact { trigger: trigger.as_deref().map(word), ahead: false }
        }
        _ => EventBody::Seen,
    }
}

/// The event's action. A call that is only announced counts if its end may never be reported.
fn action(event: &HookEvent, here: &ReadContext) -> Option<Action> {
    let used = nudge_harness::tool_use(event)?;
    let counts = event.kind != EventKind::PreTool || used.ends_unseen;
    counts.then(|| extract::extract(event, &used, here))?
}

/// The command that is about to run.
fn about(event: &HookEvent) -> Option<EventBody> {
    let used = nudge_harness::tool_use(event)?;
    let command = text::head(used.command.as_deref()?, MAX_COMMAND_CHARS).text;
    (!command.is_empty()).then_some(EventBody::About { command })
}

/// The agent's last message of a turn. A subagent reports to the agent that started it, not to the
/// user.
fn concluded(event: &HookEvent, here: &ReadContext) -> Option<EventBody> {
    let said = event.message.as_deref().filter(|_| event.agent.is_none())?;
    let text = text::head(said, MAX_CONCLUSION_CHARS).text;
    if text.trim().is_empty() {
        return None;
    }
    // Imported text is about files as they were then.
    let anchors = match here.via {
        CapturedVia::Import | CapturedVia::OwnImport => Vec::new(),
        CapturedVia::Hook | CapturedVia::Transcript => make_anchors(&text, &checkout(event, here), here.now),
    };
    Some(EventBody::Concluded { text, anchors })
}

/// The root of the agent's worktree if that belongs to the project, otherwise of the main one.
fn checkout(event: &HookEvent, here: &ReadContext) -> PathBuf {
    let place = event.cwd.as_deref().and_then(|cwd| git::checkout(Path::new(cwd)));
    let own = place.filter(|place| place.linked && place.common_dir == Path::new(&here.project.key));
    own.map_or_else(|| PathBuf::from(&here.project.root), |place| place.root)
}

/// The event's prompt. A user did not write a subagent's prompt either.
fn prompt(event: &HookEvent) -> Option<EventBody> {
    let prompt = event.prompt.as_ref()?;
    match prompt.by {
        Speaker::Program if prompt.text.trim_start().starts_with(REMINDER_TAG) => None,
        Speaker::Person if event.speech.is_some() => spoken(&prompt.text, event.speech.as_ref()?),
        Speaker::Person if event.agent.is_none() => speech(Speaker::Person, &prompt.text),
        _ => speech(Speaker::Program, &prompt.text),
    }
}

/// Something the user said other than in a prompt.
fn spoken(words: &str, speech: &Speech) -> Option<EventBody> {
    let text = text::head(words, MAX_PROMPT_CHARS).text;
    let about = speech.about.as_deref().map(|about| text::head(about, MAX_ABOUT_CHARS).text);
    (!text.is_empty()).then(|| EventBody::Said {
        text,
        manner: speech.manner.name().to_owned(),
        about: about.filter(|about| !about.is_empty()),
        call: speech.call.as_deref().map(id),
    })
}

fn agent(label: &AgentLabel) -> AgentRef {
    AgentRef {
        id: id(&label.id),
        kind: label.kind.as_deref().map(word),
        parent: label.parent.as_deref().map(id),
    }
}

fn word(given: &str) -> String {
    text::head(given, text::MAX_NAME_CHARS).text
}

fn path(given: Option<&str>) -> Option<String> {
    given.filter(|path| path.len() <= MAX_PATH_BYTES && !path.is_empty()).map(|path| path.replace('\0', ""))
}

// Enforces the total size: a captured event crosses processes in one piece, whatever its payload.

/// The largest captured event, as JSON. Every field has its own limit and real events reach a tenth
/// of this. Only texts full of characters that JSON must escape come close.
const MAX_EVENT_BYTES: usize = 64 * 1024;

/// The length of a text that had to be cut again.
const MIN_TEXT_CHARS: usize = 1_000;

/// The captured event, with as little as possible left out to make it fit.
fn fit_event(mut captured: CapturedEvent) -> CapturedEvent {
    let steps: [fn(&mut CapturedEvent); 6] = [
        |captured| in_action(captured, |action| action.files.truncate(1)),
        |captured| in_action(captured, |action| action.metadata.clear()),
        shorten,
        |captured| captured.transcript = None,
        |captured| in_action(captured, |action| action.files.clear()),
        |captured| captured.cwd = None,
    ];
    for step in steps {
        if size(&captured) <= MAX_EVENT_BYTES {
            break;
        }
        step(&mut captured);
    }
    captured
}

fn in_action(captured: &mut CapturedEvent, change: fn(&mut Action)) {
    if let EventBody::Action(action) = &mut captured.what {
        change(action);
    }
}

fn shorten(captured: &mut CapturedEvent) {
    let said = match &mut captured.what {
        EventBody::Action(action) => &mut action.body,
        EventBody::Prompt { text, .. } | EventBody::Said { text, .. } | EventBody::Concluded { text, .. } => {
            text
        }
        _ => return,
    };
    *said = text::head(said, MIN_TEXT_CHARS).text;
}

fn size(captured: &CapturedEvent) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, captured).map_or(usize::MAX, |()| count.0)
}

struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
