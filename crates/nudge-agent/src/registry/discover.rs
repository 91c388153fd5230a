//! `discover`: the live catalogue of all operations.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use nudge_memory::operation::{Effect, Op, OpContext, Operation, Profile};

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
            aliases: operation.aliases.iter().map(|&alias| alias.to_owned()).collect(),
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
    const ALIASES: &'static [&'static str] = &["nudge.discover", "rpc.discover"];
    const TITLE: &'static str = "List operations";
    const DOC: &'static str = "Describe all operations, or one by name: parameters, answer, required tier. \
        Any of them can be called, listed or not.";
    const REFERENCE: &'static str = "Describe all operations, or one by name: parameters, answer and \
        required tier.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = DiscoverParams;
    type Answer = Catalogue;

    fn run(_: &OpContext<'_>, params: DiscoverParams) -> Result<Catalogue, Fault> {
        catalogue(params.name.as_deref())
    }
}

/// The catalogue; needs no store.
pub fn catalogue(name: Option<&str>) -> Result<Catalogue, Fault> {
    let operations = match name {
        None => super::all().map(CatalogueRow::from).collect(),
        Some(name) => match super::find(name) {
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
