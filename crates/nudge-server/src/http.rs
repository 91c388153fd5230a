//! HTTP on the loopback port: for other people's programs, never for our own.
//!
//! Our own programs use the socket, so that a stranger who squats on the recorded port is never
//! shown the token. Every request passes [`guard`] first.

mod answer;
mod body;
mod guard;
mod health;
mod listen;
mod mcp;
mod places;
mod rpc;

use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{any, get};
use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind};
use nudge_home::settings::Profile;
use tokio_util::sync::CancellationToken;

use crate::backend::Backend;
use crate::identity::Identity;
use crate::log::Limiter;
use crate::options::ServeOptions;
use nudge_client::token::Keeper;

pub(crate) use listen::serve;

/// What the handlers share.
pub(crate) struct House {
    pub(crate) backend: Arc<Backend>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) stop: CancellationToken,
    profile: Profile,
    token: Keeper,
    lines: Limiter,
}

impl House {
    pub(crate) fn new(
        options: &ServeOptions,
        backend: Arc<Backend>,
        identity: Arc<Identity>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            backend,
            identity,
            stop,
            profile: options.settings.profile,
            token: Keeper::new(options.home.token_file()),
            lines: Limiter::default(),
        }
    }
}

impl House {
    /// Logs that a request was turned away; of a flood, a line a second.
    fn note_refusal(&self, reason: &'static str) {
        if let Some(suppressed) = self.lines.admit(reason, std::time::Instant::now()) {
            tracing::warn!(reason, suppressed, "a request was refused");
        }
    }
}

/// All routes, behind the guard. The guard is added last, so that it covers every one of them and
/// the fallback too.
fn router(house: &Arc<House>) -> Router {
    // Later: `/sse`, `/ws`, `/events` and the web UI join here, behind the same guard.
    Router::new()
        .route("/", get(health::welcome))
        .route("/health", get(health::health))
        .route("/rpc", any(rpc::endpoint))
        .route("/mcp", any(mcp::endpoint))
        .fallback(unknown)
        .with_state(mcp::Mounted::new(house))
        .layer(axum::middleware::from_fn_with_state(house.clone(), guard::guard))
}

async fn unknown(uri: Uri) -> Response {
    let path = first_chars(uri.path(), 80);
    let fault = Fault::new(FaultKind::NotFound, "no_such_path", format!("nothing is served at {path}"))
        .next("see `/` for what is");
    answer::fault(StatusCode::NOT_FOUND, &fault)
}
