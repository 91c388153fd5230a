//! Recall: finds captured events again.

mod candidates;
mod file_history;
mod get_observations;
mod keep;
mod list_sessions;
mod observation;
mod place;
mod search;
mod session_trace;
mod snippet;
mod source;
mod truncate;
mod unindexed;

pub use file_history::{FileHistory, FileHistoryAnswer, FileHistoryParams, FileSession, Touch};
pub use get_observations::{
    EntryRef, GetObservations, GetObservationsParams, Timeline, TimelineAnswer, TimelineParams,
};
pub use list_sessions::{
    ListSessions, ListSessionsParams, ListedSession, RecentContext, RecentContextParams, ScoredObservation,
};
pub use observation::Observation;
pub use place::ProjectParam;
pub use search::{Mode, OrderBy, Search, SearchAnswer, SearchParams, SearchRow, Withheld};
pub use session_trace::{SessionTrace, SessionTraceAnswer, SessionTraceParams, TraceRow, TracedPrompt};

pub use keep::{LONG_TAIL, index_is_free};
pub use nudge_index::{Progress as IndexProgress, State as IndexState};
pub(crate) use observation::{given as observations, unix_seconds};
pub(crate) use place::Asked;
pub use place::projects_meant;
pub(crate) use search::{Match, Searching, failed as search_failed, shared_words, stated_entries};
pub(crate) use session_trace::{session_among, session_called};
pub(crate) use snippet::{SnippetSource, error_line, snippet};
pub(crate) use source::Snapshot;
pub(crate) use unindexed::document as statement_document;

use serde_json::Value;

use crate::operation::Op;

/// The operations that return texts of any length.
const WHOLE: [&str; 7] = [
    Search::NAME,
    GetObservations::NAME,
    Timeline::NAME,
    RecentContext::NAME,
    ListSessions::NAME,
    SessionTrace::NAME,
    FileHistory::NAME,
];

/// An answer cut for an agent: as much as its program accepts in one piece.
pub(crate) fn for_agents(operation: &str, answer: Value) -> Value {
    if WHOLE.contains(&operation) { truncate::fitted(answer) } else { answer }
}
