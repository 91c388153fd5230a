//! Review: the user decides on proposals.

mod accept;
mod decide;
mod list;
mod view;

pub use decide::{AcceptParams, AcceptProposal, DecideParams, DecisionAnswer, DropProposal};
pub use list::{ListProposals, ProposalsAnswer, ProposalsParams};
pub use view::{ProposalView, SayingView};
