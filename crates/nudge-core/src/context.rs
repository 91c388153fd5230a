//! The place of a caller: the facts that conditions are checked against, and its machine.

use std::collections::BTreeMap;

/// The operating systems that hints can distinguish.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Os {
    /// Linux.
    Linux,
    /// macOS.
    Darwin,
    /// Windows.
    Windows,
}

impl Os {
    /// All systems, in listing order.
    pub const ALL: [Self; 3] = [Self::Linux, Self::Darwin, Self::Windows];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Darwin => "darwin",
            Self::Windows => "windows",
        }
    }

    /// The system with that name; also accepts the names that `uname` and Rust use.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "linux" => Some(Self::Linux),
            "darwin" | "macos" => Some(Self::Darwin),
            "windows" | "windows_nt" => Some(Self::Windows),
            _ => None,
        }
    }
}

/// What is known about the caller's environment variables.
///
/// Only names that conditions mention are ever requested, so a remote caller starts with nothing
/// and adds the values it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvView {
    /// Nothing is known: a condition on the environment fails.
    Absent,
    /// The whole environment: a missing name is unset.
    Complete(BTreeMap<String, String>),
    /// The values known so far; `None` is known to be unset, a missing name must be requested.
    Partial(BTreeMap<String, Option<String>>),
}

impl EnvView {
    /// The value of a name, if it is known to be set.
    pub fn get(&self, name: &str) -> Option<&str> {
        match self {
            Self::Absent => None,
            Self::Complete(values) => values.get(name).map(String::as_str),
            Self::Partial(values) => values.get(name).and_then(Option::as_deref),
        }
    }

    /// Whether this name must be requested from the caller before a condition on it can be decided.
    pub fn must_ask(&self, name: &str) -> bool {
        matches!(self, Self::Partial(values) if !values.contains_key(name))
    }
}

/// The runtime facts of a caller. A condition on a missing fact fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The working directory, absolute.
    pub cwd: Option<String>,
    /// The repository, as its remote's address or `file://…`.
    pub repo: Option<String>,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// The operating system.
    pub os: Option<Os>,
    /// The environment, as far as it is known.
    pub env: EnvView,
    /// Files open in the editor; used for ranking, never a condition.
    pub files_open: Vec<String>,
}

impl Context {
    /// A caller about which nothing is known.
    pub const fn unknown() -> Self {
        Self { cwd: None, repo: None, branch: None, os: None, env: EnvView::Absent, files_open: Vec::new() }
    }
}

/// A machine and its current boot, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostIdentity {
    /// The machine's id.
    pub machine: Option<String>,
    /// The id of its current boot.
    pub boot: Option<String>,
}
