//! Calls to language models: one client for five kinds of providers. The only crate with TLS.
//!
//! A [`ModelSpec`] says which model, [`Keys`] say how to reach its provider, and
//! [`Client::complete`] sends one [`ModelRequest`] and streams the answer. A provider without
//! configuration is inert: no request leaves the machine.
//!
//! | module | what it has |
//! |---|---|
//! | `provider`, `spec` | who serves a model, and what the user said about it |
//! | `key`, `keys` | credentials: from variables or from a private file, never shown |
//! | `address`, `endpoint` | where a request goes, and what is refused before it goes |
//! | `request`, `progress`, `completion` | what goes out and what comes back |
//! | `shape`, `wire` | the three protocols |
//! | `clean`, `classify` | what a failure means, and how it is said without a secret |
//! | `retry` | how long each kind of failure is tried again |
//! | `transport`, `stream`, `client` | HTTP |

mod address;
mod classify;
mod clean;
mod client;
mod completion;
mod context;
mod endpoint;
mod error;
mod key;
mod keys;
mod lines;
mod progress;
mod provider;
mod request;
mod retry;
mod shape;
mod spec;
mod stream;
mod transport;
mod wire;

pub use client::Client;
pub use completion::{Completion, Finish, Usage};
pub use error::{ErrorKind, ModelError};
pub use key::{BadKey, Key};
pub use keys::{Keys, KeysError, write_key};
pub use progress::Progress;
pub use provider::Provider;
pub use request::ModelRequest;
pub use retry::Deadlines;
pub use spec::{ModelSpec, SpecError};
