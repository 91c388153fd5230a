//! Review: the person decides on what agents proposed.

mod decide;
mod list;

pub use decide::{AcceptProposal, DecideParams, DecisionAnswer, DropProposal};
pub use list::{ListProposals, ProposalView, ProposalsAnswer, ProposalsParams};
