//! The server as seen by other processes: election, failover, upgrade, socket, HTTP, stop.
//!
//! Each server runs in a separate process: this test binary, started again to run only the test
//! [`child`].

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
mod ui;
mod upgrade;
mod upgrade_http;
mod upgrade_refused;
mod web_socket;
mod ws;
mod ws_notifications;

/// The body of every server process, for @server_election and similar tests: serves when [`kit`]
/// says so, and does nothing otherwise.
#[test]
fn child() {
    kit::serve_if_reported();
}
