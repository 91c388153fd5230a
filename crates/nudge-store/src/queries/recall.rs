//! Reads back what was captured: around a point in time, the newest, by session and by file.

mod around;
mod file;
mod names;
mod row_head;
mod session;
mod whereabouts;

pub use file::FileTouch;
pub use row_head::RowHead;
pub use session::{TracedObservation, Window};

pub(crate) use around::{OBSERVATIONS_AFTER, OBSERVATIONS_BEFORE, PROMPTS_AFTER, PROMPTS_BEFORE};
pub(crate) use file::TOUCHES;
pub(crate) use row_head::{FIRST_FILE, NEWEST_PROMPTS, OF_KIND, OF_SESSION, PROMPTS_OF_SESSION, SCOPE_OF};
pub(crate) use session::{TRACE_OBSERVATIONS, TRACE_PROMPTS};
pub(crate) use whereabouts::{BEGAN_IN, LATELY_AT_WORK, NEWEST_PROVENANCES, WAS_THERE};
