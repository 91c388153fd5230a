//! Runs the suites with only HOME and PATH in the environment, as agents start their servers.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::install::Clients;
use crate::repository;

/// Returns whether every test passed.
pub(super) fn run(binary: &Path, clients: &Clients, only: Option<&str>) -> anyhow::Result<bool> {
    let home = tempfile::Builder::new().prefix("nc").tempdir().context("a temporary directory is needed")?;
    let mut command = Command::new(&clients.python);
    command
        .args(["-B", "tests/clients/run.py", "--bin"])
        .arg(binary)
        .arg("--inspector")
        .arg(&clients.inspector)
        .current_dir(repository::root())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", search_path(&clients.node_dir)?);
    if let Some(word) = only {
        command.args(["--only", word]);
    }
    Ok(command.status().context("the suites cannot be started")?.success())
}

/// The installed Node first, then the machine's own path.
fn search_path(node_dir: &Path) -> anyhow::Result<OsString> {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let parts = std::iter::once(node_dir.to_path_buf()).chain(std::env::split_paths(&machine));
    std::env::join_paths(parts).context("a directory in PATH holds a colon")
}
