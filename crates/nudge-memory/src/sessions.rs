//! Sessions of agents: what is known of each, and how events change it.

mod announced;
mod touch;
mod viewpoint;

pub(crate) use announced::is_announced;
pub(crate) use touch::touch;
pub use viewpoint::Viewpoint;
