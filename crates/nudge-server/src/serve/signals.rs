//! The signals that end a server.

use nudge_core::Fault;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::runtime::internal;

/// The signals that end a server cleanly.
pub(super) struct Signals([Signal; 3]);

impl Signals {
    /// Starts to listen.
    pub(super) fn new() -> Result<Self, Fault> {
        let listen =
            |kind| signal(kind).map_err(|error| internal(format!("signals cannot be heard: {error}")));
        Ok(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    /// Waits for one of them.
    pub(super) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
