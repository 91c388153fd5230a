//! The contents of the memory after the import.

use std::collections::BTreeMap;

use nudge_core::Speaker;
use nudge_store::{SessionId, Store, StoreError};

use super::said::normal;
use crate::stage::Home;

/// More rows than any session has.
const PAGE: u32 = 100_000;

/// The stored rows.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The texts stored as a person's, by session.
    pub(super) persons: BTreeMap<String, Vec<String>>,
    /// The top directories of the projects.
    pub(super) projects: Vec<String>,
}

/// Reads the memory of a home.
pub(super) fn read(home: &Home) -> anyhow::Result<Kept> {
    let store = Store::open(&home.read_options())?;
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
                let said = prompts.into_iter().filter(|prompt| prompt.speaker == Speaker::Person);
                let said: Vec<String> = said.map(|prompt| normal(&prompt.body)).collect();
                kept.persons.entry(session.name.clone()).or_default().extend(said);
            }
        }
        Ok::<_, StoreError>(kept)
    })?;
    Ok(kept)
}
