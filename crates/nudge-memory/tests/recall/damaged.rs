//! A database that is damaged or becomes unreadable while it is in use.

use std::os::unix::fs::FileExt;
use std::path::Path;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_home::Settings;
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{OpenOptions, Store};
use serde_json::{Value, json};

use crate::recall::setup::{Recall, START, command, fresh, open, options};

/// The first page: without it the file would not be opened at all.
const LEFT_ALONE: u64 = 4_096;

/// @recall_database_errors: database problems are reported as internal errors, without paths,
/// statements or stored text.
#[test]
fn a_damaged_database_is_an_internal_error_without_details() {
    let bench = fresh();
    for after in 0..400 {
        bench.keep("s-1/api", after, command(&format!("a very secret plan {}", "x".repeat(1_000))));
    }
    let (database, dir) = (bench.database(), bench.close());
    let memory = open(&database);
    let file = std::fs::OpenOptions::new().write(true).open(&database).expect("it is ours");
    let length = file.metadata().expect("its length").len();
    file.write_all_at(&vec![0xA5; (length - LEFT_ALONE) as usize], LEFT_ALONE).expect("overwritten");
    for (operation, params) in calls() {
        let fault =
            nudge_testkit::call(&memory, &caller(Surface::Mcp), operation, params).expect_err("damaged");
        check(operation, &fault, dir.path());
    }
}

/// @recall_database_errors: an unreadable file is reported in the same way; only the user is shown
/// which one it is.
#[test]
fn an_unreadable_database_is_reported_without_its_path() {
    let bench = fresh();
    bench.keep("s-1/api", 0, command("a very secret plan"));
    let database = bench.database();
    let store = Store::open(&OpenOptions { read_only: true, ..options(&database) }).expect("opens");
    let memory = Memory::open(store, Settings::default());
    let asked = |surface, operation: &str, params: Value| {
        // During a read, another connection has to be opened.
        memory
            .store()
            .read(|_| Ok::<_, Fault>(nudge_testkit::call(&memory, &caller(surface), operation, params)))
    };
    let dir = bench.close();
    std::fs::rename(&database, dir.path().join("elsewhere.db")).expect("moved");
    // Not even root can follow it.
    std::os::unix::fs::symlink("nudge.db", &database).expect("linked");
    for (operation, params) in calls() {
        let reported = asked(Surface::Mcp, operation, params.clone()).expect("one reads");
        check(operation, &reported.expect_err("unreadable"), dir.path());
        let reported = asked(Surface::Cli, operation, params).expect("one reads").expect_err("unreadable");
        assert_eq!(reported.kind, FaultKind::Unavailable, "{operation}: {reported:?}");
        assert!(
            reported.message.contains("nudge.db") && reported.next.is_some(),
            "{operation}: {reported:?}"
        );
    }
}

/// Every way of reading what was captured.
fn calls() -> [(&'static str, Value); 6] {
    [
        ("search", json!({"query": "plan", "project": null})),
        ("get_observations", json!({"ids": [200]})),
        ("timeline", json!({"anchor": 200})),
        ("recent_context", json!({})),
        ("session_trace", json!({"session_id": "s-1"})),
        ("file_history", json!({"file_path": "/api/a.rs"})),
    ]
}

fn caller(surface: Surface) -> Caller {
    Caller::new(surface, Timestamp::from_millis(START * 1_000))
}

/// An internal error with a next step, and without any path.
fn check(operation: &str, fault: &Fault, place: &Path) {
    assert_eq!(fault.kind, FaultKind::Internal, "{operation}: {fault:?}");
    assert!(fault.next.is_some(), "{operation}: {fault:?}");
    let said = fault.to_json().to_string();
    for detail in [&*place.to_string_lossy(), "nudge.db", "SELECT", "secret plan", "sqlite"] {
        assert!(!said.contains(detail), "{operation} says {detail}: {said}");
    }
}
