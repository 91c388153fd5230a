//! What every job gets from the server that starts it.

use std::sync::Arc;

use nudge_home::Home;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::backend::Local;
use crate::primary::{Identity, PrimaryFiles};

/// Who asks for what jobs do, in the log.
pub(super) const JOB: &str = "job";

/// What a job may use.
pub(crate) struct JobContext {
    pub(crate) home: Home,
    pub(crate) local: Arc<Local>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) files: Arc<PrimaryFiles>,
    /// Where a socket goes that was bound again.
    pub(crate) rebind: mpsc::Sender<UnixListener>,
    /// Ends the process.
    pub(crate) end: CancellationToken,
    /// Whether the memory goes with this process.
    pub(crate) ephemeral: bool,
}
