//! Whether a store can be written here, and if not, why.

use std::fmt;

/// What a store may be used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads and writes.
    ReadWrite,
    /// Reads only; a write is refused with the reason.
    ReadOnly {
        /// Why.
        reason: ReadOnlyReason,
    },
}

/// Why a store is only read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The directory or the file cannot be written by this process, as in an agent's sandbox.
    HomeNotWritable,
    /// The database was written by a newer version of the program.
    NewerSchema {
        /// The schema version found.
        found: i64,
        /// The newest one this program knows.
        known: i64,
    },
    /// Whoever opened it asked for that.
    Asked,
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HomeNotWritable => f.write_str("its directory cannot be written by this process"),
            Self::NewerSchema { found, known } => {
                write!(f, "it has schema {found} and this program knows up to {known}")
            }
            Self::Asked => f.write_str("it was opened for reading"),
        }
    }
}
