//! Everything that a viewer has in view and that is not archived, with what a packet needs of it.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::{EntryId, Scope, Source, Tier};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::reader::Reader;

/// An entry in view.
#[derive(Clone, Debug, PartialEq)]
pub struct InView {
    /// The entry.
    pub id: EntryId,
    /// Its path.
    pub path: String,
    /// Its scheme.
    pub scheme: String,
    /// Its body; only the beginning if it is not visible.
    pub body: String,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// How much of it the viewer sees.
    pub visibility: Visibility,
    /// Its state for the viewer.
    pub state: EntryState,
    /// Why it failed or was cancelled.
    pub outcome: Option<String>,
    /// A short description.
    pub summary: Option<String>,
    /// The turn of its last change.
    pub turn: i64,
    /// Whether the user wrote its text.
    pub by_user: bool,
}

/// The beginning of a body is enough for the line that stands for it.
pub(crate) const IN_VIEW: &str = "SELECT e.id, e.path, h.name,
        CASE v.visibility WHEN 2 THEN e.body ELSE substr(e.body, 1, 1200) END,
        e.attributes, v.visibility, v.state, v.outcome, v.summary, v.turn, w.source, w.tier
   FROM entry_view v
  CROSS JOIN entry e ON e.id = v.entry_id
  CROSS JOIN scheme h ON h.id = e.scheme_id
  CROSS JOIN provenance w ON w.id = e.writer_id
  WHERE v.viewer_id = (SELECT id FROM scope WHERE kind = ?1 AND key = ?2) AND v.visibility > 0
  ORDER BY v.entry_id";

impl Reader<'_> {
    /// What a viewer has in view and has not archived, oldest entry first.
    pub fn in_view(&self, viewer: &Scope) -> Result<Vec<InView>, StoreError> {
        let mut found = self.sql(IN_VIEW)?;
        let mut rows = found.query((viewer.kind(), viewer.key()))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let unreadable = |column| StoreError::UnreadableRow { id, column };
            let attributes: String = row.get(4)?;
            let (source, tier): (String, String) = (row.get(10)?, row.get(11)?);
            let is_client = Tier::from_name(&tier).is_some_and(|tier| tier >= Tier::Client);
            all.push(InView {
                id: EntryId(id),
                path: row.get(1)?,
                scheme: row.get(2)?,
                body: row.get(3)?,
                attributes: serde_json::from_str(&attributes).unwrap_or_default(),
                visibility: Visibility::from_code(row.get(5)?).ok_or_else(|| unreadable("visibility"))?,
                state: EntryState::from_code(row.get(6)?).ok_or_else(|| unreadable("state"))?,
                outcome: row.get(7)?,
                summary: row.get(8)?,
                turn: row.get(9)?,
                by_user: Source::from_name(&source) == Some(Source::User) && is_client,
            });
        }
        Ok(all)
    }
}
