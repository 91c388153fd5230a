//! Reads back what was captured: around a point in time, the newest, by session and by file.

mod row_head;
mod session;
mod whereabouts;

pub use row_head::RowHead;
pub use session::{FileTouch, TracedObservation, Window};

pub(crate) use row_head::{
    FIRST_FILE, NEWEST_PROMPTS, OBSERVATIONS_AFTER, OBSERVATIONS_BEFORE, OF_KIND, OF_SESSION, PROMPTS_AFTER,
    PROMPTS_BEFORE, PROMPTS_OF_SESSION, SCOPE_OF,
};
pub(crate) use session::{FILE_TOUCHES, TRACE_OBSERVATIONS, TRACE_PROMPTS};
pub(crate) use whereabouts::{BEGAN_IN, LATELY_AT_WORK, NEWEST_PROVENANCES, WAS_THERE};
