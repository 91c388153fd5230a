//! Routes a call: to our own store, to PRIMARY, or to the store directly when PRIMARY went away.
//!
//! A client never sees an error because PRIMARY changed. A write carries one operation id through
//! all its attempts, so it is done once however often it is sent.

mod local;
mod remote;

use std::sync::Arc;
use std::time::{Duration, Instant};

use local::note;
use nudge_agent::registry;
use nudge_client::env;
use nudge_core::{Fault, FaultKind};
use nudge_memory::Caller;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

pub(crate) use local::Direct;
pub(crate) use local::Local;
pub(crate) use remote::Remote;

/// How long a call looks for the next PRIMARY before it uses the store directly. A successor is
/// ready within tens of milliseconds; this allows for one that starts on a busy machine.
const PRIMARY_TIMEOUT: Duration = Duration::from_secs(1);

/// The same when the lost memory existed only in its process: there is no store to fall back to.
const EPHEMERAL_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a call waits for a newer PRIMARY that has upgraded the store: this process can no
/// longer write to it.
const UPGRADED_TIMEOUT: Duration = Duration::from_secs(20);

/// How often the socket is polled meanwhile; no event announces a new PRIMARY elsewhere.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Which side of the socket this process is on.
#[derive(Clone)]
pub(crate) enum Role {
    /// PRIMARY: the store is in this process.
    Local(Arc<Local>),
    /// PROXY: the store is in another process.
    Remote(Arc<Remote>),
    /// Neither: there is no socket or no disk space for a PRIMARY, and calls use the store
    /// directly, as a command does.
    Direct,
}

/// The entry point that every surface calls.
pub(crate) struct Backend {
    role: watch::Sender<Role>,
    direct: Arc<Direct>,
    /// No successor can come from this home, because it cannot be locked: do not wait for one.
    alone: bool,
}

impl Backend {
    pub(crate) fn new(role: Role, direct: Direct, alone: bool) -> Self {
        Self { role: watch::Sender::new(role), direct: Arc::new(direct), alone }
    }

    /// Changes the role. Running calls that lost PRIMARY continue in the new role.
    pub(crate) fn take_role(&self, role: Role) {
        self.role.send_replace(role);
    }

    /// This process's own access to the store.
    pub(crate) fn direct(&self) -> &Direct {
        &self.direct
    }

    /// The memory, if it is in this process.
    pub(crate) fn local(&self) -> Option<Arc<Local>> {
        match &*self.role.borrow() {
            Role::Local(local) => Some(local.clone()),
            Role::Remote(_) | Role::Direct => None,
        }
    }

    /// Runs an operation, wherever the store is.
    pub(crate) async fn call(&self, mut caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        for _ in 0..env::MAX_ROUNDS {
            let role = self.role.borrow().clone();
            let outcome = match role {
                Role::Local(local) => {
                    let outcome = local.call(caller.clone(), op, params.clone()).await;
                    // We handed over meanwhile: the store belongs to a newer PRIMARY.
                    if is_upgraded(&outcome) && self.local().is_none() {
                        continue;
                    }
                    outcome
                }
                Role::Remote(_) | Role::Direct => self.forward(&mut caller, op, &params).await,
            };
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

    async fn forward(&self, caller: &mut Caller, op: &str, params: &Value) -> Result<Value, Fault> {
        if caller.operation_id.is_none() && registry::may_write(op) {
            caller.operation_id = Some(uuid::Uuid::now_v7().to_string());
        }
        caller.terms.get_or_insert_with(|| self.direct.terms());
        let mut roles = self.role.subscribe();
        let mut lost_at = None;
        loop {
            let role = roles.borrow_and_update().clone();
            let remote = match role {
                Role::Local(local) => return local.call(caller.clone(), op, params.clone()).await,
                Role::Direct => return self.call_store_directly(caller.clone(), op, params.clone()).await,
                Role::Remote(remote) => remote,
            };
            if let Ok(outcome) = remote.call(caller, op, params).await {
                return outcome;
            }
            let ephemeral = remote.last_greeting().is_some_and(|greeting| greeting.ephemeral);
            let waited = lost_at.get_or_insert_with(Instant::now).elapsed();
            if waited >= self.timeout(ephemeral) {
                if ephemeral {
                    return Err(gone());
                }
                let outcome = self.call_store_directly(caller.clone(), op, params.clone()).await;
                let waits = is_upgraded(&outcome) && waited < UPGRADED_TIMEOUT && self.direct.has_primary();
                if !waits {
                    return outcome;
                }
            }
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                _ = roles.changed() => {}
            }
        }
    }

    /// Runs it on the store directly, under the same operation id. If there is no disk space to
    /// open the store for writing, it can still be read.
    async fn call_store_directly(&self, caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        let (direct, op) = (self.direct.clone(), op.to_owned());
        let began = Instant::now();
        let work = move || {
            let local = match direct.local() {
                Err(fault) if fault.reason == Fault::DISK_FULL && !registry::may_write(&op) => {
                    direct.for_reading()
                }
                opened => opened,
            };
            match local {
                Ok(local) => local.run(caller, &op, params),
                Err(fault) => {
                    note("open", caller.surface.name(), began, &fault);
                    Err(fault)
                }
            }
        };
        run_blocking(work).await.unwrap_or_else(|_| Err(panicked()))
    }

    const fn timeout(&self, ephemeral: bool) -> Duration {
        match (ephemeral, self.alone) {
            (true, _) => EPHEMERAL_TIMEOUT,
            (false, true) => Duration::ZERO,
            (false, false) => PRIMARY_TIMEOUT,
        }
    }
}

/// Whether a call failed because a newer program has upgraded the store. Nothing was done in that
/// case.
pub(crate) fn is_upgraded(outcome: &Result<Value, Fault>) -> bool {
    matches!(outcome, Err(fault) if fault.kind == FaultKind::NewerStore)
}

fn panicked() -> Fault {
    Fault::new(FaultKind::Internal, "panic", "the call failed inside the server").next("run `nudge doctor`")
}

fn gone() -> Fault {
    Fault::new(
        FaultKind::Unavailable,
        "ephemeral_server_gone",
        "the server that kept this memory has stopped, and the memory is gone",
    )
    .next("start `nudge serve` again")
}

// Runs work on the store: on a bounded pool of threads, never on the runtime's own.
//
// The pool is the runtime's pool for blocking work, with a limit. Excess work waits for a free
// thread.

/// How many threads may work on the store at once. Readers run in parallel; writers wait for each
/// other in the store.
pub(crate) const MAX_THREADS: usize = 16;

/// How many of them may write at once. Writers wait for each other and for other processes, so
/// without a limit they could occupy every thread and block readers for no reason.
const MAX_WRITERS: usize = 12;

static FREE_TO_WRITE: Semaphore = Semaphore::const_new(MAX_WRITERS);

/// The work panicked. That fails only this work, not the server.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs work that writes, when fewer than [`MAX_WRITERS`] do.
pub(crate) async fn run_write<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    let _turn = FREE_TO_WRITE.acquire().await.map_err(|_| Panicked)?;
    run_blocking(work).await
}

/// Runs work on the pool and waits for its result.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Panicked)
}
