//! Whether what was told was of use: the session went to its file, or ran its command, afterwards.

use std::collections::HashMap;

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Durability, InjectionLine, InjectionRow, Reader};

use super::facts::is_command;
use crate::capture::{Moment, What};
use crate::memory::Memory;

/// How much of what a session did is looked through.
const LOOKED_AT: u32 = 2_000;

/// How many injections of one session are settled: it is told something once, and once each time its context is emptied.
const INJECTIONS: u32 = 50;

impl Memory {
    /// Settles, when a session has ended, what it made use of. Nothing waits for it.
    pub fn settle_use(&self, moment: &Moment) -> Result<(), Fault> {
        if !matches!(moment.what, What::End { .. }) {
            return Ok(());
        }
        let uses = self.store().read(|reader| {
            let Some(session) = reader.agent_session_by_name(&moment.session)? else {
                return Ok::<_, Fault>(Vec::new());
            };
            let mut uses = Vec::new();
            for injection in reader.injections_of_session(session.id, INJECTIONS)? {
                for line in derived(reader, &injection)? {
                    uses.extend(line.used_at.map(|at| (injection.id, line.entry, at)));
                }
            }
            Ok(uses)
        })?;
        if uses.is_empty() {
            return Ok(());
        }
        self.store().write(Durability::Passive, |writer| {
            for (injection, entry, at) in uses {
                writer.mark_used(injection, entry, at)?;
            }
            Ok(())
        })
    }
}

/// The lines of an injection, with what is known of their use by now: what was settled when the session ended, and for one that goes
/// on what it did so far.
pub(super) fn lines(reader: &Reader<'_>, injection: &InjectionRow) -> Result<Vec<InjectionLine>, Fault> {
    let session = reader.agent_session(injection.session)?;
    if session.is_some_and(|session| session.ended_at.is_none()) {
        return derived(reader, injection);
    }
    Ok(reader.injection_lines(injection.id)?)
}

/// The lines of an injection, with their use told from what the session did afterwards.
fn derived(reader: &Reader<'_>, injection: &InjectionRow) -> Result<Vec<InjectionLine>, Fault> {
    let mut lines = reader.injection_lines(injection.id)?;
    if lines.iter().all(|line| !line.is_told() || line.used_at.is_some()) {
        return Ok(lines);
    }
    let deeds = Deeds::after(reader, injection)?;
    for line in lines.iter_mut().filter(|line| line.is_told() && line.used_at.is_none()) {
        line.used_at = deeds.use_of(reader, line.entry)?;
    }
    Ok(lines)
}

/// What a session did after it was told something: each file and each command with the time it came to it first.
struct Deeds {
    files: HashMap<String, Timestamp>,
    commands: HashMap<String, Timestamp>,
}

impl Deeds {
    fn after(reader: &Reader<'_>, injection: &InjectionRow) -> Result<Self, Fault> {
        let mut deeds = Self { files: HashMap::new(), commands: HashMap::new() };
        for row in reader.recent_in_session(injection.session, injection.at, LOOKED_AT)? {
            if row.at <= injection.at {
                continue;
            }
            // Newest first: the last one that is put in is the first that happened.
            if let Some(file) = row.file {
                deeds.files.insert(file, row.at);
            }
            if is_command(row.kind) {
                deeds.commands.insert(row.text, row.at);
            }
        }
        Ok(deeds)
    }

    fn use_of(&self, reader: &Reader<'_>, entry: EntryId) -> Result<Option<Timestamp>, Fault> {
        if self.files.is_empty() && self.commands.is_empty() {
            return Ok(None);
        }
        let Some(row) = reader.recent_row(entry)? else { return Ok(None) };
        let touched = row.file.as_ref().and_then(|file| self.files.get(file));
        let ran = is_command(row.kind).then(|| self.commands.get(&row.text)).flatten();
        Ok(touched.into_iter().chain(ran).min().copied())
    }
}
