//! A minimal table of observations: the baseline for everything that Nudge stores.

use std::path::Path;

use rusqlite::{Connection, params};

/// One table with the index that every reader needs.
const PLAIN: &str = "PRAGMA journal_mode = WAL;
CREATE TABLE obs (id INTEGER PRIMARY KEY, ts INTEGER, session TEXT, kind TEXT, text TEXT);
CREATE INDEX obs_ts ON obs (ts);";

/// A text index, kept up to date by a trigger.
const FTS: &str = "
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
        table.0.execute_batch(PLAIN)?;
        if with_text_index {
            table.0.execute_batch(FTS)?;
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
