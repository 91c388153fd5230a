//! Whether a store can be written here, and if not, why.

use std::fmt;

/// What a store may be used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads and writes.
    ReadWrite,
    /// Reads only; a write is rejected with the reason.
    ReadOnly {
        /// Why.
        reason: ReadOnlyReason,
    },
}

/// Why a store is read-only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// This process cannot write the directory or the file, for example in an agent's sandbox.
    HomeNotWritable,
    /// The database was written by a newer version of the program.
    NewerSchema {
        /// The schema version found.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The caller asked for it.
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
