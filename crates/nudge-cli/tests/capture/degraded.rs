//! Whatever is wrong with the memory or its server, no hook fails, prints anything or is late, and
//! `nudge doctor` names the problem and the fix.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use insta::assert_snapshot;
use nudge_testkit::unprivileged::{Unprivileged, two_users};
use nudge_testkit::{SmallDisk, TestHome};

use crate::capture::kit::{SESSION, drops, home, import_spool, is_spooled, stored};
use crate::capture::patient::FaultyHome;

/// The first words of the captured prompt.
const PROMPT: &str = "Please work.";

/// Asserts that events sent during the fault are in the memory once the fault is gone.
#[track_caller]
fn assert_nothing_is_lost(home: &TestHome) {
    import_spool(home);
    assert!(!is_spooled(home), "something is left in the spool");
    let said = stored(home).prompt_texts(SESSION);
    assert!(said.iter().any(|text| text.starts_with(PROMPT)), "{said:?}");
    assert_eq!(drops(&home.memory()).total, 0);
}

/// @hooks_degrade: another process holds the write lock.
#[test]
fn a_memory_that_another_process_has_locked() {
    let home = home();
    let patient = FaultyHome::at(&home).with_something_to_inject();
    stored(&home).while_locked(|| {
        patient.is_quiet_and_in_time();
        let store = patient.finding("store");
        let holder = format!("(pid {})", std::process::id());
        assert!(store.way_out.contains(&holder), "{holder}: {}", store.way_out);
        assert_snapshot!("locked", patient.words(&store));
    });
    assert!(is_spooled(&home));
    assert_eq!(patient.finding("store").verdict, "ok");
    assert_nothing_is_lost(&home);
}

/// @hooks_degrade: no directory or file can be written, not even the drop record.
#[test]
fn a_memory_that_is_read_only() {
    let user = Unprivileged::new(env!("CARGO_BIN_EXE_nudge").as_ref());
    let command = || {
        let mut command = user.command();
        command.env("TEST_WITHOUT_ANCESTORS", "1");
        command
    };
    let patient = FaultyHome::new(&user.home(), command).with_something_to_inject();
    let memory = user.home().join(".local/share/nudge");
    let paths = all_below(&memory);
    let bytes = || fs::read(memory.join("nudge.db")).expect("ours or we are root");
    let before = bytes();
    for path in &paths {
        let mode = if path.is_dir() { 0o500 } else { 0o400 };
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours or we are root");
    }
    patient.is_quiet_and_in_time();
    let (store, lost) = (patient.finding("store"), patient.finding("drops"));
    for path in &paths {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours or we are root");
    }
    assert_eq!(all_below(&memory), paths, "nothing was made");
    assert!(bytes() == before, "nothing was written");
    assert_snapshot!("read_only", format!("{}\n\n{}", patient.words(&store), patient.words(&lost)));
    assert_eq!(patient.finding("store").verdict, "ok");
}

/// A directory and everything in it, the directory last.
fn all_below(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).expect("readable").map(|found| found.expect("readable").path()).collect();
    entries.sort();
    let inside =
        entries.into_iter().flat_map(|path| if path.is_dir() { all_below(&path) } else { vec![path] });
    inside.chain([dir.to_owned()]).collect()
}

/// @hooks_degrade: the header and the middle of the file are garbage. The suggested fix works.
#[test]
fn a_memory_that_is_damaged() {
    let home = home();
    let patient = FaultyHome::at(&home).with_something_to_inject();
    let half = size(&home) / 2;
    damage_range(&home, 0..128);
    damage_range(&home, half..half + 8192);
    patient.is_quiet_and_in_time();
    assert!(is_spooled(&home));
    let store = patient.finding("store");
    assert_snapshot!("damaged", patient.words(&store));
    let quoted = "nudge restore --anew --yes";
    assert!(store.way_out.contains(&format!("`{quoted}`")), "{}", store.way_out);
    patient.run_fix(quoted).ok();
    assert_eq!(patient.finding("store").verdict, "ok");
    assert_nothing_is_lost(&home);
}

/// @hooks_degrade: only the first page of the file is left, so the database still opens.
#[test]
fn a_memory_that_is_damaged_behind_its_first_page() {
    let home = home();
    let patient = FaultyHome::at(&home).with_something_to_inject();
    damage_range(&home, 4096..size(&home));
    patient.is_quiet_and_in_time();
    assert!(is_spooled(&home));
    let store = patient.finding("store");
    let words = patient.words(&store);
    assert!(words.starts_with("fail: ") && words.contains("damaged"), "{words}");
    assert!(store.way_out.contains("`nudge restore --anew --yes`"), "{}", store.way_out);
}

/// The size of the database. No process has it open, so it has no write-ahead log.
fn size(home: &TestHome) -> u64 {
    assert!(!home.memory().join("nudge.db-wal").exists());
    home.memory().join("nudge.db").metadata().expect("there").len()
}

/// Overwrites a part of the database with garbage.
fn damage_range(home: &TestHome, part: std::ops::Range<u64>) {
    let file = OpenOptions::new().write(true).open(home.memory().join("nudge.db")).expect("ours");
    for at in part.step_by(8) {
        file.write_all_at(b"garbage ", at).expect("ours");
    }
}

/// @hooks_degrade: the disk is full. Lost events are in the drop record.
#[test]
fn a_memory_on_a_full_disk() {
    let home = home();
    if !two_users(fs::metadata(home.path()).expect("ours").uid()) {
        return;
    }
    let disk = SmallDisk::mount(4);
    let memory = disk.path().join("memory");
    let command = || {
        let mut command = home.command();
        command.arg("--home").arg(&memory);
        command
    };
    let patient = FaultyHome::new(home.path(), command).with_something_to_inject();
    let full = disk.fill();
    patient.is_quiet_and_in_time();
    let (store, lost) = (patient.finding("store"), patient.finding("drops"));
    drop(full);
    assert_snapshot!("full_disk", patient.words(&store));
    assert_eq!(drops(&memory).by_reason.keys().collect::<Vec<_>>(), [&"disk_full"]);
    assert!(drops(&memory).total >= 8, "{:?}", drops(&memory).by_reason);
    let words = patient.words(&lost);
    assert!(words.starts_with("warn: ") && words.contains("events lost: disk_full"), "{words}");
    assert!(lost.way_out.contains("see that the disk has room"), "{words}");
    assert_eq!(patient.finding("store").verdict, "ok");
}

/// @hooks_degrade: a newer version of the program wrote the memory.
#[test]
fn a_memory_that_is_newer_than_the_program() {
    let home = home();
    let patient = FaultyHome::at(&home).with_something_to_inject();
    let ours = stored(&home).set_version(9_999);
    patient.is_quiet_and_in_time();
    assert!(is_spooled(&home));
    assert_eq!(stored(&home).version(), 9_999);
    let words = patient.words(&patient.finding("store"));
    assert_snapshot!("newer", words.replace(&format!("up to {ours}"), "up to [OURS]"));
    stored(&home).set_version(ours);
    assert_nothing_is_lost(&home);
}

/// @hooks_degrade: the server is suspended and keeps its lock and socket. The suggested fix works.
/// The store is free, so events go there. Hooks may answer when the store is free, so this memory
/// has nothing to inject.
#[test]
fn a_server_that_hangs() {
    let home = home();
    let patient = FaultyHome::at(&home);
    let server = home.daemon(&[]);
    stop(server.pid());
    patient.is_quiet_and_in_time();
    let found = patient.finding("server");
    let pid = server.pid().to_string();
    assert_snapshot!("server_hangs", patient.words(&found).replace(&pid, "[PID]"));
    let quoted = found.way_out.split('`').nth(1).expect("a command");
    patient.run_fix(quoted).ok();
    server.wait_until_gone();
    assert_eq!(patient.finding("server").verdict, "ok");
    assert_nothing_is_lost(&home);
}

/// @hooks_degrade: the server is suspended, and the write lock is never released.
#[test]
fn a_server_that_hangs_while_the_memory_is_locked() {
    let home = home();
    let patient = FaultyHome::at(&home).with_something_to_inject();
    let server = home.daemon(&[]);
    stored(&home).while_locked(|| {
        stop(server.pid());
        patient.is_quiet_and_in_time();
        let (store, server) = (patient.finding("store"), patient.finding("server"));
        assert_eq!((store.verdict.as_str(), server.verdict.as_str()), ("warn", "fail"));
    });
    assert!(is_spooled(&home));
    server.kill();
    assert_nothing_is_lost(&home);
}

/// Suspends a process: it keeps its files and locks, and does nothing.
fn stop(pid: i64) {
    let stopped = Command::new("kill").args(["-STOP", &pid.to_string()]).status().expect("kill runs");
    assert!(stopped.success());
}
