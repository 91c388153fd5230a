//! Why the server closes a connection: the codes of RFC 6455 and a reason in words.

use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why the server closes a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// This process ends or hands over.
    GoingAway,
    /// The client broke the protocol.
    Protocol,
    /// The client sent a binary message.
    Binary,
    /// A text is not UTF-8.
    NotText,
    /// The token is no longer valid.
    TokenReplaced,
    /// A message is over the limit.
    TooLarge,
    /// The client does not read its notifications.
    TooSlow,
}

impl Goodbye {
    /// The farewell after an error on reading; `None` when the connection is broken.
    pub(super) fn after(error: &Error) -> Option<Self> {
        match error {
            Error::Capacity(_) => Some(Self::TooLarge),
            Error::Utf8(_) => Some(Self::NotText),
            Error::Protocol(_) => Some(Self::Protocol),
            _ => None,
        }
    }

    /// The frame that says so.
    pub(super) fn frame(self) -> CloseFrame {
        let (code, reason) = match self {
            Self::GoingAway => (CloseCode::Away, "the server ends or hands over; connect again"),
            Self::Protocol => (CloseCode::Protocol, "the WebSocket protocol was broken"),
            Self::Binary => (CloseCode::Unsupported, "only text messages are accepted"),
            Self::NotText => (CloseCode::Invalid, "a text message is not UTF-8"),
            Self::TokenReplaced => (CloseCode::Policy, "the token is no longer valid"),
            Self::TooLarge => (CloseCode::Size, "the message is too large"),
            Self::TooSlow => {
                (CloseCode::Again, "notifications are not read; connect again and subscribe with `since`")
            }
        };
        CloseFrame { code, reason: reason.into() }
    }
}
