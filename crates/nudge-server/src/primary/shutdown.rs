//! How the parts of PRIMARY are told to end.

use tokio_util::sync::CancellationToken;

/// Three tokens. The end of the process ends the others too; a handover ends them one after the other and leaves the process.
#[derive(Clone)]
pub(crate) struct Shutdown {
    /// The process ends.
    pub(crate) process: CancellationToken,
    /// This process is no longer PRIMARY: no new calls on the socket, and jobs and streams end.
    pub(crate) primary: CancellationToken,
    /// The port is closed. Connections that are open go on.
    pub(crate) port: CancellationToken,
}

impl Shutdown {
    /// The tokens of a new PRIMARY in a process that this token ends.
    pub(crate) fn new(process: CancellationToken) -> Self {
        Self { primary: process.child_token(), port: process.child_token(), process }
    }
}
