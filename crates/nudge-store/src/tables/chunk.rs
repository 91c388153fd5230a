//! Bodies that still grow: appended in parts, joined when the entry is complete.

use nudge_core::{Entry, EntryId, Provenance, Timestamp};
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::feed::ChangeKind;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// A part grows up to this many bytes; then the next one begins.
const CHUNK_BYTES: usize = 16 * 1024;

/// How much of the text before an append is read again, so that a credential split between two
/// appends is found.
const OVERLAP_BYTES: usize = 1024;

impl Reader<'_> {
    /// The entry with all of its body, also the part that still grows.
    pub fn whole_entry(&self, id: EntryId) -> Result<Option<Entry>, StoreError> {
        let Some(mut entry) = self.entry_by_id(id)? else { return Ok(None) };
        entry.body.push_str(&self.appended(id)?);
        Ok(Some(entry))
    }

    /// The size of the appended parts in bytes, without reading them.
    pub fn appended_bytes(&self, id: EntryId) -> Result<u64, StoreError> {
        let mut found =
            self.sql("SELECT coalesce(sum(octet_length(text)), 0) FROM entry_chunk WHERE entry_id = ?1")?;
        let bytes: i64 = found.query_row([id.0], |row| row.get(0))?;
        Ok(bytes.unsigned_abs())
    }

    /// The parts of a body that were appended and not joined yet, as one text.
    pub fn appended(&self, id: EntryId) -> Result<String, StoreError> {
        let mut found = self.sql("SELECT text FROM entry_chunk WHERE entry_id = ?1 ORDER BY id")?;
        let mut rows = found.query([id.0])?;
        let mut text = String::new();
        while let Some(row) = rows.next()? {
            text.push_str(
                row.get_ref(0)?
                    .as_str()
                    .map_err(|_| StoreError::UnreadableRow { id: id.0, column: "text" })?,
            );
        }
        Ok(text)
    }
}

impl Writer<'_> {
    /// Appends to the body of an entry in time that depends on the new text alone, on lines of its
    /// own if asked. Credentials are replaced. The parts become the body with
    /// [`Self::join_appended`]. Returns the new version.
    pub fn append_body(
        &self,
        id: EntryId,
        text: &str,
        own_lines: bool,
        by: &Provenance,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let last: Option<(i64, String)> = self
            .sql("SELECT id, text FROM entry_chunk WHERE entry_id = ?1 ORDER BY id DESC LIMIT 1")?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let text = if own_lines { self.on_own_lines(id, last.as_ref(), text)? } else { text.to_owned() };
        let text = text.as_str();
        match last {
            Some((chunk, before)) => {
                let cut = boundary(&before, before.len().saturating_sub(OVERLAP_BYTES));
                let joined = format!("{}{text}", &before[cut..]);
                let clean = secret_guard::redacted(&joined);
                let whole = format!("{}{clean}", &before[..cut]);
                let (kept, more) = whole.split_at(boundary(&whole, CHUNK_BYTES.max(cut)));
                self.sql("UPDATE entry_chunk SET text = ?2 WHERE id = ?1")?.execute((chunk, kept))?;
                self.add_chunks(id, more)?;
            }
            None => self.add_chunks(id, &secret_guard::redacted(text))?,
        }
        let writer = self.provenance_id(by)?;
        self.sql("UPDATE entry SET writer_id = ?2 WHERE id = ?1")?.execute((id.0, writer))?;
        self.touch_entry(id, ChangeKind::Updated, now)?;
        let mut found = self.sql("SELECT version FROM entry WHERE id = ?1")?;
        Ok(found.query_row([id.0], |row| row.get(0))?)
    }

    /// The text with a line end before it, if the body has none there, and one after it.
    fn on_own_lines(
        &self,
        id: EntryId,
        last: Option<&(i64, String)>,
        text: &str,
    ) -> Result<String, StoreError> {
        let end = match last {
            Some((_, chunk)) => chunk.chars().next_back().map(String::from).unwrap_or_default(),
            None => {
                let mut found = self.sql("SELECT substr(body, -1) FROM entry WHERE id = ?1")?;
                found.query_row([id.0], |row| row.get::<_, String>(0))?
            }
        };
        let before = if end.is_empty() || end == "\n" { "" } else { "\n" };
        let after = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Ok(format!("{before}{text}{after}"))
    }

    /// Makes the appended parts the end of the body; returns whether there were any.
    pub fn join_appended(&self, id: EntryId, now: Timestamp) -> Result<bool, StoreError> {
        let appended = self.appended(id)?;
        if appended.is_empty() {
            return Ok(false);
        }
        self.sql("UPDATE entry SET body = body || ?2 WHERE id = ?1")?.execute((id.0, appended))?;
        self.sql("DELETE FROM entry_chunk WHERE entry_id = ?1")?.execute([id.0])?;
        self.touch_entry(id, ChangeKind::Updated, now)?;
        Ok(true)
    }

    fn add_chunks(&self, id: EntryId, mut text: &str) -> Result<(), StoreError> {
        while !text.is_empty() {
            let (part, rest) = text.split_at(boundary(text, CHUNK_BYTES));
            self.sql("INSERT INTO entry_chunk (entry_id, text) VALUES (?1, ?2)")?.execute((id.0, part))?;
            text = rest;
        }
        Ok(())
    }
}

/// The last character boundary at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
