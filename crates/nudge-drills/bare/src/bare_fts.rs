//! A minimal text index in SQLite: FTS5 with the porter stemmer and no copy of the text.

use std::path::Path;

use rusqlite::{Connection, params};

const SCHEMA: &str = "PRAGMA journal_mode = WAL;
CREATE VIRTUAL TABLE words USING fts5 (text, project, content = '', tokenize = 'porter unicode61');";

/// No data here has to survive a power cut. The cache is as large as a program would use for a
/// large database.
const PRAGMAS: &str = "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA mmap_size = 8589934592;";

const INSERT: &str = "INSERT INTO words (rowid, text, project) VALUES (?1, ?2, ?3)";
const SEARCH: &str = "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2";

/// A bare text index.
pub struct BareFts(Connection);

impl BareFts {
    /// Creates an index.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let fts = Self::open(path)?;
        fts.0.execute_batch(SCHEMA)?;
        Ok(fts)
    }

    /// Opens an existing index.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the yardstick is what a program without our door does"
        )]
        let connection = Connection::open(path)?;
        connection.execute_batch(PRAGMAS)?;
        Ok(Self(connection))
    }

    /// Adds rows, many in one transaction.
    pub fn add_all<'r>(&self, rows: impl Iterator<Item = (u64, &'r str, String)>) -> anyhow::Result<()> {
        self.0.execute_batch("BEGIN IMMEDIATE")?;
        for (id, text, project) in rows {
            self.0.prepare_cached(INSERT)?.execute(params![id.cast_signed(), text, project])?;
        }
        self.0.execute_batch("COMMIT")?;
        Ok(())
    }

    /// Merges everything into one b-tree, the best layout for searches, and closes the index.
    pub fn finish(self) -> anyhow::Result<()> {
        self.0.execute_batch("INSERT INTO words (words) VALUES ('optimize')")?;
        self.0.close().map_err(|(_, error)| error)?;
        Ok(())
    }

    /// The ids of the best rows that contain any of these words, best first.
    pub fn search(&self, words: &[&str], project: Option<&str>, limit: usize) -> anyhow::Result<Vec<u64>> {
        let any = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        let query = match project {
            None => format!("text : ({any})"),
            Some(project) => format!("project : \"{project}\" AND text : ({any})"),
        };
        let mut statement = self.0.prepare_cached(SEARCH)?;
        let ids = statement.query_map(params![query, limit as i64], |row| row.get::<_, i64>(0))?;
        Ok(ids.collect::<Result<Vec<_>, _>>()?.into_iter().map(i64::cast_unsigned).collect())
    }
}
