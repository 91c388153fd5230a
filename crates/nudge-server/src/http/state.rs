//! State that all handlers share.

use std::sync::Arc;

use nudge_client::client_tokens::ClientTokens;
use nudge_client::token::TokenFile;
use nudge_client::ui_sessions::{Codes, UiSessions};
use nudge_home::Home;
use nudge_home::settings::Profile;
use nudge_memory::{Caller, Surface};

use crate::ServeOptions;
use crate::backend::Backend;
use crate::log::Limiter;
use crate::primary::{Identity, Shutdown};

/// What a request shows to be let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A bearer token.
    Token(Arc<str>),
    /// Both halves of a signed-in browser.
    Browser {
        /// The value of the cookie.
        cookie: Arc<str>,
        /// The key from the page's storage.
        key: Arc<str>,
    },
}

/// What a request may do, by what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    /// `run/token`: an agent's rights.
    Agent,
    /// A client token: the user's rights.
    User {
        /// The name of the token.
        client: Arc<str>,
    },
    /// A signed-in browser: the user's rights.
    Browser {
        /// The id of its session.
        session: Arc<str>,
        /// Whether it may only read.
        read_only: bool,
    },
}

/// How the page calls itself as the origin of what it writes.
const PAGE: &str = "browser";

impl Rights {
    /// The surface of a call with these rights.
    pub(super) const fn surface(&self) -> Surface {
        match self {
            Self::Agent => Surface::Rpc,
            Self::User { .. } => Surface::Client,
            Self::Browser { .. } => Surface::Browser,
        }
    }

    /// The caller of an operation: a program calls itself by its User-Agent, or is known by its
    /// client token.
    pub(super) fn caller(&self, client: Option<String>) -> Caller {
        let mut caller = Caller::new(self.surface(), nudge_client::now());
        caller.client = match self {
            Self::Agent => client,
            Self::User { client } => Some(client.to_string()),
            Self::Browser { .. } => Some(PAGE.to_owned()),
        };
        caller.read_only = matches!(self, Self::Browser { read_only: true, .. });
        caller
    }
}

/// State that the handlers share.
pub(crate) struct AppState {
    pub(crate) backend: Arc<Backend>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) shutdown: Shutdown,
    pub(super) home: Home,
    pub(super) profile: Option<Profile>,
    pub(super) token: TokenFile,
    pub(super) clients: ClientTokens,
    pub(super) browsers: UiSessions,
    pub(super) codes: Arc<Codes>,
    lines: Limiter,
}

impl AppState {
    pub(crate) fn new(
        options: &ServeOptions,
        backend: Arc<Backend>,
        identity: Arc<Identity>,
        shutdown: Shutdown,
        codes: Arc<Codes>,
    ) -> Self {
        Self {
            backend,
            identity,
            shutdown,
            home: options.home.clone(),
            profile: options.settings.profile,
            token: TokenFile::new(options.home.token_file()),
            clients: ClientTokens::of(&options.home),
            browsers: UiSessions::of(&options.home),
            codes,
            lines: Limiter::default(),
        }
    }

    /// The rights that it gives; `None` if it is not ours.
    pub(super) fn rights_of(&self, shown: &Shown) -> Option<Rights> {
        match shown {
            Shown::Token(token) if self.token.admits(token) => Some(Rights::Agent),
            Shown::Token(token) => {
                self.clients.name_of(token).map(|name| Rights::User { client: name.into() })
            }
            Shown::Browser { cookie, key } => {
                let found = self.browsers.with(cookie, key)?;
                Some(Rights::Browser { session: found.id.into(), read_only: found.read_only })
            }
        }
    }

    /// Logs that a request was rejected; at most one line a second.
    pub(super) fn note_refusal(&self, reason: &'static str) {
        if let Some(suppressed) = self.lines.admit(reason, std::time::Instant::now()) {
            tracing::warn!(reason, suppressed, "a request was refused");
        }
    }
}
