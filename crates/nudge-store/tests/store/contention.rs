//! Several processes and threads that write the same rows.

use std::path::Path;
use std::thread;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_store::{Durability, OpenOptions, Store};

use crate::support::{Home, NOW, child, child_argument, entry, hint, options, read, this_program, write};

const PROCESSES: usize = 8;
const ROUNDS: usize = 150;
const KEYS: usize = 10;

/// @kernel_contention: eight processes that set and bump the same rows lose nothing and never see a
/// lock.
#[test]
fn eight_processes_share_the_same_rows() {
    let home = Home::new();
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let database = home.database();
            child(&this_program(), "contention::hammer", database.to_str().expect("printable"))
                .spawn()
                .expect("a child starts")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("a child ends").success());
    }
    let store = home.open();
    let rows = read(&store, |reader| reader.hints(&Default::default(), NOW));
    assert_eq!(rows.len(), KEYS);
    let versions: i64 = rows.iter().map(|row| row.entry.version).sum();
    let uses: i64 = rows.iter().map(|row| row.use_count).sum();
    let expected = (PROCESSES * ROUNDS) as i64;
    assert_eq!((versions, uses), (expected, expected));
    assert_eq!(read(&store, |reader| reader.feed_head()), 2 * expected, "one change for every write");
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());
}

/// One of the processes of @kernel_contention: reopens the store every few rounds, as short-lived
/// programs do.
#[test]
fn hammer() {
    let Some(database) = child_argument() else { return };
    for round in (0..ROUNDS).step_by(10) {
        let store = Store::open(&options(Path::new(&database))).expect("opens");
        for round in round..round + 10 {
            let durability = if round % 2 == 0 { Durability::Stated } else { Durability::Passive };
            let key = format!("key-{}", round % KEYS);
            let id = store.write(durability, |w| w.put_hint(&hint("api", &key, "x"))).expect("set").id;
            store.write(durability, |writer| writer.use_hint(id, 1, NOW)).expect("bumped");
        }
    }
}

/// @kernel_contention: threads of one process share a store.
#[test]
fn threads_share_one_store() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://n", "x")));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    store
                        .write(Durability::Passive, |w| w.put_entry(&entry("known://n", "x")))
                        .expect("written");
                    assert_eq!(read(&store, |reader| reader.newest("known", 9)).len(), 1);
                }
            });
        }
    });
    assert_eq!(read(&store, |reader| reader.newest("known", 9))[0].version, 401);
}

/// @kernel_contention: threads take turns at an in-memory store.
#[test]
fn threads_share_a_store_in_memory() {
    let home = Home::new();
    let store = Store::open(&OpenOptions { location: nudge_store::Location::Memory, ..home.options() })
        .expect("opens");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    store
                        .write(Durability::Stated, |w| w.put_entry(&entry("known://n", "x")))
                        .expect("written");
                    assert_eq!(read(&store, |reader| reader.newest("known", 9)).len(), 1);
                }
            });
        }
    });
    assert_eq!(read(&store, |reader| reader.newest("known", 9))[0].version, 200);
    assert!(!home.database().exists());
}

/// @kernel_contention: a lock kept beyond the deadline is E_BUSY with a next step; reads continue
/// meanwhile.
#[test]
fn a_lock_held_too_long_is_busy() {
    let home = Home::new();
    let holder = home.open();
    let waiter =
        Store::open(&OpenOptions { busy: Duration::from_millis(30), ..home.options() }).expect("opens");
    write(&holder, |_| {
        let refused = waiter
            .write(Durability::Stated, |writer| writer.put_entry(&entry("known://a", "x")))
            .expect_err("locked");
        let fault = Fault::from(refused);
        assert_eq!(fault.kind, FaultKind::Busy);
        assert!(fault.next.is_some());
        assert_eq!(read(&waiter, |reader| reader.feed_head()), 0);
        Ok(())
    });
    write(&waiter, |writer| writer.put_entry(&entry("known://a", "x")));
}
