//! Whether a server runs, and what it says of itself.

use nudge_home::Home;
use serde::Serialize;
use serde_json::Value;

use crate::connection::{Connection, Unreachable, barred};
use crate::lock;
use crate::state::ServerState;

/// What `nudge status` shows. Fields that are not known are left out of the JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServerStatus {
    /// Whether some process holds the lock. Nothing else decides this.
    pub running: bool,
    /// Whether it answers on its socket.
    pub responding: bool,
    /// `primary`, when one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its port of record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The port is recorded but somebody else sits on it; the server tries it again each second.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub port_pending: bool,
    /// Its term of office; every PRIMARY has its own.
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
    /// Whether its memory ends with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<bool>,
    /// Where its socket lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// The memory session in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How many entries it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<i64>,
    /// How many hints it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<i64>,
    /// Where the memory lies.
    pub home: String,
    /// What is wrong with `run/` or keeps us from its socket, if something does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Looks, without disturbing anything: no file is made, no lock is kept.
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

/// Nobody answers: the lock says whether anybody is there, the state file who.
fn silent(home: &Home, blank: ServerStatus) -> ServerStatus {
    if !lock::is_held(&home.lock_file()) {
        return blank;
    }
    ServerStatus { running: true, ..with_state(blank, ServerState::read(&home.state_file())) }
}

fn with_state(blank: ServerStatus, state: Option<ServerState>) -> ServerStatus {
    let Some(state) = state else { return ServerStatus { mode: Some("primary"), ..blank } };
    let uptime =
        nudge_core::Timestamp::parse(&state.started).map(|started| crate::clock::now().since(started));
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
