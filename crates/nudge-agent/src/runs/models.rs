//! The models that runs can use: those of the settings, and those that were added.

use std::collections::BTreeMap;

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind, Tier};
use nudge_home::Settings;
use nudge_home::settings::{MAX_MODEL_NAME, ModelSetting, PROVIDERS, is_model_name};
use nudge_store::{ModelRow, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use nudge_memory::operation::{Effect, Op, OpContext, check_name};
use nudge_memory::projects::is_person;

/// How many models can be added.
const MAX_ADDED_MODELS: usize = 200;

/// A model that runs can use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownModel {
    /// Its alias.
    pub alias: String,
    /// The model itself, as settings have it.
    #[serde(flatten)]
    pub set: ModelSetting,
    /// Whether it was added, and is not from the settings.
    pub is_added: bool,
}

impl From<ModelRow> for KnownModel {
    fn from(row: ModelRow) -> Self {
        let set = ModelSetting {
            model: row.actual,
            base_url: row.base_url,
            context: row.context_length,
            input_price: row.input_price,
            output_price: row.output_price,
            constrained: row.constrained,
        };
        Self { alias: row.alias, set, is_added: true }
    }
}

impl KnownModel {
    /// The models of the settings.
    pub fn of_settings(models: &BTreeMap<String, ModelSetting>) -> Vec<Self> {
        let one = |(alias, set): (&String, &ModelSetting)| Self {
            alias: alias.clone(),
            set: set.clone(),
            is_added: false,
        };
        models.iter().map(one).collect()
    }

    /// The model as the settings have it, under its alias.
    pub fn into_setting(self) -> (String, ModelSetting) {
        (self.alias, self.set)
    }
}

/// All models, by alias. One that was added replaces one of the settings.
pub fn known_models(reader: &Reader<'_>, settings: &Settings) -> Result<Vec<KnownModel>, Fault> {
    let mut models = KnownModel::of_settings(&settings.models);
    for row in reader.models()? {
        models.retain(|model| model.alias != row.alias);
        models.push(row.into());
    }
    models.sort_by(|a, b| a.alias.cmp(&b.alias));
    Ok(models)
}

/// The model with an alias; a fault if there is none.
pub(super) fn find_known(ctx: &OpContext<'_>, alias: &str) -> Result<KnownModel, Fault> {
    let known = known_models(ctx.store(), ctx.settings)?;
    if let Some(model) = known.iter().find(|model| model.alias == alias) {
        return Ok(model.clone());
    }
    let shown = without_controls(alias, 60);
    Err(Fault::new(FaultKind::NotFound, "no_model", format!("there is no model `{shown}`{}", listed(&known)))
        .with("field", "model")
        .next(HOW_TO_ADD))
}

/// The fault for a new run without a model.
pub(super) fn none_given(ctx: &OpContext<'_>) -> Result<Fault, Fault> {
    let known = known_models(ctx.store(), ctx.settings)?;
    Ok(Fault::invalid("model", format!("a new run needs a model{}", listed(&known)))
        .with("field", "model")
        .next(if known.is_empty() { HOW_TO_ADD } else { "name one with `model`" }))
}

const HOW_TO_ADD: &str = "add one with `nudge model add NAME PROVIDER/MODEL`, or in config.toml";

fn listed(known: &[KnownModel]) -> String {
    if known.is_empty() {
        return "; no model is configured".to_owned();
    }
    let names: Vec<&str> = known.iter().map(|model| model.alias.as_str()).collect();
    format!("; the models are {}", names.join(", "))
}

/// A model, as callers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelView {
    /// Its alias.
    pub alias: String,
    /// Provider and model, such as `ollama/qwen2.5-coder`.
    pub actual: String,
    /// The address of the provider, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How many tokens it can read, if that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_length: Option<u32>,
    /// The price of a million input tokens in USD, if that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    /// The price of a million output tokens in USD, if that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
    /// True if a grammar is sent with each request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constrained: bool,
    /// Where it is from: `settings` or `added`.
    pub origin: String,
}

impl From<KnownModel> for ModelView {
    fn from(model: KnownModel) -> Self {
        Self {
            alias: model.alias,
            actual: model.set.model,
            base_url: model.set.base_url,
            context_length: model.set.context,
            input_price: model.set.input_price,
            output_price: model.set.output_price,
            constrained: model.set.constrained,
            origin: if model.is_added { "added" } else { "settings" }.to_owned(),
        }
    }
}

/// Parameters of `get_models`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetModelsParams {
    /// Maximum models to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Models to skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
}

/// Answer of `get_models`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelList {
    /// The models, by alias.
    pub models: Vec<ModelView>,
}

/// The `get_models` operation.
pub struct GetModels;

impl Op for GetModels {
    const NAME: &'static str = "get_models";
    const ALIASES: &'static [&'static str] = &["getModels"];
    const TITLE: &'static str = "List models";
    const DOC: &'static str = "List the models that runs can use.";
    const REFERENCE: &'static str = "List the models that runs can use. Keys are never shown.";
    const EFFECT: Effect = Effect::Read;
    const CLIENTS_ONLY: bool = true;
    type Params = GetModelsParams;
    type Answer = ModelList;

    fn run(ctx: &OpContext<'_>, params: GetModelsParams) -> Result<ModelList, Fault> {
        let models = known_models(ctx.store(), ctx.settings)?
            .into_iter()
            .skip(params.offset.unwrap_or(0) as usize)
            .take(params.limit.unwrap_or(u32::MAX) as usize)
            .map(ModelView::from)
            .collect();
        Ok(ModelList { models })
    }
}

/// Parameters of `add_model`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddModelParams {
    /// Its alias.
    #[schemars(length(min = 1))]
    pub alias: String,
    /// Provider and model, such as `ollama/qwen2.5-coder`.
    #[schemars(length(min = 1))]
    pub actual: String,
    /// Address of the provider, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "baseUrl")]
    pub base_url: Option<String>,
    /// How many tokens it can read. Default: what the provider says.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "contextLength")]
    pub context_length: Option<u32>,
    /// The price of a million input tokens in USD.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "inputPrice")]
    #[schemars(range(min = 0.0))]
    pub input_price: Option<f64>,
    /// The price of a million output tokens in USD.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "outputPrice")]
    #[schemars(range(min = 0.0))]
    pub output_price: Option<f64>,
    /// True to send a grammar with each request, which a llama.cpp server accepts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constrained: bool,
}

/// The `add_model` operation.
pub struct AddModel;

impl Op for AddModel {
    const NAME: &'static str = "add_model";
    const ALIASES: &'static [&'static str] = &["addModel"];
    const TITLE: &'static str = "Add a model";
    const DOC: &'static str = "Add a model for runs, or replace the one with its alias.";
    const REFERENCE: &'static str = "Add a model for runs, or replace the one with its alias. Only the user \
        sets an address: prompts are sent to it.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = AddModelParams;
    type Answer = ModelView;

    fn run(ctx: &OpContext<'_>, params: AddModelParams) -> Result<ModelView, Fault> {
        check_alias(&params.alias)?;
        check_actual(&params.actual)?;
        let known = known_models(ctx.store(), ctx.settings)?;
        let replaces = known.iter().find(|model| model.alias == params.alias);
        if !is_person(ctx.caller) && (params.base_url.is_some() || replaces.is_some()) {
            let why = "only the user sets where prompts are sent, or replaces a model";
            return Err(Fault::new(FaultKind::Forbidden, "model_address", why)
                .next("leave out `base_url` and choose a new alias, or ask the user"));
        }
        check_name("alias", &params.alias)?;
        check_name("actual", &params.actual)?;
        if let Some(url) = &params.base_url {
            check_url(url)?;
            check_name("base_url", url)?;
        }
        check_price("input_price", params.input_price)?;
        check_price("output_price", params.output_price)?;
        if known.iter().filter(|model| model.is_added).count() >= MAX_ADDED_MODELS {
            return Err(Fault::invalid("models", format!("{MAX_ADDED_MODELS} models were added already")));
        }
        let row = ModelRow {
            alias: params.alias,
            actual: params.actual,
            base_url: params.base_url,
            context_length: params.context_length,
            input_price: params.input_price,
            output_price: params.output_price,
            constrained: params.constrained,
        };
        ctx.writer()?.put_model(&row, ctx.now())?;
        Ok(KnownModel::from(row).into())
    }
}

/// Parameters of `remove_model`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveModelParams {
    /// Its alias.
    #[schemars(length(min = 1))]
    pub alias: String,
}

/// The `remove_model` operation.
pub struct RemoveModel;

impl Op for RemoveModel {
    const NAME: &'static str = "remove_model";
    const ALIASES: &'static [&'static str] = &["removeModel"];
    const TITLE: &'static str = "Remove a model";
    const DOC: &'static str = "Remove a model that was added.";
    const REFERENCE: &'static str = "Remove a model that was added. Only the user does: an agent that removes a model could add \
        another one under its name. Models of the settings are removed there.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const CLIENTS_ONLY: bool = true;
    type Params = RemoveModelParams;
    type Answer = ModelList;

    fn run(ctx: &OpContext<'_>, params: RemoveModelParams) -> Result<ModelList, Fault> {
        if !ctx.writer()?.remove_model(&params.alias)? {
            let is_set = ctx.settings.models.contains_key(&params.alias);
            let why = if is_set { "it is in the settings" } else { "it was not added" };
            let shown = without_controls(&params.alias, 60);
            return Err(Fault::new(
                FaultKind::NotFound,
                "no_model",
                format!("cannot remove `{shown}`: {why}"),
            )
            .next("run `nudge model ls`"));
        }
        GetModels::run(ctx, GetModelsParams::default())
    }
}

fn check_alias(alias: &str) -> Result<(), Fault> {
    if is_model_name(alias) {
        return Ok(());
    }
    Err(Fault::invalid("alias", format!("`{}` is not the name of a model", without_controls(alias, 60)))
        .with("field", "alias")
        .next(format!("use at most {MAX_MODEL_NAME} letters, digits, `-`, `_` and `.`")))
}

fn check_actual(actual: &str) -> Result<(), Fault> {
    let (provider, model) = actual.split_once('/').unwrap_or((actual, ""));
    if PROVIDERS.contains(&provider) && !model.trim().is_empty() && !actual.chars().any(char::is_control) {
        return Ok(());
    }
    Err(Fault::invalid("actual", format!("`{}` names no model of a provider", without_controls(actual, 80)))
        .with("field", "actual")
        .next(format!("write PROVIDER/MODEL; the providers are {}", PROVIDERS.join(", "))))
}

fn check_price(field: &str, price: Option<f64>) -> Result<(), Fault> {
    match price {
        Some(price) if !price.is_finite() || price < 0.0 => {
            let why = "a price is in USD per million tokens, from 0";
            Err(Fault::invalid(field, why).with("field", field))
        }
        _ => Ok(()),
    }
}

fn check_url(url: &str) -> Result<(), Fault> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    if host.is_empty() || host.contains('@') || url.chars().any(|c| c.is_control() || c == ' ') {
        return Err(Fault::invalid(
            "base_url",
            "the address must be http:// or https://, without a user name",
        )
        .with("field", "base_url"));
    }
    Ok(())
}
