//! Checks whether a database is what this program writes: its schema, its numbers, its session.
//!
//! SQLite's own check finds damaged pages. It does not find an added trigger, a dropped table, or a
//! number that leaves no room for the next one.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};

use crate::db::error::StoreError;
use crate::db::memory_session;
use crate::db::migrate;
use crate::db::schema::{self, LATEST};

/// The largest stored number: 2^53 - 1, the last one that every JSON reader represents exactly.
pub(crate) const MAX_NUMBER: i64 = (1 << 53) - 1;

/// How much of a table's or trigger's name a message shows.
const MAX_NAME: usize = 64;

/// The stored numbers, each with a query for rows out of range.
const NUMBER_CHECKS: [(&str, &str); 6] = [
    ("an entry has an id", "SELECT EXISTS (SELECT 1 FROM entry WHERE id < 0 OR id > ?1)"),
    ("an entry has a version", "SELECT EXISTS (SELECT 1 FROM entry WHERE version < 1 OR version > ?1)"),
    (
        "a change has a feed position",
        "SELECT EXISTS (SELECT 1 FROM feed WHERE position < 0 OR position > ?1)",
    ),
    ("a change has a version", "SELECT EXISTS (SELECT 1 FROM feed WHERE version < 0 OR version > ?1)"),
    (
        "a feed reader has a position",
        "SELECT EXISTS (SELECT 1 FROM feed_reader WHERE position < 0 OR position > ?1)",
    ),
    (
        "a sequence has a value",
        "SELECT EXISTS (SELECT 1 FROM sqlite_sequence WHERE typeof(seq) <> 'integer' OR seq < 0 OR seq > ?1)",
    ),
];

/// Like [`NUMBER_CHECKS`], for a table that the schema has since its second version.
const HINT_NUMBERS: (&str, &str) =
    ("a hint has a use count", "SELECT EXISTS (SELECT 1 FROM hint WHERE use_count < 0 OR use_count > ?1)");

/// The problems of a database, one sentence each; none for a database of a newer program.
pub(crate) fn findings(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let version = schema::version(conn)?;
    if version > LATEST {
        return Ok(Vec::new());
    }
    let (mut findings, readable) = schema(conn, version)?;
    if readable {
        findings.extend(numbers(conn, version)?);
        if memory_session::is_unreadable(conn)? {
            findings.push("its session cannot be read".to_owned());
        }
    }
    Ok(findings)
}

/// The position up to which the feed was trimmed, if it is stored in a valid form.
pub(crate) fn feed_floor(conn: &Connection) -> Result<Option<i64>, StoreError> {
    let text: Option<Vec<u8>> = conn
        .prepare_cached("SELECT CAST(value AS BLOB) FROM meta WHERE key = 'feed_floor'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(text) = text else {
        return Ok(Some(0));
    };
    let floor = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    Ok(floor.filter(|floor| (0..=MAX_NUMBER).contains(floor)))
}

fn numbers(conn: &Connection, version: i64) -> Result<Vec<String>, StoreError> {
    let mut findings = Vec::new();
    let hints = (version > 1).then_some(HINT_NUMBERS);
    for (what, sql) in NUMBER_CHECKS.into_iter().chain(hints) {
        if conn.query_row(sql, [MAX_NUMBER], |row| row.get(0))? {
            findings.push(format!("{what} that is out of range"));
        }
    }
    if feed_floor(conn)?.is_none() {
        findings.push("the floor of its feed is out of range".to_owned());
    }
    Ok(findings)
}

/// How the schema differs from a fresh one of that version, and whether all tables can be read.
fn schema(conn: &Connection, version: i64) -> Result<(Vec<String>, bool), StoreError> {
    let (ours, found) = (objects(&migrate::fresh(version)?)?, objects(conn)?);
    let names: BTreeSet<&(String, String)> = ours.keys().chain(found.keys()).collect();
    let mut findings = Vec::new();
    let mut readable = true;
    for key @ (kind, name) in names {
        let difference = match (ours.get(key), found.get(key)) {
            (Some(ours), Some(found)) if ours == found => continue,
            (Some(_), Some(_)) => "is not the one this program makes",
            (Some(_), None) => "is missing",
            (None, _) => "does not belong there",
        };
        readable &= !matches!(kind.as_str(), "table" | "view");
        findings.push(format!("the {} `{}` {difference}", shown(kind), shown(name)));
    }
    Ok((findings, readable))
}

/// The objects of a schema by kind and name, with their table and their SQL.
type Objects = BTreeMap<(String, String), (String, String)>;

fn objects(conn: &Connection) -> Result<Objects, StoreError> {
    let mut listed = conn.prepare(
        "SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), ifnull(CAST(sql AS TEXT), '')
           FROM sqlite_schema",
    )?;
    let objects = listed.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?))))?;
    Ok(objects.collect::<Result<_, _>>()?)
}

/// A name from an untrusted file, made safe for a message.
fn shown(name: &str) -> String {
    name.chars().take(MAX_NAME).flat_map(char::escape_debug).collect()
}
