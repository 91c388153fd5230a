//! What an operation is: defined once, shown on every surface.

mod context;

pub use context::OpContext;
pub(crate) use context::{CallSession, OWN};

use nudge_core::{Fault, Tier};
pub use nudge_home::settings::Profile;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether an operation changes anything.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It writes; a repeat with the same operation id is answered from the first one's result.
    Write,
    /// It writes and may remove what was there.
    Destructive,
}

impl Effect {
    /// The name in the catalogue.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// Parameters of operations that take none.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// A typed operation. Implemented once per operation; [`Operation::of`] erases the types.
pub trait Op {
    /// The tool and method name: `[a-z][a-z0-9_]*`.
    const NAME: &'static str;
    /// Other names it answers to, such as the dotted `nudge.get_hint`.
    const ALIASES: &'static [&'static str];
    /// A few words for a title.
    const TITLE: &'static str;
    /// What it does and when to use it, short: agents pay for every word.
    const DOC: &'static str;
    /// The least tier that may call it.
    const TIER: Tier;
    /// Whether it changes anything.
    const EFFECT: Effect;
    /// Which lists it appears in.
    const PROFILE: Profile;
    /// What it takes.
    type Params: DeserializeOwned + Serialize + JsonSchema;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned + JsonSchema;

    /// Does it, inside the one transaction of the context.
    fn run(ctx: &OpContext<'_>, params: Self::Params) -> Result<Self::Answer, Fault>;

    /// What a repeat of the same write is answered with. Override it where the answer can hold a
    /// secret: what this returns is kept in the store for ten minutes.
    fn for_repeat(answer: Self::Answer) -> Self::Answer {
        answer
    }
}

/// One operation, with its types erased: a row of the registry.
pub struct Operation {
    /// The tool and method name.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// A few words for a title.
    pub title: &'static str,
    /// What it does and when to use it.
    pub doc: &'static str,
    /// The least tier that may call it.
    pub tier: Tier,
    /// Whether it changes anything.
    pub effect: Effect,
    /// Which lists it appears in.
    pub profile: Profile,
    /// The schema of its parameters.
    pub params: fn() -> Schema,
    /// The schema of its answer.
    pub answer: fn() -> Schema,
    pub(crate) run: fn(&OpContext<'_>, Value) -> Result<Answered, Fault>,
}

/// An answer, and what a repeat of the same write will be told.
pub(crate) struct Answered {
    pub(crate) now: Value,
    pub(crate) repeat: Option<Value>,
}

impl Operation {
    /// The registry row of a typed operation.
    pub const fn of<O: Op>() -> Self {
        Self {
            name: O::NAME,
            aliases: O::ALIASES,
            title: O::TITLE,
            doc: O::DOC,
            tier: O::TIER,
            effect: O::EFFECT,
            profile: O::PROFILE,
            params: schema_of::<O::Params>,
            answer: schema_of::<O::Answer>,
            run: run_erased::<O>,
        }
    }

    /// Whether it answers to this name.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

fn schema_of<T: JsonSchema>() -> Schema {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

fn run_erased<O: Op>(ctx: &OpContext<'_>, params: Value) -> Result<Answered, Fault> {
    let params = parse_params::<O::Params>(O::NAME, params)?;
    let answer = O::run(ctx, params)?;
    let now = to_json(&answer)?;
    let repeat = match O::EFFECT {
        Effect::Read => None,
        Effect::Write | Effect::Destructive => Some(to_json(&O::for_repeat(answer))?),
    };
    Ok(Answered { now, repeat })
}

/// Reads parameters, naming the field that does not fit.
fn parse_params<P: DeserializeOwned>(operation: &str, params: Value) -> Result<P, Fault> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_path_to_error::deserialize(params).map_err(|error| {
        let field = error.path().to_string();
        let problem = error.into_inner();
        let message = if field == "." {
            format!("{operation}: {problem}")
        } else {
            format!("{operation}: {field}: {problem}")
        };
        Fault::invalid("schema", message)
            .with("field", field)
            .next(format!("see `nudge discover {operation}` for the parameters"))
    })
}

fn to_json<T: Serialize>(answer: &T) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| {
        Fault::new(
            nudge_core::FaultKind::Internal,
            "unserialisable",
            format!("an answer has no JSON form: {error}"),
        )
    })
}
