//! Sessions of agents: which one a call belongs to, how events change it, and its summary when it
//! is over.

pub(crate) mod call_session;
mod outside;
mod summarise;
pub mod summary;
mod touch;
pub(crate) mod turns;

use nudge_store::SessionId;

pub(crate) use outside::{has_read_outside, note_outside};
pub(crate) use summarise::{at_start as summarise_at_start, over_before, summarise, summarise_due};
pub(crate) use touch::touch;

// The viewpoint from which a project's activity is shown.

/// A session, and the worktree it works in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Viewpoint<'s> {
    /// The session; `None` for a viewer without one.
    pub session: Option<SessionId>,
    /// The worktree, if it is not the main one.
    pub worktree: Option<&'s str>,
}
