//! The command line's way to an operation: through PRIMARY when one lives, else on the store.
//!
//! Blocking and without a runtime: a command is a whole process, and it should end before a
//! runtime would have started.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_home::Settings;
use nudge_home::home::{Home, private_dir};
use nudge_memory::recall::LONG_TAIL;
use nudge_memory::{Caller, Terms, registry};
use serde_json::Value;

use crate::connection::{Connection, Lost, Unreachable};
use crate::env;
use crate::indexing;
use crate::lock;
use crate::open::OpenMemory;
use crate::open::Use;
use crate::state::ServerState;

/// How long a command waits for a PRIMARY that holds the lock but does not answer yet.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it looks meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What the person said about the way.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// The port of `-p`. The call itself uses the socket, but the server must be that one.
    pub port: Option<u16>,
}

/// A way to the operations.
pub struct Link {
    home: Home,
    settings: Settings,
    way: Mutex<Way>,
}

enum Way {
    Server(Connection),
    Store(Box<OpenMemory>, Use),
    /// On the store, which is not open yet: what for decides how.
    Unopened,
}

impl Link {
    /// Finds the way.
    pub fn open(home: &Home, settings: &Settings, options: LinkOptions) -> Result<Self, Fault> {
        let way = approach(home, None)?;
        if let Some(port) = options.port {
            check_port(port, &way)?;
        }
        Ok(Self { home: home.clone(), settings: settings.clone(), way: Mutex::new(way) })
    }

    /// Whether a server answers, rather than the store itself.
    pub fn through_server(&self) -> bool {
        matches!(&*self.way(), Way::Server(_))
    }

    /// Whether all of it lives in a server's memory and goes with that server.
    pub fn is_ephemeral(&self) -> bool {
        matches!(&*self.way(), Way::Server(connection) if connection.greeting().ephemeral)
    }

    /// Runs an operation. A write keeps one operation id through every attempt, so that a server
    /// that dies in the middle neither loses nor doubles it.
    pub fn call(&self, caller: &Caller, op: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = caller.clone();
        let mut way = self.way();
        for _ in 0..env::ROUNDS {
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

    /// One round: on the present way, and when that is lost on the next one.
    fn attempt(
        &self,
        way: &mut Way,
        caller: &mut Caller,
        op: &str,
        params: &Value,
    ) -> Result<Result<Value, Fault>, Fault> {
        loop {
            let lost = match way {
                Way::Store(local, opened) if *opened == Use::Write || !registry::may_write(op) => {
                    let outcome = local.run(caller.clone(), op, params.clone());
                    if local.memory().last_tail() > LONG_TAIL {
                        indexing::start_if_behind(&self.home, local.memory());
                    }
                    return Ok(outcome);
                }
                Way::Store(..) | Way::Unopened => {
                    let what_for = if registry::may_write(op) { Use::Write } else { Use::Read };
                    let memory = crate::open::open(&self.home, &self.settings, what_for)?;
                    *way = Way::Store(Box::new(OpenMemory::new(memory)), what_for);
                    continue;
                }
                Way::Server(connection) => {
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
            *way = approach(&self.home, Some(&lost))?;
        }
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for PRIMARY; the store is the way when there is none, or none that answers. Where the memory
/// of the one that holds the lock, or was just lost, lives in that process alone, the store is no
/// substitute.
fn approach(home: &Home, lost: Option<&crate::frame::Greeting>) -> Result<Way, Fault> {
    let began = Instant::now();
    let mut patience = PATIENCE;
    loop {
        match Connection::reach(home) {
            // A server that fell silent is not asked a second time.
            Ok(connection) if lost.is_none_or(|lost| lost.instance != connection.greeting().instance) => {
                return Ok(Way::Server(connection));
            }
            Err(Unreachable::Refused(fault)) if !is_run_dir_sound(home) => return Err(fault),
            Err(Unreachable::Barred(_)) => patience = Duration::ZERO,
            Ok(_) | Err(_) => {}
        }
        let held = lock::is_held(&home.lock_file());
        if !held || began.elapsed() > patience {
            let recorded = ServerState::read(&home.state_file());
            if lost.is_some_and(|lost| lost.ephemeral)
                || (held && recorded.is_some_and(|state| state.ephemeral))
            {
                return Err(out_of_reach());
            }
            return Ok(Way::Unopened);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Whether a refusal is only about the directory under `/tmp` that holds the socket of a home with a long path.
/// Anybody can put one there, and that must not keep a person from their memory: no server can be behind it, so
/// it is taken as none. `run/` itself in other hands means that the home is.
fn is_run_dir_sound(home: &Home) -> bool {
    private_dir::inspect(&home.run_dir()).is_ok()
}

fn check_port(port: u16, way: &Way) -> Result<(), Fault> {
    let recorded = match way {
        Way::Server(connection) => Some(connection.greeting().port),
        Way::Store(..) | Way::Unopened => None,
    };
    match recorded {
        Some(recorded) if recorded == port => Ok(()),
        Some(recorded) => {
            Err(Fault::invalid("wrong_port", format!("the server's port is {recorded}, not {port}"))
                .with("port", recorded)
                .next(format!("leave -p out, or pass -p {recorded}")))
        }
        None => Err(Fault::invalid("no_server", format!("no server is running, so none has port {port}"))
            .next("leave -p out, or start one with `nudge serve --daemon`")),
    }
}

/// The memory is in the process that holds the lock, and that does not answer.
pub fn out_of_reach() -> Fault {
    Fault::new(
        FaultKind::Unavailable,
        "ephemeral_server_silent",
        "the memory lives in a server that does not answer",
    )
    .next("see `nudge status`, or start `nudge serve` again")
}
