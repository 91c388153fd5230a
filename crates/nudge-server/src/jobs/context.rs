//! What the server passes to every job.

use std::sync::Arc;

use nudge_home::Home;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::backend::Local;
use crate::primary::{Identity, PrimaryFiles};

/// The requester in the log for jobs.
pub(super) const JOB: &str = "job";

/// What a job may use.
pub(crate) struct JobContext {
    pub(crate) home: Home,
    pub(crate) local: Arc<Local>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) files: Arc<PrimaryFiles>,
    /// Receives a socket that was bound again.
    pub(crate) rebind: mpsc::Sender<UnixListener>,
    /// Ends the process.
    pub(crate) end: CancellationToken,
    /// Whether an agent started this process.
    pub(crate) by_agent: bool,
    /// Whether the memory ends with this process.
    pub(crate) ephemeral: bool,
}
