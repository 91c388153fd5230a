//! Operations on a store that is open in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use nudge_agent::registry;
use nudge_client::open::{OpenFor, open, panicked};
use nudge_client::{OpenMemory, deliver, lock};
use nudge_core::{Fault, FaultKind};
use nudge_home::{Home, Settings};
use nudge_memory::capture::CapturedEvent;
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Effect, Memory, Received, Terms};
use nudge_store::{FileId, FileState};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::reach::Reach;
use crate::run_feed::RunFeed;
use crate::{backend, log};

/// A read that took no longer than this last time runs on the runtime's thread. Passing a call to
/// another thread costs about 20 µs, half of a whole tool call; blocking a worker for half a
/// millisecond harms nobody.
const QUICK_MICROS: u64 = 500;

/// "Not measured yet": the first run of an operation never counts as quick.
const UNMEASURED: u64 = u64::MAX;

/// The requester in the log for work on events.
const HOOK_REQUESTER: &str = "hook";

/// A memory in this process, with the durations of its operations.
pub(crate) struct Local {
    open: OpenMemory,
    pace: Vec<AtomicU64>,
    under_way: TaskTracker,
    runs: RunFeed,
    /// How models are reached, once runs are driven here.
    reach: OnceLock<Arc<Reach>>,
}

impl Local {
    pub(crate) fn new(memory: Memory) -> Self {
        let pace = registry::all().map(|_| AtomicU64::new(UNMEASURED)).collect();
        Self {
            open: OpenMemory::new(memory),
            pace,
            under_way: TaskTracker::new(),
            runs: RunFeed::new(),
            reach: OnceLock::new(),
        }
    }

    /// The memory, for upkeep.
    pub(crate) fn memory(&self) -> &Memory {
        self.open.memory()
    }

    /// Keeps [`Self::idle`] waiting until it is dropped.
    pub(crate) fn busy(&self) -> TaskTrackerToken {
        self.under_way.token()
    }

    /// What clients hear of runs.
    pub(crate) fn runs(&self) -> &RunFeed {
        &self.runs
    }

    /// From now on, a prompt for a model that cannot be reached is rejected.
    pub(crate) fn set_reach(&self, reach: Arc<Reach>) {
        let _ = self.reach.set(reach);
    }

    /// Whether the operation is a read that was quick last time.
    pub(crate) fn is_quick(&self, op: &str) -> bool {
        registry::find(op).is_some_and(|operation| operation.effect == Effect::Read)
            && place(op).is_some_and(|place| self.pace[place].load(Ordering::Relaxed) <= QUICK_MICROS)
    }

    /// Runs an operation from inside the runtime: a quick read on this thread, anything else on the
    /// pool.
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
        let ran = if registry::may_write(op) {
            backend::run_write(work).await
        } else {
            backend::run_blocking(work).await
        };
        ran.unwrap_or_else(|_| Err(panicked(op)))
    }

    /// Waits until no call is running. No new call may begin by then.
    pub(crate) async fn idle(&self) {
        self.under_way.close();
        self.under_way.wait().await;
    }

    /// Stores an event on the pool. `answer` gets the reply as soon as the event is stored; the
    /// reactions follow. A panic fails only that event, not the server.
    pub(crate) fn receive(
        &self,
        event: &CapturedEvent,
        limits: Option<InjectionLimits>,
        answer: oneshot::Sender<Result<Value, Fault>>,
    ) {
        let began = Instant::now();
        // The sender may be gone; the event is stored anyway.
        let received = match contained(|| self.memory().receive(event)) {
            Ok(received) => received,
            Err(fault) => {
                note("event", HOOK_REQUESTER, began, &fault);
                return drop(answer.send(Err(fault)));
            }
        };
        let _ = answer.send(Ok(deliver::answer(received.outcome, reply(&received, limits))));
        let began = Instant::now();
        let reacted = contained(|| Ok(received.react())).unwrap_or_else(|fault| Err(("reactions", fault)));
        if let Err((reaction, fault)) = reacted {
            log::failed(reaction, HOOK_REQUESTER, began, &fault);
        }
    }

    /// Runs an operation on this thread, and records how long it took.
    pub(crate) fn run(&self, caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        let began = Instant::now();
        let surface = caller.surface;
        let usable =
            self.reach.get().map_or(Ok(()), |reach| reach.check(self.memory(), &caller, op, &params));
        let outcome = usable.and_then(|()| self.open.run(caller, op, params));
        if let Err(fault) = &outcome {
            note(registry::find(op).map_or("unknown", |known| known.name), surface.name(), began, fault);
        }
        self.runs.noticed(registry::find(op).map_or(op, |known| known.name));
        if let Some(place) = place(op) {
            let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(UNMEASURED);
            self.pace[place].store(micros, Ordering::Relaxed);
        }
        outcome
    }
}

/// The text for the session of a stored event. A failed reply does not fail the event.
fn reply(received: &Received<'_>, limits: Option<InjectionLimits>) -> Option<Injected> {
    limits?;
    let began = Instant::now();
    contained(|| received.reply(limits, nudge_client::now())).unwrap_or_else(|fault| {
        log::failed("injection", HOOK_REQUESTER, began, &fault);
        None
    })
}

/// Logs a failure of ours. A rejected request is not logged; only the caller hears of it.
pub(crate) fn note(what: &str, by: &str, began: Instant, fault: &Fault) {
    if fault.kind.is_failure() {
        log::failed(what, by, began, fault);
    }
}

/// Runs work so that a panic fails only that work.
fn contained<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Fault::new(FaultKind::Internal, "panic", "the event could not be stored")
            .next("run `nudge doctor`"))
    })
}

fn place(op: &str) -> Option<usize> {
    registry::all().position(|operation| operation.answers_to(op))
}

// The store, opened by this process itself.

/// A PROXY's own access to the store, for when no PRIMARY answers. Opened when first needed, and
/// passed on when this process becomes PRIMARY.
pub(crate) struct Direct {
    home: Home,
    settings: Settings,
    opened: Mutex<Option<Opened>>,
}

/// An open store, and the id of its file.
struct Opened {
    local: Arc<Local>,
    file_id: Option<FileId>,
}

impl Direct {
    pub(crate) fn new(home: Home, settings: Settings) -> Self {
        Self { home, settings, opened: Mutex::new(None) }
    }

    /// The terms of this process's own settings.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of(&self.settings)
    }

    /// The store opened for reading, when it cannot be opened for writing. Not cached: the next
    /// call may find more disk space.
    pub(crate) fn for_reading(&self) -> Result<Arc<Local>, Fault> {
        Ok(Arc::new(Local::new(open(&self.home, &self.settings, OpenFor::Read)?)))
    }

    /// Closes the store once nobody uses it. It is opened again when needed.
    pub(crate) fn close(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether some process is PRIMARY, or about to be.
    pub(crate) fn has_primary(&self) -> bool {
        lock::is_held(&self.home.lock_file())
    }

    /// The store; opened now if it was not open, or if the open file is no longer the memory's.
    pub(crate) fn local(&self) -> Result<Arc<Local>, Fault> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Opened { local, file_id }) = &*opened
            && file_id.is_none_or(|file_id| file_id.state_at(&self.home.db()) == FileState::There)
        {
            return Ok(local.clone());
        }
        let local = Arc::new(Local::new(open(&self.home, &self.settings, OpenFor::Write)?));
        *opened = Some(Opened { local: local.clone(), file_id: FileId::at(&self.home.db()).ok() });
        Ok(local)
    }
}
