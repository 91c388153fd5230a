//! The schema: its dated steps, and which of them a database has.
//!
//! The schema version is SQLite's `user_version`: the number of steps applied. Steps are never
//! edited once released.

use rusqlite::Connection;

use crate::db::error::StoreError;

/// One step, as in `migrations/`.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

impl Step {
    /// A checksum of its text.
    pub(crate) fn checksum(&self) -> String {
        blake3::hash(self.sql.as_bytes()).to_hex().to_string()
    }
}

macro_rules! steps {
    ($($name:literal),+ $(,)?) => {
        &[$(Step { name: $name, sql: include_str!(concat!("../../migrations/", $name)) }),+]
    };
}

/// All steps, oldest first. A new one is added at the end and to `migrations/CHECKSUMS`.
pub(crate) const STEPS: &[Step] = steps![
    "20261115_01_kernel.sql",
    "20261115_02_hints.sql",
    "20261115_03_capture.sql",
    "20261115_04_recall.sql",
    "20261116_01_authority.sql",
    "20261116_02_walls.sql",
    "20261116_03_statements.sql",
    "20261116_04_decisions.sql",
    "20261116_05_attempts.sql",
    "20261117_01_sessions.sql",
    "20261117_02_entries.sql",
    "20261117_03_runs.sql",
    "20261118_01_run_knowledge.sql",
    "20261119_01_quotes.sql",
    "20261120_01_model_prices.sql"
];

/// The newest schema version this program knows.
pub const LATEST: i64 = STEPS.len() as i64;

/// Marks a database as Nudge's in its header: "nudg".
pub(crate) const APPLICATION_ID: i64 = 0x6e75_6467;

/// The schema version of a database; 0 for an empty one.
pub(crate) fn version(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?)
}
