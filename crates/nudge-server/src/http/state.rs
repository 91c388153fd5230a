//! State that all handlers share.

use std::sync::Arc;

use nudge_client::token::TokenFile;
use nudge_home::settings::Profile;

use crate::backend::Backend;
use crate::log::Limiter;
use crate::options::ServeOptions;
use crate::primary::{Identity, Shutdown};

/// State that the handlers share.
pub(crate) struct AppState {
    pub(crate) backend: Arc<Backend>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) shutdown: Shutdown,
    pub(super) profile: Profile,
    pub(super) token: TokenFile,
    lines: Limiter,
}

impl AppState {
    pub(crate) fn new(
        options: &ServeOptions,
        backend: Arc<Backend>,
        identity: Arc<Identity>,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            backend,
            identity,
            shutdown,
            profile: options.settings.profile,
            token: TokenFile::new(options.home.token_file()),
            lines: Limiter::default(),
        }
    }

    /// Logs that a request was rejected; at most one line a second.
    pub(super) fn note_refusal(&self, reason: &'static str) {
        if let Some(suppressed) = self.lines.admit(reason, std::time::Instant::now()) {
            tracing::warn!(reason, suppressed, "a request was refused");
        }
    }
}
