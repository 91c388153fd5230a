//! A memory under test, and the one who asks it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::Moment;
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{
    HostIdentity, InjectionLine, InjectionRow, Location, ObservationRow, OpenOptions, PromptRow, Reader,
    SessionId, Store,
};
use serde_json::Value;
use tempfile::TempDir;

/// A memory with a caller, whose `now` is the only clock there is. The caller is the person unless a
/// test changes it.
pub struct MemoryBench {
    /// The memory.
    pub memory: Memory,
    /// Who asks, from where, and when.
    pub caller: Caller,
    /// The number of the next event, for tests that count them.
    pub next: Cell<i64>,
    dir: Option<TempDir>,
}

impl MemoryBench {
    /// A memory without a disk.
    pub fn in_memory(now: Timestamp) -> Self {
        Self::with(now, Settings::default())
    }

    /// A memory without a disk, under these settings.
    pub fn with(now: Timestamp, settings: Settings) -> Self {
        let store = Store::open(&options(Location::Memory, now)).expect("a store in memory opens");
        Self::of(Memory::open(store, settings), now, None)
    }

    /// A memory over this store.
    pub fn over(store: Store, now: Timestamp) -> Self {
        Self::of(Memory::open(store, Settings::default()), now, None)
    }

    /// A memory in a temporary directory, with its search index.
    pub fn on_disk(now: Timestamp) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        Self::of(open(&dir.path().join("nudge.db"), now), now, Some(dir))
    }

    fn of(memory: Memory, now: Timestamp, dir: Option<TempDir>) -> Self {
        Self { memory, caller: Caller::new(Surface::Cli, now), next: Cell::new(1), dir }
    }

    /// The directory of a memory on disk.
    pub fn dir(&self) -> &Path {
        self.dir.as_ref().expect("this memory is not on a disk").path()
    }

    /// Closes a memory on disk and leaves its directory.
    pub fn close(self) -> TempDir {
        self.dir.expect("this memory is not on a disk")
    }

    /// The database of a memory on disk.
    pub fn database(&self) -> PathBuf {
        self.dir().join("nudge.db")
    }

    /// Lets time pass.
    pub fn later(&mut self, by: Duration) {
        self.caller.now = self.caller.now.plus(by);
    }

    /// A number that no event had yet.
    pub fn number(&self) -> i64 {
        self.next.replace(self.next.get() + 1)
    }

    /// An agent of which nothing else is known.
    pub fn agent(&self) -> Caller {
        Caller::new(Surface::Mcp, self.caller.now)
    }

    /// An agent that stands in the project with this key.
    pub fn agent_in(&self, project: &str) -> Caller {
        Caller { project: Some(project.to_owned()), ..self.agent() }
    }

    /// Calls an operation.
    pub fn call(&self, name: &str, params: Value) -> Result<Value, Fault> {
        self.memory.call(&self.caller, name, params)
    }

    /// Calls what must succeed.
    #[track_caller]
    pub fn ok(&self, name: &str, params: Value) -> Value {
        self.call(name, params).unwrap_or_else(|fault| panic!("{name} failed: {fault:?}"))
    }

    /// Calls what must fail.
    #[track_caller]
    pub fn fault(&self, name: &str, params: Value) -> Fault {
        match self.call(name, params) {
            Ok(answer) => panic!("{name} succeeded: {answer}"),
            Err(fault) => fault,
        }
    }

    /// Keeps an event that must be a new one, and gives its id.
    #[track_caller]
    pub fn store(&self, event: &Moment) -> i64 {
        self.store_all(std::slice::from_ref(event))[0]
    }

    /// Keeps events in one transaction, all of which must be new ones, and gives their ids.
    #[track_caller]
    pub fn store_all(&self, events: &[Moment]) -> Vec<i64> {
        crate::memory::stored(self.memory.receive_all(events))
    }

    /// What was kept of a session's actions.
    pub fn observations(&self, session: &str) -> Vec<ObservationRow> {
        self.of_session(session, |reader, id| Ok(reader.observations_of_session(id, 999)?))
    }

    /// What was kept of what was said in a session.
    pub fn prompts(&self, session: &str) -> Vec<PromptRow> {
        self.of_session(session, |reader, id| Ok(reader.prompts_of_session(id, 999)?))
    }

    /// What the ledger holds of a session, newest first.
    pub fn ledger(&self, session: &str) -> Vec<(InjectionRow, Vec<InjectionLine>)> {
        self.of_session(session, |reader, id| {
            let rows = reader.injections_of_session(id, 99)?.into_iter();
            rows.map(|row| Ok((row.clone(), reader.injection_lines(row.id)?))).collect()
        })
    }

    fn of_session<T>(
        &self,
        session: &str,
        read: impl FnOnce(&Reader<'_>, SessionId) -> Result<Vec<T>, Fault>,
    ) -> Vec<T> {
        let rows = self.memory.store().read(|reader| {
            reader.agent_session_by_name(session)?.map_or(Ok(Vec::new()), |row| read(reader, row.id))
        });
        rows.expect("read")
    }
}

/// Opens a database once more, as another process would.
pub fn open(database: &Path, now: Timestamp) -> Memory {
    let location = Location::File(database.to_owned());
    Memory::open(
        Store::open(&options(location, now)).expect("the memory of a test opens"),
        Settings::default(),
    )
}

/// How a test opens a store: with its copies beside the database.
pub fn options(location: Location, now: Timestamp) -> OpenOptions {
    let backups = match &location {
        Location::File(database) => database.parent().map(|dir| dir.join("backups")),
        _ => None,
    };
    OpenOptions {
        location,
        read_only: false,
        host: HostIdentity::default(),
        now,
        busy: Duration::from_secs(5),
        backups,
    }
}
