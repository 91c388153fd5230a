//! Recall: finds captured events again.

mod candidates;
mod file_history;
mod get_observations;
mod list_sessions;
mod observation;
mod overview;
mod place;
mod search;
mod session_trace;
mod snippet;
mod source;
mod truncate;
mod unindexed;
mod update_index;

pub use file_history::{FileHistory, FileHistoryAnswer, FileHistoryParams, FileSession, Touch};
pub use get_observations::{
    EntryRef, GetObservations, GetObservationsParams, Timeline, TimelineAnswer, TimelineParams,
};
pub use list_sessions::{
    ListSessions, ListSessionsParams, ListedSession, RecentContext, RecentContextParams, ScoredObservation,
};
pub use observation::Observation;
pub use overview::{LastStep, Overview, OverviewAnswer, OverviewParams, SessionCard};
pub use place::ProjectParam;
pub use search::{Mode, OrderBy, Search, SearchAnswer, SearchParams, SearchRow, Withheld};
pub use session_trace::{SessionTrace, SessionTraceAnswer, SessionTraceParams, TraceRow, TracedPrompt};

pub use nudge_index::{Progress as IndexProgress, State as IndexState};
pub(crate) use observation::{given as observations, unix_seconds};
pub(crate) use place::Asked;
pub use place::projects_meant;
pub(crate) use search::{Match, Searching, failed as search_failed, shared_words, stated_entries};
pub(crate) use session_trace::{session_among, session_called};
pub(crate) use snippet::{SnippetSource, error_line, part_of_result, snippet};
pub(crate) use source::{EntryKind, Snapshot};
pub(crate) use unindexed::document as statement_document;
pub use update_index::{LONG_TAIL, index_is_free};

use serde_json::Value;

use crate::operation::{Op, Operation};

/// The operations that find captured events.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Search>(),
    Operation::of::<GetObservations>(),
    Operation::of::<Timeline>(),
    Operation::of::<RecentContext>(),
    Operation::of::<ListSessions>(),
    Operation::of::<SessionTrace>(),
    Operation::of::<FileHistory>(),
    Operation::of::<Overview>(),
];

/// The operations that return texts of any length.
const WITH_WHOLE_TEXTS: [&str; 8] = [
    Search::NAME,
    GetObservations::NAME,
    Timeline::NAME,
    RecentContext::NAME,
    ListSessions::NAME,
    SessionTrace::NAME,
    FileHistory::NAME,
    Overview::NAME,
];

/// An answer cut for an agent: as much as its program accepts in one piece.
pub(crate) fn for_agents(operation: &str, answer: Value) -> Value {
    if WITH_WHOLE_TEXTS.contains(&operation) { truncate::fitted(answer) } else { answer }
}
