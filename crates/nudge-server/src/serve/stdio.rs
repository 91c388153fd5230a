//! The MCP session with the client on stdin and stdout.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::lines::Lines;
use super::pipe::Open;
use crate::backend::Backend;
use crate::mcp::{Handler, Stdio, Surroundings, Transport};
use crate::options::ServeOptions;

/// How long the client's calls may take when the server stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(3);

/// A client being served.
pub(super) struct Session {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Session {
    /// Starts to serve stdin and stdout, opened with `open`. Nothing else may write there from now
    /// on.
    pub(super) fn start(options: &ServeOptions, backend: Arc<Backend>, open: Open) -> Self {
        let cwd = nudge_home::surroundings::working_dir().unwrap_or_else(|_| "/".into());
        let known = Stdio::new(|name| std::env::var(name).ok(), Surroundings::new(cwd));
        let transport = Transport::Stdio(Arc::new(known));
        let handler = Handler::new(backend, transport, options.settings.profile, &options.version);
        let stop = CancellationToken::new();
        let task = tokio::spawn(converse(handler, open, stop.clone()));
        Self { task, stop }
    }

    /// Answers the pending calls and ends.
    pub(super) async fn finish(self) {
        self.stop.cancel();
        if !self.task.is_finished() && tokio::time::timeout(DRAIN_WITHIN, self.task).await.is_err() {
            tracing::warn!("calls of the client were still under way when the server stopped");
        }
    }
}

/// Waits for the client to disconnect; forever when there is none.
pub(super) async fn ended(session: &mut Option<Session>) {
    match session {
        Some(session) => {
            if let Err(error) = (&mut session.task).await {
                tracing::error!(%error, "serving the client failed");
            }
        }
        None => std::future::pending().await,
    }
}

async fn converse(handler: Handler, open: Open, stop: CancellationToken) {
    let (input, output) = open();
    match handler.serve_with_ct(Lines::new(input, output), stop).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the session with the client broke");
            }
        }
        // A client that disconnects before it initialises is not our failure.
        Err(error) => {
            tracing::debug!(kind = %std::any::type_name_of_val(&error), "no session with the client")
        }
    }
}
