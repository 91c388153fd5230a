//! Operations on a store that this process holds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nudge_core::{Fault, FaultKind};
use nudge_memory::capture::Moment;
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Effect, Memory, Received, registry};
use serde_json::Value;

/// A read that took no longer than this last time is done on the spot. Handing a call to another
/// thread costs some 20 µs, half of what a whole tool call costs; blocking a worker for half a
/// millisecond costs nobody anything.
const QUICK_MICROS: u64 = 500;

/// "Not measured yet": the first run of an operation is never taken to be quick.
const UNKNOWN: u64 = u64::MAX;

/// A memory in this process, with the pace of its operations.
pub(crate) struct Local {
    memory: Memory,
    machine: Option<String>,
    pace: Vec<AtomicU64>,
}

impl Local {
    pub(crate) fn new(memory: Memory) -> Self {
        let pace = registry::all().iter().map(|_| AtomicU64::new(UNKNOWN)).collect();
        Self { memory, machine: nudge_memory::host::identity().machine, pace }
    }

    /// The memory, for upkeep.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether the operation is a read that was quick last time.
    pub(crate) fn is_quick(&self, op: &str) -> bool {
        place(op).is_some_and(|place| {
            registry::all()[place].effect == Effect::Read
                && self.pace[place].load(Ordering::Relaxed) <= QUICK_MICROS
        })
    }

    /// Runs an operation from inside the runtime. Anything but a quick read tells the runtime
    /// first that this thread is about to wait for the disk.
    pub(crate) fn call(&self, caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        if self.is_quick(op) {
            return self.run(caller, op, params);
        }
        tokio::task::block_in_place(|| self.run(caller, op, params))
    }

    /// Stores an event, from inside the runtime, and says what its session gets. A panic inside is that event's failure, not
    /// the server's; a reply that cannot be made is no failure of the event.
    pub(crate) fn receive<'r>(
        &'r self,
        event: &'r Moment,
        limits: Option<InjectionLimits>,
    ) -> Result<(Received<'r>, Option<Injected>), Fault> {
        let received = contained(|| self.memory.receive(event))?;
        if limits.is_none() {
            return Ok((received, None));
        }
        let reply = contained(|| received.reply(limits, crate::clock::now())).unwrap_or_else(|fault| {
            tracing::warn!(reason = fault.reason, "a session could not be told anything");
            None
        });
        Ok((received, reply))
    }

    /// Reacts to a stored event, in the same way.
    pub(crate) fn react(&self, received: &Received<'_>) {
        let reacted = contained(|| {
            if let Err((reaction, fault)) = received.react() {
                tracing::warn!(reaction, reason = fault.reason, "a reaction to an event failed");
            }
            Ok(())
        });
        // A panic is logged where it is contained.
        let _ = reacted;
    }

    /// Runs an operation on this thread. A panic inside is that call's failure, not the server's.
    pub(crate) fn run(&self, mut caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        if caller.machine.is_none() {
            caller.machine.clone_from(&self.machine);
        }
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.memory.call(&caller, op, params)));
        if let Some(place) = place(op) {
            let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(UNKNOWN);
            self.pace[place].store(micros, Ordering::Relaxed);
        }
        outcome.unwrap_or_else(|_| {
            tracing::error!(op, "an operation panicked");
            Err(Fault::new(FaultKind::Internal, "panic", format!("{op} failed inside the server"))
                .next("run `nudge doctor`"))
        })
    }
}

/// Works on the disk, where a panic is a failure of that work alone.
fn contained<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|_| {
        tracing::error!("keeping a moment panicked");
        Err(Fault::new(FaultKind::Internal, "panic", "a moment could not be kept").next("run `nudge doctor`"))
    })
}

fn place(op: &str) -> Option<usize> {
    registry::all().iter().position(|operation| operation.answers_to(op))
}
