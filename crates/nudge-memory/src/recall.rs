//! Recall: finds captured events again.

mod candidates;
mod entry_ref;
mod file_history;
mod get_observations;
mod keep;
mod kind_filter;
mod list_sessions;
mod observation;
mod place;
mod preview;
mod recent_context;
mod score;
mod search;
mod session_trace;
mod snippet;
mod source;
mod timeline;
mod truncate;
mod unindexed;
mod unix_time;

pub use entry_ref::EntryRef;
pub use file_history::{FileHistory, FileHistoryAnswer, FileHistoryParams, FileSession, Touch};
pub use get_observations::{GetObservations, GetObservationsParams};
pub use list_sessions::{ListSessions, ListSessionsParams, ListedSession};
pub use observation::Observation;
pub use place::ProjectParam;
pub use recent_context::{RecentContext, RecentContextParams, ScoredObservation};
pub use search::{Mode, OrderBy, Search, SearchAnswer, SearchParams, SearchRow, Withheld};
pub use session_trace::{SessionTrace, SessionTraceAnswer, SessionTraceParams, TraceRow, TracedPrompt};
pub use timeline::{Timeline, TimelineAnswer, TimelineParams};

pub use keep::{LONG_TAIL, index_is_free};
pub use nudge_index::{Progress as IndexProgress, State as IndexState};
pub(crate) use observation::given as observations;
pub(crate) use place::{Asked, projects_meant};
pub(crate) use search::{Match, Searching, failed as search_failed, shared, stated};
pub(crate) use session_trace::{session_among, session_called};
pub(crate) use snippet::{SnippetSource, error_line, snippet};
pub(crate) use source::Snapshot;
pub(crate) use unindexed::document as statement_document;
pub(crate) use unix_time::seconds;

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
