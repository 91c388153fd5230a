//! Stdin and stdout as the runtime reads and writes them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::transport::io::{StdioReader, StdioWriter, stdio, stdio_pipes};
use rustix::fs::FileType;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, Stdin, Stdout};
use tokio::net::UnixStream;

/// The client's end of stdin: pipes, which most programs use for their servers, or sockets, which
/// Node uses. Anything else is read on a separate thread, which costs a thread switch.
pub(super) enum Input {
    Pipe(StdioReader),
    Socket(UnixStream),
    Thread(Stdin),
}

/// The same for stdout.
pub(super) enum Output {
    Pipe(StdioWriter),
    Socket(UnixStream),
    Thread(Stdout),
}

/// Opens stdin and stdout.
pub(super) type Open = fn() -> (Input, Output);

/// Opens stdin and stdout without the runtime's driver, whatever they are.
pub(super) fn on_threads() -> (Input, Output) {
    let (input, output) = stdio();
    (Input::Thread(input), Output::Thread(output))
}

/// Opens stdin and stdout.
pub(super) fn open() -> (Input, Output) {
    let sockets =
        socket(std::io::stdin().as_fd()).and_then(|input| Some((input, socket(std::io::stdout().as_fd())?)));
    match sockets {
        Some((input, output)) => (Input::Socket(input), Output::Socket(output)),
        None => {
            let (input, output) = stdio_pipes();
            (Input::Pipe(input), Output::Pipe(output))
        }
    }
}

fn socket(fd: BorrowedFd<'_>) -> Option<UnixStream> {
    let found = rustix::fs::fstat(fd).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::Socket {
        return None;
    }
    let stream = std::os::unix::net::UnixStream::from(fd.try_clone_to_owned().ok()?);
    // A socket of another family has no such address.
    stream.local_addr().ok()?;
    stream.set_nonblocking(true).ok()?;
    UnixStream::from_std(stream).ok()
}

impl AsyncRead for Input {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buf),
            Self::Socket(socket) => Pin::new(socket).poll_read(cx, buf),
            Self::Thread(pipe) => Pin::new(pipe).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_write(cx, buf),
            Self::Socket(socket) => Pin::new(socket).poll_write(cx, buf),
            Self::Thread(pipe) => Pin::new(pipe).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_flush(cx),
            Self::Socket(socket) => Pin::new(socket).poll_flush(cx),
            Self::Thread(pipe) => Pin::new(pipe).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_shutdown(cx),
            Self::Socket(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Thread(pipe) => Pin::new(pipe).poll_shutdown(cx),
        }
    }
}
