//! Why a file was not read or changed.

use std::io;

use super::facts::Kind;
use super::path::OutsideRoot;

/// Why a file was not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path may not be touched.
    #[error(transparent)]
    Outside(#[from] OutsideRoot),
    /// There is no such file.
    #[error("{path} does not exist")]
    Missing {
        /// The file.
        path: String,
    },
    /// The target of a rename exists.
    #[error("{path} exists already")]
    Exists {
        /// The file.
        path: String,
    },
    /// The file is not what the caller expects: another content, gone, or there already.
    #[error("{path} has changed since it was read")]
    Changed {
        /// The file.
        path: String,
    },
    /// The file or one of its directories is a symbolic link, which is never followed.
    #[error("{path} is a symbolic link or lies behind one; links are not followed")]
    Link {
        /// The file.
        path: String,
    },
    /// A part of the path that should be a directory is a file.
    #[error("a directory of {path} is not a directory")]
    NotADirectory {
        /// The file.
        path: String,
    },
    /// It is a directory, a pipe, a socket or a device.
    #[error("{path} is {kind}, not a file")]
    NotAFile {
        /// The file.
        path: String,
        /// What it is.
        kind: Kind,
    },
    /// The file is marked as read-only.
    #[error("{path} is marked read-only")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// It is not text.
    #[error("{path} is binary: {why}")]
    Binary {
        /// The file.
        path: String,
        /// How that is known.
        why: &'static str,
    },
    /// It is larger than the caller allows.
    #[error("{path} is larger than {limit} bytes")]
    TooLarge {
        /// The file.
        path: String,
        /// The limit of the caller.
        limit: u64,
    },
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// A short code for programs.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Outside(outside) => outside.reason(),
            Self::Missing { .. } => "file_missing",
            Self::Exists { .. } => "file_exists",
            Self::Changed { .. } => "file_changed",
            Self::Link { .. } => "file_link",
            Self::NotADirectory { .. } => "file_parent_not_a_directory",
            Self::NotAFile { .. } => "file_not_regular",
            Self::ReadOnly { .. } => "file_read_only",
            Self::Binary { .. } => "file_binary",
            Self::TooLarge { .. } => "file_too_large",
            Self::Io { .. } => "file_io",
        }
    }
}

/// Why one step failed, before the path is known.
#[derive(Debug)]
pub(super) enum Fail {
    Missing,
    Exists,
    Link,
    NotADirectory,
    Kind(Kind),
    Io(io::Error),
}

impl Fail {
    /// The error of a file.
    pub(super) fn at(self, path: &str) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Missing => FileError::Missing { path },
            Self::Exists => FileError::Exists { path },
            Self::Link | Self::Kind(Kind::Link) => FileError::Link { path },
            Self::NotADirectory => FileError::NotADirectory { path },
            Self::Kind(kind) => FileError::NotAFile { path, kind },
            Self::Io(source) => FileError::Io { path, source },
        }
    }
}

impl From<io::Error> for Fail {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            io::ErrorKind::IsADirectory => Self::Kind(Kind::Directory),
            _ => Self::Io(error),
        }
    }
}
