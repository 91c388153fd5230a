//! HTTP on the loopback port: for other programs, never for our own.
//!
//! Our own programs use the socket, so that a stranger on the recorded port never sees the token.
//! Every request passes [`guard`] first.

mod answer;
mod body;
mod events;
mod feed;
mod guard;
mod health;
mod jsonrpc;
mod listen;
mod mcp;
mod methods;
mod places;
mod router;
mod rpc;
mod sessions;
mod sse;
mod state;
mod ws;

pub(crate) use listen::serve;
pub(crate) use state::AppState;
