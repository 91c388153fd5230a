//! The signals that end the parts of PRIMARY.

use tokio_util::sync::CancellationToken;

/// Three tokens. The end of the process cancels the others too; a handover cancels them one after
/// the other and keeps the process.
#[derive(Clone)]
pub(crate) struct Shutdown {
    /// The process ends.
    pub(crate) process: CancellationToken,
    /// This process is no longer PRIMARY: no new calls on the socket, and jobs and streams end.
    pub(crate) primary: CancellationToken,
    /// The port is closed. Open connections continue.
    pub(crate) port: CancellationToken,
}

impl Shutdown {
    /// The tokens of a new PRIMARY in a process that this token ends.
    pub(crate) fn new(process: CancellationToken) -> Self {
        Self { primary: process.child_token(), port: process.child_token(), process }
    }
}
