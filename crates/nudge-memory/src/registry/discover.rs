//! `discover`: the live catalogue of all operations.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::operation::{Effect, Op, OpContext, Operation, Profile};

/// Which operations to describe.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoverParams {
    /// Only this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The catalogue.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Catalogue {
    /// The operations, in the order they are listed.
    pub operations: Vec<CatalogueRow>,
}

/// One operation as others see it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CatalogueRow {
    /// Tool and method name.
    pub name: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    /// A few words.
    pub title: String,
    /// What it does and when to use it.
    pub doc: String,
    /// The least tier that may call it.
    pub tier: String,
    /// `read`, `write` or `destructive`.
    pub effect: String,
    /// The shortest tool list it is in: `default` or `full`.
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
            profile: operation.profile.name().to_owned(),
            params: (operation.params)().to_value(),
            result: (operation.answer)().to_value(),
        }
    }
}

/// The operation.
pub struct Discover;

impl Op for Discover {
    const NAME: &'static str = "discover";
    const ALIASES: &'static [&'static str] = &["nudge.discover", "rpc.discover"];
    const TITLE: &'static str = "List operations";
    const DOC: &'static str = "Describe all operations, or one by name: parameters, results, rights.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = DiscoverParams;
    type Answer = Catalogue;

    fn run(_: &OpContext<'_>, params: DiscoverParams) -> Result<Catalogue, Fault> {
        catalogue(params.name.as_deref())
    }
}

/// The catalogue, without a store.
pub fn catalogue(name: Option<&str>) -> Result<Catalogue, Fault> {
    let operations = match name {
        None => super::all().iter().map(CatalogueRow::from).collect(),
        Some(name) => match super::find(name) {
            Some(operation) => vec![CatalogueRow::from(operation)],
            None => {
                return Err(Fault::new(
                    FaultKind::NotFound,
                    "unknown_operation",
                    format!("no operation is called `{name}`"),
                )
                .next("`nudge discover` lists all operations"));
            }
        },
    };
    Ok(Catalogue { operations })
}
