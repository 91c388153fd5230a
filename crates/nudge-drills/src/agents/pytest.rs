//! Real pytest, from PyPI, in its own directory.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::repository;

/// The version that the tests run.
const PYTEST: &str = "pytest==9.2.0";

/// The program.
pub(super) fn program() -> anyhow::Result<PathBuf> {
    Ok(environment()?.join("bin/pytest"))
}

/// The virtual environment with pytest.
pub(super) fn environment() -> anyhow::Result<PathBuf> {
    let dir = repository::root().join("target/agents/pytest");
    if !dir.join("bin/pytest").is_file() {
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(&dir)
            .status()
            .context("python3 cannot be run")?;
        anyhow::ensure!(made.success(), "a virtual environment cannot be made");
        let pip = Command::new(dir.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check", PYTEST])
            .status()?;
        anyhow::ensure!(pip.success(), "{PYTEST} cannot be installed");
    }
    Ok(dir)
}
