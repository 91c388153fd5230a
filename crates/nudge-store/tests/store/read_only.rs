//! Homes that cannot be written, as in an agent's sandbox.
//!
//! File modes do not stop root, so the reading side of these tests runs as a process of an
//! unprivileged user, from a copy of this program that this user can execute.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use nudge_core::{Fault, FaultKind, Scope};
use nudge_store::{Access, Durability, OpenOptions, ReadOnlyReason, Store};
use tempfile::TempDir;

use crate::support::{
    Home, act_as_child, body, child_argument, entry, options, path, read, this_program, write,
};

/// A directory that others may enter and read but not write.
struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary directory") }
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn database(&self) -> PathBuf {
        self.home().join("nudge.db")
    }

    /// Copies the named files of a home and makes everything readable, nothing writable.
    fn hold(&self, from: &Home, names: &[&str]) {
        fs::create_dir(self.home()).expect("made");
        for name in names {
            fs::copy(from.dir().join(name), self.home().join(name)).expect("copied");
        }
        self.seal();
    }

    fn seal(&self) {
        for found in fs::read_dir(self.home()).expect("listed") {
            set_mode(&found.expect("readable").path(), 0o444);
        }
        set_mode(&self.home(), 0o555);
        set_mode(self.dir.path(), 0o755);
    }

    /// Runs [`sandboxed_reader`] as a user that owns nothing here.
    fn read_as_stranger(&self, expected: &str) {
        let program = self.dir.path().join("program");
        fs::copy(this_program(), &program).expect("copied");
        set_mode(&program, 0o755);
        set_mode(self.dir.path(), 0o755);
        let mut command = if fs::metadata("/proc/self").expect("readable").uid() == 0 {
            let mut setpriv = Command::new("setpriv");
            setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            setpriv
        } else {
            Command::new(&program)
        };
        command.current_dir("/").env("TMPDIR", "/tmp");
        act_as_child(
            &mut command,
            "read_only::sandboxed_reader",
            &format!("{expected} {}", self.database().display()),
        );
        let done = command.output().expect("the child runs");
        let injected = String::from_utf8_lossy(&done.stdout);
        assert!(injected.contains("1 passed"), "{injected}{}", String::from_utf8_lossy(&done.stderr));
        set_mode(&self.home(), 0o755);
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap_or_default();
}

/// The process inside the sandbox, for @kernel_read_only_home: reads what it should expect, and
/// must fail to write.
#[test]
fn sandboxed_reader() {
    let Some(argument) = child_argument() else { return };
    let (expected, database) = argument.split_once(' ').expect("two words");
    let opened = Store::open(&options(Path::new(database)));
    if expected == "unreadable" {
        let fault = Fault::from(opened.err().expect("refused"));
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Unavailable, "file"));
        assert!(fault.message.contains(database) && fault.next.is_some());
        return;
    }
    let store = opened.expect("opens without writing");
    assert_eq!(store.access(), &Access::ReadOnly { reason: ReadOnlyReason::HomeNotWritable });
    let found = (body(&store, "known://old"), body(&store, "known://new"));
    let all = (Some("one".to_owned()), Some("two".to_owned()));
    assert_eq!(found, if expected == "empty" { (None, None) } else { all });
    assert!(read(&store, |reader| reader.hints(&Default::default(), options(Path::new("/")).now)).is_empty());

    let refused = store
        .write(Durability::Stated, |writer| writer.put_entry(&entry("known://x", "x")))
        .expect_err("refused");
    let fault = Fault::from(refused);
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::ReadOnly, "home_not_writable"));
    assert!(fault.message.contains(database) && fault.next.is_some());
    let copy = TempDir::new().expect("a temporary directory").path().with_extension("db");
    store.backup_to(&copy).expect("what can be read can be backed up");
    fs::remove_file(copy).expect("removed");
}

/// A store with one entry in the database file and a newer one in the log.
fn home_with_log() -> (Home, Store) {
    let home = Home::new();
    write(&home.open(), |writer| writer.put_entry(&entry("known://old", "one")));
    let live = home.open();
    write(&live, |writer| writer.put_entry(&entry("known://new", "two")));
    (home, live)
}

/// @kernel_read_only_home: while a writer runs outside, a reader inside a sandbox sees everything.
#[test]
fn reads_beside_a_live_writer() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.home()).expect("made");
    let live = Store::open(&options(&sandbox.database())).expect("opens");
    write(&live, |writer| writer.put_entry(&entry("known://old", "one")));
    write(&live, |writer| writer.put_entry(&entry("known://new", "two")));
    sandbox.seal();
    sandbox.read_as_stranger("all");
}

/// @kernel_read_only_home: shared memory left by a dead writer is enough to read everything.
#[test]
fn reads_what_a_dead_writer_left() {
    let (home, live) = home_with_log();
    let sandbox = Sandbox::new();
    sandbox.hold(&home, &["nudge.db", "nudge.db-wal", "nudge.db-shm"]);
    drop(live);
    sandbox.read_as_stranger("all");
}

/// @kernel_read_only_home: a log without shared memory is still read.
#[test]
fn reads_a_log_without_shared_memory() {
    let (home, live) = home_with_log();
    let sandbox = Sandbox::new();
    sandbox.hold(&home, &["nudge.db", "nudge.db-wal"]);
    drop(live);
    sandbox.read_as_stranger("all");
}

/// @kernel_read_only_home: a cleanly closed database is read as it is.
#[test]
fn reads_a_database_without_anything_beside_it() {
    let (home, live) = home_with_log();
    drop(live);
    let sandbox = Sandbox::new();
    sandbox.hold(&home, &["nudge.db"]);
    sandbox.read_as_stranger("all");
}

/// @kernel_read_only_home: shared memory without its log does not stop a reader.
#[test]
fn reads_past_orphaned_shared_memory() {
    let (home, live) = home_with_log();
    fs::copy(home.dir().join("nudge.db-shm"), home.dir().join("kept")).expect("copied");
    drop(live);
    fs::rename(home.dir().join("kept"), home.dir().join("nudge.db-shm")).expect("renamed");
    let sandbox = Sandbox::new();
    sandbox.hold(&home, &["nudge.db", "nudge.db-shm"]);
    sandbox.read_as_stranger("all");
}

/// @kernel_read_only_home: if there is no memory and none can be created, reads are empty.
#[test]
fn a_home_without_a_memory_reads_as_empty() {
    let sandbox = Sandbox::new();
    sandbox.hold(&Home::new(), &[]);
    sandbox.read_as_stranger("empty");
    let missing = Sandbox::new();
    set_mode(missing.dir.path(), 0o755);
    missing.read_as_stranger("empty");
}

/// @kernel_read_only_home: a memory that cannot even be read is reported with its path.
#[test]
fn an_unreadable_memory_is_named() {
    let (home, live) = home_with_log();
    drop(live);
    let sandbox = Sandbox::new();
    sandbox.hold(&home, &["nudge.db"]);
    set_mode(&sandbox.database(), 0o000);
    sandbox.read_as_stranger("unreadable");
}

/// @kernel_read_only_home: a store opened for reading sees what others write and refuses to write.
#[test]
fn a_store_opened_for_reading_follows_writers() {
    let home = Home::new();
    let asked = OpenOptions { read_only: true, ..home.options() };
    let reader = Store::open(&asked).expect("opens before there is a database");
    assert_eq!(reader.access(), &Access::ReadOnly { reason: ReadOnlyReason::Asked });
    assert_eq!(body(&reader, "known://a"), None);
    assert!(!home.database().exists(), "reading makes nothing");

    let writer = home.open();
    write(&writer, |writer| writer.put_entry(&entry("known://a", "one")));
    assert_eq!(body(&reader, "known://a").as_deref(), Some("one"));
    write(&writer, |writer| writer.put_entry(&entry("known://a", "two")));
    assert_eq!(body(&reader, "known://a").as_deref(), Some("two"));

    let refused =
        reader.write(Durability::Stated, |w| w.put_entry(&entry("known://b", "x"))).expect_err("refused");
    assert_eq!(Fault::from(refused).reason, "opened_read_only");
    assert_eq!(read(&writer, |reader| reader.entry(&Scope::Global, &path("known://b"))), None);
}
