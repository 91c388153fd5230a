//! How a command ends: exit codes that scripts rely on, and what leads to them.

use nudge_core::{Fault, FaultKind};

/// The exit codes, as `nudge --help` lists them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok,
    /// Failed.
    Failed,
    /// The command line is wrong. Clap uses the same number.
    Usage,
    /// No such hint, or none that applies.
    NotFound,
}

impl Exit {
    /// The number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
        }
    }
}

/// Why a command did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be done.
    Fault(Fault),
    /// It was not asked for rightly, in a way that only its arguments together show.
    Usage(String),
}

impl Failure {
    /// The exit code it leads to.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Fault(fault) if fault.kind == FaultKind::NotFound => Exit::NotFound,
            Self::Fault(_) => Exit::Failed,
            Self::Usage(_) => Exit::Usage,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
