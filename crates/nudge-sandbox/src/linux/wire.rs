//! What caller, supervisor and first process say to each other: lines of JSON on a socket, which is
//! the standard input of a stage. Its end means that the other side is gone.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ended::{Refused, Stop};
use crate::plan::Plan;

/// What a stage has to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) plan: Plan,
    /// What leads the program to its stages.
    pub(super) arguments: Vec<String>,
    /// Where the command may write beside its project; without namespaces, a directory of its own.
    pub(super) temporary: PathBuf,
    /// The protected names of the project's top directory that were there before.
    pub(super) protected: BTreeSet<String>,
}

/// What a stage tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The command is about to start, held by these.
    Ready { landlock: bool, signals: bool, seccomp: bool, proc: bool },
    /// It cannot be started.
    Failed(String),
    /// Protected files that it made or changed.
    Refused(Vec<Refused>),
    /// It is being stopped.
    Stopped(Stop),
    /// Its main process has ended.
    Ended { code: Option<i32>, signal: Option<i32> },
}

/// The socket to another stage.
pub(super) struct Link {
    socket: UnixStream,
    read: Vec<u8>,
}

impl Link {
    /// A link, and the other end of it for the standard input of a stage.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Self { socket: ours, read: Vec::new() }, theirs.into()))
    }

    /// The link that this stage was started with.
    pub(super) fn of_stage() -> io::Result<Self> {
        let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        Ok(Self { socket: socket.into(), read: Vec::new() })
    }

    pub(super) fn send(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        (&self.socket).write_all(&line)
    }

    /// The next message; `None` at the end. Waits for it.
    pub(super) fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(Some(message));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The next message that has already arrived.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some(end) = self.read.iter().position(|&byte| byte == b'\n') else { return Ok(None) };
        let line: Vec<u8> = self.read.drain(..=end).collect();
        Ok(Some(serde_json::from_slice(&line)?))
    }

    /// Reads what there is, or waits for it; `false` at the end.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.read.extend_from_slice(&buffer[..count]);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Tells the other side that nothing more comes, which ends the run.
    pub(super) fn close(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
    }

    pub(super) fn wanted(&self) -> PollFd<'_> {
        PollFd::new(&self.socket, PollFlags::IN)
    }
}

/// Waits until one of them is ready, and says which; none is after the time.
pub(super) fn wait_for<const N: usize>(
    fds: [Option<PollFd<'_>>; N],
    milliseconds: i64,
) -> io::Result<[bool; N]> {
    let time = Timespec { tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000 };
    let mut places = [None; N];
    let mut wanted = Vec::with_capacity(N);
    for (place, fd) in places.iter_mut().zip(fds) {
        if let Some(fd) = fd {
            *place = Some(wanted.len());
            wanted.push(fd);
        }
    }
    match poll(&mut wanted, Some(&time)) {
        Ok(_) => Ok(places.map(|place| place.is_some_and(|at| !wanted[at].revents().is_empty()))),
        Err(rustix::io::Errno::INTR) => Ok([false; N]),
        Err(error) => Err(error.into()),
    }
}

/// Waits to read, if there is something to read from.
pub(super) fn to_read<Fd: AsFd>(fd: Option<&Fd>) -> Option<PollFd<'_>> {
    fd.map(|fd| PollFd::new(fd, PollFlags::IN))
}
