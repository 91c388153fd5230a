//! State that all handlers share.

use std::sync::Arc;

use nudge_client::client_tokens::ClientTokens;
use nudge_client::token::TokenFile;
use nudge_home::settings::Profile;
use nudge_memory::{Caller, Surface};

use crate::ServeOptions;
use crate::backend::Backend;
use crate::log::Limiter;
use crate::primary::{Identity, Shutdown};

/// What a request may do, by the token that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    /// `run/token`: an agent's rights.
    Agent,
    /// A client token: the user's rights.
    User {
        /// The name of the token.
        client: Arc<str>,
    },
}

impl Rights {
    /// The surface of a call with these rights.
    pub(super) const fn surface(&self) -> Surface {
        match self {
            Self::Agent => Surface::Rpc,
            Self::User { .. } => Surface::Client,
        }
    }

    /// The caller of an operation: a program calls itself by its User-Agent, or is known by its
    /// client token.
    pub(super) fn caller(&self, client: Option<String>) -> Caller {
        let mut caller = Caller::new(self.surface(), nudge_client::now());
        caller.client = match self {
            Self::Agent => client,
            Self::User { client } => Some(client.to_string()),
        };
        caller
    }
}

/// State that the handlers share.
pub(crate) struct AppState {
    pub(crate) backend: Arc<Backend>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) shutdown: Shutdown,
    pub(super) profile: Option<Profile>,
    pub(super) token: TokenFile,
    pub(super) clients: ClientTokens,
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
            clients: ClientTokens::of(&options.home),
            lines: Limiter::default(),
        }
    }

    /// The rights that a token gives; `None` if it is not ours.
    pub(super) fn rights_of(&self, shown: &str) -> Option<Rights> {
        if self.token.admits(shown) {
            return Some(Rights::Agent);
        }
        self.clients.name_of(shown).map(|name| Rights::User { client: name.into() })
    }

    /// Logs that a request was rejected; at most one line a second.
    pub(super) fn note_refusal(&self, reason: &'static str) {
        if let Some(suppressed) = self.lines.admit(reason, std::time::Instant::now()) {
            tracing::warn!(reason, suppressed, "a request was refused");
        }
    }
}
