//! Sessions of agents: which one a call belongs to, how events change it, and its summary when it
//! is over.

mod activity;
mod announced;
pub(crate) mod call_session;
mod catch_up;
mod summarise;
pub mod summary;
mod touch;
mod viewpoint;

pub(crate) use catch_up::at_start as summarise_at_start;
pub(crate) use summarise::{over_before, summarise, summarise_due};
pub(crate) use touch::touch;
pub use viewpoint::Viewpoint;
