//! What was captured, read back: what lies around a moment, what is newest, what a session and a file hold.

mod around;
mod file;
mod glimpse;
mod names;
mod session;
mod whereabouts;

pub use file::FileTouch;
pub use glimpse::Glimpse;
pub use session::{TracedObservation, Window};

pub(crate) use around::{OBSERVATIONS_AFTER, OBSERVATIONS_BEFORE, PROMPTS_AFTER, PROMPTS_BEFORE};
pub(crate) use file::TOUCHES;
pub(crate) use glimpse::{FIRST_FILE, NEWEST_PROMPTS, OF_KIND, OF_SESSION, PROMPTS_OF_SESSION, SCOPE_OF};
pub(crate) use session::{TRACE_OBSERVATIONS, TRACE_PROMPTS};
pub(crate) use whereabouts::{BEGAN_IN, LATELY_AT_WORK, NEWEST_PROVENANCES, WAS_THERE};
