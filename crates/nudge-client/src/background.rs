//! This program once more, as a process that nobody waits for.

use std::io;
use std::process::{Command, Stdio};

use nudge_home::Home;

/// A call of this program for the same memory, with nothing to read and nobody who reads what it prints. The caller adds
/// what it is to do.
pub fn command(home: &Home) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    if !home.is_default() {
        command.arg("--home").arg(home.root());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
