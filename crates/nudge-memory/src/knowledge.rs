//! Knowledge: what people and agents state on purpose, what is in force, and what is silenced.

mod correct;
mod forget;
mod knows;
mod remember;
mod revive;
mod silence;
mod target;

pub use correct::{CorrectParams, CorrectStatement};
pub use forget::{ForgetParams, ForgetStatement};
pub use knows::{Knows, KnowsAnswer, KnowsParams};
pub use remember::{Remember, RememberAnswer, RememberParams};
pub use silence::{Silence, SilenceAnswer, SilenceParams};
pub use target::ChangeAnswer;
