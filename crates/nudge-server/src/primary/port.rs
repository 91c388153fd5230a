//! Finds the loopback port.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use nudge_core::{Fault, FaultKind};

/// How many ports, starting from the default, are tried before any free one is used.
const MAX_NEIGHBOURS: u16 = 10;

/// How many connections may wait to be accepted; the system may lower this.
const MAX_WAITING: i32 = 1024;

/// The ports that a new PRIMARY prefers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortRequest {
    /// From the command line: this one or none.
    pub(crate) flag: Option<u16>,
    /// The previous PRIMARY's.
    pub(crate) recorded: Option<u16>,
    /// From the settings.
    pub(crate) default: u16,
}

/// Binds a port for a new PRIMARY. With a flag, only that port; else the recorded one, the default
/// and the ports after it, and finally any free one.
pub(crate) fn bind(request: PortRequest) -> Result<TcpListener, Fault> {
    if let Some(port) = request.flag {
        return listen(port).map_err(|error| taken(port, error));
    }
    let neighbours = (0..MAX_NEIGHBOURS).filter_map(|step| request.default.checked_add(step));
    let first_free = request.recorded.into_iter().chain(neighbours).find_map(|port| listen(port).ok());
    first_free.map_or_else(|| listen(0).map_err(none_free), Ok)
}

/// Binds exactly this port on the loopback address.
pub(crate) fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    listener.set_nonblocking(true)?;
    // The standard library queues 128. If more come at once, the system drops them, and their
    // senders retry a second later.
    rustix::net::listen(&listener, MAX_WAITING)?;
    Ok(listener)
}

/// The port of a bound listener.
pub(crate) fn number(listener: &TcpListener) -> u16 {
    listener.local_addr().map_or(0, |address| address.port())
}

fn taken(port: u16, error: io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "port_taken", format!("cannot use port {port}: {error}"))
        .because(error)
        .with("port", port)
        .next("choose another with --port, or remove --port to use a free one")
}

fn none_free(error: io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "no_port", format!("cannot bind a loopback port: {error}"))
        .because(error)
        .next("choose one with --port")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free() -> u16 {
        number(&listen(0).expect("a free port"))
    }

    #[test]
    fn a_named_port_is_taken_or_refused() {
        let squatter = listen(0).expect("a free port");
        let request = |flag| PortRequest { flag: Some(flag), recorded: None, default: 8765 };
        let fault = bind(request(number(&squatter))).expect_err("taken");
        assert_eq!(fault.reason, "port_taken");
        assert!(fault.next.expect("a way out").contains("--port"));
        let port = free();
        assert_eq!(number(&bind(request(port)).expect("free")), port);
    }

    #[test]
    fn the_recorded_port_comes_before_the_default() {
        let (recorded, default) = (free(), free());
        let bound = bind(PortRequest { flag: None, recorded: Some(recorded), default }).expect("bound");
        assert_eq!(number(&bound), recorded);
        let next = bind(PortRequest { flag: None, recorded: Some(recorded), default }).expect("bound");
        assert!((default..default.saturating_add(MAX_NEIGHBOURS)).contains(&number(&next)));
    }
}
