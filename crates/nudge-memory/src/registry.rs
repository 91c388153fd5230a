//! The operations, in the order in which every surface lists them.

pub mod discover;
mod ping;

use discover::Discover;
use ping::Ping;

use crate::context_sets::{GetContext, SetContext};
use crate::entries::{
    ApplyTags, CopyEntries, GetEntries, ListEntries, MoveEntries, RemoveEntries, ScanFiles, StoreFiles,
    UpdateRun,
};
use crate::hints::{
    BumpHint, DeleteHint, ExportHints, GetHint, HintLog, HintStats, ImportHints, ListComponents, ListKeys,
    QueryHints, SetHint, UndoHint,
};
use crate::hypotheses::{
    AbandonOrphan, AdoptOrphan, GetActiveGhap, GetOrphan, GroupExperiences, IncrementToolCount, ListGhap,
    ListValues, Premortem, ResetToolCount, ResolveGhap, SearchExperiences, ShouldCheckIn, StartGhap,
    StoreValue, UpdateGhap, ValidateValue,
};
use crate::inject::{AssembleContext, ExplainInjection, InjectionUsage, PreviewContext};
use crate::knowledge::{CorrectStatement, ForgetStatement, Knows, Remember, Silence};
use crate::learn::{FindFix, Learn};
use crate::manage_projects::{ListProjects, MergeProjects, RenameProject, SetPrivate, TrustProject};
use crate::manage_sessions::{
    GetJournalEntry, GetSession, Handoff, ListJournal, ListSessionStates, MarkReflected, StartSession,
    StoreJournal, UpdateSession,
};
use crate::notes::{CreateMarker, PinObservations, UnpinObservations};
use crate::operation::{Effect, Operation, Profile};
use crate::recall::{
    FileHistory, GetObservations, ListSessions, RecentContext, Search, SessionTrace, Timeline,
};
use crate::review::{AcceptProposal, DropProposal, ListProposals};
use crate::runs::{
    AbortRun, AddModel, AddSkill, Ask, ConfigureRun, ForkRun, GetModels, GetRun, GetRuns, InjectRun, KeepRun,
    RemoveModel, RenameRun, ResolveRun, ResumeRun, SetEntry, StartRun,
};

static OPERATIONS: [Operation; 97] = [
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
    Operation::of::<Ask>(),
    Operation::of::<StartRun>(),
    Operation::of::<GetRuns>(),
    Operation::of::<GetRun>(),
    Operation::of::<AbortRun>(),
    Operation::of::<ResumeRun>(),
    Operation::of::<ForkRun>(),
    Operation::of::<ResolveRun>(),
    Operation::of::<InjectRun>(),
    Operation::of::<ConfigureRun>(),
    Operation::of::<RenameRun>(),
    Operation::of::<KeepRun>(),
    Operation::of::<AddSkill>(),
    Operation::of::<GetModels>(),
    Operation::of::<AddModel>(),
    Operation::of::<RemoveModel>(),
    Operation::of::<Discover>(),
    Operation::of::<Ping>(),
];

/// All operations.
pub fn all() -> &'static [Operation] {
    &OPERATIONS
}

/// Whether an operation has this name or alias.
pub fn has(name: &str) -> bool {
    find(name).is_some()
}

/// The operations that a profile lists for agents. Those that refuse agents are left out: an agent
/// pays for every line of the list.
pub fn listed(profile: Profile) -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().filter(move |operation| operation.profile <= profile && !operation.clients_only)
}

/// The operation with this name or alias.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.answers_to(name))
}

/// Whether an operation may change anything, so that a repeat must be recognised. True for an
/// unknown name, which a newer server may know.
pub fn may_write(name: &str) -> bool {
    find(name).is_none_or(|operation| operation.effect != Effect::Read)
}

/// The closest match of a mistyped name, if there is one.
pub fn nearest(name: &str) -> Option<&'static str> {
    OPERATIONS
        .iter()
        .map(|operation| (strsim::damerau_levenshtein(name, operation.name), operation.name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, near)| near)
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
