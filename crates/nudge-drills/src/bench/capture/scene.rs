//! The homes and databases that the capture bench fills.

use std::path::PathBuf;

use anyhow::Context;

use crate::stage::{Home, Programs};

/// The programs, homes and databases of the bench.
pub(super) struct Scene {
    pub(super) programs: Programs,
    /// A home with all rows, one with a tenth of them, and one for the import.
    pub(super) large: Home,
    pub(super) small: Home,
    pub(super) empty: Home,
    /// Bare databases with the rows of the large home: a plain table, and one with a text index.
    pub(super) plain: PathBuf,
    pub(super) fts: PathBuf,
    pub(super) rows: u64,
    pub(super) commands: Option<PathBuf>,
}

impl Scene {
    /// The number of observations and prompts in a home.
    pub(super) fn rows_of(&self, home: &Home) -> anyhow::Result<u64> {
        let output = home.bare(&self.programs, "capture-ledger").arg(home.memory()).output()?;
        anyhow::ensure!(output.status.success(), "the ledger ended with {}", output.status);
        let ledger: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        ledger["rows"].as_u64().context("a ledger without its count")
    }
}
