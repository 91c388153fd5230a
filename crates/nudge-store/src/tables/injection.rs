//! The ledger: what was injected into an agent's context, why, at what cost, and whether it was
//! used; and what the user does not want injected.
//!
//! It contains no text. A line names an entry; when the entry is deleted, its lines are too.

use std::collections::HashSet;

use nudge_core::{EntryId, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// The id of an injection in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InjectionId(pub i64);

/// An injection to be written to the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionDraft<'d> {
    /// The session it was injected into.
    pub session: SessionId,
    /// The project it was about.
    pub project: ProjectId,
    /// When it was injected.
    pub at: Timestamp,
    /// The number of the trigger.
    pub trigger: u8,
    /// The trigger's word: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub cause: &'d str,
    /// How many lines it had.
    pub lines: u32,
    /// Its cost, in tokens.
    pub tokens: u32,
    /// Its length, in characters.
    pub characters: u32,
    /// The entries that were injected, and those that were left out; each once.
    pub entries: &'d [InjectionLine],
}

/// One entry of an injection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct InjectionLine {
    /// The entry.
    pub entry: EntryId,
    /// 0 if it was injected, otherwise the number of the reason why it was left out.
    pub reason: u8,
    /// The number of its section; 0 if it has none.
    pub section: u8,
    /// The cost of its line, in tokens.
    pub tokens: u32,
    /// When the session first used it; `None` if it has not.
    pub used_at: Option<Timestamp>,
}

impl InjectionLine {
    /// Whether it was injected.
    pub const fn is_injected(&self) -> bool {
        self.reason == 0
    }
}

/// An injection in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionRow {
    /// Its identity.
    pub id: InjectionId,
    /// The session it was injected into.
    pub session: SessionId,
    /// The project it was about.
    pub project: ProjectId,
    /// When it was injected.
    pub at: Timestamp,
    /// The number of the trigger.
    pub trigger: u8,
    /// The trigger's word.
    pub cause: String,
    /// How many lines it had.
    pub lines: u32,
    /// Its cost, in tokens.
    pub tokens: u32,
    /// Its length, in characters.
    pub characters: u32,
}

impl InjectionRow {
    /// Whether it was injected because the context had been emptied.
    pub const fn is_recovery(&self) -> bool {
        self.trigger == RECOVERY_TRIGGER
    }
}

/// How often an entry was recently injected.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct InjectedEntry {
    /// The entry.
    pub entry: EntryId,
    /// In how many of the examined injections.
    pub times: u32,
    /// When it was last injected.
    pub last: Timestamp,
}

macro_rules! select_injection {
    ($rest:literal) => {
        concat!(
            "SELECT i.id, i.session_id, i.project_id, i.at, i.mode, i.cause, i.lines, i.tokens, i.characters
               FROM injection i ",
            $rest
        )
    };
}

pub(crate) const OF_SESSION: &str =
    select_injection!("WHERE i.session_id = ?1 ORDER BY i.at DESC, i.id DESC LIMIT ?2");

pub(crate) const OF_PROJECT: &str =
    select_injection!("WHERE i.project_id = ?1 AND i.at < ?3 ORDER BY i.at DESC, i.id DESC LIMIT ?2");

/// The number of the trigger that follows an emptied context.
const RECOVERY_TRIGGER: u8 = 2;

/// An injection counts if its session did something afterwards. Kinds 8, 9, 11, 17 and 19 are not
/// actions. Only the newest thousand of a project are examined.
macro_rules! acted_on {
    () => {
        "i.project_id = ?1
           AND i.at >= ifnull((SELECT n.at FROM injection n WHERE n.project_id = ?1
                                ORDER BY n.at DESC LIMIT 1 OFFSET 999), 0)
           AND EXISTS (SELECT 1 FROM observation o WHERE o.session_id = i.session_id AND o.at >= i.at
                          AND o.kind NOT IN (8, 9, 11, 17, 19))"
    };
}

pub(crate) const ACTED_ON: &str = concat!(
    "SELECT i.id, i.session_id, i.project_id, i.at, i.mode, i.cause, i.lines, i.tokens, i.characters
       FROM injection i WHERE ",
    acted_on!(),
    " ORDER BY i.at DESC, i.id DESC LIMIT ?2"
);

const RECENTLY_INJECTED: &str = concat!(
    "SELECT l.entry_id, count(*), max(n.at)
       FROM (SELECT i.id, i.at FROM injection i WHERE ",
    acted_on!(),
    " ORDER BY i.at DESC, i.id DESC LIMIT ?2) n
      CROSS JOIN injection_line l ON l.injection_id = n.id
      WHERE l.reason = 0 GROUP BY l.entry_id"
);

const NTH_INJECTION: &str = concat!(
    "SELECT 1 FROM injection i WHERE ",
    acted_on!(),
    " ORDER BY i.at DESC, i.id DESC LIMIT 1 OFFSET ?2"
);

impl Reader<'_> {
    /// The injections into a session, newest first.
    pub fn injections_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.all(OF_SESSION, (session.0, limit))
    }

    /// The injections in a project before a time, newest first.
    pub fn injections_of_project(
        &self,
        project: ProjectId,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.all(OF_PROJECT, (project.0, limit, before.as_millis()))
    }

    /// The injections in a project that were followed by an action, newest first.
    pub fn injections_acted_on(
        &self,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.all(ACTED_ON, (project.0, limit))
    }

    /// The injections of all projects before a time, newest first.
    pub fn injections_before(&self, before: Timestamp, limit: u32) -> Result<Vec<InjectionRow>, StoreError> {
        self.all(
            select_injection!("WHERE i.at < ?1 ORDER BY i.at DESC, i.id DESC LIMIT ?2"),
            (before.as_millis(), limit),
        )
    }

    /// The injections since a time, newest first.
    pub fn injections_since(&self, since: Timestamp, limit: u32) -> Result<Vec<InjectionRow>, StoreError> {
        self.all(
            select_injection!("WHERE i.at >= ?1 ORDER BY i.at DESC, i.id DESC LIMIT ?2"),
            (since.as_millis(), limit),
        )
    }

    /// The injections for which an entry was injected or considered, newest first, each with its
    /// line.
    pub fn injections_with(
        &self,
        entry: EntryId,
        limit: u32,
    ) -> Result<Vec<(InjectionRow, InjectionLine)>, StoreError> {
        let found: Vec<InjectionRow> = self.all(
            select_injection!(
                "CROSS JOIN injection_line l ON l.injection_id = i.id
                  WHERE i.id IN (SELECT injection_id FROM injection_line WHERE entry_id = ?1
                                  ORDER BY injection_id DESC LIMIT ?2)
                    AND l.entry_id = ?1 ORDER BY i.id DESC"
            ),
            (entry.0, limit),
        )?;
        let mut with = Vec::with_capacity(found.len());
        for row in found {
            let line = self.injection_lines(row.id)?.into_iter().find(|line| line.entry == entry);
            with.extend(line.map(|line| (row, line)));
        }
        Ok(with)
    }

    /// The entries of an injection that still exist.
    pub fn injection_lines(&self, id: InjectionId) -> Result<Vec<InjectionLine>, StoreError> {
        let mut found = self.sql(
            "SELECT entry_id, reason, section, tokens, used_at FROM injection_line WHERE injection_id = ?1
              ORDER BY reason > 0, section, entry_id",
        )?;
        let rows = found.query_map([id.0], |row| {
            Ok(InjectionLine {
                entry: EntryId(row.get(0)?),
                reason: row.get(1)?,
                section: row.get(2)?,
                tokens: row.get(3)?,
                used_at: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The entries that were injected, and for each whether the session is known to have used it.
    pub fn injected_in(&self, id: InjectionId) -> Result<Vec<(EntryId, bool)>, StoreError> {
        let mut found = self.sql(
            "SELECT entry_id, used_at IS NOT NULL FROM injection_line WHERE injection_id = ?1 AND reason = 0",
        )?;
        let rows = found.query_map([id.0], |row| Ok((EntryId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How often each entry was injected in the newest injections of a project that were followed
    /// by an action.
    pub fn recently_injected(
        &self,
        project: ProjectId,
        injections: u32,
    ) -> Result<Vec<InjectedEntry>, StoreError> {
        let mut found = self.sql(RECENTLY_INJECTED)?;
        let rows = found.query_map((project.0, injections), |row| {
            Ok(InjectedEntry {
                entry: EntryId(row.get(0)?),
                times: row.get(1)?,
                last: Timestamp::from_millis(row.get(2)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a project has had at least `many` injections that were followed by an action.
    pub fn has_injections(&self, project: ProjectId, many: u32) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .sql(NTH_INJECTION)?
            .query_row((project.0, many.saturating_sub(1)), |row| row.get(0))
            .optional()?;
        Ok(found.is_some())
    }

    /// The stored reason why something was injected with a prompt.
    pub fn decision_of(&self, id: InjectionId) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT decision FROM injection_decision WHERE injection_id = ?1")?;
        Ok(found.query_row([id.0], |row| row.get(0)).optional()?)
    }
}

impl Writer<'_> {
    /// Stores an injection with its lines. An entry deleted in the meantime is skipped.
    pub fn put_injection(&self, draft: &InjectionDraft<'_>) -> Result<InjectionId, StoreError> {
        let id = self
            .sql(
                "INSERT INTO injection (session_id, project_id, at, mode, cause, lines, tokens, characters)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .insert((
                draft.session.0,
                draft.project.0,
                draft.at.as_millis(),
                draft.trigger,
                draft.cause,
                draft.lines,
                draft.tokens,
                draft.characters,
            ))?;
        for line in draft.entries {
            self.sql(
                "INSERT OR IGNORE INTO injection_line (injection_id, entry_id, reason, section, tokens, used_at)
                 SELECT ?1, id, ?3, ?4, ?5, ?6 FROM entry WHERE id = ?2",
            )?
            .execute((
                id,
                line.entry.0,
                line.reason,
                line.section,
                line.tokens,
                line.used_at.map(Timestamp::as_millis),
            ))?;
        }
        Ok(InjectionId(id))
    }

    /// Stores the reason why something was injected with a prompt.
    pub fn put_decision(&self, id: InjectionId, decision: &str) -> Result<(), StoreError> {
        self.sql("INSERT INTO injection_decision (injection_id, decision) VALUES (?1, ?2)")?
            .execute((id.0, decision))?;
        Ok(())
    }

    /// Stores when the session first used a line. An earlier time stays.
    pub fn mark_used(&self, id: InjectionId, entry: EntryId, at: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "UPDATE injection_line SET used_at = ?3
              WHERE injection_id = ?1 AND entry_id = ?2 AND used_at IS NULL",
        )?
        .execute((id.0, entry.0, at.as_millis()))?;
        Ok(())
    }
}

impl FromRow for InjectionRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: InjectionId(row.get(0)?),
            session: SessionId(row.get(1)?),
            project: ProjectId(row.get(2)?),
            at: Timestamp::from_millis(row.get(3)?),
            trigger: row.get(4)?,
            cause: row.get(5)?,
            lines: row.get(6)?,
            tokens: row.get(7)?,
            characters: row.get(8)?,
        })
    }
}

// Entries that the user does not want injected: in one project, or in all.

/// Stands for all projects.
const ALL_PROJECTS: i64 = 0;

pub(crate) const SILENCED_IN_PROJECT: &str = "SELECT entry_id FROM silenced WHERE project_id = ?1
     UNION ALL
     SELECT entry_id FROM silenced WHERE project_id = 0";

impl Reader<'_> {
    /// Entries that must not be injected in a project.
    pub fn silenced(&self, project: ProjectId) -> Result<HashSet<EntryId>, StoreError> {
        let mut found = self.sql(SILENCED_IN_PROJECT)?;
        Ok(found.query_map([project.0], |row| Ok(EntryId(row.get(0)?)))?.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Stops an entry from being injected, in a project or in all; returns whether that is new.
    pub fn silence(
        &self,
        id: EntryId,
        project: Option<ProjectId>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let place = project.map_or(ALL_PROJECTS, |project| project.0);
        let added = self
            .sql("INSERT OR IGNORE INTO silenced (project_id, entry_id, at) VALUES (?1, ?2, ?3)")?
            .execute((place, id.0, now.as_millis()))?;
        Ok(added > 0)
    }

    /// Allows an entry to be injected again, in a project or in all, and returns whether it was
    /// silenced there. "All" includes each single project.
    pub fn unsilence(&self, id: EntryId, project: Option<ProjectId>) -> Result<bool, StoreError> {
        let removed = match project {
            Some(project) => self
                .sql("DELETE FROM silenced WHERE entry_id = ?1 AND project_id = ?2")?
                .execute((id.0, project.0))?,
            None => self.sql("DELETE FROM silenced WHERE entry_id = ?1")?.execute([id.0])?,
        };
        Ok(removed > 0)
    }
}
