//! The user's requests that were acted on.

use nudge_context::{Intent, RelativePlace};
use nudge_core::Fault;
use nudge_store::RecentPrompt;

use super::gathered::Gathered;
use super::gathering::Gathering;
use crate::inject::cooldown::SILENCED;
use crate::statements::by_program;

/// How many of a project's newest sessions are searched for intents.
const SESSIONS: usize = 20;

/// How many prompts that were acted on are considered per session and in all, and how many intents
/// are enough.
const PROMPTS_EACH: u32 = 20;
const PROMPTS: usize = 100;
const INTENTS: usize = 20;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let mut found = Vec::new();
    let newest = gathering.sessions.iter().take(SESSIONS);
    let uninjected = newest.filter(|session| !gathered.stopped.contains(&session.id));
    for session in uninjected.filter(|session| !gathering.is_known(session.id)) {
        if found.len() >= PROMPTS {
            break;
        }
        let place = gathering.place(session.id);
        let prompts = request.reader.prompts_acted_on(session.id, request.project, PROMPTS_EACH)?;
        found.extend(prompts.into_iter().map(|prompt| (prompt, place.clone())));
    }
    found.sort_by_key(|(prompt, _)| std::cmp::Reverse((prompt.at, prompt.entry)));
    let intents = &mut gathered.facts.intents;
    for (prompt, place) in found {
        // Counting takes longest, so it stops when there are enough.
        if intents.len() >= INTENTS {
            break;
        }
        let actions = request.reader.actions_of(prompt.entry)?;
        let withheld = gathering.cooldown.is_silenced(prompt.entry).then_some(SILENCED);
        intents.push(Intent { withheld, ..intent(prompt, actions, place) });
    }
    Ok(())
}

pub(super) fn intent(prompt: RecentPrompt, actions: u32, place: RelativePlace) -> Intent {
    Intent {
        entry: prompt.entry,
        at: prompt.at,
        by: by_program(prompt.client.as_deref()),
        text: prompt.text,
        actions,
        place,
        withheld: None,
    }
}
