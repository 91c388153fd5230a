//! From an event to the moment that is kept of it.

mod fit;

use std::path::{Path, PathBuf};

use nudge_core::EventKind;
use nudge_core::event::{AgentLabel, HookEvent, Speaker, Speech};

use nudge_home::git;

use crate::anchors::anchors;
use crate::capture::extract::text::id;
use crate::capture::extract::{self, text};
use crate::capture::here::Here;
use crate::capture::identity;
use crate::capture::moment::{Action, AgentRef, By, Moment, Phase, Via, What};
use crate::capture::strict;

/// A prompt's first pages; what is pasted below them is rarely what it is about.
const PROMPT_MOST: usize = 8_000;

/// The question that was answered, or what a call that was refused was to do.
const ABOUT_MOST: usize = 1_000;

/// The last words of a turn: enough for what was found and done.
const CONCLUSION_MOST: usize = 1_500;

/// What an agent thinks is longer than what it comes to.
const THOUGHT_MOST: usize = 2_000;

/// Longer commands are programs of their own.
const COMMAND_MOST: usize = 4_000;

/// Paths that are longer than any real one.
const PATH_MOST: usize = 4_096;

/// Clocks of one machine agree; a time further ahead than this was not read from one.
const AHEAD_MOST: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

/// Prompts of the agent's program that only remind the agent of something.
const REMINDER: &str = "<system-reminder>";

/// What is kept of an event. `None` when it is of no session.
///
/// `payload` is the text the event was read from; it is only hashed. The moment is small whatever the payload was.
pub fn read(event: &HookEvent, payload: &str, here: &Here) -> Option<Moment> {
    if here.project.said.strict {
        let (event, payload) = strict::event(event, payload);
        return read_as_is(&event, &payload, here);
    }
    read_as_is(event, payload, here)
}

fn read_as_is(event: &HookEvent, payload: &str, here: &Here) -> Option<Moment> {
    let session = id(event.session.as_deref().filter(|session| !session.trim().is_empty())?);
    let at = event.at.filter(|at| *at <= here.now.plus(AHEAD_MOST) && at.as_millis() > 0).unwrap_or(here.now);
    Some(fit::fit(Moment {
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

/// Something said, as it is kept: without private spans and what Nudge put there. `None` when nothing is left.
pub fn said(by: By, said: &str) -> Option<What> {
    let most = if by == By::Agent { THOUGHT_MOST } else { PROMPT_MOST };
    let text = text::head(said, most).text;
    (!text.is_empty()).then_some(What::Prompt { text, by })
}

fn what(event: &HookEvent, here: &Here) -> What {
    if event.repeats {
        return What::Seen;
    }
    match &event.kind {
        EventKind::SessionStart { source } => {
            What::Start { source: word(source.word()), model: event.model.as_deref().map(word) }
        }
        EventKind::SessionEnd { reason } => What::End { reason: reason.as_deref().map(word) },
        EventKind::Prompt => prompt(event).unwrap_or(What::Seen),
        EventKind::PreTool => {
            action(event, here).map(What::Action).or_else(|| about(event)).unwrap_or(What::Seen)
        }
        EventKind::PostTool | EventKind::ToolFailure => action(event, here).map_or(What::Seen, What::Action),
        EventKind::SubagentStart => What::Subagent,
        EventKind::Stop => concluded(event, here).unwrap_or(What::Seen),
        EventKind::PreCompact { trigger } => {
            What::Compact { trigger: trigger.as_deref().map(word), ahead: true }
        }
        EventKind::PostCompact { trigger } => {
            What::Compact { trigger: trigger.as_deref().map(word), ahead: false }
        }
        _ => What::Seen,
    }
}

/// A call that is only announced counts where its end may never be told.
fn action(event: &HookEvent, here: &Here) -> Option<Action> {
    let used = nudge_harness::tool_use(event)?;
    let counts = event.kind != EventKind::PreTool || used.ends_unseen;
    counts.then(|| extract::extract(event, &used, here))?
}

/// The command that is about to run.
fn about(event: &HookEvent) -> Option<What> {
    let used = nudge_harness::tool_use(event)?;
    let command = text::head(used.command.as_deref()?, COMMAND_MOST).text;
    (!command.is_empty()).then_some(What::About { command })
}

/// The agent's last words of a turn. A subagent concludes to whoever started it, not to the person.
fn concluded(event: &HookEvent, here: &Here) -> Option<What> {
    let said = event.message.as_deref().filter(|_| event.agent.is_none())?;
    let text = text::head(said, CONCLUSION_MOST).text;
    if text.trim().is_empty() {
        return None;
    }
    // What was imported is about files as they were then.
    let anchors = match here.via {
        Via::Import => Vec::new(),
        Via::Hook | Via::Transcript => anchors(&text, &checkout(event, here), here.now),
    };
    Some(What::Concluded { text, anchors })
}

/// The top of the worktree that the agent stands in, where that is of the project, else of the main one.
fn checkout(event: &HookEvent, here: &Here) -> PathBuf {
    let place = event.cwd.as_deref().and_then(|cwd| git::place(Path::new(cwd)));
    let own = place.filter(|place| place.linked && place.common_dir == Path::new(&here.project.key));
    own.map_or_else(|| PathBuf::from(&here.project.root), |place| place.root)
}

/// What a subagent is told was not written by a person either.
fn prompt(event: &HookEvent) -> Option<What> {
    let prompt = event.prompt.as_ref()?;
    match prompt.by {
        Speaker::Program if prompt.text.trim_start().starts_with(REMINDER) => None,
        Speaker::Person if event.speech.is_some() => spoken(&prompt.text, event.speech.as_ref()?),
        Speaker::Person if event.agent.is_none() => said(By::User, &prompt.text),
        _ => said(By::System, &prompt.text),
    }
}

/// Something the person said other than by a prompt.
fn spoken(words: &str, speech: &Speech) -> Option<What> {
    let text = text::head(words, PROMPT_MOST).text;
    let about = speech.about.as_deref().map(|about| text::head(about, ABOUT_MOST).text);
    (!text.is_empty()).then(|| What::Said {
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
    text::head(given, text::NAME_MOST).text
}

fn path(given: Option<&str>) -> Option<String> {
    given.filter(|path| path.len() <= PATH_MOST && !path.is_empty()).map(|path| path.replace('\0', ""))
}

#[cfg(test)]
mod tests;
