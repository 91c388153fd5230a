//! What an operation is: defined once, shown on every surface.
//!
//! Agents and people read different texts. Agents read [`Op::DOC`] and the tool list, and pay for
//! every word. People read [`Op::REFERENCE`] in `nudge discover` and on the reference page. A doc
//! comment on a field of the parameters is its full description; where the tool list needs fewer
//! words, `#[schemars(extend("x-listed" = "…"))]` gives them. An empty text leaves the description
//! out, and `false` the parameter, which a call may still give.

mod context;

use nudge_core::text::one_line;
use nudge_core::{Fault, FaultKind, Tier, named_enum};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::memory::Memory;

pub(crate) use context::{CallSession, OWN};
pub use context::{OpContext, RUNS};
pub use nudge_home::settings::Profile;

/// Every operation also answers to its name after this prefix.
const DOTTED_PREFIX: &str = "nudge.";

named_enum! {
    /// Whether an operation changes anything.
    pub enum Effect {
        /// It only reads.
        Read => "read",
        /// It writes. A repeat with the same operation id gets the first call's answer.
        Write => "write",
        /// It writes and may remove data.
        Destructive => "destructive",
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
    /// Names that it answers to besides its own and the dotted one, such as `nudge.get_hint`.
    const ALIASES: &'static [&'static str] = &[];
    /// A few words for a title.
    const TITLE: &'static str;
    /// For agents: what it does and when to call it. Short, because agents pay for every word.
    const DOC: &'static str;
    /// For people: what it does, in one or two sentences. The first is the summary in lists.
    const REFERENCE: &'static str = Self::DOC;
    /// The lowest tier that may call it.
    const TIER: Tier = Tier::Model;
    /// Whether it changes anything.
    const EFFECT: Effect;
    /// The lists that it appears in.
    const PROFILE: Profile = Profile::Full;
    /// Whether only the user and programs may call it, and no model.
    const CLIENTS_ONLY: bool = false;
    /// Whether it grants rights, so that only the user's terminal may call it: no program with a
    /// client token, and no browser.
    const CLI_ONLY: bool = false;
    /// The answer in words, for the text of a tool's result. It says all that the answer says.
    /// Without it, the text is the answer as JSON.
    const TEXT: Option<fn(&Self::Answer) -> String> = None;
    /// Its parameters.
    type Params: DeserializeOwned + Serialize + JsonSchema;
    /// Its answer.
    type Answer: Serialize + DeserializeOwned + JsonSchema;

    /// Runs it inside the single transaction of the context.
    fn run(ctx: &OpContext<'_>, params: Self::Params) -> Result<Self::Answer, Fault>;

    /// Whether a call with these parameters only reads, although the operation can write.
    fn reads_only(_: &Value) -> bool {
        false
    }

    /// Whether a call with these parameters still has an answer without its writes, where the store
    /// cannot be written.
    fn answers_without_writing(_: &Value) -> bool {
        false
    }

    /// Work that must not wait in a transaction, such as a walk over files. Runs before it and may
    /// add what it found to the parameters.
    fn prepare(_: &Memory, _: &Caller, params: Value) -> Result<Value, Fault> {
        Ok(params)
    }

    /// The answer to a repeat of the same write. Override it if the answer can contain a secret:
    /// its result is stored for ten minutes.
    fn for_repeat(answer: Self::Answer) -> Self::Answer {
        answer
    }
}

/// One operation with its types erased: a row of the registry.
pub struct Operation {
    /// The tool and method name.
    pub name: &'static str,
    aliases: &'static [&'static str],
    /// A few words for a title.
    pub title: &'static str,
    /// For agents: what it does and when to call it.
    pub doc: &'static str,
    /// For people: what it does, in one or two sentences.
    pub reference: &'static str,
    /// The lowest tier that may call it.
    pub tier: Tier,
    /// Whether it changes anything.
    pub effect: Effect,
    /// The lists that it appears in.
    pub profile: Profile,
    /// Whether only the user and programs may call it, and no model.
    pub clients_only: bool,
    /// Whether only the user's terminal may call it.
    pub cli_only: bool,
    params: fn() -> Schema,
    answer: fn() -> Schema,
    pub(crate) reads_only: fn(&Value) -> bool,
    pub(crate) answers_without_writing: fn(&Value) -> bool,
    pub(crate) prepare: fn(&Memory, &Caller, Value) -> Result<Value, Fault>,
    pub(crate) run: fn(&OpContext<'_>, Value) -> Result<Answered, Fault>,
    text: fn(&Value) -> Option<String>,
}

/// An answer, and the answer to a repeat of the same write.
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
            reference: O::REFERENCE,
            tier: O::TIER,
            effect: O::EFFECT,
            profile: O::PROFILE,
            clients_only: O::CLIENTS_ONLY,
            cli_only: O::CLI_ONLY,
            params: schema_of::<O::Params>,
            answer: schema_of::<O::Answer>,
            reads_only: O::reads_only,
            answers_without_writing: O::answers_without_writing,
            prepare: O::prepare,
            run: run_erased::<O>,
            text: text_erased::<O>,
        }
    }

    /// The schema of its parameters, with full descriptions.
    pub fn params(&self) -> Value {
        described_schema((self.params)())
    }

    /// The schema of its parameters, with the descriptions of the tool list.
    pub fn listed_params(&self) -> Value {
        listed_schema((self.params)())
    }

    /// The schema of its answer.
    pub fn answer(&self) -> Value {
        described_schema((self.answer)())
    }

    /// Whether it has a parameter with this name.
    pub(crate) fn takes(&self, param: &str) -> bool {
        (self.params)().pointer(&format!("/properties/{param}")).is_some()
    }

    /// The text of a tool's result: the answer as JSON, unless the operation has words for it.
    pub fn text(&self, answer: &Value) -> String {
        (self.text)(answer).unwrap_or_else(|| answer.to_string())
    }

    /// Whether it answers to this name.
    pub fn answers_to(&self, name: &str) -> bool {
        name.strip_prefix(DOTTED_PREFIX).unwrap_or(name) == self.name || self.aliases.contains(&name)
    }

    /// The other names that it answers to, the dotted one first.
    pub fn aliases(&self) -> Vec<String> {
        let others = self.aliases.iter().map(|&alias| alias.to_owned());
        std::iter::once(format!("{DOTTED_PREFIX}{}", self.name)).chain(others).collect()
    }
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

/// `None` also for an answer that does not fit, such as that of a server of another version.
fn text_erased<O: Op>(answer: &Value) -> Option<String> {
    let text = O::TEXT?;
    O::Answer::deserialize(answer).ok().map(|answer| text(&answer))
}

/// Runs an operation inside the transaction of another.
pub(crate) fn run_in<O: Op>(ctx: &OpContext<'_>, params: Value) -> Result<Value, Fault> {
    to_json(&O::run(ctx, parse_params::<O::Params>(O::NAME, params)?)?)
}

/// Reads parameters; the error names the field that does not fit.
fn parse_params<P: DeserializeOwned>(operation: &str, params: Value) -> Result<P, Fault> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_path_to_error::deserialize(params).map_err(|error| unreadable_params(operation, error))
}

fn unreadable_params(operation: &str, error: serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let field = error.path().to_string();
    let problem = error.into_inner();
    let message = if field == "." {
        format!("{operation}: {problem}")
    } else {
        format!("{operation}: {field}: {problem}")
    };
    Fault::invalid("schema", message)
        .with("field", field)
        .next(format!("run `nudge discover {operation}` to see its parameters"))
}

fn to_json<T: Serialize>(answer: &T) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| unserialisable(&error))
}

fn unserialisable(error: &serde_json::Error) -> Fault {
    let message = format!("cannot write the answer as JSON: {error}");
    Fault::new(FaultKind::Internal, "unserialisable", message)
}

/// Rejects a name that looks like a credential: names are stored, listed and logged as they are.
pub fn check_name(field: &str, name: &str) -> Result<(), Fault> {
    match nudge_secrets::scan(name).first() {
        None => Ok(()),
        Some(found) => {
            let why = format!("`{field}` looks like a credential ({})", found.rule);
            Err(Fault::new(FaultKind::SecretRejected, "secret", why)
                .with("field", field)
                .with("rule", found.rule)
                .next("choose another name"))
        }
    }
}

// Schemas of parameters and answers, with one of two descriptions for each field.

/// The keyword with the description for the tool list, where that is not the full one.
const LISTED_KEYWORD: &str = "x-listed";

/// The schema of a type, without references.
fn schema_of<T: JsonSchema>() -> Schema {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema with full descriptions.
fn described_schema(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    each_object(&mut schema, &|object| {
        object.shift_remove(LISTED_KEYWORD);
        unwrap_lines(object);
    });
    schema
}

/// The schema with the parameters and the descriptions of the tool list.
fn listed_schema(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    each_object(&mut schema, &|object| {
        if let Some(Value::Object(fields)) = object.get_mut("properties") {
            fields.retain(|_, field| field.get(LISTED_KEYWORD) != Some(&Value::Bool(false)));
            if fields.is_empty() {
                object.shift_remove("properties");
            }
        }
        if let Some(short) = object.shift_remove(LISTED_KEYWORD) {
            object.insert("description".into(), short);
        }
        unwrap_lines(object);
    });
    schema
}

/// A description is one line, however the comment that it comes from is wrapped.
fn unwrap_lines(object: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = one_line(description);
    }
}

fn each_object(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| each_object(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        /// The full
        /// description.
        #[schemars(extend("x-listed" = "Short."))]
        a: String,
        /// The only description.
        b: String,
        /// For programs.
        #[schemars(extend("x-listed" = false))]
        c: Option<String>,
    }

    #[test]
    fn each_reader_gets_one_description_per_field() {
        let texts = |schema: Value| {
            let description = |field: &str| schema["properties"][field]["description"].clone();
            assert!(!schema.to_string().contains(LISTED_KEYWORD), "{schema}");
            (description("a"), description("b"))
        };
        let full = (json!("The full description."), json!("The only description."));
        let short = (json!("Short."), json!("The only description."));
        assert_eq!(texts(described_schema(schema_of::<Sample>())), full);
        assert_eq!(texts(listed_schema(schema_of::<Sample>())), short);
        assert_eq!(
            described_schema(schema_of::<Sample>())["properties"]["c"]["description"],
            "For programs."
        );
        assert_eq!(listed_schema(schema_of::<Sample>())["properties"].get("c"), None);
    }
}
