//! Whether injected lines were used: the session later touched the line's file or ran its command.

use std::collections::HashMap;

use nudge_context::Section;
use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, InjectionLine, InjectionRow, Reader, RecentRow};

use super::uncommitted;
use crate::capture::EventBody;
use crate::capture::reaction::Committed;

/// How many of a session's steps are read.
const LOOKED_AT: u32 = 2_000;

/// How many injections of one session are settled. A session gets a block once, and again each time
/// its context is emptied.
const INJECTIONS: u32 = 50;

/// Records, when a session has ended, which lines it used.
pub(crate) fn settle_use(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event, .. } = *committed;
    if !matches!(event.what, EventBody::End { .. }) {
        return Ok(());
    }
    let uses = store.read(|reader| {
        let Some(session) = reader.agent_session_by_name(&event.session)? else {
            return Ok::<_, Fault>(Vec::new());
        };
        let mut uses = Vec::new();
        for injection in reader.injections_of_session(session.id, INJECTIONS)? {
            for line in lines(reader, &injection)? {
                uses.extend(line.used_at.map(|at| (injection.id, line.entry, at)));
            }
        }
        Ok(uses)
    })?;
    if uses.is_empty() {
        return Ok(());
    }
    store.write(Durability::Passive, |writer| {
        for (injection, entry, at) in uses {
            writer.mark_used(injection, entry, at)?;
        }
        Ok(())
    })
}

/// The lines of an injection with what is known about their use: as settled when the session ended,
/// or derived from its actions. An end may be reported without anything being settled, or never be
/// reported at all.
pub(super) fn lines(reader: &Reader<'_>, injection: &InjectionRow) -> Result<Vec<InjectionLine>, Fault> {
    let mut lines = reader.injection_lines(injection.id)?;
    if lines.iter().all(|line| !line.is_injected() || line.used_at.is_some()) {
        return Ok(lines);
    }
    let deeds = SessionActions::after(reader, injection, LOOKED_AT)?;
    for line in lines.iter_mut().filter(|line| line.is_injected() && line.used_at.is_none()) {
        line.used_at = deeds.use_of_line(reader, line)?;
    }
    Ok(lines)
}

/// A session's actions after an injection: each file and each command with the time of its first
/// use.
pub(super) struct SessionActions {
    files: HashMap<String, Timestamp>,
    commands: HashMap<String, Timestamp>,
}

impl SessionActions {
    /// The actions after an injection, from at most this many steps.
    pub(super) fn after(reader: &Reader<'_>, injection: &InjectionRow, most: u32) -> Result<Self, Fault> {
        let mut deeds = Self { files: HashMap::new(), commands: HashMap::new() };
        reader.visit_actions_after(injection.session, injection.at, most, |at, command, file| {
            for (done, what) in [(&mut deeds.files, file), (&mut deeds.commands, command)] {
                what.map(|what| done.entry(what).or_insert(at));
            }
        })?;
        Ok(deeds)
    }

    /// When the session first touched the file or ran the command of a row.
    pub(super) fn use_of(&self, row: &RecentRow) -> Option<Timestamp> {
        let touched = row.file.as_ref().and_then(|file| self.files.get(file));
        let ran = row.kind.is_command().then(|| self.commands.get(&row.text)).flatten();
        touched.into_iter().chain(ran).min().copied()
    }

    /// The same for a line. A line about changed files may name more than one file.
    fn use_of_line(&self, reader: &Reader<'_>, line: &InjectionLine) -> Result<Option<Timestamp>, Fault> {
        if self.files.is_empty() && self.commands.is_empty() {
            return Ok(None);
        }
        let Some(row) = reader.recent_row(line.entry)? else { return Ok(None) };
        let mut first = self.use_of(&row);
        let files = match Section::from_number(line.section) {
            Some(Section::Recovery) if row.kind.is_file_change() => reader.touched_by(line.entry)?,
            Some(Section::Stopped) if row.kind.is_file_change() => uncommitted::named_by(reader, &row)?,
            _ => Vec::new(),
        };
        if !files.is_empty() {
            first = files.iter().filter_map(|file| self.files.get(file)).copied().chain(first).min();
        }
        Ok(first)
    }
}
