//! What is synced to disk before it is acknowledged.

use std::fs;
use std::path::Path;
use std::process::Command;

use nudge_store::{Durability, Store};

use crate::support::{Home, act_as_child, child_argument, entry, options, this_program};

/// @kernel_durability: a stated write is synced before it returns; a passive one does not wait for
/// the disk.
///
/// Checks the system calls of a child between its own markers; needs `strace`.
#[test]
fn a_stated_write_is_synced_and_a_passive_one_is_not() {
    let home = Home::new();
    drop(home.open());
    // Kept open so that closing the child does not checkpoint the log.
    let holder = home.open();
    assert_eq!(syncs_of(&home, "stated"), 1);
    assert_eq!(syncs_of(&home, "passive"), 0);
    drop(holder);
}

/// The traced process for @kernel_durability.
#[test]
fn writes_between_marks() {
    let Some(argument) = child_argument() else { return };
    let (durability, database) = argument.split_once(' ').expect("two words");
    let durability = if durability == "stated" { Durability::Stated } else { Durability::Passive };
    let store = Store::open(&options(Path::new(database))).expect("opens");
    // The first write creates the log, which is synced once in any case.
    store.write(durability, |writer| writer.put_entry(&entry("known://a", "x"))).expect("written");
    let _ = fs::metadata("/mark-before");
    store.write(durability, |writer| writer.put_entry(&entry("known://a", "y"))).expect("written");
    let _ = fs::metadata("/mark-after");
}

fn syncs_of(home: &Home, durability: &str) -> usize {
    let trace = home.dir().join("trace");
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-e", "trace=fsync,fdatasync,statx,stat,newfstatat", "-o"])
        .arg(&trace)
        .arg(this_program());
    act_as_child(
        &mut strace,
        "durability::writes_between_marks",
        &format!("{durability} {}", home.database().display()),
    );
    let done = strace.output().expect("strace is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&trace).expect("a trace");
    let between =
        text.split("/mark-before").nth(1).and_then(|rest| rest.split("/mark-after").next()).expect("marks");
    between.lines().filter(|line| line.contains("sync(")).count()
}
