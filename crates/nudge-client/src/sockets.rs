//! Whether this process may use sockets. In a sandbox it may not.

use std::io;
use std::os::unix::net::UnixStream;

use rustix::io::Errno;

/// Whether a socket error means that the system forbids sockets, not that nobody listens.
pub fn is_barred(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
        || error.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error())
}

/// Creates a pair of connected sockets. If even that fails, no sockets are available.
pub fn probe() -> io::Result<()> {
    UnixStream::pair().map(|_| ())
}
