//! Entries by path: a range of paths from the index alone, and the heads of single entries.

use std::ops::ControlFlow;

use nudge_core::EntryId;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;

/// One path in the index.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PathHit<'p> {
    /// The path.
    pub path: &'p str,
    /// The scope it lives in.
    pub scope: i64,
    /// The entry.
    pub id: EntryId,
}

pub(crate) const ALL_PATHS: &str =
    "SELECT path, scope_id, id FROM entry INDEXED BY entry_path ORDER BY path, scope_id";

pub(crate) const PATHS_FROM: &str = "SELECT path, scope_id, id FROM entry
      WHERE path >= ?1 AND path < ?2 ORDER BY path, scope_id";

pub(crate) const ONE_PATH: &str = "SELECT path, scope_id, id FROM entry
      WHERE path = ?1 ORDER BY scope_id";

pub(crate) const COUNT_REST: &str =
    "SELECT count(*) FILTER (WHERE scope_id = ?3), count(*) FROM entry INDEXED BY entry_path
      WHERE path > ?1 AND path < ?2";

pub(crate) const REST_OF_PATHS: &str = "SELECT scope_id, id FROM entry INDEXED BY entry_path
      WHERE path > ?1 AND path < ?2 AND scope_id IS NOT ?3";

/// What is left of a range of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestOfPaths {
    /// Only paths after this one.
    pub path: String,
    /// The prefix of the range.
    pub prefix: String,
}

impl Reader<'_> {
    /// How many entries of a scope are left, and how many of all scopes. Nothing of them is read.
    pub fn count_rest(&self, rest: &RestOfPaths, scope: i64) -> Result<(u64, u64), StoreError> {
        let end = after(&rest.prefix).unwrap_or_default();
        let mut found = self.sql(COUNT_REST)?;
        let counts: (i64, i64) =
            found.query_row((&rest.path, end, scope), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((counts.0.unsigned_abs(), counts.1.unsigned_abs()))
    }

    /// Visits the scopes and ids of all that is left, without those of one scope.
    pub fn visit_rest<E: From<StoreError>>(
        &self,
        rest: &RestOfPaths,
        without: Option<i64>,
        mut visit: impl FnMut(i64, EntryId) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = after(&rest.prefix).unwrap_or_default();
        let mut found = self.sql(REST_OF_PATHS)?;
        let mut rows = found.query((&rest.path, end, without)).map_err(StoreError::from)?;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            let at = |column| row.get(column).map_err(StoreError::from);
            visit(at(0)?, EntryId(at(1)?))?;
        }
        Ok(())
    }

    /// Visits every entry whose path begins with a prefix, in the order of paths. Reads the index
    /// alone, never a body.
    pub fn visit_paths(
        &self,
        prefix: &str,
        mut visit: impl FnMut(PathHit<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let end = after(prefix);
        let mut found = self.sql(if end.is_some() { PATHS_FROM } else { ALL_PATHS })?;
        let mut rows = match &end {
            Some(end) => found.query((prefix, end))?,
            None => found.query(())?,
        };
        while let Some(row) = rows.next()? {
            if visit(hit(row)?).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Every scope that contains exactly this path.
    pub fn visit_path(&self, path: &str, mut visit: impl FnMut(PathHit<'_>)) -> Result<(), StoreError> {
        let mut found = self.sql(ONE_PATH)?;
        let mut rows = found.query([path])?;
        while let Some(row) = rows.next()? {
            visit(hit(row)?);
        }
        Ok(())
    }

    /// The size of an entry's body in bytes, without reading it; `None` if there is no such entry.
    pub fn body_bytes(&self, id: EntryId) -> Result<Option<u64>, StoreError> {
        let mut found = self.sql("SELECT octet_length(body) FROM entry WHERE id = ?1")?;
        let bytes: Option<i64> = found.query_row([id.0], |row| row.get(0)).optional()?;
        Ok(bytes.map(|bytes| bytes.unsigned_abs()))
    }

    /// The statements that no longer apply.
    pub fn statements_over(&self) -> Result<Vec<EntryId>, StoreError> {
        let mut found = self.sql("SELECT entry_id FROM statement WHERE stage = 0")?;
        Ok(found.query_map([], |row| Ok(EntryId(row.get(0)?)))?.collect::<Result<_, _>>()?)
    }
}

fn hit<'r>(row: &'r rusqlite::Row<'_>) -> Result<PathHit<'r>, StoreError> {
    let id: i64 = row.get(2)?;
    let path = row.get_ref(0)?.as_str().map_err(|_| StoreError::UnreadableRow { id, column: "path" })?;
    Ok(PathHit { path, scope: row.get(1)?, id: EntryId(id) })
}

/// The smallest text after everything that begins with a prefix; `None` for an empty prefix.
fn after(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // The surrogates lie between these two and are no characters.
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn the_range_ends_after_the_prefix() {
        assert_eq!(after("known://"), Some("known:/0".to_owned()));
        assert_eq!(after("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(after("\u{d7ff}"), Some("\u{e000}".to_owned()));
        assert_eq!(after(""), None);
    }
}
