//! Searchable entries, as the search index sees them: the captured kinds, by id or in order.

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{OptionalExtension, Row};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::observation::Known;
use crate::tables::project::ProjectId;
use nudge_core::Speaker;

/// A searchable entry.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentRow {
    /// The entry.
    pub id: EntryId,
    /// The kind of entry.
    pub kind: DocumentKind,
    /// Its scope. A project has the scopes of all its keys.
    pub scope: i64,
    /// Its session.
    pub session: Option<SessionId>,
    /// When it happened, or was last written.
    pub at: Timestamp,
    /// Its text.
    pub body: String,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
    /// The files it touched, with the main one first.
    pub files: Vec<String>,
}

/// An entry as a list of search results shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRow {
    /// The entry.
    pub id: EntryId,
    /// The kind of entry.
    pub kind: DocumentKind,
    /// Its scope.
    pub scope: i64,
    /// The agent program's id of its session.
    pub session: Option<String>,
    /// When it happened, or was last written.
    pub at: Timestamp,
    /// Its text.
    pub body: String,
    /// The file it is about.
    pub file: Option<String>,
}

/// The kinds of searchable entries.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Something an agent did; `None` for a kind that only a newer program knows.
    Observation(Option<ObservationKind>),
    /// Something that was said.
    Prompt(Speaker),
    /// The summary of a session.
    Summary,
    /// Knowledge, such as an imported memory.
    Known,
    /// A hypothesis that an agent tried.
    Hypothesis,
    /// The summary of several hypotheses.
    Value,
}

/// The schemes of searchable entries, as a list in SQL.
macro_rules! searchable {
    () => {
        "('obs', 'prompt', 'summary', 'known', 'ghap', 'value')"
    };
}

/// The join order is fixed: the entry is found first, by its id.
macro_rules! select_document {
    ($rest:literal) => {
        concat!(
            "SELECT e.id, s.name, e.scope_id, e.updated_at, e.body, e.attributes, e.path,
                    o.kind, o.session_id, o.at, p.speaker, p.session_id, p.at
               FROM entry e
              CROSS JOIN scheme s ON s.id = e.scheme_id AND s.name IN ",
            searchable!(),
            " LEFT JOIN observation o ON o.entry_id = e.id
               LEFT JOIN prompt p ON p.entry_id = e.id ",
            $rest
        )
    };
}

/// Leaves out what belongs to runs alone: their prompts, which are captured with the run's session
/// and stand in no table of prompts themselves, and what their models noted.
macro_rules! captured {
    () => {
        " AND NOT (s.name IN ('prompt', 'known') AND p.entry_id IS NULL
              AND EXISTS (SELECT 1 FROM scope c WHERE c.id = e.scope_id AND c.kind = 'run'))"
    };
}

pub(crate) const ONE_DOCUMENT: &str = concat!(select_document!("WHERE e.id = ?1"), captured!());

pub(crate) const DOCUMENTS_AFTER: &str =
    concat!(select_document!("WHERE e.id > ?1"), captured!(), " ORDER BY e.id LIMIT ?2");

/// One row for a list of results, without corrected or forgotten entries. JSON is only read for
/// imported memories, which store their date and files in it.
pub(crate) const RESULT_ROW: &str = concat!(
    "SELECT e.id, s.name, e.scope_id, ifnull(ifnull(o.at, p.at), e.updated_at), e.body, o.kind, p.speaker, a.name,
            CASE WHEN o.entry_id IS NOT NULL THEN
                 (SELECT f.path FROM observation_file t CROSS JOIN file f ON f.id = t.file_id
                   WHERE t.entry_id = e.id AND t.position = 0)
                 WHEN s.name = 'known' THEN e.attributes ->> '$.files[0]' END,
            CASE WHEN s.name = 'known' THEN e.attributes ->> '$.date' END
       FROM entry e
      CROSS JOIN scheme s ON s.id = e.scheme_id AND s.name IN ",
    searchable!(),
    " LEFT JOIN observation o ON o.entry_id = e.id
       LEFT JOIN prompt p ON p.entry_id = e.id
       LEFT JOIN agent_session a ON a.id = coalesce(o.session_id, p.session_id,
                 CASE WHEN s.name = 'summary' THEN CAST(substr(e.path, 11) AS INTEGER) END)
      WHERE e.id = ?1 AND NOT EXISTS (SELECT 1 FROM statement t WHERE t.entry_id = e.id AND t.stage = 0)",
    captured!()
);

/// The files of a range of entries.
pub(crate) const DOCUMENT_FILES: &str = "SELECT o.entry_id, f.path
       FROM observation_file o CROSS JOIN file f ON f.id = o.file_id
      WHERE o.entry_id BETWEEN ?1 AND ?2 ORDER BY o.entry_id, o.position";

impl Reader<'_> {
    /// The searchable ones among these entries, in the order of `ids`.
    pub fn documents(&self, ids: &[EntryId]) -> Result<Vec<DocumentRow>, StoreError> {
        let (mut one, mut files) = (self.sql(ONE_DOCUMENT)?, self.sql(DOCUMENT_FILES)?);
        let mut documents = Vec::with_capacity(ids.len());
        for id in ids {
            let mut rows = one.query([id.0])?;
            let Some(row) = rows.next()? else { continue };
            let mut document = DocumentRow::from_row(row)?;
            if let DocumentKind::Observation(_) = document.kind {
                let touched = files.query_map((id.0, id.0), |row| row.get(1))?;
                document.files = touched.collect::<Result<_, _>>()?;
            }
            documents.push(document);
        }
        Ok(documents)
    }

    /// The searchable ones among these entries as search results, in the order of `ids`.
    pub fn found_rows(&self, ids: &[EntryId]) -> Result<Vec<FoundRow>, StoreError> {
        let mut one = self.sql(RESULT_ROW)?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let mut rows = one.query([id.0])?;
            if let Some(row) = rows.next()? {
                found.push(FoundRow::from_row(row)?);
            }
        }
        Ok(found)
    }

    /// At most `limit` searchable entries with higher ids, by id.
    pub fn documents_after(&self, id: EntryId, limit: u32) -> Result<Vec<DocumentRow>, StoreError> {
        let mut found = self.sql(DOCUMENTS_AFTER)?;
        let mut rows = found.query((id.0, limit))?;
        let mut documents = Vec::new();
        while let Some(row) = rows.next()? {
            documents.push(DocumentRow::from_row(row)?);
        }
        drop(rows);
        self.fill(&mut documents)?;
        Ok(documents)
    }

    /// Whether any searchable entry has changed after a feed position.
    pub fn has_searchable_changes(&self, position: i64) -> Result<bool, StoreError> {
        let mut found = self.sql(concat!(
            "SELECT EXISTS (SELECT 1 FROM feed f CROSS JOIN scheme s ON s.id = f.scheme_id
                             WHERE f.position > ?1 AND s.name IN ",
            searchable!(),
            ")"
        ))?;
        Ok(found.query_row([position], |row| row.get(0))?)
    }

    /// Whether there are any searchable entries.
    pub fn has_documents(&self) -> Result<bool, StoreError> {
        let mut found = self.sql(concat!(
            "SELECT EXISTS (SELECT 1 FROM scheme s CROSS JOIN entry e ON e.scheme_id = s.id
                             WHERE s.name IN ",
            searchable!(),
            ")"
        ))?;
        Ok(found.query_row([], |row| row.get(0))?)
    }

    /// The scopes of a project: one for each of its keys with any entries.
    pub fn scopes_of_project(&self, id: ProjectId) -> Result<Vec<i64>, StoreError> {
        let mut found = self.sql(
            "SELECT s.id FROM project_key k CROSS JOIN scope s ON s.kind = 'project' AND s.key = k.key
              WHERE k.project_id = ?1 ORDER BY s.id",
        )?;
        Ok(found.query_map([id.0], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The name of the project that a scope belongs to.
    pub fn project_name_of_scope(&self, scope: i64) -> Result<Option<String>, StoreError> {
        let mut found = self.sql(
            "SELECT p.name FROM scope s
              CROSS JOIN project_key k ON k.key = s.key
              CROSS JOIN project p ON p.id = k.project_id
              WHERE s.id = ?1 AND s.kind = 'project'",
        )?;
        Ok(found.query_row([scope], |row| row.get(0)).optional()?)
    }

    /// Identifies this database; it changes with a restore. Data derived from one database does not
    /// fit another.
    pub fn lineage(&self) -> Result<u64, StoreError> {
        let found: Option<i64> = self
            .sql("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'lineage'")?
            .query_row([], |row| row.get(0))
            .optional()?;
        Ok(found.and_then(|number| u64::try_from(number).ok()).unwrap_or(0))
    }

    /// Adds the files of observations with nearby ids.
    fn fill(&self, documents: &mut [DocumentRow]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (documents.first(), documents.last()) else { return Ok(()) };
        let mut found = self.sql(DOCUMENT_FILES)?;
        let mut rows = found.query((first.id.0, last.id.0))?;
        let mut at = 0;
        while let Some(row) = rows.next()? {
            let id = EntryId(row.get(0)?);
            while at < documents.len() && documents[at].id < id {
                at += 1;
            }
            if let Some(document) = documents.get_mut(at).filter(|document| document.id == id) {
                document.files.push(row.get(1)?);
            }
        }
        Ok(())
    }
}

impl FromRow for FoundRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        let scheme = row.get_ref(1)?;
        let kind = match scheme.as_str().map_err(|_| known.unreadable("scheme"))? {
            "obs" => {
                DocumentKind::Observation(row.get::<_, Option<u8>>(5)?.and_then(ObservationKind::from_number))
            }
            "prompt" => {
                let speaker = row.get::<_, Option<i64>>(6)?.and_then(Speaker::from_code);
                DocumentKind::Prompt(speaker.ok_or_else(|| known.unreadable("speaker"))?)
            }
            "summary" => DocumentKind::Summary,
            "ghap" => DocumentKind::Hypothesis,
            "value" => DocumentKind::Value,
            _ => DocumentKind::Known,
        };
        let said = row.get::<_, Option<String>>(9)?.and_then(|date| time_of(&date));
        Ok(Self {
            id: known.id(),
            kind,
            scope: row.get(2)?,
            at: Timestamp::from_millis(said.map_or_else(|| row.get(3), Ok)?),
            body: row.get(4)?,
            session: row.get(7)?,
            file: row.get(8)?,
        })
    }
}

impl FromRow for DocumentRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        let scheme = row.get_ref(1)?;
        let scheme = scheme.as_str().map_err(|_| known.unreadable("scheme"))?;
        let attributes = known.attributes(row, 5)?;
        let updated: i64 = row.get(3)?;
        let (kind, session, at, files): (_, Option<i64>, i64, Vec<String>) = match scheme {
            "obs" => {
                let kind: Option<u8> = row.get(7)?;
                let kind = kind.and_then(ObservationKind::from_number);
                let at: Option<i64> = row.get(9)?;
                (DocumentKind::Observation(kind), row.get(8)?, at.unwrap_or(updated), Vec::new())
            }
            "prompt" => {
                let speaker = row.get::<_, Option<i64>>(10)?.and_then(Speaker::from_code);
                let speaker = speaker.ok_or_else(|| known.unreadable("speaker"))?;
                let at: Option<i64> = row.get(12)?;
                (DocumentKind::Prompt(speaker), row.get(11)?, at.unwrap_or(updated), Vec::new())
            }
            "summary" => {
                let path: String = row.get(6)?;
                let session = path.rsplit('/').next().and_then(|number| number.parse().ok());
                (DocumentKind::Summary, session, updated, Vec::new())
            }
            "ghap" => (DocumentKind::Hypothesis, None, updated, Vec::new()),
            "value" => (DocumentKind::Value, None, updated, Vec::new()),
            _ => (
                DocumentKind::Known,
                None,
                stated_date(&attributes).unwrap_or(updated),
                stated_files(&attributes),
            ),
        };
        Ok(Self {
            id: known.id(),
            kind,
            scope: row.get(2)?,
            session: session.map(SessionId),
            at: Timestamp::from_millis(at),
            body: row.get(4)?,
            attributes,
            files,
        })
    }
}

/// The date or time stated by a memory.
fn stated_date(attributes: &Map<String, Value>) -> Option<i64> {
    time_of(attributes.get("date")?.as_str()?)
}

fn time_of(date: &str) -> Option<i64> {
    let at = Timestamp::parse(date).or_else(|| Timestamp::parse(&format!("{date}T00:00:00Z")))?;
    Some(at.as_millis())
}

/// The files stated by a memory.
fn stated_files(attributes: &Map<String, Value>) -> Vec<String> {
    let files = attributes.get("files").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
}
