//! Control words to a running server.

use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_home::Settings;
use serde::Serialize;
use serde_json::{Value, json};

use crate::connection::{Connection, Unreachable, barred};
use crate::frame::Greeting;
use crate::lock;
use crate::lock::ServerState;
use crate::open::OpenFor;
use crate::version::is_newer;

pub use crate::token;

/// How long a server that agreed to stop may take to exit.
const GONE_WITHIN: Duration = Duration::from_secs(6);

/// How often we check whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How `nudge stop` ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// The server that ended; `None` when none was running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The memory session that began; `None` if the memory cannot be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How many hints ended with the session.
    pub hints_ended: u64,
    /// Whether an agent had started the server: that agent has no memory until it starts another
    /// server.
    pub agent: bool,
    /// The server of another running agent that took over at once, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successor: Option<u32>,
}

/// Ends the memory session and the server, and waits until the server is gone. Without a server the
/// session still ends, because that is what the user asked for.
pub fn stop(home: &Home) -> Result<Stopped, Fault> {
    let mut connection = match Connection::reach(home) {
        Ok(connection) => connection,
        Err(Unreachable::Refused(fault)) => return Err(fault),
        Err(_) if !lock::is_held(&home.lock_file()) => return end_session(home),
        Err(Unreachable::Barred(error)) => return Err(barred(error)),
        Err(Unreachable::Nobody) => return Err(silent(home)),
    };
    let (pid, instance) = (connection.greeting().pid, connection.greeting().instance.clone());
    let facts = connection.control("stop", &Value::Null).map_err(|_| silent(home))??;
    let session = facts.get("session").and_then(Value::as_str).map(str::to_owned);
    let hints_ended = facts.get("hints_ended").and_then(Value::as_u64).unwrap_or(0);
    let agent = facts.get("agent").and_then(Value::as_bool).unwrap_or(false);
    drop(connection);
    let successor = wait_until_gone(home, &instance)?;
    Ok(Stopped { pid: Some(pid), session, hints_ended, agent, successor })
}

/// The result of asking PRIMARY to hand over.
pub enum HandoverReply {
    /// It hands over. Contains its greeting.
    Agreed(Greeting),
    /// It does not, or it is too old to know the control word.
    Refused(Fault),
    /// No older PRIMARY answers.
    NotAsked,
}

/// Asks PRIMARY to hand over to a server of this version, if PRIMARY is older. A memory that exists
/// only in that process stays there.
pub fn ask_to_hand_over(home: &Home, version: &str) -> HandoverReply {
    let Ok(mut connection) = Connection::reach(home) else { return HandoverReply::NotAsked };
    let greeting = connection.greeting().clone();
    if !can_be_asked(&greeting, version) {
        return HandoverReply::NotAsked;
    }
    match connection.control("hand_over", &json!({"version": version})) {
        Ok(Ok(_)) => HandoverReply::Agreed(greeting),
        Ok(Err(fault)) => HandoverReply::Refused(fault),
        Err(_) => HandoverReply::NotAsked,
    }
}

/// Whether PRIMARY can be asked: it is older, and its memory can be opened by others.
pub fn can_be_asked(primary: &Greeting, version: &str) -> bool {
    !primary.ephemeral && is_newer(version, &primary.version)
}

/// Waits until the lock is free or another process has it.
fn wait_until_gone(home: &Home, instance: &str) -> Result<Option<u32>, Fault> {
    let began = Instant::now();
    while lock::is_held(&home.lock_file()) {
        if let Some(state) = ServerState::read(&home.state_file())
            && state.instance != instance
        {
            return Ok(Some(state.pid));
        }
        if began.elapsed() > GONE_WITHIN {
            return Err(silent(home));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(None)
}

fn end_session(home: &Home) -> Result<Stopped, Fault> {
    let mut stopped = Stopped { pid: None, session: None, hints_ended: 0, agent: false, successor: None };
    if home.db().exists() {
        let memory = crate::open::open(home, &Settings::default(), OpenFor::Write)?;
        let ended = memory.end_session(crate::now())?;
        (stopped.session, stopped.hints_ended) = (Some(ended.next.id), ended.hints);
    }
    Ok(stopped)
}

fn silent(home: &Home) -> Fault {
    let state = ServerState::read(&home.state_file());
    let pid = state.map(|state| state.pid);
    let who = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
    let fault =
        Fault::new(FaultKind::Unavailable, "silent_server", format!("the server{who} does not answer"));
    match pid {
        // A stopped or stuck process does not react to a gentler signal.
        Some(pid) => fault.with("pid", pid).next(format!("end it with `kill -9 {pid}`")),
        None => fault.next("run `nudge doctor`"),
    }
}
