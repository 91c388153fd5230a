//! The memory session.

use nudge_store::{Life, OpenOptions, Store};

use crate::support::{Home, NOW, after, hint, host, read, write};

fn set_for_session(store: &Store, key: &str) {
    let mut draft = hint("api", key, "x");
    draft.life = Life::Session;
    write(store, |writer| writer.put_hint(&draft));
}

fn lives(store: &Store, key: &str) -> bool {
    !read(store, |reader| reader.hints_of_key("api", key, after(1))).is_empty()
}

fn booted(home: &Home, machine: &str, boot: &str) -> OpenOptions {
    OpenOptions { host: host(machine, boot), ..home.options() }
}

/// @kernel_session_lifetime: a session outlives every process and ends only when it is ended.
#[test]
fn a_session_hint_outlives_the_process_and_ends_with_the_session() {
    let home = Home::new();
    let store = home.open();
    set_for_session(&store, "a");
    let first = read(&store, |reader| reader.session());
    assert_eq!(first.started_at, NOW);
    drop(store);

    let store = home.open();
    assert!(lives(&store, "a"));
    assert_eq!(read(&store, |reader| reader.session()), first);
    let second = write(&store, |writer| writer.end_session(after(1)));
    assert_ne!(second.id, first.id);
    assert_eq!(read(&store, |reader| reader.session()), second);
    assert!(!lives(&store, "a"));
    assert_eq!(write(&store, |writer| writer.sweep(after(1))).hints, 1);
}

/// @kernel_session_lifetime: hints set in the ending transaction already belong to the next
/// session.
#[test]
fn what_is_set_after_the_end_belongs_to_the_next_session() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| {
        writer.end_session(NOW)?;
        let mut draft = hint("api", "a", "x");
        draft.life = Life::Session;
        writer.put_hint(&draft)
    });
    assert!(lives(&store, "a"));
}

/// @kernel_session_lifetime: another boot of the same machine ends the session; another machine
/// does not.
#[test]
fn a_restarted_machine_ends_the_session() {
    let home = Home::new();
    set_for_session(&home.open(), "a");

    let elsewhere = Store::open(&booted(&home, "other", "boot-9")).expect("opens");
    set_for_session(&elsewhere, "b");
    assert!(lives(&elsewhere, "a"));

    let unreadable = Store::open(&OpenOptions { host: Default::default(), ..home.options() }).expect("opens");
    assert!(lives(&unreadable, "a"));

    let restarted = Store::open(&booted(&home, "machine", "boot-2")).expect("opens");
    assert!(!lives(&restarted, "a") && !lives(&restarted, "b"));
}

/// @kernel_session_lifetime: a process that only reads after a restart sees the session ended, and
/// the same next one.
#[test]
fn a_reader_after_a_restart_sees_the_session_that_a_writer_then_begins() {
    let home = Home::new();
    set_for_session(&home.open(), "a");
    let options = OpenOptions { read_only: true, ..booted(&home, "machine", "boot-2") };
    let reader = Store::open(&options).expect("opens");
    assert!(!lives(&reader, "a"));
    let seen = read(&reader, |reader| reader.session());

    let writer = Store::open(&booted(&home, "machine", "boot-2")).expect("opens");
    set_for_session(&writer, "b");
    assert_eq!(read(&writer, |reader| reader.session()), seen);
    assert!(lives(&reader, "b"));
}
