//! The operations, in the order in which every surface lists them. Each noun has its own list; only
//! this crate knows all nouns.

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
use nudge_memory::operation::{Effect, Op, OpContext, Operation, Profile};
use nudge_memory::recall::{
    FileHistory, GetObservations, ListSessions, RecentContext, Search, SessionTrace, Timeline,
};
use nudge_memory::review::{AcceptProposal, DropProposal, ListProposals};
use nudge_memory::{Caller, Memory, for_surface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::runs::{self, SetEntry};

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

// `ping`: whether the server is there.

/// Parameters of `ping`: none.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingParams {}

/// Answer of `ping`.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pong {
    /// Status: `healthy`.
    pub status: String,
    /// Name of the server: `nudge`.
    pub server: String,
    /// Version of the server.
    pub version: String,
}

/// The `ping` operation.
pub struct Ping;

impl Op for Ping {
    const NAME: &'static str = "ping";
    const TITLE: &'static str = "Ping";
    const DOC: &'static str = "Check that the server runs and can read the store.";
    const REFERENCE: &'static str = "Check that the server runs and can read the store. Returns its name \
        and version.";
    const EFFECT: Effect = Effect::Read;
    type Params = PingParams;
    type Answer = Pong;

    fn run(ctx: &OpContext<'_>, _: PingParams) -> Result<Pong, Fault> {
        ctx.store().feed_head()?;
        Ok(Pong {
            status: "healthy".to_owned(),
            server: "nudge".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

// `discover`: the live catalogue of all operations.

/// Parameters of `discover`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoverParams {
    /// Name of one operation. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Answer of `discover`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Catalogue {
    /// Operations, in the order of the tool list.
    pub operations: Vec<CatalogueRow>,
}

/// One operation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CatalogueRow {
    /// Name of the tool and method.
    pub name: String,
    /// Other names that it accepts.
    pub aliases: Vec<String>,
    /// Short title.
    pub title: String,
    /// What it does and when to call it.
    pub doc: String,
    /// Minimum tier of the caller: `model`, `client`, `plugin` or `system`.
    pub tier: String,
    /// `read`, `write` or `destructive`.
    pub effect: String,
    /// The smallest tool list that has it: `default` or `full`; `none` if it refuses agents.
    pub profile: String,
    /// JSON Schema of the parameters.
    pub params: Value,
    /// JSON Schema of the answer.
    pub result: Value,
}

impl From<&Operation> for CatalogueRow {
    fn from(operation: &Operation) -> Self {
        Self {
            name: operation.name.to_owned(),
            aliases: operation.aliases(),
            title: operation.title.to_owned(),
            doc: operation.doc.to_owned(),
            tier: operation.tier.name().to_owned(),
            effect: operation.effect.name().to_owned(),
            profile: if operation.clients_only { "none" } else { operation.profile.name() }.to_owned(),
            params: operation.params(),
            result: operation.answer(),
        }
    }
}

/// The `discover` operation.
pub struct Discover;

impl Op for Discover {
    const NAME: &'static str = "discover";
    const ALIASES: &'static [&'static str] = &["rpc.discover"];
    const TITLE: &'static str = "List operations";
    const DOC: &'static str = "Describe all operations, or one by name: parameters, answer, required tier. \
        Any of them can be called, listed or not.";
    const REFERENCE: &'static str = "Describe all operations, or one by name: parameters, answer and \
        required tier.";
    const EFFECT: Effect = Effect::Read;
    type Params = DiscoverParams;
    type Answer = Catalogue;

    fn run(_: &OpContext<'_>, params: DiscoverParams) -> Result<Catalogue, Fault> {
        catalogue(params.name.as_deref())
    }
}

/// The catalogue; needs no store.
pub fn catalogue(name: Option<&str>) -> Result<Catalogue, Fault> {
    let operations = match name {
        None => all().map(CatalogueRow::from).collect(),
        Some(name) => match find(name) {
            Some(operation) => vec![CatalogueRow::from(operation)],
            None => {
                return Err(Fault::new(
                    FaultKind::NotFound,
                    "unknown_operation",
                    format!("unknown operation `{name}`"),
                )
                .next("run `nudge discover` to see all operations"));
            }
        },
    };
    Ok(Catalogue { operations })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique_and_safe_for_every_client() {
        let mut names: Vec<String> = Vec::new();
        for operation in all() {
            assert!(
                operation.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{}",
                operation.name
            );
            names.push(operation.name.to_owned());
            names.extend(operation.aliases());
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
