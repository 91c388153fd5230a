//! Watches PRIMARY's files, and reacts when they disappear.
//!
//! Open files survive the removal of their names. If its home was deleted, PRIMARY would keep
//! acknowledging writes that nobody will ever read, while the next server starts an empty memory
//! next to it. Checking each second limits this to a second. A check before each acknowledgement
//! would slow every write, for something that only happens when users delete the files themselves.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::context::JobContext;

/// How often the files are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Checks the files for as long as this process is PRIMARY, and binds the socket again if its name
/// was removed.
pub(super) async fn watch(context: Arc<JobContext>, stop: CancellationToken) {
    let files = &context.files;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        if let Some((what, fate)) = files.loss() {
            tracing::error!(what, ?fate, "a file of this server is gone from its place: this server ends");
            context.end.cancel();
            return;
        }
        if files.lacks_socket(context.identity.socket_path()) {
            match files.bind_socket_again() {
                Ok(listener) => {
                    tracing::warn!("the socket was removed; it is bound again");
                    let _ = context.rebind.send(listener).await;
                }
                Err(error) => tracing::warn!(%error, "the socket was removed and cannot be bound again"),
            }
        }
    }
}
