//! Watches the files of PRIMARY: what it does when they go away under it.
//!
//! Files that are open live on when their names are removed, so a PRIMARY whose home was deleted would go
//! on acknowledging writes that nobody will ever read, while the next server starts an empty memory beside
//! it. It looks each second, so that this lasts a second at the most; looking before each acknowledgement
//! would cost every write for what only a person's own hand does.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::context::JobContext;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Looks after the files for as long as this process is PRIMARY, and binds the socket again where its name was removed.
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
