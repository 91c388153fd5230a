//! Makes a store forget the sessions that a bench has begun, and what they were told.
//!
//! `forget-starts DB PREFIX`, for sessions whose names begin so. What was told at the last starts without being of use rests for a while, and
//! sessions in which nothing happened push those before them aside: a bench that begins hundreds would soon measure silence.

use anyhow::Context;
use rusqlite::Connection;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
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
