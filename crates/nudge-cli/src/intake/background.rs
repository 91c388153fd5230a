//! A server in the background, for those who want one.

use std::process::{Command, Stdio};

use nudge_client::lock;
use nudge_home::Home;

/// Starts a server if none runs. Nobody waits for it: this session works without one.
pub(super) fn start(home: &Home) {
    if lock::is_held(&home.lock_file()) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    if !home.is_default() {
        command.arg("--home").arg(home.root());
    }
    let _ = command
        .args(["serve", "--daemon"])
        .current_dir(home.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
