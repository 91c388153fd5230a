//! For whom something is gathered, where and why.

use std::path::Path;

use nudge_context::Trigger;
use nudge_core::Timestamp;
use nudge_index::Index;
use nudge_store::{ProjectId, Reader, SessionRow};

use serde_json::Value;

use crate::sessions::Viewpoint;

/// A session that may get something now.
pub(super) struct InjectionRequest<'r> {
    pub(super) reader: &'r Reader<'r>,
    pub(super) project: ProjectId,
    /// The session; `None` when somebody only looks.
    pub(super) session: Option<SessionRow>,
    /// The worktree it stands in.
    pub(super) worktree: Option<String>,
    /// The directory that the agent stands in; `None` where that is not known.
    pub(super) cwd: Option<String>,
    /// The directory that paths are shown from.
    pub(super) root: String,
    pub(super) trigger: Trigger,
    /// Whether the session got a block before and still has it.
    pub(super) has_block: bool,
    /// When the event happened.
    pub(super) at: Timestamp,
    /// What the person said, and the index to search for it; `None` where nothing was said.
    pub(super) prompt: Option<Said<'r>>,
    /// The command that is about to run or has failed; `None` where it is about none.
    pub(super) command: Option<CommandAtHand>,
    pub(super) now: Timestamp,
}

/// A command at hand.
pub(super) struct CommandAtHand {
    pub(super) line: String,
    /// What it said when it failed.
    pub(super) output: String,
    /// What run it was, where it was one.
    pub(super) run: Option<Value>,
}

/// A prompt, and what is searched for its words.
pub(super) struct Said<'r> {
    pub(super) text: String,
    /// Taken before the store is looked at: an index that is ahead of it could not be used.
    pub(super) index: &'r Index,
}

impl InjectionRequest<'_> {
    /// Where the session stands.
    pub(super) fn viewpoint(&self) -> Viewpoint<'_> {
        let session = self.session.as_ref().map(|session| session.id);
        Viewpoint { session, worktree: self.worktree.as_deref() }
    }

    /// A path from the root of the checkout, which says as much for less.
    pub(super) fn shown(&self, path: &str) -> String {
        let within = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        within.filter(|rest| !rest.is_empty() && !self.root.is_empty()).unwrap_or(path).to_owned()
    }
}
