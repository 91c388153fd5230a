//! The viewpoint from which a project's activity is shown.

use nudge_store::SessionId;

/// A session, and the worktree it works in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Viewpoint<'s> {
    /// The session; `None` for a viewer without one.
    pub session: Option<SessionId>,
    /// The worktree, if it is not the main one.
    pub worktree: Option<&'s str>,
}
