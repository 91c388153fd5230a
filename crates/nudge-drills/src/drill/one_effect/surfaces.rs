//! All ways to call Nudge that are compared.

use super::command_line::CommandLine;
use super::http::Rpc;
use super::stdio::Stdio;
use super::surface::Surface;
use super::tag::Tags;
use super::web_socket::Ws;
use crate::stage::Home;

/// Opens a surface in an empty home.
type Open = fn(&Home) -> anyhow::Result<Box<dyn Surface>>;

/// All five. The first is the one that the others are compared with.
pub(super) const ALL: [Open; 5] = [
    |home| Ok(Box::new(Stdio::open(home)?)),
    |home| Ok(Box::new(Rpc::open(home)?)),
    |home| Ok(Box::new(Ws::open(home)?)),
    |home| Ok(Box::new(CommandLine::open(home))),
    |home| Ok(Box::new(Tags::open(home)?)),
];
