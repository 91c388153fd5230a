//! Runs a command that a person accepted, where it can reach its project and little else, and
//! leaves nothing of it running.
//!
//! [`run`] takes a [`Plan`]. [`level()`] says what holds a command on this machine; a plan names
//! the level, and a run never falls below it. The program is executed again for two stages, so that
//! nothing runs between `fork` and `exec` in a process with threads:
//!
//! - The **supervisor** makes the namespaces, waits, and measures. When the caller's end of its
//!   socket closes, because the caller cancelled, ended or was killed, it ends everything.
//! - The **first process** of the new PID namespace builds the file system, gives up every right,
//!   starts the shell, and reaps. It dies with the supervisor, and the kernel kills everything in
//!   the namespace with it.
//!
//! Without namespaces the two stages stay and adopt orphans, so that they find every process.
//!
//! # Protected names
//!
//! `.git`, settings of agents and editors, and other files that make programs run something are
//! mounted read-only where they exist. Those that do not exist cannot be mounted over. An empty
//! file in their place would be seen in the project by everyone, and would stay after a crash. So
//! the supervisor watches the top directory instead: as soon as such a name comes into being it is
//! renamed to `NAME.refused`, which no program reads, and the result says so. Nothing is lost,
//! nothing is left over, and the name exists for less than a millisecond.
//!
//! # What it costs
//!
//! `nudge-sandbox-stage measure` runs `true` a hundred times at each level, beside `sh -c true`
//! (0.5 ms). On two cores that others kept busy, Full added 6 ms at best and 27 ms in the middle,
//! Landlock 6 and 25, None 5 and 27: two more programs start one after the other and wait for a
//! core. Of the rest most is the end of the watch over the project's directory, which waits for the
//! kernel.
//!
//! # What it does not hold
//!
//! - A right to the network is one to everything that listens on the machine, and before Linux 6.12
//!   to sockets without a file.
//! - Names further down than the project's top directory can be made; the result names them.
//! - A protected file that has a second name in the project (a hard link) can be changed by it.
//! - Run as the system's root, a command is still the owner of what root owns in the project and in
//!   what is shown, but has none of root's capabilities.
//! - A hole in the kernel.

mod ended;
mod level;
#[cfg(target_os = "linux")]
mod linux;
mod plan;
mod system;

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;

pub use ended::{Action, Channel, Ended, Failed, Refused, Stop};
pub use level::{Level, Support};
pub use plan::{Limits, Plan, Program, Rights, is_protected};

/// The best that holds a command on this machine, and not more than `at_most`.
///
/// Found out by running `true` in it, once per process.
pub fn level(program: &Program, at_most: Level) -> Support {
    system::level(program, at_most)
}

/// Runs a command to its end, or until it is stopped, and gives its output away as it comes.
///
/// Blocks. Set `cancel` to stop it. When this returns, no process of the command is left.
pub fn run(
    plan: &Plan,
    program: &Program,
    cancel: &AtomicBool,
    on_output: impl FnMut(Channel, &[u8]),
) -> Result<Ended, Failed> {
    system::run(plan, program, cancel, on_output)
}

/// The command that starts a companion: a program with its arguments that serves the caller, who
/// sets its environment, directory and pipes. Nothing holds it, but on Linux it ends with all its
/// processes when the caller closes the other end of its standard error, or is killed. What comes
/// from there says how it ended; its own errors are dropped.
pub fn companion(program: &Program, words: &[OsString]) -> Command {
    system::companion(program, words)
}

/// Does the work of a stage; `None` if the words after the program's hidden argument name none.
pub fn stage(args: &[OsString]) -> Option<ExitCode> {
    system::stage(args)
}
