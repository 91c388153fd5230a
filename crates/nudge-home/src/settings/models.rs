//! Models: the fields of `[models.NAME]`, and the variables that name models.
//!
//! No warning of this file repeats a value: somebody may have put a key in the wrong place.

use std::collections::BTreeMap;

use nudge_core::text::first_chars;
use serde::{Deserialize, Serialize};
use toml::Value;

/// The providers of models. `openai` is also every server that speaks its protocol.
pub const PROVIDERS: [&str; 5] = ["openai", "anthropic", "ollama", "openrouter", "xai"];

/// The table of models in the file.
pub(super) const MODELS_KEY: &str = "models";

/// What that table accepts.
pub(super) const MODELS_FORM: &str = "a table for each model, in config.toml";

/// The variable of a model, as people read it.
pub(super) const MODEL_VARIABLE: &str = "NUDGE_MODEL_<name>";

/// The variable of a model's context, as people read it.
pub(super) const CONTEXT_VARIABLE: &str = "NUDGE_CONTEXT_<name>";

const MODEL_PREFIX: &str = "NUDGE_MODEL_";

const CONTEXT_PREFIX: &str = "NUDGE_CONTEXT_";

/// The fields of a model.
const MODEL_FIELDS: [&str; 6] =
    ["model", "base_url", "context", "input_price", "output_price", "constrained"];

/// The longest name of a model in settings.
pub const MAX_MODEL_NAME: usize = 64;

/// The longest value of a text field.
const MAX_TEXT: usize = 500;

/// A model that runs may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSetting {
    /// The provider and its name of the model: `provider/model`.
    pub model: String,
    /// Where the provider is, if not at its usual address.
    pub base_url: Option<String>,
    /// The size of the context in tokens.
    pub context: Option<u32>,
    /// The price of a million input tokens in USD.
    pub input_price: Option<f64>,
    /// The price of a million output tokens in USD.
    pub output_price: Option<f64>,
    /// Whether answers are constrained by a grammar, which a llama.cpp server accepts.
    pub constrained: bool,
}

impl ModelSetting {
    /// A model of which nothing else is known.
    pub fn new(model: String) -> Self {
        Self {
            model,
            base_url: None,
            context: None,
            input_price: None,
            output_price: None,
            constrained: false,
        }
    }

    /// The provider: what comes before the first `/`.
    pub fn provider(&self) -> &str {
        self.model.split_once('/').map_or("", |(provider, _)| provider)
    }

    /// The same setting for another model. Context and prices belong to the model, and the address
    /// belongs to the provider: another provider's key must not go there.
    fn with_model(self, model: String) -> Self {
        if self.model == model {
            return self;
        }
        let next = Self::new(model);
        if next.provider() != self.provider() {
            return next;
        }
        Self { base_url: self.base_url, constrained: self.constrained, ..next }
    }

    /// Sets one field, or says what the field takes.
    fn put(&mut self, field: &str, value: &Value) -> Result<(), &'static str> {
        match field {
            "model" => self.model = value.as_str().and_then(model).ok_or(MODEL_FORM)?,
            "base_url" => self.base_url = Some(value.as_str().and_then(address).ok_or(ADDRESS_FORM)?),
            "context" => self.context = Some(value.as_integer().and_then(context).ok_or(CONTEXT_FORM)?),
            "input_price" => self.input_price = Some(price(value).ok_or(PRICE_FORM)?),
            "output_price" => self.output_price = Some(price(value).ok_or(PRICE_FORM)?),
            _ => self.constrained = value.as_bool().ok_or("true or false")?,
        }
        Ok(())
    }
}

const MODEL_FORM: &str = "provider/model, where the provider is openai, anthropic, ollama, openrouter or xai";

pub(super) const ADDRESS_FORM: &str =
    "an address that begins with http:// or https://, without user, password, query or fragment";

const CONTEXT_FORM: &str = "a number of tokens from 1 to 4294967295";

const PRICE_FORM: &str = "a price in USD per million tokens, from 0";

/// Reads the table of models. Returns what is wrong with it; a model with a mistake is left out.
pub(super) fn read(value: &Value, models: &mut BTreeMap<String, ModelSetting>) -> Vec<String> {
    let Value::Table(table) = value else {
        return vec![format!("{MODELS_KEY} takes {MODELS_FORM}, not a value of this kind")];
    };
    let mut mistakes = Vec::new();
    for (name, value) in table {
        match read_model(name, value, &mut mistakes) {
            Ok(model) => drop(models.insert(name.clone(), model)),
            Err(why) => mistakes.push(why),
        }
    }
    mistakes
}

/// Reads one model. Fields that do not exist are mistakes too, but the model is still usable.
fn read_model(name: &str, value: &Value, mistakes: &mut Vec<String>) -> Result<ModelSetting, String> {
    let key = format!("{MODELS_KEY}.{}", short(name));
    check_name(name)?;
    let Value::Table(fields) = value else {
        return Err(format!("{key} takes a table with model = \"provider/model\""));
    };
    if !fields.contains_key("model") {
        return Err(match fields.iter().find(|(_, value)| value.is_table()) {
            Some((rest, _)) => {
                let rest = short(rest);
                format!(
                    "{key}.{rest} is a table in a table; quote a name with dots: [models.\"{name}.{rest}\"]"
                )
            }
            None => format!("{key} has no model: add model = \"provider/model\""),
        });
    }
    let mut setting = ModelSetting::new(String::new());
    let mut wrong = None;
    for (field, value) in fields {
        if !MODEL_FIELDS.contains(&field.as_str()) {
            mistakes.push(unknown_field(&key, field));
        } else if let Err(form) = setting.put(field, value) {
            wrong.get_or_insert(format!("{key}.{field} takes {form}; the model is left out"));
        }
    }
    wrong.map_or(Ok(setting), Err)
}

fn unknown_field(key: &str, field: &str) -> String {
    if is_key_name(field) {
        return format!(
            "{key}.{} is not read: keys belong in the environment or in the keys file, keys.toml",
            short(field)
        );
    }
    format!("{key}: {}", unknown("field", field, MODEL_FIELDS.into_iter()))
}

/// Whether a field has the name of a credential.
fn is_key_name(field: &str) -> bool {
    let name = field.to_ascii_lowercase();
    ["key", "token", "secret", "password"].iter().any(|end| name.ends_with(end))
}

/// Whether a variable is about one model.
pub(super) fn is_variable(variable: &str) -> bool {
    variable.starts_with(MODEL_PREFIX) || is_context(variable)
}

/// Whether a variable is about the context of one model.
pub(super) fn is_context(variable: &str) -> bool {
    variable.starts_with(CONTEXT_PREFIX)
}

/// Reads a variable about one model. Returns the variable as people read it.
pub(super) fn read_variable(
    variable: &str,
    text: &str,
    models: &mut BTreeMap<String, ModelSetting>,
) -> Result<&'static str, String> {
    if let Some(name) = variable.strip_prefix(CONTEXT_PREFIX) {
        let known = models.get_mut(name).ok_or_else(|| format!("there is no model `{}`", short(name)))?;
        let tokens = text.parse().ok().and_then(context);
        known.context =
            Some(tokens.ok_or_else(|| format!("{MODELS_KEY}.{name}.context takes {CONTEXT_FORM}"))?);
        return Ok(CONTEXT_VARIABLE);
    }
    let name = variable.strip_prefix(MODEL_PREFIX).unwrap_or_default();
    check_name(name)?;
    let model = model(text).ok_or_else(|| format!("{MODELS_KEY}.{name}.model takes {MODEL_FORM}"))?;
    let next = match models.remove(name) {
        Some(setting) => setting.with_model(model),
        None => ModelSetting::new(model),
    };
    models.insert(name.to_owned(), next);
    Ok(MODEL_VARIABLE)
}

/// The models as `nudge config` shows them: one line each.
pub(super) fn shown(models: &BTreeMap<String, ModelSetting>) -> Vec<String> {
    models.iter().map(|(name, setting)| line(name, setting)).collect()
}

fn line(name: &str, setting: &ModelSetting) -> String {
    let fields = [
        ("base_url", setting.base_url.clone()),
        ("context", setting.context.map(|tokens| tokens.to_string())),
        ("input_price", setting.input_price.map(|price| price.to_string())),
        ("output_price", setting.output_price.map(|price| price.to_string())),
        ("constrained", setting.constrained.then(|| "true".to_owned())),
    ];
    let mut line = format!("{name}={}", setting.model);
    for (field, value) in fields {
        if let Some(value) = value {
            line.push_str(&format!(" {field}={value}"));
        }
    }
    line
}

/// A name from a file or a variable, fit for a message.
pub(super) fn short(name: &str) -> String {
    first_chars(name, MAX_MODEL_NAME).escape_debug().to_string()
}

/// Whether a model can have this name.
pub fn is_model_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    !name.is_empty() && name.len() <= MAX_MODEL_NAME && name.chars().all(fits)
}

fn check_name(name: &str) -> Result<(), String> {
    if is_model_name(name) {
        return Ok(());
    }
    let name = short(name);
    Err(format!(
        "a model cannot be named `{name}`: use at most {MAX_MODEL_NAME} of letters, digits, `-`, `_` and `.`"
    ))
}

/// A provider that exists, and a name of a model.
fn model(text: &str) -> Option<String> {
    let (provider, name) = text.split_once('/')?;
    (PROVIDERS.contains(&provider) && !name.is_empty() && is_one_word(text)).then(|| text.to_owned())
}

/// An address without anything that may be a credential.
pub(super) fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))?;
    let has_host = !rest.is_empty() && !rest.starts_with(['/', ':']);
    (has_host && !rest.contains(['@', '?', '#']) && is_one_word(text)).then(|| text.to_owned())
}

fn is_one_word(text: &str) -> bool {
    text.len() <= MAX_TEXT && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

fn context(tokens: i64) -> Option<u32> {
    u32::try_from(tokens).ok().filter(|tokens| *tokens >= 1)
}

fn price(value: &Value) -> Option<f64> {
    let price = match value {
        Value::Integer(number) => *number as f64,
        other => other.as_float()?,
    };
    (price.is_finite() && price >= 0.0).then_some(price)
}

// The closest match for a mistyped name.

/// Below this similarity (Jaro–Winkler, 0 to 1) there is no suggestion: it would be a guess.
const MIN_SIMILARITY: f64 = 0.8;

/// The name most similar to `written`, if any is similar enough.
pub(super) fn nearest(written: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let likeness = names.map(|name| (strsim::jaro_winkler(written, name), name));
    likeness
        .filter(|(alike, _)| *alike >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The message that a name is unknown, with the closest match.
pub(super) fn unknown(what: &str, written: &str, names: impl Iterator<Item = &'static str>) -> String {
    let shown = first_chars(written, 60).escape_debug();
    match nearest(written, names) {
        Some(name) => format!("there is no {what} `{shown}`; did you mean `{name}`?"),
        None => format!("there is no {what} `{shown}`"),
    }
}
