//! An entry as the packet sees it, and its cost against the limit: plain data, whatever store it
//! came from.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::scheme::Category;

/// An entry of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketEntry {
    /// Its path: `known://retry`, or the bare path of a file.
    pub path: String,
    /// Its scheme. Empty for a file.
    pub scheme: String,
    /// Its role.
    pub category: Category,
    /// How much of it the model sees.
    pub visibility: Visibility,
    /// Its status as an HTTP code.
    pub status: u16,
    /// Its stored state.
    pub state: EntryState,
    /// Why it failed or was cancelled.
    pub outcome: Option<String>,
    /// The turn of its last change.
    pub turn: u32,
    /// Its description, at most 80 characters.
    pub summary: Option<String>,
    /// Further attributes of its tag.
    pub attributes: Vec<(String, String)>,
    /// Its text.
    pub body: String,
    /// Whether the user typed the text.
    pub by_user: bool,
    /// Whether its scheme is for the model.
    pub model_visible: bool,
}

/// The status of a proposal that nobody has answered yet.
const PROPOSED_STATUS: u16 = 202;

impl PacketEntry {
    /// Whether the model gets anything of it.
    pub fn reaches_model(&self) -> bool {
        let is_proposed = self.status == PROPOSED_STATUS || self.state == EntryState::Proposed;
        self.model_visible
            && !is_proposed
            && self.category != Category::Audit
            && self.visibility != Visibility::Archived
    }

    /// Whether the model gets its whole body.
    pub fn is_visible(&self) -> bool {
        self.reaches_model() && self.visibility == Visibility::Visible
    }

    /// Whether its last operation failed.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.state, EntryState::Failed | EntryState::Cancelled)
    }

    /// Whether its body belongs to the system message: only a skill that the user added instructs.
    pub(super) fn is_skill(&self) -> bool {
        self.scheme == "skill" && self.by_user
    }
}

/// The cost of a packet against its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketTokens {
    /// The cost of the assembled bytes of both messages.
    pub usage: u32,
    /// What is left below the ceiling; 0 when the packet exceeds it.
    pub free: u32,
    /// The most that a packet may cost.
    pub ceiling: u32,
}

impl PacketTokens {
    /// The figures of a packet that costs this much.
    pub const fn new(usage: u32, ceiling: u32) -> Self {
        Self { usage, free: ceiling.saturating_sub(usage), ceiling }
    }
}
