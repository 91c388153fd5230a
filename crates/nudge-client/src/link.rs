//! How the command line runs an operation: through PRIMARY if one is running, else on the store.
//!
//! Blocking and without an async runtime: a command is a whole process, and should end before a
//! runtime would have started.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nudge_agent::registry;
use nudge_core::{Fault, FaultKind};
use nudge_home::Settings;
use nudge_home::home::{Home, private_dir};
use nudge_memory::recall::LONG_TAIL;
use nudge_memory::{Caller, Terms};
use serde_json::Value;

use crate::connection::{Connection, Lost, Unreachable};
use crate::lock::ServerState;
use crate::open::{OpenFor, OpenMemory};
use crate::{env, indexing, lock};

/// How long a command waits for a PRIMARY that has the lock but does not answer yet.
const PRIMARY_TIMEOUT: Duration = Duration::from_secs(1);

/// How often it checks.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The user's options for the connection.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// The port from `-p`. The call itself uses the socket, but the server must have this port.
    pub port: Option<u16>,
}

/// A connection to the operations.
pub struct Link {
    home: Home,
    settings: Settings,
    way: Mutex<Route>,
}

enum Route {
    Server(Connection),
    Store(Box<OpenMemory>, OpenFor),
    /// The store, not opened yet: the operation decides how to open it.
    Unopened,
}

impl Link {
    /// Connects to PRIMARY, or chooses the store.
    pub fn open(home: &Home, settings: &Settings, options: LinkOptions) -> Result<Self, Fault> {
        let way = choose_route(home, None)?;
        if let Some(port) = options.port {
            check_port(port, &way)?;
        }
        Ok(Self { home: home.clone(), settings: settings.clone(), way: Mutex::new(way) })
    }

    /// Whether a server answers, not the store directly.
    pub fn through_server(&self) -> bool {
        matches!(&*self.way(), Route::Server(_))
    }

    /// Whether the memory exists only in a server process and ends with it.
    pub fn is_ephemeral(&self) -> bool {
        matches!(&*self.way(), Route::Server(connection) if connection.greeting().ephemeral)
    }

    /// Runs an operation. A write keeps one operation id through every attempt, so a server that
    /// dies in the middle neither loses nor duplicates it.
    pub fn call(&self, caller: &Caller, op: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = caller.clone();
        let mut way = self.way();
        for _ in 0..env::MAX_ROUNDS {
            let outcome = self.attempt(&mut way, &mut caller, op, &params)?;
            match outcome {
                Err(fault) if fault.kind == FaultKind::NeedEnv => {
                    if !env::answer(&mut caller, &fault) {
                        break;
                    }
                }
                settled => return settled,
            }
        }
        Err(env::unanswerable())
    }

    /// One round: on the current connection and, if that is lost, on the next one.
    fn attempt(
        &self,
        way: &mut Route,
        caller: &mut Caller,
        op: &str,
        params: &Value,
    ) -> Result<Result<Value, Fault>, Fault> {
        loop {
            let lost = match way {
                Route::Store(local, opened) if *opened == OpenFor::Write || !registry::may_write(op) => {
                    let outcome = local.run(caller.clone(), op, params.clone());
                    if local.memory().last_tail() > LONG_TAIL {
                        indexing::start_if_behind(&self.home, local.memory());
                    }
                    return Ok(outcome);
                }
                Route::Store(..) | Route::Unopened => {
                    let what_for = if registry::may_write(op) { OpenFor::Write } else { OpenFor::Read };
                    let memory = crate::open::open(&self.home, &self.settings, what_for)?;
                    *way = Route::Store(Box::new(OpenMemory::new(memory)), what_for);
                    continue;
                }
                Route::Server(connection) => {
                    caller.terms.get_or_insert_with(|| Terms::of(&self.settings));
                    if caller.operation_id.is_none() && registry::may_write(op) {
                        caller.operation_id = Some(uuid::Uuid::now_v7().to_string());
                    }
                    match connection.call(caller, op, params) {
                        Ok(outcome) => return Ok(outcome),
                        Err(Lost) => connection.greeting().clone(),
                    }
                }
            };
            *way = choose_route(&self.home, Some(&lost))?;
        }
    }

    fn way(&self) -> MutexGuard<'_, Route> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for PRIMARY; uses the store when there is none, or none that answers. If the PRIMARY that
/// has the lock, or that was just lost, has a memory only in its process, the store is no
/// substitute.
fn choose_route(home: &Home, lost: Option<&crate::frame::Greeting>) -> Result<Route, Fault> {
    let began = Instant::now();
    let mut timeout = PRIMARY_TIMEOUT;
    loop {
        match Connection::reach(home) {
            // A server that fell silent is not asked again.
            Ok(connection) if lost.is_none_or(|lost| lost.instance != connection.greeting().instance) => {
                return Ok(Route::Server(connection));
            }
            Err(Unreachable::Refused(fault)) if !is_run_dir_safe(home) => return Err(fault),
            Err(Unreachable::Barred(_)) => timeout = Duration::ZERO,
            Ok(_) | Err(_) => {}
        }
        let held = lock::is_held(&home.lock_file());
        if !held || began.elapsed() > timeout {
            let recorded = ServerState::read(&home.state_file());
            if lost.is_some_and(|lost| lost.ephemeral)
                || (held && recorded.is_some_and(|state| state.ephemeral))
            {
                return Err(out_of_reach());
            }
            return Ok(Route::Unopened);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Whether only the directory under `/tmp` is unsafe, which contains the socket of a home with a
/// long path. Anybody can create one there, and that must not lock users out of their memory: no
/// server of ours can be using it, so it counts as none. If `run/` itself belongs to someone else,
/// so does the home.
fn is_run_dir_safe(home: &Home) -> bool {
    private_dir::inspect(&home.run_dir()).is_ok()
}

fn check_port(port: u16, way: &Route) -> Result<(), Fault> {
    let recorded = match way {
        Route::Server(connection) => Some(connection.greeting().port),
        Route::Store(..) | Route::Unopened => None,
    };
    match recorded {
        Some(recorded) if recorded == port => Ok(()),
        Some(recorded) => {
            Err(Fault::invalid("wrong_port", format!("the server runs on port {recorded}, not {port}"))
                .with("port", recorded)
                .next(format!("remove -p, or pass -p {recorded}")))
        }
        None => {
            Err(Fault::invalid("no_server", format!("no server is running, on port {port} or any other"))
                .next("remove -p, or start a server with `nudge serve --daemon`"))
        }
    }
}

/// The fault when the memory is in the process that has the lock, and that process does not answer.
pub fn out_of_reach() -> Fault {
    Fault::new(
        FaultKind::Unavailable,
        "ephemeral_server_silent",
        "the memory is in a server that does not answer",
    )
    .next("run `nudge status`, or start `nudge serve` again")
}
