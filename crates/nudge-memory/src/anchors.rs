//! Anchors: the places in files that a statement, a hint or a conclusion is about, and whether they are still as they were.
//!
//! An anchor is made when the words are stored and checked when they are read. Files are read, never watched, and only
//! their hashes are kept.

mod check;
mod make;
mod mention;

pub(crate) use check::{drift, drift_of};
pub(crate) use make::{anchors, around};

use serde::{Deserialize, Serialize};

/// The attribute of an entry that holds its anchors.
pub(crate) const ATTRIBUTE: &str = "anchors";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The file, from the root of the checkout.
    pub path: String,
    /// The lines that count; absent where only the file itself does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The size of the file, in bytes, when the anchor was made.
    pub size: u64,
    /// When the file was last written, in nanoseconds since the epoch.
    pub written: i64,
    /// When the anchor was made, in milliseconds since the epoch.
    pub made: i64,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first, from 1.
    pub line: usize,
    /// How many.
    pub lines: usize,
    /// A hash of them, without their indentation.
    pub hash: i64,
    /// The same of the first of them, by which they are looked for.
    pub first: i64,
}

/// How the place of an anchor stands to what it was.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Freshness {
    /// It is as it was, wherever in its file it now stands.
    Fresh,
    /// It was changed.
    Drifted,
    /// Its file is not there.
    Gone,
}

/// A file longer than this is only looked at, not read.
const READ_MOST: u64 = 256 * 1024;

/// The hash of some lines. Indentation and trailing space do not count.
fn hash(lines: &[&str]) -> i64 {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    crate::fingerprint::of(&trimmed)
}

#[cfg(test)]
mod tests;
