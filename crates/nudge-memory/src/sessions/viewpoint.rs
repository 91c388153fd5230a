//! Where somebody stands who looks at what goes on in a project.

use nudge_store::SessionId;

/// A session, and the worktree it works in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Viewpoint<'s> {
    /// The session; `None` when somebody only looks.
    pub session: Option<SessionId>,
    /// The worktree, when that is not the main one.
    pub worktree: Option<&'s str>,
}
