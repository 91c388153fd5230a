//! What holds a command on this machine.

use serde::{Deserialize, Serialize};

/// How well a command is held, from nothing to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing keeps it from what the person can do; it is only ended with all its processes.
    None,
    /// It has the person's processes and namespaces, but Landlock bounds which files it reaches.
    Landlock,
    /// It has its own users, mounts, network, processes and host name.
    Full,
}

/// What was found to hold a command on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// How well.
    pub level: Level,
    /// Whether Landlock bounds its files, alone or on top.
    pub landlock: bool,
    /// Whether seccomp refuses the kernel's dangerous calls.
    pub seccomp: bool,
    /// Whether it has its own `/proc`; without, `ps` and the like do not work.
    pub proc: bool,
    /// Whether the network is out of its reach unless it has a right to it.
    pub network_blocked: bool,
    /// One sentence that says so to a person, with the reason if it is not all.
    pub reason: String,
}

impl Support {
    /// Nothing, for this reason.
    pub(crate) fn none(reason: impl Into<String>) -> Self {
        Self {
            level: Level::None,
            landlock: false,
            seccomp: false,
            proc: false,
            network_blocked: false,
            reason: reason.into(),
        }
    }

    /// What a level is worth with these on top, in words.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(level: Level, landlock: bool, seccomp: bool, proc: bool) -> Self {
        let on_top = match (landlock, seccomp) {
            (true, true) => "Landlock and seccomp are on top",
            (true, false) => "Landlock is on top, seccomp is not",
            (false, true) => "seccomp is on top, Landlock is not",
            (false, false) => "neither Landlock nor seccomp is on top",
        };
        let mut reason = match level {
            Level::Full => format!("commands run in namespaces of their own; {on_top}"),
            Level::Landlock if seccomp => {
                "only Landlock and seccomp hold commands: other files and the network are out of reach, \
                 but .git and settings of agents in the project are only checked afterwards"
                    .to_owned()
            }
            Level::Landlock => {
                "only Landlock holds commands: other files are out of reach, the network is not \
                 blocked, and .git and settings of agents in the project are only checked afterwards"
                    .to_owned()
            }
            Level::None => "nothing holds commands: they can do what you can do".to_owned(),
        };
        if level == Level::Full && !proc {
            reason.push_str("; /proc is empty, because mounting it is refused here");
        }
        let network_blocked = level == Level::Full || (level == Level::Landlock && seccomp);
        Self { level, landlock, seccomp, proc, network_blocked, reason }
    }
}
