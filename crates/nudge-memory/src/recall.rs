//! Recall: what was captured, found again.

mod candidates;
mod file_history;
mod fit;
mod get_observations;
mod keep;
mod observation;
mod place;
mod preview;
mod recent_context;
mod score;
mod search;
mod session_trace;
mod sort;
mod source;
mod timeline;
mod times;

pub use file_history::{FileHistory, FileHistoryAnswer, FileHistoryParams, FileSession, Touch};
pub use get_observations::{GetObservations, GetObservationsParams};
pub use observation::Observation;
pub use place::ProjectParam;
pub use recent_context::{RecentContext, RecentContextParams, ScoredObservation};
pub use search::{Mode, OrderBy, Search, SearchAnswer, SearchParams, SearchRow, Withheld};
pub use session_trace::{SessionTrace, SessionTraceAnswer, SessionTraceParams, TraceRow, TracedPrompt};
pub use timeline::{Timeline, TimelineAnswer, TimelineParams};

pub(crate) use keep::directory;
pub use keep::index_is_free;
pub use nudge_index::{Progress as IndexProgress, State as IndexState};
pub(crate) use place::Asked;
pub(crate) use session_trace::{session_among, session_called};

use nudge_core::Timestamp;
use serde_json::Value;

use crate::operation::Op;

/// The operations that give back texts of any length.
const WHOLE: [&str; 6] = [
    Search::NAME,
    GetObservations::NAME,
    Timeline::NAME,
    RecentContext::NAME,
    SessionTrace::NAME,
    FileHistory::NAME,
];

/// What an agent gets of an answer: as much of it as its program takes in one piece.
pub(crate) fn for_agents(operation: &str, answer: Value) -> Value {
    if WHOLE.contains(&operation) { fit::fitted(answer) } else { answer }
}

/// A tail this long is brought into the index by a process of its own when no server does it: scanning it takes some
/// 20 ms of each search.
pub const LONG_TAIL: usize = 2_000;

/// The time as it is on the wire.
pub(crate) const fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}
