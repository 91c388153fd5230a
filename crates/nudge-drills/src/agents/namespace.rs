//! A network namespace with this machine alone, so that no agent can reach anything else.

use std::process::Command;

use anyhow::Context;

/// The variable that is set inside the namespace.
const INSIDE_VARIABLE: &str = "NUDGE_DRILL_INSIDE";

/// Runs this program again with the same arguments in its own network namespace; `None` when it is
/// already inside.
pub(super) fn enter() -> anyhow::Result<Option<bool>> {
    if std::env::var_os(INSIDE_VARIABLE).is_some() {
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
        .env(INSIDE_VARIABLE, "1")
        .status()
        .context("unshare is needed (Debian: util-linux)")?;
    Ok(Some(status.success()))
}
