//! Calls to language models: one client for five kinds of providers. The only crate with TLS.
//!
//! A [`ModelSpec`] says which model, [`Keys`] say how to reach its provider, and
//! [`Client::complete`] sends one [`ModelRequest`] and streams the answer. A provider without
//! configuration is inert: no request leaves the machine.
//!
//! | module | what it has |
//! |---|---|
//! | `spec` | who serves a model, and what the user said about it |
//! | `keys` | credentials: from variables or from a private file, never shown |
//! | `address`, `endpoint` | where a request goes, and what is refused before it goes |
//! | `request` | what goes out and what comes back |
//! | `shape`, `wire` | the three protocols |
//! | `error`, `classify` | what a failure means, and how it is said without a secret |
//! | `retry` | how long each kind of failure is tried again |
//! | `transport`, `stream`, `client` | HTTP |
//! | `fetch` | pages of the web, without keys and only from public addresses |

mod address;
mod classify;
mod client;
mod endpoint;
mod error;
mod fetch;
mod keys;
mod request;
mod retry;
mod shape;
mod spec;
mod stream;
mod transport;
mod wire;

pub use client::Client;
pub use error::{ErrorKind, ModelError};
pub use fetch::{Fetched, Fetcher};
pub use keys::{BadKey, Key};
pub use keys::{Keys, KeysError, write_key};
pub use request::ModelRequest;
pub use request::Progress;
pub use request::{Completion, Finish, Usage};
pub use retry::Deadlines;
pub use spec::Provider;
pub use spec::{ModelSpec, SpecError};
