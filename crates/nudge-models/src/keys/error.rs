//! What can be wrong with keys.

use std::path::PathBuf;

use crate::key::BadKey;
use crate::provider::Provider;

/// Why keys cannot be read or written. No variant contains a line of the file or a value.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The file cannot be read or written.
    #[error("keys file {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is a directory, a device or a pipe.
    #[error("keys file {0}: not a regular file")]
    NotAFile(PathBuf),
    /// Others may read it.
    #[error("keys file {path} has mode {mode:04o}, others may read it: run chmod 600 {path}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It belongs to someone else.
    #[error("keys file {0} belongs to another user: make it your own, or remove it")]
    Owner(PathBuf),
    /// It is too long for a file of keys.
    #[error("keys file {0} is longer than 64 KiB")]
    TooLong(PathBuf),
    /// A line is not TOML.
    #[error("keys file {path}, line {line}: write lines such as openai = \"key\"")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A line names no provider.
    #[error("keys file {path}, line {line}: no provider; the providers are {names}", names = Provider::names())]
    Provider {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A value cannot be a key.
    #[error("{place}: {source}")]
    Key {
        /// The variable, or the file and its line.
        place: String,
        /// What a key is.
        source: BadKey,
    },
}
