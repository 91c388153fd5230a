//! The server as other processes meet it: election, failover, upgrade, socket, HTTP, stop.
//!
//! Each server runs in a process of its own: this test binary, started again with only the test
//! [`child`] to run.

mod election;
mod ephemeral;
mod events;
mod failover;
mod http;
mod kit;
mod live;
mod mcp;
mod no_socket;
mod removed;
mod session_events;
mod sessions_api;
mod socket;
mod sse;
mod state_file;
mod stop;
mod upgrade;
mod upgrade_http;
mod upgrade_refused;

/// The body of every server process of @server_election and its like: serves when [`kit`] says so, and does nothing otherwise.
#[test]
fn child() {
    kit::serve_if_told();
}
