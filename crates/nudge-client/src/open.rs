//! Opens the memory in this process, and stores the events that hooks could not store in time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_home::{Home, Settings};
use nudge_memory::capture::spool;
use nudge_memory::{Caller, Memory};
use nudge_store::{Durability, Location, OpenOptions, Store, StoreError};
use serde_json::Value;

/// How long a write waits for another process's write. Far longer than any of our writes takes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an opener works on spooled events before its own task.
const SPOOL_SHARE: Duration = Duration::from_secs(1);

/// How long a process that only checks waits for the write lock. Upkeep keeps it for 50 ms at most.
const MAX_TURN: Duration = Duration::from_secs(1);

/// The purpose of opening a memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OpenFor {
    /// Only reading; creates nothing.
    Read,
    /// Reading and writing.
    Write,
    /// Reading and writing; the memory ends with the process.
    Ephemeral,
}

/// Opens the memory of a home, or an empty one that lasts as long as the process.
pub fn open(home: &Home, settings: &Settings, what_for: OpenFor) -> Result<Memory, Fault> {
    let location = if what_for == OpenFor::Ephemeral { Location::Memory } else { Location::File(home.db()) };
    let store = Store::open(&OpenOptions {
        location,
        read_only: what_for == OpenFor::Read,
        host: nudge_home::host::identity(),
        now: crate::now(),
        busy: BUSY_TIMEOUT,
        backups: Some(home.backups_dir()),
    })?;
    let memory = Memory::open(store, settings.clone());
    if what_for == OpenFor::Write {
        // Events that cannot be stored now wait for the next opener.
        let _ = store_spooled(home, &memory, Instant::now() + SPOOL_SHARE);
    }
    Ok(memory)
}

/// Waits until the write lock of an existing memory is available; fails while another process keeps
/// it. Writes only what every write does first: it settles the current session.
pub fn wait_for_write_lock(home: &Home) -> Result<(), Fault> {
    let store = Store::open_promptly(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_home::host::identity(),
        now: crate::now(),
        busy: MAX_TURN,
        backups: None,
    })?;
    Ok(store.write(Durability::Passive, |_| Ok::<_, StoreError>(()))?)
}

/// A memory that is open in this process.
pub struct OpenMemory {
    memory: Memory,
    machine: Option<String>,
}

impl OpenMemory {
    /// Wraps an open memory.
    pub fn new(memory: Memory) -> Self {
        Self { memory, machine: nudge_home::host::identity().machine }
    }

    /// The memory itself.
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Runs an operation on this thread. A panic fails only that call, not the process.
    pub fn run(&self, mut caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        if caller.machine.is_none() {
            caller.machine.clone_from(&self.machine);
        }
        catch_unwind(AssertUnwindSafe(|| nudge_agent::call(&self.memory, &caller, op, params)))
            .unwrap_or_else(|_| Err(panicked(op)))
    }
}

/// The fault for an operation that panicked.
pub fn panicked(op: &str) -> Fault {
    Fault::new(FaultKind::Internal, "panic", format!("{op} failed inside the server"))
        .next("run `nudge doctor`")
}

/// Stores spooled events until then. The rest waits for the next process.
pub fn store_spooled(home: &Home, memory: &Memory, until: Instant) -> Result<(), Fault> {
    let taken = memory.import_spool(home, crate::now(), Some(until)).map_err(|error| {
        Fault::new(FaultKind::Unavailable, "spool", "cannot import the spool").because(error)
    })?;
    if taken != spool::DrainReport::default() {
        tracing::info!(taken.kept, taken.dropped, taken.left, "took the spool in");
    }
    Ok(())
}
