//! A companion: a program of the user that serves this one. Nothing holds it, but it never outlives
//! its caller, and no process of it is left.
//!
//! The caller holds the other end of the stage's standard error. When it closes it or is killed,
//! the stage ends everything. What the stage writes there says how the program ended.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags};

use super::tree;
use super::wire::wait_for;
use crate::plan::Program;

/// The word that names the stage.
pub(super) const COMPANION: &str = "companion";

/// How often orphans are reaped.
const REAP: i64 = 1_000;

/// The command that starts a companion.
pub(crate) fn companion(program: &Program, words: &[OsString]) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).arg(COMPANION).args(words);
    command
}

/// Works until the program has ended or its caller is gone, and nothing of it is left.
pub(super) fn work(words: &[OsString]) -> ExitCode {
    // No file that somebody left open reaches the program.
    close_fds::set_fds_cloexec(3, &[]);
    // Leaves the caller's terminal.
    let _ = rustix::process::setsid();
    let ended = keep(words).unwrap_or_else(|error| format!("cannot be started: {error}"));
    let _ = writeln!(io::stderr(), "{ended}");
    ExitCode::SUCCESS
}

fn keep(words: &[OsString]) -> io::Result<String> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let mut child = Command::new(program).args(arguments).stderr(Stdio::null()).process_group(0).spawn()?;
    let ended = watch(&mut child);
    tree::end_descendants(|_, _| ());
    ended
}

/// Waits for the end of the program, or of the caller.
fn watch(child: &mut Child) -> io::Result<String> {
    let handle = rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let lifeline = io::stderr();
    loop {
        let fds = [PollFd::new(&handle, PollFlags::IN), PollFd::new(&lifeline, PollFlags::empty())];
        let [is_over, is_alone] = wait_for(fds.map(Some), REAP)?;
        if is_alone {
            return Ok("was ended".to_owned());
        }
        if is_over && let Some(status) = child.try_wait()? {
            return Ok(how(status));
        }
    }
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
