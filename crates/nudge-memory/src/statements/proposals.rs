//! Proposals: what waits for the person. An agent asked for a change that only the person may make, or the person said
//! something that seems meant to hold.
//!
//! A proposal is an entry of its own (`proposal://…`). It is never searched. A change does nothing until the person accepts
//! it; what the person said in two sessions is in force without that. What is decided stays decided: a dropped proposal
//! does not come back.

mod bring_back;
mod content;
mod make;
mod propose;
mod settle;
mod stored;

pub(crate) use bring_back::bring_back;
pub use content::{Action, State};
pub(crate) use content::{Edit, Matter, Words};
pub(crate) use make::{Change, StatementChange, make, make_for_statement, make_of_seen};
pub use propose::{Kind, Proposed, Said, propose};
pub(crate) use settle::{is_given_up, release, replace_old_words, settle};
pub(super) use stored::proposal_of;
pub(crate) use stored::{
    Proposal, all, by_id, forget_holding, forget_places, is_proposal, no_proposal, set_state,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an agent is told whose change waits for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalNote {
    /// Its number in `nudge review`; absent when it was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// `waiting`, or `dropped` when the person has turned the same change down before.
    pub state: State,
    /// Why it was not done.
    pub why: String,
    /// What to do now.
    pub next: String,
}
