//! The disk and memory use of Nudge. No aim: for information.

use std::process::Command;

use anyhow::Context;

use super::table::Table;
use crate::stage::{Home, Programs, free_port};

pub(super) fn measure(programs: &Programs, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::temporary(programs)?;
    let stripped = home.path().join("stripped");
    let status = Command::new("strip").arg("-o").arg(&stripped).arg(programs.nudge()).status()?;
    anyhow::ensure!(status.success(), "strip failed");
    let bytes = std::fs::metadata(&stripped)?.len();
    table.count("size of the binary (ci profile, stripped)", format!("{:.1} MB", bytes as f64 / 1e6), "–");

    home.run(&["set", "api", "build", "docker compose build router"])?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let resident = resident(&home);
    home.run(&["stop"])?;
    table.count("resident memory of an idle PRIMARY", format!("{:.1} MB", resident? as f64 / 1e3), "–");
    Ok(())
}

/// The resident memory of the server, in kilobytes.
fn resident(home: &Home) -> anyhow::Result<u64> {
    let pid = home.state().context("no PRIMARY is noted")?.pid;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    line.trim().trim_end_matches(" kB").parse().context("an unreadable VmRSS")
}
