//! Hypotheses: what an agent tries, what it expects, and how that ended.
//!
//! A hypothesis is an entry `ghap://<id>` of its project: goal, hypothesis, action, prediction. A
//! session has one at a time. Its agent resolves it, or a run that it names. Resolved ones are
//! experiences: they are searched along four axes, grouped, summarised as values, and shown before
//! the same mistake is made again.

mod adopt;
mod check_in;
mod experiences;
mod judge;
mod likeness;
mod list;
mod premortem;
mod record;
mod resolve;
mod start;
mod stored;
mod values;

pub use adopt::{AbandonOrphan, AbandonOrphanParams, AdoptOrphan, GetOrphan, OrphanAnswer, OrphanParams};
pub(crate) use check_in::{CALLS_BETWEEN_CHECK_INS, count_tool};
pub use check_in::{
    CheckInAnswer, CheckInParams, IncrementToolCount, ResetToolCount, ShouldCheckIn, ToolCount,
};
pub use experiences::{
    Experience, ExperienceGroup, Experiences, ExperiencesParams, GroupExperiences, GroupsAnswer,
    GroupsParams, SearchExperiences,
};
pub(crate) use judge::{judge, outcome_of_run};
pub use list::{ActiveGhap, GetActiveGhap, GhapList, ListGhap, ListGhapParams, ListedGhap};
pub use premortem::{Premortem, PremortemAnswer, PremortemParams};
pub use record::{Axis, GhapLesson, GhapOutcome, GhapRecord, GhapRootCause, Iteration, Word};
pub use resolve::{ResolveGhap, ResolveGhapParams};
pub use start::{GhapAnswer, StartGhap, StartGhapParams, UpdateGhap, UpdateGhapParams};
pub(crate) use stored::{Stored, active_of, hypotheses_in, of_session, orphans_of, ruled_out};
pub(crate) use values::values_in;
pub use values::{
    ListValues, StoreValue, StoreValueAnswer, ValidateValue, ValidationAnswer, ValueFit, ValueParams,
    ValueView, ValuesAnswer, ValuesParams,
};

use crate::operation::Operation;

/// The operations on hypotheses, experiences and values.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<StartGhap>(),
    Operation::of::<ResolveGhap>(),
    Operation::of::<UpdateGhap>(),
    Operation::of::<GetActiveGhap>(),
    Operation::of::<ListGhap>(),
    Operation::of::<GetOrphan>(),
    Operation::of::<AdoptOrphan>(),
    Operation::of::<AbandonOrphan>(),
    Operation::of::<SearchExperiences>(),
    Operation::of::<GroupExperiences>(),
    Operation::of::<ValidateValue>(),
    Operation::of::<StoreValue>(),
    Operation::of::<ListValues>(),
    Operation::of::<Premortem>(),
];

/// The operations on check-ins, which surfaces show after those on sessions.
pub const CHECK_IN_OPERATIONS: &[Operation] = &[
    Operation::of::<ShouldCheckIn>(),
    Operation::of::<IncrementToolCount>(),
    Operation::of::<ResetToolCount>(),
];
