//! Deletes from a store the sessions that a bench began, and the record of what was injected into
//! them.
//!
//! `forget-starts DB PREFIX`, for sessions with names that start with PREFIX. An entry that was
//! injected at recent starts and not used is paused for a while, and sessions in which nothing
//! happened displace the ones before them. Without this, a bench that begins hundreds of sessions
//! would soon measure starts that inject nothing.

use anyhow::Context;
use rusqlite::Connection;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let (db, prefix) = args.next().zip(args.next()).context("usage: forget-starts DB PREFIX")?;
    #[expect(clippy::disallowed_methods, reason = "no operation of the product does this, and none should")]
    let connection = Connection::open(db)?;
    connection
        .execute_batch("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF;")?;
    connection.execute("DELETE FROM injection", [])?;
    connection.execute(
        "UPDATE agent_session SET started_at = 0 WHERE name GLOB ?1 AND started_at > 0",
        [format!("{prefix}*")],
    )?;
    Ok(())
}
