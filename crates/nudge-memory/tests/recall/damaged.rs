//! A database that is damaged while it is in use.

use std::os::unix::fs::FileExt;

use nudge_core::{FaultKind, Timestamp};
use nudge_memory::{Caller, Surface};
use serde_json::json;

use crate::setup::{Bench, START, command, open};

/// The first page: without it the file would not be opened at all.
const LEFT_ALONE: u64 = 4_096;

/// @recall_database_errors: what is wrong with the database is said as an internal error, without paths, statements or stored text.
#[test]
fn a_damaged_database_is_an_internal_error_without_details() {
    let Bench { memory, dir, .. } = {
        let bench = Bench::new();
        for after in 0..400 {
            bench.keep("s-1/api", after, command(&format!("a very secret plan {}", "x".repeat(1_000))));
        }
        bench
    };
    let database = dir.path().join("nudge.db");
    drop(memory);
    let memory = open(&database);
    let file = std::fs::OpenOptions::new().write(true).open(&database).expect("it is ours");
    let length = file.metadata().expect("its length").len();
    file.write_all_at(&vec![0xA5; (length - LEFT_ALONE) as usize], LEFT_ALONE).expect("overwritten");
    let calls = [
        ("get_observations", json!({"ids": [200]})),
        ("timeline", json!({"anchor": 200})),
        ("recent_context", json!({})),
        ("session_trace", json!({"session_id": "s-1"})),
        ("file_history", json!({"file_path": "/api/a.rs"})),
    ];
    let place = dir.path().to_string_lossy().into_owned();
    for (operation, params) in calls {
        let caller = Caller::new(Surface::Mcp, Timestamp::from_millis(START * 1_000));
        let fault = memory.call(&caller, operation, params).expect_err("damaged");
        assert_eq!(fault.kind, FaultKind::Internal, "{operation}: {fault:?}");
        let said = fault.to_json().to_string();
        for detail in [place.as_str(), "nudge.db", "SELECT", "secret plan", "sqlite"] {
            assert!(!said.contains(detail), "{operation} says {detail}: {said}");
        }
    }
}
