//! The operations, in the order in which every surface lists them. Each noun has its own list; only
//! this crate knows all nouns.

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_memory::entries::GetEntries;
use nudge_memory::operation::{Effect, Op, OpContext, Operation, Profile};
use nudge_memory::{
    Caller, Memory, Surface, context_sets, entries, fitting_profile, for_surface, hints, hypotheses, inject,
    knowledge, learn, manage_projects, manage_sessions, notes, recall, review,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::runs::{self, SetEntry};

/// The lists of operations, in the order in which every surface shows them.
static LISTS: &[&[Operation]] = &[
    recall::OPERATIONS,
    learn::OPERATIONS,
    inject::OPERATIONS,
    knowledge::OPERATIONS,
    hints::OPERATIONS,
    context_sets::OPERATIONS,
    hypotheses::OPERATIONS,
    manage_sessions::OPERATIONS,
    hypotheses::CHECK_IN_OPERATIONS,
    review::OPERATIONS,
    notes::OPERATIONS,
    manage_projects::OPERATIONS,
    // `set` is here because it may start a run.
    &[Operation::of::<GetEntries>(), Operation::of::<SetEntry>()],
    entries::OPERATIONS,
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

/// Whether an operation works on runs and only the user and programs may call it.
pub fn is_of_runs(name: &str) -> bool {
    runs::OPERATIONS.iter().any(|operation| operation.clients_only && operation.answers_to(name))
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
    /// For an agent: the tool list that fits its project, `default` or `work`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
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
        let is_agent = ctx.caller.surface == Surface::Mcp;
        let profile = is_agent.then(|| fitting_profile(ctx)).transpose()?;
        Ok(Pong {
            status: "healthy".to_owned(),
            server: "nudge".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            profile: profile.map(|profile| profile.name().to_owned()),
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
    /// The smallest tool list that has it: `default`, `work` or `full`; `none` if it refuses
    /// agents.
    pub profile: String,
    /// True if only the user's terminal may call it: no program and no browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal_only: bool,
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
            terminal_only: operation.cli_only,
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
    fn each_profile_has_its_tools() {
        let names = |profile| listed(profile).map(|operation| operation.name).collect::<Vec<_>>();
        let default = ["search", "get_observations", "remember", "set_hint"];
        let work = ["get_hint", "set_relevant_context", "start_ghap", "resolve_ghap"];
        assert_eq!(names(Profile::Default).len(), default.len());
        assert!(names(Profile::Default).iter().all(|name| default.contains(name)));
        assert_eq!(names(Profile::Work).len(), default.len() + work.len());
        assert!(names(Profile::Work).iter().all(|name| default.contains(name) || work.contains(name)));
        assert!(names(Profile::Full).len() > default.len() + work.len());
    }

    #[test]
    fn every_operation_and_parameter_has_a_text_for_each_reader() {
        for operation in all() {
            for text in [operation.doc, operation.reference] {
                assert!(text.ends_with('.'), "{}: `{text}`", operation.name);
            }
            let params = operation.params();
            for (name, field) in params["properties"].as_object().into_iter().flatten() {
                let description = field["description"].as_str().unwrap_or_default();
                assert!(description.ends_with('.'), "{}.{name}: `{description}`", operation.name);
            }
        }
    }

    #[test]
    fn a_typing_error_finds_its_neighbour() {
        assert_eq!(nearest("get_hnit"), Some("get_hint"));
        assert_eq!(nearest("frobnicate"), None);
    }
}
