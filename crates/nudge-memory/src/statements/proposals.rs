//! Proposals: changes that an agent asked for and only the person may make.
//!
//! A proposal is an entry of its own (`proposal://…`). It is never searched, never injected, and changes nothing
//! until the person accepts it. What is decided stays decided: a dropped proposal does not come back.

mod make;
mod stored;

pub(crate) use make::{Change, make};
pub use stored::{Action, State};
pub(crate) use stored::{Proposal, all, by_id, forget_holding, forget_places, set_state};

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
