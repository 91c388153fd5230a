//! What was captured, read back: what lies around a moment, what is newest, what a session and a file hold.

mod around;
mod file;
mod glimpse;
mod names;
mod session;

pub use file::FileTouch;
pub use glimpse::Glimpse;
pub use session::{TracedObservation, Window};

pub(crate) use around::{OBSERVATIONS_AFTER, OBSERVATIONS_BEFORE, PROMPTS_AFTER, PROMPTS_BEFORE};
pub(crate) use file::TOUCHES;
pub(crate) use glimpse::{NEWEST_OF_KIND, NEWEST_OF_SESSION, NEWEST_PROMPTS, PROMPTS_OF_SESSION};
pub(crate) use session::{TRACE_OBSERVATIONS, TRACE_PROMPTS};
