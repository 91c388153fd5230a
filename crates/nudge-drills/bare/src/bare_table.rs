//! A minimal table of observations: the baseline for everything that Nudge stores.

use std::path::Path;

use rusqlite::{Connection, params};

/// One table with the index that every reader needs.
const PLAIN_SCHEMA: &str = "PRAGMA journal_mode = WAL;
CREATE TABLE obs (id INTEGER PRIMARY KEY, ts INTEGER, session TEXT, kind TEXT, text TEXT);
CREATE INDEX obs_ts ON obs (ts);";

/// A text index, kept up to date by a trigger.
const FTS_SCHEMA: &str = "
CREATE VIRTUAL TABLE obs_fts USING fts5 (text, content = 'obs', content_rowid = 'id', tokenize = 'porter unicode61');
CREATE TRIGGER obs_ai AFTER INSERT ON obs BEGIN INSERT INTO obs_fts (rowid, text) VALUES (new.id, new.text); END;";

/// A bare database.
pub struct BareTable(Connection);

/// A row of the table.
#[derive(Copy, Clone, Debug)]
pub struct BareRow<'r> {
    /// When it happened.
    pub at: i64,
    /// The session id.
    pub session: &'r str,
    /// The kind of event.
    pub kind: &'r str,
    /// The text of the row.
    pub text: &'r str,
}

impl BareTable {
    /// Creates a database.
    pub fn create(path: &Path, with_text_index: bool) -> anyhow::Result<Self> {
        let table = Self::open(path)?;
        table.0.execute_batch(PLAIN_SCHEMA)?;
        if with_text_index {
            table.0.execute_batch(FTS_SCHEMA)?;
        }
        Ok(table)
    }

    /// Opens an existing database.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the yardstick is what a program without our door does"
        )]
        let connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA busy_timeout = 2000; PRAGMA synchronous = NORMAL;")?;
        Ok(Self(connection))
    }

    /// Adds one row.
    pub fn insert(&self, row: &BareRow<'_>) -> anyhow::Result<()> {
        self.0
            .prepare_cached("INSERT INTO obs (ts, session, kind, text) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![row.at, row.session, row.kind, row.text])?;
        Ok(())
    }

    /// Adds many rows in one transaction.
    pub fn insert_all<'r>(&self, rows: impl Iterator<Item = BareRow<'r>>) -> anyhow::Result<()> {
        self.0.execute_batch("BEGIN IMMEDIATE")?;
        for row in rows {
            self.insert(&row)?;
        }
        self.0.execute_batch("COMMIT")?;
        Ok(())
    }
}

// A minimal text index in SQLite: FTS5 with the porter stemmer and no copy of the text.

const SCHEMA: &str = "PRAGMA journal_mode = WAL;
CREATE VIRTUAL TABLE words USING fts5 (text, project, content = '', tokenize = 'porter unicode61');";

/// No data here has to survive a power cut. The cache is as large as a program would use for a
/// large database.
const PRAGMAS: &str = "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA mmap_size = 8589934592;";

const INSERT_WORDS: &str = "INSERT INTO words (rowid, text, project) VALUES (?1, ?2, ?3)";

const SEARCH_QUERY: &str = "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2";

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
            self.0.prepare_cached(INSERT_WORDS)?.execute(params![id.cast_signed(), text, project])?;
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
        let mut statement = self.0.prepare_cached(SEARCH_QUERY)?;
        let ids = statement.query_map(params![query, limit as i64], |row| row.get::<_, i64>(0))?;
        Ok(ids.collect::<Result<Vec<_>, _>>()?.into_iter().map(i64::cast_unsigned).collect())
    }
}
