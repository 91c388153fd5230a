//! What stdin is, and the line printed for the user.

use std::io::Write;

use rustix::fs::FileType;

/// Whether an MCP client is at the other end of stdin. A terminal or `/dev/null` has none; a pipe,
/// a socket or a file does.
pub(crate) fn stdin_has_client() -> bool {
    match rustix::fs::fstat(rustix::stdio::stdin()) {
        Ok(found) => FileType::from_raw_mode(found.st_mode) != FileType::CharacterDevice,
        Err(_) => false,
    }
}

/// Prints a line for a watching user, or for the log of the program that started us without a
/// client. An agent at the other end would take it for an error.
pub(crate) fn say(line: &str) {
    if rustix::termios::isatty(rustix::stdio::stderr()) || !stdin_has_client() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
