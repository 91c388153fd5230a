//! Anchors: the places in files that a statement, a hint or a conclusion is about, and whether
//! those places have changed since.
//!
//! An anchor is made when the text is stored and checked when the text is read. Files are read,
//! never watched, and only hashes of their content are stored.

mod check;
mod make;
mod mention;

pub(crate) use check::{drift, drift_of};
pub(crate) use make::{anchors, around};

use serde::{Deserialize, Serialize};

/// The entry attribute that stores its anchors.
pub(crate) const ATTRIBUTE: &str = "anchors";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The file, relative to the root of the checkout.
    pub path: String,
    /// The lines the anchor covers; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The size of the file, in bytes, when the anchor was made.
    pub size: u64,
    /// When the file was last modified, in nanoseconds since the epoch.
    pub written: i64,
    /// When the anchor was made, in milliseconds since the epoch.
    pub made: i64,
    /// The commit that was checked out when the anchor was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A range of lines in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first line, counted from 1.
    pub line: usize,
    /// The number of lines.
    pub lines: usize,
    /// A hash of the lines, ignoring indentation.
    pub hash: i64,
    /// A hash of the first line alone. A moved span is searched for by it.
    pub first: i64,
}

/// Whether the place of an anchor has changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Freshness {
    /// Unchanged, though it may have moved within the file.
    Fresh,
    /// Changed.
    Drifted,
    /// The file no longer exists.
    Gone,
}

/// Only the metadata of a file larger than this is checked; the file is not read.
const READ_MOST: u64 = 256 * 1024;

/// The hash of some lines. Indentation and trailing whitespace are ignored.
fn hash(lines: &[&str]) -> i64 {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    nudge_outcomes::fingerprint(&trimmed)
}

#[cfg(test)]
mod tests;
