//! What can go wrong with a call, by what can be done about it.

use std::fmt;
use std::time::Duration;

/// What kind of failure a call ended with.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The provider is not configured, or its address is refused. Nothing was sent.
    NotConfigured,
    /// The provider does not accept the key.
    Auth,
    /// The request is longer than the model's context.
    ContextTooLong,
    /// Too many requests.
    RateLimit,
    /// The server still loads the model.
    WarmUp,
    /// Something between here and the model failed.
    Gateway,
    /// The provider failed or is overloaded.
    Server,
    /// The provider refuses the request.
    Rejected,
    /// Nothing came for too long.
    Timeout,
    /// No connection, or it broke before any output.
    Network,
    /// The stream broke after output began.
    Interrupted,
    /// The answer is not the protocol.
    Malformed,
}

impl ErrorKind {
    /// The stable name, such as `rate_limit`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::Auth => "auth",
            Self::ContextTooLong => "context_too_long",
            Self::RateLimit => "rate_limit",
            Self::WarmUp => "warm_up",
            Self::Gateway => "gateway",
            Self::Server => "server",
            Self::Rejected => "rejected",
            Self::Timeout => "timeout",
            Self::Network => "network",
            Self::Interrupted => "interrupted",
            Self::Malformed => "malformed",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed call. The message never contains a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What happened, for a person.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, status: None, message: message.into(), retry_after: None }
    }
}
