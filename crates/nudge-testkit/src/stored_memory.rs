//! Reads a memory's content from outside the program under test.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_store::{
    Durability, HostIdentity, Location, ObservationRow, OpenOptions as StoreOptions, PromptRow, SessionRow,
    Store, StoreError,
};

/// More than any test stores.
const ALL_ROWS: u32 = 100_000;

/// The offset of the schema version in a database's header: `user_version`, four bytes, big-endian.
const VERSION_AT: u64 = 60;

/// The memory in one directory.
pub struct StoredMemory {
    database: PathBuf,
}

impl StoredMemory {
    /// The memory in that directory.
    pub fn in_dir(memory: &Path) -> Self {
        Self { database: memory.join("nudge.db") }
    }

    /// A session by the agent's own id.
    pub fn session(&self, name: &str) -> Option<SessionRow> {
        self.open(true).read(|reader| reader.agent_session_by_name(name)).expect("the memory can be read")
    }

    /// The prompts of a session, oldest first.
    pub fn prompts(&self, session: &str) -> Vec<PromptRow> {
        let Some(session) = self.session(session) else { return Vec::new() };
        self.open(true)
            .read(|reader| reader.prompts_of_session(session.id, ALL_ROWS))
            .expect("the memory can be read")
    }

    /// The texts of the prompts of a session, oldest first.
    pub fn prompt_texts(&self, session: &str) -> Vec<String> {
        self.prompts(session).into_iter().map(|prompt| prompt.body).collect()
    }

    /// The observations of a session, oldest first.
    pub fn observations(&self, session: &str) -> Vec<ObservationRow> {
        let Some(session) = self.session(session) else { return Vec::new() };
        self.open(true)
            .read(|reader| reader.observations_of_session(session.id, ALL_ROWS))
            .expect("the memory can be read")
    }

    /// The observations of a session as `kind body`, oldest first.
    pub fn did(&self, session: &str) -> Vec<String> {
        let row = |row: ObservationRow| format!("{} {}", row.kind.name(), row.body);
        self.observations(session).into_iter().map(row).collect()
    }

    /// Runs `work` while another process (this one) has the write lock. Creates the memory if there
    /// is none.
    pub fn while_locked<T>(&self, work: impl FnOnce() -> T) -> T {
        let store = self.open(false);
        store.write(Durability::Passive, |_| Ok::<_, StoreError>(work())).expect("the lock can be had")
    }

    /// Creates an empty memory.
    pub fn make(&self) {
        drop(self.open(false));
    }

    /// The schema version in the file's header. Nobody may have the file open.
    pub fn version(&self) -> u32 {
        let file = OpenOptions::new().read(true).open(&self.database).expect("there is a database");
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, VERSION_AT).expect("a database has a header");
        u32::from_be_bytes(bytes)
    }

    /// Writes another schema version into the header, and returns the previous one. Nobody may have
    /// the file open.
    pub fn set_version(&self, version: u32) -> u32 {
        let before = self.version();
        let file = OpenOptions::new().write(true).open(&self.database).expect("there is a database");
        file.write_all_at(&version.to_be_bytes(), VERSION_AT).expect("it is ours");
        before
    }

    /// Renames the ledger tables in the file, as if there were none; everything else stays as it
    /// is. Nobody may have the file open.
    pub fn lose_ledger(&self) {
        self.garble(b"injection", b"injectxon");
    }

    /// Replaces these bytes wherever they are in the file by as many others. Nobody may have the
    /// file open.
    pub fn garble(&self, from: &[u8], to: &[u8]) {
        let mut bytes = std::fs::read(&self.database).expect("there is a database");
        let mut found = 0;
        for at in 0..bytes.len().saturating_sub(from.len()) {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
                found += 1;
            }
        }
        assert!(found > 0, "the file has none of these bytes");
        std::fs::write(&self.database, bytes).expect("it is ours");
    }

    fn open(&self, read_only: bool) -> Store {
        Store::open(&StoreOptions {
            location: Location::File(self.database.clone()),
            read_only,
            host: HostIdentity::default(),
            now: Timestamp::from_millis(1),
            busy: Duration::from_secs(10),
            backups: None,
        })
        .expect("the memory can be opened")
    }
}
