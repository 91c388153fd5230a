//! A minimal program that reads one entry: it opens the database, reads the row, prints it and
//! exits.
//!
//! `bare-get DB PATH`. The baseline for `nudge get` as a whole process.

#![allow(clippy::print_stdout, reason = "printing the row is what this program is for")]

use anyhow::Context;
use rusqlite::Connection;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let (db, path) = args.next().zip(args.next()).context("usage: bare-get DB PATH")?;
    #[expect(clippy::disallowed_methods, reason = "the yardstick is what a program without our door does")]
    let connection = Connection::open(db)?;
    connection.execute_batch("PRAGMA busy_timeout = 2000")?;
    let body: String =
        connection.query_row("SELECT body FROM entry WHERE path = ?1", [path], |row| row.get(0))?;
    println!("{body}");
    Ok(())
}
