//! Keeps databases open, or locks them against every other writer.
//!
//! `hold-store SPEC` with `{"databases": […]}` keeps them open until its input ends. With
//! `"exclusive_ms"` it takes the write lock of each, as a migration does, and releases it after
//! that time. Prints a line when it has the databases, and another when it has released them.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::json;

/// Hooks write all the time; a writer that waits this long gets its turn.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Spec {
    databases: Vec<PathBuf>,
    exclusive_ms: Option<u64>,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: hold-store SPEC")?)?;
    let held: Vec<Connection> = spec.databases.iter().map(open).collect::<anyhow::Result<_>>()?;
    match spec.exclusive_ms {
        Some(time) => {
            for connection in &held {
                connection.execute_batch("BEGIN EXCLUSIVE")?;
            }
            println!("{}", json!({"held": true}));
            std::thread::sleep(Duration::from_millis(time));
            for connection in &held {
                connection.execute_batch("COMMIT")?;
            }
        }
        None => {
            println!("{}", json!({"held": true}));
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
        }
    }
    println!("{}", json!({"held": false}));
    Ok(())
}

/// Opens the database and reads once; without a read nothing is open.
fn open(path: &PathBuf) -> anyhow::Result<Connection> {
    #[expect(clippy::disallowed_methods, reason = "plays a stranger who holds the store")]
    let connection = Connection::open(path)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}
