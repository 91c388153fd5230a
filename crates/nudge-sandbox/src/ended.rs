//! How a command ended, or why it could not be run.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::level::Support;

/// Where a piece of output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Why a command was ended before it ended itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The caller cancelled it.
    Cancelled,
    /// It took longer than it may.
    Time,
    /// Its processes used more memory than they may.
    Memory,
    /// It had more processes and threads than it may.
    Processes,
    /// The project grew by more than it may.
    Growth,
}

/// A protected file or directory that the command made or changed, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What it made or changed.
    pub path: PathBuf,
    /// What became of it.
    pub action: Action,
}

/// What became of a protected file that a command made or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It was renamed, so that no program reads it.
    Moved(PathBuf),
    /// It was removed, because one was moved before.
    Removed,
    /// It is still there: only a person can tell whether it is right.
    Left,
}

/// A command that ran to its end, or was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The exit status, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Why it was stopped, if it was.
    pub stopped_by: Option<Stop>,
    /// From its start to the end of its last process.
    pub duration: Duration,
    /// Bytes of standard output, with those that were dropped.
    pub out_bytes: u64,
    /// Bytes of standard error, with those that were dropped.
    pub err_bytes: u64,
    /// Whether output was dropped.
    pub cut: bool,
    /// Protected files that it made or changed.
    pub refused: Vec<Refused>,
    /// What held it.
    pub held_by: Support,
}

/// Why a command could not be run, or its end is not known.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The plan contradicts itself.
    #[error("{0}")]
    Plan(String),
    /// The program of the stages cannot be started.
    #[error("cannot start the sandbox with {path}: {source}")]
    Start {
        /// The program.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The sandbox cannot be set up; the command was not started.
    #[error("cannot set up the sandbox: {0}")]
    SetUp(String),
    /// Somebody killed the sandbox; the command ended with it.
    #[error("the sandbox was killed, and the command with it")]
    Lost,
    /// Commands cannot be run on this system.
    #[error("{0}")]
    Unsupported(String),
}
