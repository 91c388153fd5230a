//! A memory under test, with a caller.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Context, EnvView, Fault, Os, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::CapturedEvent;
use nudge_memory::projects::of_directory;
use nudge_memory::{Ambient, Caller, Memory, Surface};
use nudge_store::{
    HostIdentity, InjectionLine, InjectionRow, Location, ObservationRow, OpenOptions, PromptRow, Reader,
    SessionId, Store,
};
use serde_json::Value;
use tempfile::TempDir;

/// A memory with a caller; the caller's `now` is the only clock. The caller is the user unless a
/// test changes it.
pub struct MemoryBench {
    /// The memory.
    pub memory: Memory,
    /// The caller: who asks, from where, and when.
    pub caller: Caller,
    /// The number of the next event, for tests that count them.
    pub next: Cell<i64>,
    dir: Option<TempDir>,
}

impl MemoryBench {
    /// A memory that exists only in RAM.
    pub fn in_memory(now: Timestamp) -> Self {
        Self::with(now, Settings::default())
    }

    /// A memory that exists only in RAM, with these settings.
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

    /// Closes a memory on disk and keeps its directory.
    pub fn close(self) -> TempDir {
        self.dir.expect("this memory is not on a disk")
    }

    /// The database file of a memory on disk.
    pub fn database(&self) -> PathBuf {
        self.dir().join("nudge.db")
    }

    /// Moves the caller to a directory, whose project becomes the caller's.
    pub fn stand(&mut self, dir: &Path) {
        self.caller.project = Some(of_directory(dir).key);
        self.caller.ambient = Ambient::Here(Context {
            cwd: dir.to_str().map(str::to_owned),
            repo: None,
            branch: None,
            os: Some(Os::Linux),
            env: EnvView::Partial(BTreeMap::new()),
            files_open: Vec::new(),
        });
    }

    /// Advances the clock.
    pub fn later(&mut self, by: Duration) {
        self.caller.now = self.caller.now.plus(by);
    }

    /// A number that no event had yet.
    pub fn number(&self) -> i64 {
        self.next.replace(self.next.get() + 1)
    }

    /// An agent about which nothing else is known.
    pub fn agent(&self) -> Caller {
        Caller::new(Surface::Mcp, self.caller.now)
    }

    /// An agent in the project with this key.
    pub fn agent_in(&self, project: &str) -> Caller {
        Caller { project: Some(project.to_owned()), ..self.agent() }
    }

    /// Calls an operation.
    pub fn call(&self, name: &str, params: Value) -> Result<Value, Fault> {
        nudge_agent::call(&self.memory, &self.caller, name, params)
    }

    /// Calls an operation that must succeed.
    #[track_caller]
    pub fn ok(&self, name: &str, params: Value) -> Value {
        self.call(name, params).unwrap_or_else(|fault| panic!("{name} failed: {fault:?}"))
    }

    /// Calls an operation that must fail.
    #[track_caller]
    pub fn fault(&self, name: &str, params: Value) -> Fault {
        match self.call(name, params) {
            Ok(answer) => panic!("{name} succeeded: {answer}"),
            Err(fault) => fault,
        }
    }

    /// Stores an event that must be new, and returns its id.
    #[track_caller]
    pub fn store(&self, event: &CapturedEvent) -> i64 {
        self.store_all(std::slice::from_ref(event))[0]
    }

    /// Stores events in one transaction and returns their ids. All must be new.
    #[track_caller]
    pub fn store_all(&self, events: &[CapturedEvent]) -> Vec<i64> {
        crate::memory::stored(self.memory.receive_all(events))
    }

    /// The stored actions of a session.
    pub fn observations(&self, session: &str) -> Vec<ObservationRow> {
        self.of_session(session, |reader, id| Ok(reader.observations_of_session(id, 999)?))
    }

    /// The stored prompts of a session.
    pub fn prompts(&self, session: &str) -> Vec<PromptRow> {
        self.of_session(session, |reader, id| Ok(reader.prompts_of_session(id, 999)?))
    }

    /// The ledger of a session, newest first.
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

/// Opens a database again, as another process would.
pub fn open(database: &Path, now: Timestamp) -> Memory {
    let location = Location::File(database.to_owned());
    Memory::open(
        Store::open(&options(location, now)).expect("the memory of a test opens"),
        Settings::default(),
    )
}

/// How a test opens a store: with its backups next to the database.
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
