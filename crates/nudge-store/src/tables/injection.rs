//! The ledger: what was put into an agent's context, why, at what price, and whether it was of use.
//!
//! No text is kept here. A line names an entry; when the entry goes, its lines go with it.

use nudge_core::{EntryId, Timestamp};
use rusqlite::{OptionalExtension, Params, Row};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// An injection in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InjectionId(pub i64);

/// An injection on its way into the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionDraft<'d> {
    /// The session that was told.
    pub session: SessionId,
    /// The project it was told of.
    pub project: ProjectId,
    /// When.
    pub at: Timestamp,
    /// The number of the trigger.
    pub trigger: u8,
    /// The word for the trigger: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub cause: &'d str,
    /// How many lines it had.
    pub lines: u32,
    /// What it cost.
    pub tokens: u32,
    /// How long it was.
    pub characters: u32,
    /// The entries that were told, and those that were left out; each once.
    pub entries: &'d [InjectionLine],
}

/// One entry of an injection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct InjectionLine {
    /// Which.
    pub entry: EntryId,
    /// 0 for one that was told, else the number of the reason why it was left out.
    pub reason: u8,
    /// The number of the section it stood in; 0 where it stood in none.
    pub section: u8,
    /// What its line cost.
    pub tokens: u32,
    /// When the session first made use of it.
    pub used_at: Option<Timestamp>,
}

impl InjectionLine {
    /// Whether it was told.
    pub const fn is_told(&self) -> bool {
        self.reason == 0
    }
}

/// An injection as it stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionRow {
    /// Its identity.
    pub id: InjectionId,
    /// The session that was told.
    pub session: SessionId,
    /// The project it was told of.
    pub project: ProjectId,
    /// When.
    pub at: Timestamp,
    /// The number of the trigger.
    pub trigger: u8,
    /// The word for the trigger.
    pub cause: String,
    /// How many lines it had.
    pub lines: u32,
    /// What it cost.
    pub tokens: u32,
    /// How long it was.
    pub characters: u32,
}

impl InjectionRow {
    /// Whether it came because the context had been emptied.
    pub const fn is_recovery(&self) -> bool {
        self.trigger == RECOVERY
    }
}

/// How often an entry was told lately.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub entry: EntryId,
    /// In how many of the injections that were looked at.
    pub times: u32,
    /// When last.
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
    select_injection!("WHERE i.project_id = ?1 ORDER BY i.at DESC, i.id DESC LIMIT ?2");

/// The number of the triggers that follow an emptied context.
const RECOVERY: u8 = 2;

/// An injection counts when its session did something afterwards. Kinds 8, 9, 11, 17 and 19 are no actions. Among the
/// newest thousand of a project: more were never looked at.
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

const TOLD_LATELY: &str = concat!(
    "SELECT l.entry_id, count(*), max(n.at)
       FROM (SELECT i.id, i.at FROM injection i WHERE ",
    acted_on!(),
    " ORDER BY i.at DESC, i.id DESC LIMIT ?2) n
      CROSS JOIN injection_line l ON l.injection_id = n.id
      WHERE l.reason = 0 GROUP BY l.entry_id"
);

const HAD_AT_LEAST: &str = concat!(
    "SELECT 1 FROM injection i WHERE ",
    acted_on!(),
    " ORDER BY i.at DESC, i.id DESC LIMIT 1 OFFSET ?2"
);

impl Reader<'_> {
    /// What a session was told, the newest first.
    pub fn injections_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.injections(OF_SESSION, (session.0, limit))
    }

    /// What was told in a project, the newest first.
    pub fn injections_of_project(
        &self,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.injections(OF_PROJECT, (project.0, limit))
    }

    /// What was told in a project and followed by an action, the newest first.
    pub fn injections_acted_on(
        &self,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        self.injections(ACTED_ON, (project.0, limit))
    }

    /// What was told since then, the newest first.
    pub fn injections_since(&self, since: Timestamp, limit: u32) -> Result<Vec<InjectionRow>, StoreError> {
        self.injections(
            select_injection!("WHERE i.at >= ?1 ORDER BY i.at DESC, i.id DESC LIMIT ?2"),
            (since.as_millis(), limit),
        )
    }

    /// The injections that an entry was told or considered in, the newest first, each with its
    /// line.
    pub fn injections_with(
        &self,
        entry: EntryId,
        limit: u32,
    ) -> Result<Vec<(InjectionRow, InjectionLine)>, StoreError> {
        let found = self.injections(
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

    /// The entries of an injection that are still there.
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

    /// The entries that an injection told, and whether the session is noted to have made use of
    /// them.
    pub fn told_in(&self, id: InjectionId) -> Result<Vec<(EntryId, bool)>, StoreError> {
        let mut found = self.sql(
            "SELECT entry_id, used_at IS NOT NULL FROM injection_line WHERE injection_id = ?1 AND reason = 0",
        )?;
        let rows = found.query_map([id.0], |row| Ok((EntryId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How often each entry was told in the newest injections of a project that were followed by an action.
    pub fn told_lately(&self, project: ProjectId, injections: u32) -> Result<Vec<Told>, StoreError> {
        let mut found = self.sql(TOLD_LATELY)?;
        let rows = found.query_map((project.0, injections), |row| {
            Ok(Told {
                entry: EntryId(row.get(0)?),
                times: row.get(1)?,
                last: Timestamp::from_millis(row.get(2)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a project has had that many injections that were followed by an action.
    pub fn has_injections(&self, project: ProjectId, many: u32) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .sql(HAD_AT_LEAST)?
            .query_row((project.0, many.saturating_sub(1)), |row| row.get(0))
            .optional()?;
        Ok(found.is_some())
    }

    /// What decided that something was said with a prompt, as it was written down.
    pub fn decision_of(&self, id: InjectionId) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT decision FROM injection_decision WHERE injection_id = ?1")?;
        Ok(found.query_row([id.0], |row| row.get(0)).optional()?)
    }

    fn injections(&self, sql: &str, what: impl Params) -> Result<Vec<InjectionRow>, StoreError> {
        let mut found = self.sql(sql)?;
        Ok(found.query_map(what, injection_from)?.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Enters an injection with its lines. An entry that has gone meanwhile is passed over.
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

    /// Writes down what decided that something was said with a prompt.
    pub fn put_decision(&self, id: InjectionId, decision: &str) -> Result<(), StoreError> {
        self.sql("INSERT INTO injection_decision (injection_id, decision) VALUES (?1, ?2)")?
            .execute((id.0, decision))?;
        Ok(())
    }

    /// Notes when the session first made use of a line. What was noted before stays.
    pub fn mark_used(&self, id: InjectionId, entry: EntryId, at: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "UPDATE injection_line SET used_at = ?3
              WHERE injection_id = ?1 AND entry_id = ?2 AND used_at IS NULL",
        )?
        .execute((id.0, entry.0, at.as_millis()))?;
        Ok(())
    }
}

fn injection_from(row: &Row<'_>) -> rusqlite::Result<InjectionRow> {
    Ok(InjectionRow {
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
