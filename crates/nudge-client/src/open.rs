//! The memory, opened by this process itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};
use nudge_home::{Home, Settings};
use nudge_memory::{Caller, Memory};
use nudge_store::{Durability, Location, OpenOptions, Store, StoreError};
use serde_json::Value;

/// How long a write waits for another process's. Far longer than any write of ours takes.
const BUSY: Duration = Duration::from_secs(10);

/// How long an opener works at what hooks have spooled before it does what it came for.
const SPOOL_SHARE: Duration = Duration::from_secs(1);

/// How long somebody who only wants to know waits for the write lock. Upkeep holds it for 50 ms at
/// most.
const LONGEST_TURN: Duration = Duration::from_secs(1);

/// What a memory is opened for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// Only to be looked at: nothing is made where there is nothing.
    Read,
    /// To be written too.
    Write,
    /// To be written, and gone with the process.
    Ephemeral,
}

/// Opens the memory of a home, or an empty one that lives as long as the process.
pub fn open(home: &Home, settings: &Settings, what_for: Use) -> Result<Memory, Fault> {
    let location = if what_for == Use::Ephemeral { Location::Memory } else { Location::File(home.db()) };
    let store = Store::open(&OpenOptions {
        location,
        read_only: what_for == Use::Read,
        host: nudge_home::host::identity(),
        now: crate::clock::now(),
        busy: BUSY,
        backups: Some(home.backups_dir()),
    })?;
    let memory = Memory::open(store, settings.clone());
    if what_for == Use::Write {
        // What cannot be taken in now waits for the next opener.
        let _ = crate::spool::take_in(home, &memory, Instant::now() + SPOOL_SHARE);
    }
    Ok(memory)
}

/// Whether the write lock of a memory that is there can be had: not while another process keeps it.
/// Nothing is written but what every write settles first, the session in force.
pub fn await_turn(home: &Home) -> Result<(), Fault> {
    let store = Store::open_promptly(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_home::host::identity(),
        now: crate::clock::now(),
        busy: LONGEST_TURN,
        backups: None,
    })?;
    Ok(store.write(Durability::Passive, |_| Ok::<_, StoreError>(()))?)
}

/// A memory that this process holds open.
pub struct OpenMemory {
    memory: Memory,
    machine: Option<String>,
}

impl OpenMemory {
    /// Takes a memory that was opened.
    pub fn new(memory: Memory) -> Self {
        Self { memory, machine: nudge_home::host::identity().machine }
    }

    /// The memory itself.
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Runs an operation on this thread. A panic inside is that call's failure, not the process's.
    pub fn run(&self, mut caller: Caller, op: &str, params: Value) -> Result<Value, Fault> {
        if caller.machine.is_none() {
            caller.machine.clone_from(&self.machine);
        }
        catch_unwind(AssertUnwindSafe(|| self.memory.call(&caller, op, params)))
            .unwrap_or_else(|_| Err(panicked(op)))
    }
}

/// The failure of an operation that panicked.
pub fn panicked(op: &str) -> Fault {
    Fault::new(FaultKind::Internal, "panic", format!("{op} failed inside the server"))
        .next("run `nudge doctor`")
}
