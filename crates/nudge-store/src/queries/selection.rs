//! Choosing what was captured: by time, project, session, id, kind and words, all of them together.

use std::collections::HashSet;

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::project::ProjectId;
use crate::tables::scheme::SUMMARY_SCHEME;

/// What is meant. Everything that is given must hold; nothing given means everything captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// From before that time.
    pub before: Option<Timestamp>,
    /// Of one of these projects: what lies in it, wherever its session began.
    pub projects: Option<Vec<ProjectId>>,
    /// Of that session.
    pub session: Option<SessionId>,
    /// One of these entries; in rising order.
    pub ids: Option<Vec<EntryId>>,
    /// Of that sort.
    pub sort: Option<Sort>,
    /// Holding each of these, in whatever case: in its text, its attributes or its files.
    pub words: Vec<String>,
}

/// What sort of captured thing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// An observation of that kind.
    Observation(ObservationKind),
    /// A prompt.
    Prompt,
    /// The summary of a session.
    Summary,
    /// Something stated: a memory, a context set, a hypothesis, a value, a page of the journal. It is
    /// chosen only by its project, its session, its text or its id: time and kind are said of what
    /// was captured.
    Known,
}

/// Something that was chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its entry.
    pub id: EntryId,
    /// What sort of thing.
    pub sort: Sort,
    /// Its session, if it belongs to one.
    pub session: Option<SessionId>,
    /// When it happened.
    pub at: Timestamp,
    /// Whether it is kept for good.
    pub pinned: bool,
}

/// A page of what was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// What was chosen.
    pub found: Vec<Found>,
    /// Where the next page begins; `None` when there is none.
    pub next: Option<EntryId>,
}

/// Everything captured among some entries. `+` keeps SQLite from looking by scheme: that would be
/// all of them each time.
const PAGE: &str = "SELECT entry_id, kind, session_id, at, pinned FROM observation
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
    /// A page of what a selection means: what is chosen among the `span` entries after `after`.
    pub fn select(&self, what: &Selection, after: EntryId, span: u32) -> Result<FoundPage, StoreError> {
        let places = self.places(what)?;
        let upto = after.0.saturating_add(i64::from(span));
        let mut rows: Vec<Found> = Vec::new();
        let mut found = self.sql(PAGE)?;
        // What was said of a session goes with it, and is looked at only for its words.
        let mut page = found.query((after.0, upto, SUMMARY_SCHEME, !what.words.is_empty()))?;
        while let Some(row) = page.next()? {
            rows.push(found_from(row)?);
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
            && what.sort.is_none_or(|sort| row.sort == sort)
            && what.ids.as_ref().is_none_or(|ids| ids.binary_search(&row.id).is_ok());
        let named =
            what.projects.is_some() || what.session.is_some() || what.ids.is_some() || !what.words.is_empty();
        Ok(plain
            && (named || row.sort != Sort::Known)
            && self.is_placed(what, places, row)?
            && self.says(&what.words, row)?)
    }

    /// The scopes of the projects that are meant.
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
        // What lies in the scope of a session is of the session's project.
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
        let mut text = entry.body;
        entry.path.parts().iter().for_each(|part| {
            text.push('\n');
            text.push_str(part);
        });
        // As it reads, not as JSON writes it: what is looked for is looked for in the strings
        // themselves.
        entry.attributes.iter().for_each(|(name, value)| {
            text.push('\n');
            text.push_str(name);
            add_strings(value, &mut text);
        });
        if let Some(observation) = self.observation(row.id)? {
            observation.files.iter().chain(&observation.tool).for_each(|more| {
                text.push('\n');
                text.push_str(more);
            });
        }
        let text = text.to_lowercase();
        Ok(words.iter().all(|word| text.contains(&word.to_lowercase())))
    }
}

fn add_strings(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::String(said) => {
            text.push('\n');
            text.push_str(said);
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| add_strings(item, text)),
        serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            text.push('\n');
            text.push_str(name);
            add_strings(value, text);
        }),
        other => {
            text.push('\n');
            text.push_str(&other.to_string());
        }
    }
}

fn found_from(row: &Row<'_>) -> Result<Found, StoreError> {
    let id: i64 = row.get(0)?;
    let sort = match row.get(1)? {
        -1 => Sort::Prompt,
        -2 => Sort::Summary,
        -3 => Sort::Known,
        number => u8::try_from(number)
            .ok()
            .and_then(ObservationKind::from_number)
            .map(Sort::Observation)
            // A kind that only a newer program knows.
            .unwrap_or(Sort::Observation(ObservationKind::ToolOther)),
    };
    Ok(Found {
        id: EntryId(id),
        sort,
        session: row.get::<_, Option<i64>>(2)?.map(SessionId),
        at: Timestamp::from_millis(row.get(3)?),
        pinned: row.get(4)?,
    })
}
