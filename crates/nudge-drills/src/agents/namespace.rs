//! A network in which there is this machine alone, so that no agent can reach anything else.

use std::process::Command;

use anyhow::Context;

/// What says that we are in it already.
const INSIDE: &str = "NUDGE_DRILL_INSIDE";

/// Runs this program again with the same words in a network of its own; nothing where that is done already.
pub(super) fn enter() -> anyhow::Result<Option<bool>> {
    if std::env::var_os(INSIDE).is_some() {
        return Ok(None);
    }
    let program = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    let status = command
        .args(["--net", "--", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""])
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, "1")
        .status()
        .context("unshare is needed (Debian: util-linux)")?;
    Ok(Some(status.success()))
}
