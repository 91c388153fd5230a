//! What the memory holds after the import.

use std::collections::BTreeMap;

use nudge_store::{SessionId, Store, StoreError, Voice};

use super::said::normal;
use crate::stage::Home;

/// More than a page can have, and fewer than a session.
const PAGE: u32 = 100_000;

/// What was kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// What was kept as a person's, by session.
    pub(super) persons: BTreeMap<String, Vec<String>>,
    /// The topmost directories of the projects.
    pub(super) projects: Vec<String>,
}

/// Reads the memory of a home.
pub(super) fn read(home: &Home) -> anyhow::Result<Kept> {
    let store = Store::open(&home.to_read())?;
    let kept = store.read(|reader| {
        let mut kept = Kept {
            projects: reader.projects()?.into_iter().map(|project| project.root).collect(),
            ..Kept::default()
        };
        let mut last = SessionId(0);
        loop {
            let sessions = reader.agent_sessions_after(last, 1_000)?;
            let Some(newest) = sessions.last() else { break };
            last = newest.id;
            for session in &sessions {
                let prompts = reader.prompts_of_session(session.id, PAGE)?;
                let said = prompts.into_iter().filter(|prompt| prompt.voice == Voice::Person);
                let said: Vec<String> = said.map(|prompt| normal(&prompt.body)).collect();
                kept.persons.entry(session.name.clone()).or_default().extend(said);
            }
        }
        Ok::<_, StoreError>(kept)
    })?;
    Ok(kept)
}
