//! Whether a server runs, and its status.

use nudge_home::Home;
use serde::Serialize;
use serde_json::Value;

use crate::connection::{Connection, Unreachable, barred};
use crate::lock;
use crate::lock::ServerState;

/// What `nudge status` shows. Unknown fields are omitted from the JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServerStatus {
    /// Whether some process has the lock. Nothing else decides this.
    pub running: bool,
    /// Whether it answers on its socket.
    pub responding: bool,
    /// `primary`, when one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Its process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its port of record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Whether another process uses the recorded port; the server retries each second.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub port_pending: bool,
    /// The unique id of this PRIMARY run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Since when it is PRIMARY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// For how long, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_s: Option<u64>,
    /// Whether its memory ends with the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<bool>,
    /// The path of its socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// The current memory session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The number of entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<i64>,
    /// The number of hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<i64>,
    /// The path of the data directory.
    pub home: String,
    /// What is wrong with `run/` or prevents access to the socket, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Determines the status without side effects: creates no file, keeps no lock.
pub fn status(home: &Home) -> ServerStatus {
    let blank = ServerStatus { home: home.root().display().to_string(), ..ServerStatus::default() };
    match Connection::reach(home) {
        Ok(mut connection) => match connection.control("health", &Value::Null) {
            Ok(Ok(facts)) => answering(blank, &facts),
            _ => silent(home, blank),
        },
        Err(Unreachable::Nobody) => silent(home, blank),
        Err(Unreachable::Refused(fault)) => {
            silent(home, ServerStatus { problem: Some(fault.message), ..blank })
        }
        Err(Unreachable::Barred(error)) => {
            let status = silent(home, blank);
            let problem = status.running.then(|| barred(error).message);
            ServerStatus { problem, ..status }
        }
    }
}

fn answering(blank: ServerStatus, facts: &Value) -> ServerStatus {
    let state = serde_json::from_value::<ServerState>(facts.clone()).ok();
    let text = |key: &str| facts.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str| facts.get(key).and_then(Value::as_i64);
    let blank = ServerStatus {
        session: text("session"),
        entries: number("entries"),
        hints: number("hints"),
        ..blank
    };
    ServerStatus { running: true, responding: true, ..with_state(blank, state) }
}

/// The status when nobody answers: the lock says whether a server runs, the state file says which.
fn silent(home: &Home, blank: ServerStatus) -> ServerStatus {
    if !lock::is_held(&home.lock_file()) {
        return blank;
    }
    ServerStatus { running: true, ..with_state(blank, ServerState::read(&home.state_file())) }
}

fn with_state(blank: ServerStatus, state: Option<ServerState>) -> ServerStatus {
    let Some(state) = state else { return ServerStatus { mode: Some("primary"), ..blank } };
    let uptime = nudge_core::Timestamp::parse(&state.started).map(|started| crate::now().since(started));
    ServerStatus {
        mode: Some("primary"),
        pid: Some(state.pid),
        port: Some(state.port),
        port_pending: state.port_pending,
        instance: Some(state.instance),
        version: Some(state.version),
        started: Some(state.started),
        uptime_s: uptime.map(|uptime| uptime.as_secs()),
        ephemeral: Some(state.ephemeral),
        socket: Some(state.socket),
        ..blank
    }
}
