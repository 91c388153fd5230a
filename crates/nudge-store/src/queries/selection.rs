//! Selects captured rows by time, project, session, id, kind and words, all combined.

use std::collections::HashSet;

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::entry::holds;
use crate::tables::intern::SUMMARY_SCHEME;
use crate::tables::project::ProjectId;

/// What to select. All given conditions must be true; none given selects everything captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Before this time.
    pub before: Option<Timestamp>,
    /// In one of these projects, wherever the session began.
    pub projects: Option<Vec<ProjectId>>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// One of these entries; in ascending order.
    pub ids: Option<Vec<EntryId>>,
    /// Of this kind.
    pub kind: Option<RowKind>,
    /// Containing each of these, ignoring case: in the text, the attributes or the files.
    pub words: Vec<String>,
}

/// The kind of a captured row.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKind {
    /// An observation of this kind.
    Observation(ObservationKind),
    /// A prompt.
    Prompt,
    /// The summary of a session.
    Summary,
    /// Something stated: a memory, a context set, a hypothesis, a value, a journal page. It is only
    /// selected by its project, its session, its text or its id: time and kind apply to captured
    /// rows.
    Known,
}

/// A selected row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its entry.
    pub id: EntryId,
    /// The kind of row.
    pub kind: RowKind,
    /// Its session, if it belongs to one.
    pub session: Option<SessionId>,
    /// When it happened.
    pub at: Timestamp,
    /// Whether it is pinned.
    pub pinned: bool,
}

/// A page of selected rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// The selected rows.
    pub found: Vec<Found>,
    /// Where the next page begins; `None` if this is the last.
    pub next: Option<EntryId>,
}

/// Everything captured in a range of entries. `+` keeps SQLite from searching by scheme, which
/// would read all of them each time.
const SELECTED_PAGE: &str = "SELECT entry_id, kind, session_id, at, pinned FROM observation
      WHERE entry_id > ?1 AND entry_id <= ?2
     UNION ALL
     SELECT entry_id, -1, session_id, at, 0 FROM prompt WHERE entry_id > ?1 AND entry_id <= ?2
     UNION ALL
     SELECT e.id, -2, a.id, ifnull(a.summarised_at, a.started_at), 0
       FROM entry e CROSS JOIN agent_session a ON a.id = CAST(substr(e.path, length(?3) + 4) AS INTEGER)
      WHERE e.id > ?1 AND e.id <= ?2 AND +e.scheme_id = (SELECT id FROM scheme WHERE name = ?3)
     UNION ALL
     SELECT e.id, -3, ifnull((SELECT h.session_id FROM hypothesis h WHERE h.entry_id = e.id), a.id), e.created_at, 0
       FROM entry e CROSS JOIN scope p ON p.id = e.scope_id
       LEFT JOIN agent_session a ON p.kind = 'session' AND a.name = p.key
      WHERE e.id > ?1 AND e.id <= ?2
        AND +e.scheme_id IN (SELECT id FROM scheme
                              WHERE name IN ('known', 'context', 'ghap', 'value', 'journal') OR (?4 AND name = 'session'))";

impl Reader<'_> {
    /// A page of a selection: the rows selected among the `span` entries after `after`.
    pub fn select(&self, what: &Selection, after: EntryId, span: u32) -> Result<FoundPage, StoreError> {
        let places = self.places(what)?;
        let upto = after.0.saturating_add(i64::from(span));
        let mut rows: Vec<Found> = Vec::new();
        let mut found = self.sql(SELECTED_PAGE)?;
        // Statements about a session go with it, and are only searched for words.
        let mut page = found.query((after.0, upto, SUMMARY_SCHEME, !what.words.is_empty()))?;
        while let Some(row) = page.next()? {
            rows.push(Found::from_row(row)?);
        }
        drop(page);
        let mut chosen = Vec::new();
        for row in rows {
            if self.is_meant(what, &places, &row)? {
                chosen.push(row);
            }
        }
        chosen.sort_by_key(|row| row.id);
        let newest = self.newest_entry()?;
        Ok(FoundPage { found: chosen, next: (upto < newest.0).then_some(EntryId(upto)) })
    }

    fn is_meant(&self, what: &Selection, places: &HashSet<i64>, row: &Found) -> Result<bool, StoreError> {
        let plain = what.before.is_none_or(|before| row.at < before)
            && what.session.is_none_or(|session| row.session == Some(session))
            && what.kind.is_none_or(|kind| row.kind == kind)
            && what.ids.as_ref().is_none_or(|ids| ids.binary_search(&row.id).is_ok());
        let named =
            what.projects.is_some() || what.session.is_some() || what.ids.is_some() || !what.words.is_empty();
        Ok(plain
            && (named || row.kind != RowKind::Known)
            && self.is_placed(what, places, row)?
            && self.says(&what.words, row)?)
    }

    /// The scopes of the selected projects.
    fn places(&self, what: &Selection) -> Result<HashSet<i64>, StoreError> {
        let mut places = HashSet::new();
        for project in what.projects.iter().flatten() {
            places.extend(self.scopes_of_project(*project)?);
        }
        Ok(places)
    }

    fn is_placed(&self, what: &Selection, places: &HashSet<i64>, row: &Found) -> Result<bool, StoreError> {
        if what.projects.is_none() {
            return Ok(true);
        }
        let scope: Option<(i64, String)> = self
            .sql("SELECT e.scope_id, p.kind FROM entry e CROSS JOIN scope p ON p.id = e.scope_id WHERE e.id = ?1")?
            .query_row([row.id.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        // An entry in the scope of a session belongs to the session's project.
        match scope {
            Some((_, kind)) if kind == "session" => {
                let session = row.session.map(|id| self.agent_session(id)).transpose()?.flatten();
                Ok(session.is_some_and(|session| {
                    what.projects.iter().flatten().any(|project| *project == session.project)
                }))
            }
            Some((scope, _)) => Ok(places.contains(&scope)),
            None => Ok(false),
        }
    }

    fn says(&self, words: &[String], row: &Found) -> Result<bool, StoreError> {
        if words.is_empty() {
            return Ok(true);
        }
        let Some(entry) = self.entry_by_id(row.id)? else {
            return Ok(false);
        };
        // A body that still grows is searched too.
        let mut texts = vec![
            entry.path.as_str().to_owned(),
            serde_json::Value::Object(entry.attributes).to_string(),
            self.appended(row.id)?,
        ];
        texts.extend(entry.path.parts());
        texts.push(entry.body);
        if let Some(observation) = self.observation(row.id)? {
            let (name, kind) = observation.subagent.unzip();
            texts.extend(observation.files);
            texts.extend(observation.tool.into_iter().chain(name).chain(kind.flatten()));
        }
        Ok(holds(words, texts.iter().map(String::as_str)))
    }
}

impl FromRow for Found {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let kind = match row.get(1)? {
            -1 => RowKind::Prompt,
            -2 => RowKind::Summary,
            -3 => RowKind::Known,
            number => u8::try_from(number)
                .ok()
                .and_then(ObservationKind::from_number)
                .map(RowKind::Observation)
                // A kind that only a newer program knows.
                .unwrap_or(RowKind::Observation(ObservationKind::ToolOther)),
        };
        Ok(Self {
            id: EntryId(id),
            kind,
            session: row.get::<_, Option<i64>>(2)?.map(SessionId),
            at: Timestamp::from_millis(row.get(3)?),
            pinned: row.get(4)?,
        })
    }
}
