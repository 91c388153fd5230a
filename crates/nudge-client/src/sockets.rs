//! Whether this process may have sockets. In a sandbox it may not.

use std::io;
use std::os::unix::net::UnixStream;

use rustix::io::Errno;

/// Whether a failure to make or use a socket is the system's ban, rather than nobody being there.
pub fn is_barred(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
        || error.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error())
}

/// Makes a pair of sockets that lead nowhere else. Where even that fails there are none at all.
pub fn probe() -> io::Result<()> {
    UnixStream::pair().map(|_| ())
}
