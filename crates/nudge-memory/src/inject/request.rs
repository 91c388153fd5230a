//! The request that something is gathered for: who, where and why.

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
    /// The session; `None` for a preview.
    pub(super) session: Option<SessionRow>,
    /// The worktree that the session is in.
    pub(super) worktree: Option<String>,
    /// The agent's working directory; `None` if unknown.
    pub(super) cwd: Option<String>,
    /// The directory that shown paths are relative to.
    pub(super) root: String,
    pub(super) trigger: Trigger,
    /// Whether the session got a block before and still has it.
    pub(super) has_block: bool,
    /// When the event happened.
    pub(super) at: Timestamp,
    /// The user's prompt, and the index to search; `None` if there was no prompt.
    pub(super) prompt: Option<PromptSearch<'r>>,
    /// The command that is about to run or has ended; `None` if the event is about no command.
    pub(super) command: Option<CommandAtHand>,
    pub(super) now: Timestamp,
}

/// A command at hand.
pub(super) struct CommandAtHand {
    pub(super) line: String,
    /// Its output when it failed.
    pub(super) output: String,
    /// Its test or build run, if it was one.
    pub(super) run: Option<Value>,
}

/// A prompt, and the index to search for its words.
pub(super) struct PromptSearch<'r> {
    pub(super) text: String,
    /// Pinned before the store is read: an index that is ahead of the store could not be used.
    pub(super) index: &'r Index,
}

impl InjectionRequest<'_> {
    /// Where the session is.
    pub(super) fn viewpoint(&self) -> Viewpoint<'_> {
        let session = self.session.as_ref().map(|session| session.id);
        Viewpoint { session, worktree: self.worktree.as_deref() }
    }

    /// A path relative to the root of the checkout, which is shorter.
    pub(super) fn shown(&self, path: &str) -> String {
        let within = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        within.filter(|rest| !rest.is_empty() && !self.root.is_empty()).unwrap_or(path).to_owned()
    }
}
