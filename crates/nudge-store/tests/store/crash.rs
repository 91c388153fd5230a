//! What a process that dies leaves behind.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use nudge_store::{Durability, Store};

use crate::support::{
    Home, NOW, body, child, child_argument, entry, hint, options, read, this_program, write,
};

/// @kernel_durability: a process killed in the middle of a transaction leaves nothing of it; its
/// committed writes stay.
#[test]
fn a_kill_in_mid_transaction_leaves_nothing_partial() {
    for durability in ["stated", "passive"] {
        let home = Home::new();
        let argument = format!("{durability} {}", home.database().display());
        let mut victim = child(&this_program(), "crash::victim", &argument)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child starts");
        let lines = BufReader::new(victim.stdout.take().expect("piped")).lines();
        lines
            .map(|line| line.expect("readable"))
            .find(|line| line.contains("inside"))
            .expect("the child got there");
        victim.kill().expect("killed");
        victim.wait().expect("gone");

        let store = home.open();
        assert_eq!(body(&store, "known://committed").as_deref(), Some("kept"));
        assert_eq!(body(&store, "known://pending"), None);
        assert!(read(&store, |reader| reader.hints(&Default::default(), NOW)).is_empty());
        assert_eq!(read(&store, |reader| reader.feed_after(0, 9)).changes.len(), 1);
        assert_eq!(store.check().expect("checked"), Vec::<String>::new());
        write(&store, |writer| writer.put_entry(&entry("known://after", "x")));
    }
}

/// The process that dies for @kernel_durability: commits once, then waits inside a transaction to
/// be killed.
#[test]
fn victim() {
    let Some(argument) = child_argument() else { return };
    let (durability, database) = argument.split_once(' ').expect("two words");
    let durability = if durability == "stated" { Durability::Stated } else { Durability::Passive };
    let store = Store::open(&options(Path::new(database))).expect("opens");
    store.write(durability, |writer| writer.put_entry(&entry("known://committed", "kept"))).expect("written");
    let _: Result<(), nudge_store::StoreError> = store.write(durability, |writer| {
        writer.put_entry(&entry("known://pending", "lost"))?;
        writer.put_hint(&hint("api", "build", "lost"))?;
        let mut out = std::io::stdout();
        writeln!(out, "\ninside").and_then(|()| out.flush()).expect("the parent listens");
        loop {
            std::thread::park();
        }
    });
}

/// @kernel_durability: a panic inside a write rolls it back and the store stays usable.
#[test]
fn a_panic_in_a_write_rolls_back() {
    let home = Home::new();
    let store = home.open();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        write(&store, |writer| -> Result<(), nudge_store::StoreError> {
            writer.put_entry(&entry("known://pending", "lost"))?;
            panic!("a bug in an operation");
        });
    }));
    assert!(panicked.is_err());
    assert_eq!(body(&store, "known://pending"), None);
    write(&store, |writer| writer.put_entry(&entry("known://after", "x")));
}
