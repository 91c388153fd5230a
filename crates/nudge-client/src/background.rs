//! Starts this program again as a background process.

use std::io;
use std::process::{Command, Stdio};

use nudge_home::Home;

/// A command that runs this program for the same data directory, without input, and discards its
/// output. The caller adds the arguments.
pub fn command(home: &Home) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    if !home.is_default() {
        command.arg("--home").arg(home.root());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
