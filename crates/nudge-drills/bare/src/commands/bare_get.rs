//! A minimal program that reads one entry: it opens the database, reads the row, prints it and
//! exits.
//!
//! `bare-get DB PATH`. The baseline for `nudge get` as a whole process.

use anyhow::Context;
use rusqlite::Connection;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let (db, path) = args.next().zip(args.next()).context("usage: bare-get DB PATH")?;
    #[expect(clippy::disallowed_methods, reason = "the yardstick is what a program without our door does")]
    let connection = Connection::open(db)?;
    connection.execute_batch("PRAGMA busy_timeout = 2000")?;
    let body: String =
        connection.query_row("SELECT body FROM entry WHERE path = ?1", [path], |row| row.get(0))?;
    println!("{body}");
    Ok(())
}
