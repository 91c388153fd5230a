//! The operations, in the order in which every surface lists them. Each noun has its own list; only
//! this crate knows all nouns.

pub mod discover;
mod ping;

use crate::runs::{self, SetEntry};
use discover::Discover;
use ping::Ping;

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_memory::context_sets::{GetContext, SetContext};
use nudge_memory::entries::{
    ApplyTags, CopyEntries, GetEntries, ListEntries, MoveEntries, RemoveEntries, ScanFiles, StoreFiles,
    UpdateRun,
};
use nudge_memory::hints::{
    BumpHint, DeleteHint, ExportHints, GetHint, HintLog, HintStats, ImportHints, ListComponents, ListKeys,
    QueryHints, SetHint, UndoHint,
};
use nudge_memory::hypotheses::{
    AbandonOrphan, AdoptOrphan, GetActiveGhap, GetOrphan, GroupExperiences, IncrementToolCount, ListGhap,
    ListValues, Premortem, ResetToolCount, ResolveGhap, SearchExperiences, ShouldCheckIn, StartGhap,
    StoreValue, UpdateGhap, ValidateValue,
};
use nudge_memory::inject::{AssembleContext, ExplainInjection, InjectionUsage, PreviewContext};
use nudge_memory::knowledge::{CorrectStatement, ForgetStatement, Knows, Remember, Silence};
use nudge_memory::learn::{FindFix, Learn};
use nudge_memory::manage_projects::{ListProjects, MergeProjects, RenameProject, SetPrivate, TrustProject};
use nudge_memory::manage_sessions::{
    GetJournalEntry, GetSession, Handoff, ListJournal, ListSessionStates, MarkReflected, StartSession,
    StoreJournal, UpdateSession,
};
use nudge_memory::notes::{CreateMarker, PinObservations, UnpinObservations};
use nudge_memory::operation::{Effect, Operation, Profile};
use nudge_memory::recall::{
    FileHistory, GetObservations, ListSessions, RecentContext, Search, SessionTrace, Timeline,
};
use nudge_memory::review::{AcceptProposal, DropProposal, ListProposals};
use nudge_memory::{Caller, Memory, for_surface};
use serde_json::Value;

/// The lists of operations, in the order in which every surface shows them.
static LISTS: &[&[Operation]] = &[
    &[
        Operation::of::<Search>(),
        Operation::of::<GetObservations>(),
        Operation::of::<Timeline>(),
        Operation::of::<RecentContext>(),
        Operation::of::<ListSessions>(),
        Operation::of::<SessionTrace>(),
        Operation::of::<FileHistory>(),
        Operation::of::<Learn>(),
        Operation::of::<FindFix>(),
        Operation::of::<AssembleContext>(),
        Operation::of::<PreviewContext>(),
        Operation::of::<ExplainInjection>(),
        Operation::of::<InjectionUsage>(),
        Operation::of::<Remember>(),
        Operation::of::<CorrectStatement>(),
        Operation::of::<ForgetStatement>(),
        Operation::of::<Knows>(),
        Operation::of::<Silence>(),
        Operation::of::<GetHint>(),
        Operation::of::<SetHint>(),
        Operation::of::<QueryHints>(),
        Operation::of::<BumpHint>(),
        Operation::of::<DeleteHint>(),
        Operation::of::<ListComponents>(),
        Operation::of::<ExportHints>(),
        Operation::of::<ImportHints>(),
        Operation::of::<ListKeys>(),
        Operation::of::<HintStats>(),
        Operation::of::<HintLog>(),
        Operation::of::<UndoHint>(),
        Operation::of::<SetContext>(),
        Operation::of::<GetContext>(),
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
        Operation::of::<Handoff>(),
        Operation::of::<GetSession>(),
        Operation::of::<UpdateSession>(),
        Operation::of::<ListSessionStates>(),
        Operation::of::<StoreJournal>(),
        Operation::of::<ListJournal>(),
        Operation::of::<GetJournalEntry>(),
        Operation::of::<MarkReflected>(),
        Operation::of::<StartSession>(),
        Operation::of::<ShouldCheckIn>(),
        Operation::of::<IncrementToolCount>(),
        Operation::of::<ResetToolCount>(),
        Operation::of::<ListProposals>(),
        Operation::of::<AcceptProposal>(),
        Operation::of::<DropProposal>(),
        Operation::of::<CreateMarker>(),
        Operation::of::<PinObservations>(),
        Operation::of::<UnpinObservations>(),
        Operation::of::<ListProjects>(),
        Operation::of::<RenameProject>(),
        Operation::of::<MergeProjects>(),
        Operation::of::<TrustProject>(),
        Operation::of::<SetPrivate>(),
        Operation::of::<GetEntries>(),
        Operation::of::<SetEntry>(),
        Operation::of::<RemoveEntries>(),
        Operation::of::<CopyEntries>(),
        Operation::of::<MoveEntries>(),
        Operation::of::<UpdateRun>(),
        Operation::of::<ListEntries>(),
        Operation::of::<ApplyTags>(),
        Operation::of::<ScanFiles>(),
        Operation::of::<StoreFiles>(),
    ],
    runs::OPERATIONS,
    &[Operation::of::<Discover>(), Operation::of::<Ping>()],
];

/// All operations.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    LISTS.iter().copied().flatten()
}

/// Whether an operation has this name or alias.
pub fn has(name: &str) -> bool {
    find(name).is_some()
}

/// The operations that a profile lists for agents. Those that refuse agents are left out: an agent
/// pays for every line of the list.
pub fn listed(profile: Profile) -> impl Iterator<Item = &'static Operation> {
    all().filter(move |operation| operation.profile <= profile && !operation.clients_only)
}

/// The operation with this name or alias.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.answers_to(name))
}

/// Whether an operation may change anything, so that a repeat must be recognised. True for an
/// unknown name, which a newer server may know.
pub fn may_write(name: &str) -> bool {
    find(name).is_none_or(|operation| operation.effect != Effect::Read)
}

/// The closest match of a mistyped name, if there is one.
pub fn nearest(name: &str) -> Option<&'static str> {
    all()
        .map(|operation| (strsim::damerau_levenshtein(name, operation.name), operation.name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, near)| near)
}

/// Runs the operation called `name`, or the one with that alias.
pub fn call(memory: &Memory, caller: &Caller, name: &str, params: Value) -> Result<Value, Fault> {
    match find(name) {
        Some(operation) => memory.run_operation(operation, caller, params),
        None => Err(for_surface(caller.surface, unknown_operation(name))),
    }
}

fn unknown_operation(name: &str) -> Fault {
    let shown = without_controls(name, 60);
    let mut fault =
        Fault::new(FaultKind::UnknownOperation, "unknown_operation", format!("unknown operation `{shown}`"))
            .next("run `nudge discover` to see all operations");
    if let Some(near) = nearest(name) {
        fault = fault.with("nearest", near);
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique_and_safe_for_every_client() {
        let mut names: Vec<&str> = Vec::new();
        for operation in all() {
            assert!(
                operation.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{}",
                operation.name
            );
            names.push(operation.name);
            names.extend(operation.aliases);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn the_default_profile_is_eight_tools() {
        assert_eq!(listed(Profile::Default).count(), 8);
    }

    #[test]
    fn every_operation_and_parameter_has_a_text_for_each_reader() {
        for operation in all() {
            for text in [operation.doc, operation.reference] {
                assert!(text.ends_with('.'), "{}: `{text}`", operation.name);
            }
            let params = operation.params();
            for (name, field) in params["properties"].as_object().into_iter().flatten() {
                let said = field["description"].as_str().unwrap_or_default();
                assert!(said.ends_with('.'), "{}.{name}: `{said}`", operation.name);
            }
        }
    }

    #[test]
    fn a_typing_error_finds_its_neighbour() {
        assert_eq!(nearest("get_hnit"), Some("get_hint"));
        assert_eq!(nearest("frobnicate"), None);
    }
}
