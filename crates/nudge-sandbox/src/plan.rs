//! What is to be run, what it may see and change, and how much it may use.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::level::Level;

/// A command and its surroundings. Everything that it can reach is named here; nothing of the
/// caller's environment, files or network is inherited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// How it is held. [`crate::level()`] says what this machine can do; a run never falls below
    /// the level that its plan names.
    pub level: Level,
    /// The shell text, as the person accepted it.
    pub command: String,
    /// The shell that reads it with `-c`, such as `/bin/sh`.
    pub shell: PathBuf,
    /// The project: writable, at its own path.
    pub root: PathBuf,
    /// Where the command starts; the root or a directory in it.
    pub directory: PathBuf,
    /// The person's home, which appears empty but for toolchains.
    pub home: PathBuf,
    /// What is never visible, even in the root or in a right: Nudge's own directory.
    pub hidden: Vec<PathBuf>,
    /// Further files and directories to read programs from.
    pub toolchains: Vec<PathBuf>,
    /// What the question named beyond the project, and the person accepted.
    pub rights: Rights,
    /// The environment, over the derived one (`PATH`, `HOME`, `LANG` and the like).
    pub env: Vec<(String, String)>,
    /// When it is stopped.
    pub limits: Limits,
}

/// What a command may reach beyond its project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// The network of the machine, instead of an own loopback.
    pub network: bool,
    /// Files and directories to read.
    pub read: Vec<PathBuf>,
    /// Files and directories to write. A protected one of the project loses its protection.
    pub write: Vec<PathBuf>,
}

/// When a command is stopped, or its writes fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time by the clock on the wall.
    pub time: Duration,
    /// Output of each channel. What exceeds it is read, counted and dropped.
    pub output_bytes: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// Memory of all processes together.
    pub memory_bytes: u64,
    /// What fits into `/tmp`, `/dev/shm`, `/run` and the home together.
    pub temporary_bytes: u64,
    /// By how much the project may grow, and how large a file may become.
    pub growth_bytes: u64,
}

impl Default for Limits {
    /// What a build or a test run of a medium project stays below.
    fn default() -> Self {
        Self {
            time: Duration::from_mins(10),
            output_bytes: 1 << 20,
            processes: 1024,
            memory_bytes: 4 << 30,
            temporary_bytes: 1 << 30,
            growth_bytes: 4 << 30,
        }
    }
}

/// The program that is executed again as a stage of the sandbox: usually the one that is running.
///
/// It is called as `path arguments… stage`, and must give the words after `arguments` to
/// [`crate::stage()`] before it does anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program; on Linux, `/proc/self/exe` means this one, even after an upgrade replaced it.
    pub path: PathBuf,
    /// What leads to [`crate::stage()`], such as `__sandbox`.
    pub arguments: Vec<String>,
}

/// Names in a project that make other programs run something: of version control, agents, editors
/// and shells. `CLAUDE.md`, `AGENTS.md` and build scripts are not among them: they are what a
/// command is there to change.
const PROTECTED: &[&str] = &[
    ".git",
    ".gitmodules",
    ".hg",
    ".jj",
    ".svn",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".opencode",
    ".github",
    ".mcp.json",
    ".envrc",
    ".vscode",
    ".idea",
    ".husky",
    ".pre-commit-config.yaml",
];

/// Whether a file or directory of this name is protected. Case is ignored, because some file
/// systems ignore it.
pub fn is_protected(name: &str) -> bool {
    let name = name.to_lowercase();
    PROTECTED.contains(&name.as_str()) || name.starts_with(".nudge")
}
