//! Checks that the process at the other end of a Unix socket belongs to the same user.

use std::io;
use std::os::unix::net::UnixStream;

/// Rejects a peer of another user. The kernel supplies the answer, not the peer.
pub fn check(stream: &UnixStream) -> io::Result<()> {
    let theirs = uid_of(stream)?;
    let ours = rustix::process::geteuid().as_raw();
    if theirs == ours {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("the peer runs as user {theirs}, this process as user {ours}"),
    ))
}

#[cfg(target_os = "linux")]
fn uid_of(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// On other systems, checks the owner of the socket file; `run/` admits nobody else anyway.
#[cfg(not(target_os = "linux"))]
fn uid_of(stream: &UnixStream) -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    let (peer, local) = (stream.peer_addr()?, stream.local_addr()?);
    let path = peer.as_pathname().or_else(|| local.as_pathname());
    let path = path.ok_or_else(|| io::Error::new(io::ErrorKind::PermissionDenied, "the peer has no name"))?;
    Ok(std::fs::metadata(path)?.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_let_in() {
        let (one, _other) = UnixStream::pair().expect("socket pair");
        assert!(check(&one).is_ok());
    }
}
