//! A temporary home and drafts for it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nudge_core::{EntryPath, Provenance, Scope, Source, Tier, Timestamp};
use nudge_store::{
    EntryDraft, HintDraft, HostIdentity, Life, Location, OpenOptions, Reader, SecretPolicy, Store,
    StoreError, Writer,
};
use serde_json::{Map, json};
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_794_723_027_123);

/// A time some milliseconds after [`NOW`].
pub(crate) fn after(millis: u64) -> Timestamp {
    NOW.plus(Duration::from_millis(millis))
}

/// A home in a temporary directory.
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary directory") }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir().join("nudge.db")
    }

    pub(crate) fn backups(&self) -> PathBuf {
        self.dir().join("backups")
    }

    pub(crate) fn options(&self) -> OpenOptions {
        options(&self.database())
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.options()).expect("the store opens")
    }

    /// The names of the backups, sorted.
    pub(crate) fn backup_names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.backups())
            .into_iter()
            .flatten()
            .map(|found| found.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn options(database: &Path) -> OpenOptions {
    OpenOptions {
        location: Location::File(database.to_owned()),
        read_only: false,
        host: host("machine", "boot-1"),
        now: NOW,
        busy: Duration::from_secs(20),
        backups: database.parent().map(|dir| dir.join("backups")),
    }
}

pub(crate) fn host(machine: &str, boot: &str) -> HostIdentity {
    HostIdentity { machine: Some(machine.to_owned()), boot: Some(boot.to_owned()) }
}

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::parse(text).expect("a valid path")
}

pub(crate) fn provenance() -> Provenance {
    Provenance {
        source: Source::User,
        tier: Tier::Client,
        client: Some("cli".to_owned()),
        session: None,
        project: Some("demo".to_owned()),
        machine: Some("machine".to_owned()),
    }
}

pub(crate) fn entry(at: &str, body: &str) -> EntryDraft {
    let mut attributes = Map::new();
    attributes.insert("n".to_owned(), json!(1));
    EntryDraft {
        scope: Scope::Global,
        path: path(at),
        body: body.to_owned(),
        attributes,
        provenance: provenance(),
        secrets: SecretPolicy::Reject,
        now: NOW,
    }
}

pub(crate) fn hint(component: &str, key: &str, body: &str) -> HintDraft {
    HintDraft {
        component: component.to_owned(),
        key: key.to_owned(),
        path: EntryPath::from_parts("hint", &[component, key], None).expect("a valid path"),
        body: body.to_owned(),
        attributes: Map::new(),
        tags: Vec::new(),
        life: Life::Forever,
        provenance: provenance(),
        secrets: SecretPolicy::Reject,
        command: None,
        history: None,
        now: NOW,
    }
}

/// Writes with full durability; must succeed.
pub(crate) fn write<T>(store: &Store, f: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>) -> T {
    store.write(nudge_store::Durability::Stated, f).expect("the write succeeds")
}

/// Reads; must succeed.
pub(crate) fn read<T>(store: &Store, f: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> T {
    store.read(f).expect("the read succeeds")
}

/// The body stored under a path in the global scope.
pub(crate) fn body(store: &Store, at: &str) -> Option<String> {
    read(store, |reader| reader.entry(&Scope::Global, &path(at))).map(|entry| entry.body)
}

/// The database opened with SQLite directly, for changes that none of our programs makes.
#[expect(clippy::disallowed_methods, reason = "the one door does not lead here")]
pub(crate) fn raw(database: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(database).expect("opens")
}

/// The variable that makes a child of this test binary act; its value is the child's argument.
pub(crate) const CHILD: &str = "NUDGE_STORE_TEST_CHILD";

/// The argument, if this process is such a child.
pub(crate) fn child_argument() -> Option<String> {
    std::env::var(CHILD).ok()
}

/// This test binary again, to run one test as a separate process.
pub(crate) fn child(program: &Path, test: &str, argument: &str) -> Command {
    let mut command = Command::new(program);
    act_as_child(&mut command, test, argument);
    command
}

pub(crate) fn act_as_child(command: &mut Command, test: &str, argument: &str) {
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, argument);
}

pub(crate) fn this_program() -> PathBuf {
    std::env::current_exe().expect("a running program has a path")
}
