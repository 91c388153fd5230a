//! Operations on a store that this process holds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nudge_core::{Fault, FaultKind};
use nudge_memory::capture::Moment;
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Effect, Memory, Received, registry};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use nudge_client::OpenMemory;
use nudge_client::deliver;
use nudge_client::open::panicked;

use super::pool;
use crate::log;

/// A read that took no longer than this last time is done on the spot. Handing a call to another
/// thread costs some 20 µs, half of what a whole tool call costs; blocking a worker for half a
/// millisecond costs nobody anything.
const QUICK_MICROS: u64 = 500;

/// "Not measured yet": the first run of an operation is never taken to be quick.
const UNKNOWN: u64 = u64::MAX;

/// Who asks for what is done about events.
const HOOK: &str = "hook";

/// A memory in this process, with the pace of its operations.
pub(crate) struct Local {
    open: OpenMemory,
    pace: Vec<AtomicU64>,
    under_way: TaskTracker,
}

impl Local {
    pub(crate) fn new(memory: Memory) -> Self {
        let pace = registry::all().iter().map(|_| AtomicU64::new(UNKNOWN)).collect();
        Self { open: OpenMemory::new(memory), pace, under_way: TaskTracker::new() }
    }

    /// The memory, for upkeep.
    pub(crate) fn memory(&self) -> &Memory {
        self.open.memory()
    }

    /// Whether the operation is a read that was quick last time.
    pub(crate) fn is_quick(&self, op: &str) -> bool {
        place(op).is_some_and(|place| {
            registry::all()[place].effect == Effect::Read
                && self.pace[place].load(Ordering::Relaxed) <= QUICK_MICROS
        })
    }

    /// Runs an operation from inside the runtime: a quick read on the spot, anything else on the pool.
    pub(crate) async fn call(
        self: &Arc<Self>,
        caller: Caller,
        op: &str,
        params: Value,
    ) -> Result<Value, Fault> {
        let _under_way = self.under_way.token();
        if self.is_quick(op) {
            return self.run(caller, op, params);
        }
        let (local, name) = (self.clone(), op.to_owned());
        let work = move || local.run(caller, &name, params);
        let ran = if registry::may_write(op) { pool::run_write(work).await } else { pool::run(work).await };
        ran.unwrap_or_else(|_| Err(panicked(op)))
    }

    /// Waits until no call is under way. Nobody may begin one by then.
    pub(crate) async fn idle(&self) {
        self.under_way.close();
        self.under_way.wait().await;
    }

    /// Stores an event on the pool. `answer` gets the reply as soon as the event is stored; the reactions follow.
    /// A panic inside is that event's failure, not the server's.
    pub(crate) fn receive(
        &self,
        event: &Moment,
        limits: Option<InjectionLimits>,
        answer: oneshot::Sender<Result<Value, Fault>>,
    ) {
        let began = Instant::now();
        // Whoever sent it may be gone; the event is stored all the same.
        let received = match contained(|| self.memory().receive(event)) {
            Ok(received) => received,
            Err(fault) => {
                note("event", HOOK, began, &fault);
                return drop(answer.send(Err(fault)));
            }
        };
        let _ = answer.send(Ok(deliver::answer(received.kept, reply(&received, limits))));
        let began = Instant::now();
        let reacted = contained(|| Ok(received.react())).unwrap_or_else(|fault| Err(("reactions", fault)));
        if let Err((reaction, fault)) = reacted {
            log::failed(reaction, HOOK, began, &fault);
        }
    }

    /// Runs an operation on this thread, and notes how long it took.
    pub(crate) fn run(&self, caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        let began = Instant::now();
        let surface = caller.surface;
        let outcome = self.open.run(caller, op, params);
        if let Err(fault) = &outcome {
            note(registry::find(op).map_or("unknown", |known| known.name), surface.name(), began, fault);
        }
        if let Some(place) = place(op) {
            let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(UNKNOWN);
            self.pace[place].store(micros, Ordering::Relaxed);
        }
        outcome
    }
}

/// What the session of a stored event gets. A reply that cannot be made is no failure of the event.
fn reply(received: &Received<'_>, limits: Option<InjectionLimits>) -> Option<Injected> {
    limits?;
    let began = Instant::now();
    contained(|| received.reply(limits, nudge_client::clock::now())).unwrap_or_else(|fault| {
        log::failed("injection", HOOK, began, &fault);
        None
    })
}

/// Logs a failure of ours. What a caller asked for and cannot have is between the two.
pub(crate) fn note(what: &str, by: &str, began: Instant, fault: &Fault) {
    if fault.kind.is_failure() {
        log::failed(what, by, began, fault);
    }
}

/// Work in which a panic is a failure of that work alone.
fn contained<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Fault::new(FaultKind::Internal, "panic", "a moment could not be kept").next("run `nudge doctor`"))
    })
}

fn place(op: &str) -> Option<usize> {
    registry::all().iter().position(|operation| operation.answers_to(op))
}
