//! Proposals: changes that wait for the user. Either an agent asked for a change that only the user
//! may make, or the user said something that sounds like a standing instruction.
//!
//! A proposal is an entry of its own (`proposal://…`). It is never searched. A change does nothing
//! until the user accepts it; what the user said in two sessions is in force without that.
//! Decisions are final: a dropped proposal does not come back.

mod content;
mod make;
mod propose;
mod stored;

pub use content::{Action, State};
pub(crate) use content::{CommandWanted, Edit, EntryChange, ProposalSubject, Words};
pub(crate) use make::{
    Change, StatementChange, make, make_for_command, make_for_entry, make_for_statement, make_unrequested,
};
pub use propose::{Kind, Proposed, UserWords, propose};
pub(super) use stored::proposal_of;
pub(crate) use stored::{
    Proposal, all, bring_back, by_id, forget_places, is_proposal, is_withdrawn, no_proposal, release_sayings,
    replace_old_words, set_state, settle,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change that waits for the user's decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalNote {
    /// Id of the proposal; absent if it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// `waiting`, or `dropped` if the user rejected the same change before.
    pub state: State,
    /// Why the change was not made.
    pub why: String,
    /// What to do now.
    pub next: String,
}
