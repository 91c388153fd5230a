//! Costs that must not grow with the store: every hot query walks an index, without sorting.

use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::db::options::{HostIdentity, Location, OpenOptions};
use crate::db::reader::Reader;

fn store(dir: &TempDir) -> Store {
    Store::open(&OpenOptions {
        location: Location::File(dir.path().join("nudge.db")),
        read_only: false,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(1),
        busy: Duration::from_secs(1),
        backups: None,
    })
    .expect("opens")
}

/// The plans of all statements that `run` prepares, one line per step.
fn plans(run: impl FnOnce(&Reader<'_>) -> Result<(), StoreError>) -> Vec<String> {
    let dir = TempDir::new().expect("a temporary directory");
    let store = store(&dir);
    fill(&store, 0, 200, SecretPolicy::Allow, Timestamp::from_millis(1)).expect("filled");
    store
        .read(|reader| {
            run(reader)?;
            let mut steps = Vec::new();
            for sql in reader.prepared.borrow().iter() {
                steps.extend(plan(reader.conn, sql));
            }
            Ok::<_, StoreError>(steps)
        })
        .expect("explained")
}

fn plan(conn: &Connection, sql: &str) -> Vec<String> {
    let mut explained = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a plan");
    let steps = explained.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<_, _>>();
    steps.expect("steps")
}

fn assert_walks(steps: &[String], indexes: &[&str]) {
    for step in steps {
        assert!(!step.starts_with("SCAN") && !step.contains("TEMP B-TREE"), "{steps:#?}");
    }
    for index in indexes {
        assert!(steps.iter().any(|step| step.contains(index)), "{index} is not used: {steps:#?}");
    }
}

#[test]
fn hot_queries_walk_an_index() {
    let now = Timestamp::from_millis(1);
    assert_walks(&plans(|reader| reader.entry(&Scope::Global, &path_of(7)).map(drop)), &["entry_path"]);
    assert_walks(&plans(|reader| reader.scopes_of(&path_of(7)).map(drop)), &["entry_path"]);
    assert_walks(&plans(|reader| reader.newest("log", 50).map(drop)), &["entry_newest"]);
    assert_walks(&plans(|reader| reader.hints_of_key("a", "b", now).map(drop)), &["hint_name"]);
    assert_walks(&plans(|reader| reader.finished_operation("x").map(drop)), &["PRIMARY KEY"]);
    let feed = plans(|reader| reader.feed_after(3, 50).map(drop));
    let positions = feed.iter().any(|step| step.contains("SEARCH f USING INTEGER PRIMARY KEY"));
    assert!(positions && !feed.iter().any(|step| step.contains("TEMP B-TREE")), "{feed:#?}");
}
