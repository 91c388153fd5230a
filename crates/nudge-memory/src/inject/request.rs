//! The request that something is gathered for: who gets it, where and why, and how other sessions
//! relate to that one.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use nudge_context::{Delimiter, RelativePlace, Trigger};
use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_index::Index;
use nudge_outcomes::RUN;
use nudge_outcomes::marks::HIDDEN_ERROR;
use nudge_store::{ProjectId, Reader, SessionId, SessionRow, SessionState};
use serde_json::Value;

use super::ledger;
use crate::capture::{CapturedEvent, EventBody};
use crate::operation::OWN;
use crate::sessions::Viewpoint;
use crate::statements::RECORD_CLIENT;

/// A session that may get something now.
pub(super) struct InjectionRequest<'r> {
    pub(super) reader: &'r Reader<'r>,
    pub(super) project: ProjectId,
    /// The session; `None` for a preview.
    pub(super) session: Option<SessionRow>,
    /// The worktree that the session is in.
    pub(super) worktree: Option<String>,
    /// The agent's working directory; `None` if unknown.
    pub(super) cwd: Option<String>,
    /// The directory that shown paths are relative to.
    pub(super) root: String,
    pub(super) trigger: Trigger,
    /// Whether the session got a block before and still has it.
    pub(super) has_block: bool,
    /// Whether tables of recent rows and requests are wanted. `nudge record` has them; an agent
    /// that reads before it was asked anything does not.
    pub(super) tables: bool,
    pub(super) extras: Extras,
    /// When the event happened.
    pub(super) at: Timestamp,
    /// The user's prompt, and the index to search; `None` if there was no prompt.
    pub(super) prompt: Option<PromptSearch<'r>>,
    /// The command that is about to run or has ended; `None` if the event is about no command.
    pub(super) command: Option<CommandAtHand>,
    pub(super) now: Timestamp,
}

/// What is gathered beside what is injected anyway.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Extras {
    /// Whether the agent may be asked whether the prompt states a rule.
    pub(super) may_ask: bool,
    /// Whether what would not be injected is wanted too.
    pub(super) explains: bool,
}

/// A command at hand.
pub(super) struct CommandAtHand {
    pub(super) line: String,
    /// Its output when it failed.
    pub(super) output: String,
    /// Its test or build run, if it was one.
    pub(super) run: Option<Value>,
}

/// A prompt, and the index to search for its words.
pub(super) struct PromptSearch<'r> {
    pub(super) text: String,
    /// Pinned before the store is read: an index that is ahead of the store could not be used.
    pub(super) index: &'r Index,
}

impl InjectionRequest<'_> {
    /// Where the session is.
    pub(super) fn viewpoint(&self) -> Viewpoint<'_> {
        let session = self.session.as_ref().map(|session| session.id);
        Viewpoint { session, worktree: self.worktree.as_deref() }
    }

    /// A path relative to the root of the checkout, which is shorter.
    pub(super) fn shown(&self, path: &str) -> String {
        let within = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        within.filter(|rest| !rest.is_empty() && !self.root.is_empty()).unwrap_or(path).to_owned()
    }
}

// Who gets an injection.

/// The session of an event, in its project.
pub(super) struct Recipient {
    pub(super) session: SessionRow,
    pub(super) project: ProjectId,
    /// Whether it got a block before and still has it. A resumed session then only gets its live
    /// state.
    pub(super) has_block: bool,
}

impl Recipient {
    /// The session of an event; `None` if it already got something and still has it.
    pub(super) fn of(
        reader: &Reader<'_>,
        event: &CapturedEvent,
        trigger: Trigger,
    ) -> Result<Option<Self>, Fault> {
        let session = reader.agent_session_by_name(&event.session)?;
        let project = reader.project_by_key(&event.project.key)?;
        let (Some(session), Some(project)) = (session, project) else { return Ok(None) };
        let has_block = ledger::has_it_already(reader, trigger, session.id)?;
        let is_done = has_block && trigger != Trigger::Resume;
        Ok((!is_done).then_some(Self { session, project, has_block }))
    }

    pub(super) fn request<'r>(
        &self,
        reader: &'r Reader<'r>,
        event: &CapturedEvent,
        trigger: Trigger,
        index: Option<&'r Index>,
        now: Timestamp,
    ) -> InjectionRequest<'r> {
        let prompt = match &event.what {
            EventBody::Prompt { text, .. } => index.map(|index| PromptSearch { text: text.clone(), index }),
            _ => None,
        };
        InjectionRequest {
            prompt,
            command: command(event),
            reader,
            project: self.project,
            session: Some(self.session.clone()),
            worktree: self.session.worktree.clone(),
            cwd: event.cwd.clone(),
            root: event.worktree.clone().unwrap_or_else(|| event.project.root.clone()),
            trigger,
            has_block: self.has_block,
            tables: event.harness == RECORD_CLIENT,
            extras: Extras::default(),
            at: Timestamp::from_millis(event.at),
            now,
        }
    }
}

/// The command that an event is about.
fn command(event: &CapturedEvent) -> Option<CommandAtHand> {
    match &event.what {
        EventBody::About { command } => {
            Some(CommandAtHand { line: command.clone(), output: String::new(), run: None })
        }
        EventBody::Action(action) => {
            let said =
                [HIDDEN_ERROR, "response"].into_iter().find_map(|name| action.metadata.get(name)?.as_str());
            let output = said.unwrap_or_default().to_owned();
            Some(CommandAtHand { line: action.body.clone(), output, run: action.metadata.get(RUN).cloned() })
        }
        _ => None,
    }
}

// How other sessions relate to the one that gets an injection: the same session, one that runs in
// parallel, or one in another worktree.

/// A session that has not ended and was active within this time counts as running.
const LIVE_TIME: Duration = Duration::from_secs(30 * 60);

/// `clear` may start a session with another name. The session that it continues ended at most this
/// long ago.
const MAX_GAP_BEFORE_CLEAR: Duration = Duration::from_secs(5 * 60);

impl InjectionRequest<'_> {
    /// The sessions that count as this one: itself, those of its subagents, and the one that was
    /// cleared for it. The one that lost its context comes first.
    pub(super) fn own(&self, sessions: &[SessionRow]) -> Result<Vec<SessionId>, Fault> {
        let Some(own) = &self.session else { return Ok(Vec::new()) };
        let before =
            if self.trigger == Trigger::Clear { self.cleared_predecessor(own, sessions)? } else { None };
        let started = sessions.iter().filter(|session| session.parent.as_ref() == Some(&own.name));
        Ok(before.into_iter().chain([own.id]).chain(started.map(|session| session.id)).collect())
    }

    /// The session that was cleared and continues as this one, which is still empty. That is the
    /// last one that ended with `clear`. Its end may be reported after this start, so failing that
    /// it is the only one that has not ended.
    fn cleared_predecessor(
        &self,
        own: &SessionRow,
        sessions: &[SessionRow],
    ) -> Result<Option<SessionId>, Fault> {
        let begun = Timestamp::from_millis(0);
        let is_empty = self.reader.recent_prompts(own.id, 1)?.is_empty()
            && self.reader.recent_in_session(own.id, begun, 1)?.is_empty();
        if !is_empty {
            return Ok(None);
        }
        let since = self.now.minus(MAX_GAP_BEFORE_CLEAR);
        let alike = |session: &&SessionRow| {
            session.id != own.id && session.harness == own.harness && session.worktree == own.worktree
        };
        let cleared = sessions.iter().filter(alike).filter(|session| {
            session.end_reason.as_deref() == Some("clear")
                && session.ended_at.is_some_and(|ended| ended >= since)
        });
        if let Some(last) = cleared.max_by_key(|session| session.ended_at) {
            return Ok(Some(last.id));
        }
        let mut open = Vec::new();
        for session in sessions.iter().filter(alike).filter(|session| session.ended_at.is_none()) {
            let last = self.reader.last_in_session(session.id)?.unwrap_or(session.started_at);
            open.extend((last >= since).then_some(session.id));
        }
        Ok(if let [only] = open[..] { Some(only) } else { None })
    }

    /// Where each session works, relative to this one.
    pub(super) fn places(
        &self,
        sessions: &[SessionRow],
        own: &[SessionId],
    ) -> Result<HashMap<SessionId, RelativePlace>, Fault> {
        let mut places = HashMap::new();
        for session in sessions {
            let place = if own.contains(&session.id) {
                RelativePlace::Here
            } else if session.worktree != self.worktree {
                RelativePlace::Worktree(worktree_name(session.worktree.as_deref()))
            } else if self.is_live(session)? {
                RelativePlace::Parallel
            } else {
                RelativePlace::Here
            };
            places.insert(session.id, place);
        }
        Ok(places)
    }

    /// Whether an agent is at work in a session. Between two turns none is, and not every agent
    /// program reports the end of a session.
    fn is_live(&self, session: &SessionRow) -> Result<bool, Fault> {
        // Notes that the user saved outside any agent are a session too, but nothing runs in it.
        let is_busy = session.activity.state == SessionState::Busy;
        if session.ended_at.is_some() || session.harness == OWN || !is_busy {
            return Ok(false);
        }
        let last = self.reader.last_in_session(session.id)?.unwrap_or(session.started_at);
        Ok(last >= self.now.minus(LIVE_TIME))
    }
}

fn worktree_name(worktree: Option<&str>) -> String {
    let name = worktree.and_then(|path| Path::new(path).file_name()).and_then(|name| name.to_str());
    name.unwrap_or("main").to_owned()
}

/// A random delimiter that stored text cannot know.
pub(super) fn delimiter() -> Result<Delimiter, Fault> {
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(|error| {
        Fault::new(
            FaultKind::Unavailable,
            "no_random",
            format!("the system returned no random numbers: {error}"),
        )
        .next("try again")
    })?;
    Ok(Delimiter::new(random))
}
