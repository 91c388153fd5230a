//! The MCP session with the client on stdin and stdout, and how it is served where no socket can be
//! opened.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use rmcp::ServiceExt;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio, stdio_pipes};
use rustix::fs::FileType;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, Stdin, Stdout};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::lines::Lines;
use super::{internal, workers};
use crate::ServeOptions;
use crate::backend::{Backend, Direct, Role};
use crate::mcp::{Handler, Stdio, Surroundings, Transport};

/// How long the client's calls may take when the server stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(3);

/// A client being served.
pub(super) struct Session {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Session {
    /// Starts to serve stdin and stdout, opened with `open`. Nothing else may write there from now
    /// on.
    pub(super) fn start(options: &ServeOptions, backend: Arc<Backend>, open: Open) -> Self {
        let cwd = nudge_home::surroundings::working_dir().unwrap_or_else(|_| "/".into());
        let known = Stdio::new(|name| std::env::var(name).ok(), Surroundings::new(cwd));
        let transport = Transport::Stdio(Arc::new(known));
        let handler = Handler::new(backend, transport, options.settings.profile, &options.version);
        let stop = CancellationToken::new();
        let task = tokio::spawn(converse(handler, open, stop.clone()));
        Self { task, stop }
    }

    /// Answers the pending calls and ends.
    pub(super) async fn finish(self) {
        self.stop.cancel();
        if !self.task.is_finished() && tokio::time::timeout(DRAIN_WITHIN, self.task).await.is_err() {
            tracing::warn!("calls of the client were still under way when the server stopped");
        }
    }
}

/// Waits for the client to disconnect; forever when there is none.
pub(super) async fn ended(session: &mut Option<Session>) {
    match session {
        Some(session) => {
            if let Err(error) = (&mut session.task).await {
                tracing::error!(%error, "serving the client failed");
            }
        }
        None => std::future::pending().await,
    }
}

async fn converse(handler: Handler, open: Open, stop: CancellationToken) {
    let (input, output) = open();
    match handler.serve_with_ct(Lines::new(input, output), stop).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the session with the client broke");
            }
        }
        // A client that disconnects before it initialises is not our failure.
        Err(error) => {
            tracing::debug!(kind = %std::any::type_name_of_val(&error), "no session with the client")
        }
    }
}

// Stdin and stdout as the runtime reads and writes them.

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
fn on_threads() -> (Input, Output) {
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

// Serves a client on stdio where no socket is available: directly from the store, by a process
// that is not PRIMARY.

/// Whether a server may run without port and socket: it has a client that needs neither, nobody
/// asked for a port, and others can reach its memory without it.
pub(super) fn is_possible(options: &ServeOptions, has_client: bool) -> bool {
    has_client && options.port.is_none() && !options.ephemeral
}

/// Whether a server may put off becoming PRIMARY until the disk has space again.
pub(super) fn is_possible_meanwhile(options: &ServeOptions, has_client: bool) -> bool {
    has_client && !options.ephemeral
}

/// Logs the reason, once.
pub(super) fn note(fault: &Fault) {
    tracing::warn!(
        reason = fault.reason,
        why = fault.message,
        "no port or no socket: the client is served on the store itself"
    );
}

/// Serves where the system denies every socket, even a connected pair. The runtime has no I/O
/// driver, which needs such a pair to receive signals; so the client's pipes have separate threads,
/// and a signal ends the process at once.
pub(super) fn serve_without_sockets(
    options: &ServeOptions,
    has_client: bool,
    error: &io::Error,
) -> Result<(), Fault> {
    let fault = no_sockets(error);
    if !is_possible(options, has_client) {
        return Err(fault);
    }
    note(&fault);
    let runtime = workers()
        .enable_time()
        .build()
        .map_err(|error| internal(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(async {
        let direct = Direct::new(options.home.clone(), options.settings.clone());
        let backend = Arc::new(Backend::new(Role::Direct, direct, true));
        ended(&mut Some(Session::start(options, backend, on_threads))).await;
    });
    runtime.shutdown_background();
    Ok(())
}

fn no_sockets(error: &io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "no_sockets", format!("cannot open a socket here: {error}")).next(
        "commands work without a server; so does `nudge serve` on stdio, without --port and --ephemeral",
    )
}
