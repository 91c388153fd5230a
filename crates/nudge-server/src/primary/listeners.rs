//! PRIMARY's listeners: its loopback port and its Unix socket.

use std::net::TcpListener;
use std::path::PathBuf;

use nudge_core::{Fault, FaultKind};
use tokio::net::UnixListener;

use super::identity::Port;
use super::port::{self, PortRequest};
use super::socket;
use crate::options::ServeOptions;
use nudge_client::state::ServerState;

/// How this process became PRIMARY; it decides what to do about a taken port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartedAs {
    /// It started first.
    Fresh,
    /// It replaced a PRIMARY that was last seen on this port. If the port is taken, it waits for
    /// it.
    Promoted {
        /// That port, if one was ever seen.
        port: Option<u16>,
        /// Whether that PRIMARY's memory ended with it. If not, the writes it acknowledged are in
        /// the store, and its successor serves the store whatever its own options say.
        after_ephemeral: bool,
    },
}

/// Port and socket, bound and not yet served.
pub(crate) struct Listeners {
    /// `None` while another process uses the port of record.
    pub(crate) listener: Option<TcpListener>,
    pub(crate) port: Port,
    pub(crate) socket: UnixListener,
    pub(crate) socket_path: PathBuf,
}

/// The previous PRIMARY's port, bound at once.
pub(crate) struct KeptPort(Option<TcpListener>, Port);

impl KeptPort {
    /// Binds the port that a promoted process takes over, before it does anything else, so that new
    /// connections wait instead of being refused. `None` for a process that starts first.
    pub(crate) fn bind(options: &ServeOptions, how: StartedAs) -> Option<Self> {
        match how {
            StartedAs::Fresh => None,
            StartedAs::Promoted { .. } => {
                take_port(options, how).ok().map(|(listener, port)| Self(listener, port))
            }
        }
    }
}

impl Listeners {
    /// Binds both, or neither.
    pub(crate) fn open(
        options: &ServeOptions,
        how: StartedAs,
        kept: Option<KeptPort>,
    ) -> Result<Self, Fault> {
        let (listener, port) = match kept {
            Some(KeptPort(listener, port)) => (listener, port),
            None => take_port(options, how)?,
        };
        let socket_path = options.home.secure_socket()?;
        let socket = socket::bind(&socket_path).map_err(|error| {
            let why = format!("cannot bind the socket {}: {error}", socket_path.display());
            Fault::new(FaultKind::Unavailable, "socket", why).because(error).next("run `nudge doctor`")
        })?;
        Ok(Self { listener, port, socket, socket_path })
    }
}

fn take_port(options: &ServeOptions, how: StartedAs) -> Result<(Option<TcpListener>, Port), Fault> {
    let recorded = ServerState::read(&options.home.state_file()).map(|state| state.port);
    if let StartedAs::Promoted { port, .. } = how
        && let Some(number) = port.or(recorded).filter(|number| *number != 0)
    {
        let listener = port::listen(number).ok();
        let pending = listener.is_none();
        return Ok((listener, Port { number, pending }));
    }
    let flag = options.port.filter(|_| how == StartedAs::Fresh);
    let listener = port::bind(PortRequest { flag, recorded, default: options.settings.port })?;
    let number = port::number(&listener);
    Ok((Some(listener), Port { number, pending: false }))
}
