//! Knowledge: what people and agents state on purpose, what is in force, and what is silenced.

mod correct;
mod knows;
mod remember;

pub use correct::{ChangeAnswer, CorrectParams, CorrectStatement, ForgetParams, ForgetStatement};
pub use knows::{Knows, KnowsAnswer, KnowsParams, Silence, SilenceAnswer, SilenceParams};
pub use remember::{Remember, RememberAnswer, RememberParams};

use crate::operation::Operation;

/// The operations on statements.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Remember>(),
    Operation::of::<CorrectStatement>(),
    Operation::of::<ForgetStatement>(),
    Operation::of::<Knows>(),
    Operation::of::<Silence>(),
];
