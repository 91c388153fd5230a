//! Whether the agent is asked if a prompt states a rule that is meant to last.
//!
//! Wording alone does not tell a rule from a request, and the agent has understood the prompt. It
//! is asked rarely, where a user can have typed the prompt, and never after it has read outside
//! text: whoever wrote that could then answer in the user's name.

use std::path::Path;

use nudge_core::instruction::may_state_rule;
use nudge_core::{EntryId, Fault};
use nudge_harness::{Harness, transcript};
use nudge_store::{Reader, SessionRow};

use crate::capture::transcript_tail::head_of;
use crate::capture::{CapturedEvent, EventBody};
use crate::inject::gate;
use crate::inject::request::InjectionRequest;
use crate::sessions::has_read_outside;
use crate::statements::has_user;

/// In how many prompts of a session the agent is asked at most once.
const PROMPTS_PER_QUESTION: u32 = 20;

/// The prompt that the agent is asked about; `None` if it is not asked.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Option<EntryId>, Fault> {
    let Some(session) = &request.session else { return Ok(None) };
    let may_ask = request.extras.may_ask && has_user(session) && !has_read_outside(session);
    if !may_ask || was_asked_lately(request.reader, session)? {
        return Ok(None);
    }
    Ok(request.reader.prompt_of_event(session.id, None, request.at)?)
}

/// Whether the agent of a session was asked at one of its last prompts.
pub(in crate::inject) fn was_asked_lately(reader: &Reader<'_>, session: &SessionRow) -> Result<bool, Fault> {
    let Some(asked_at) = session.asked_at else { return Ok(false) };
    Ok(!reader.has_prompts_since(session.id, asked_at, PROMPTS_PER_QUESTION)?)
}

/// Whether an event is a prompt that a user may have stated a rule in.
pub(in crate::inject) fn is_worth_asking(event: &CapturedEvent) -> bool {
    let EventBody::Prompt { text, .. } = &event.what else { return false };
    gate::says_enough(text) && may_state_rule(text) && is_attended(event)
}

/// Whether a user watches the session of an event. Where only the transcript says so, it must
/// exist.
fn is_attended(event: &CapturedEvent) -> bool {
    if let Some(headless) = event.headless {
        return !headless;
    }
    let agent = Harness::from_name(&event.harness).filter(|agent| transcript::transcript_has_prompts(*agent));
    let (Some(agent), Some(path)) = (agent, &event.transcript) else { return true };
    let head = head_of(Path::new(path));
    head.is_some_and(|head| transcript::headless(agent, path, &head) != Some(true))
}
