//! Who gets an injection.

use nudge_context::Trigger;
use nudge_core::{Fault, Timestamp};
use nudge_index::Index;
use nudge_outcomes::RUN;
use nudge_outcomes::marks::HIDDEN_ERROR;
use nudge_store::{ProjectId, Reader, SessionRow};

use super::ledger;
use super::request::{CommandAtHand, InjectionRequest, PromptSearch};
use crate::capture::{CapturedEvent, EventBody};

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
