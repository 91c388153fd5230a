//! `nudge model`: the models that `nudge ask` can use, and the keys of their providers.

mod key;

use clap::{Args, Subcommand};
use nudge_agent::runs::{
    AddModel, AddModelParams, GetModels, GetModelsParams, ModelList, ModelView, RemoveModel,
    RemoveModelParams,
};
use nudge_core::text::width;
use nudge_core::{Fault, FaultKind};
use nudge_models::{Keys, Provider};

use super::ask::finite;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{cut, grouped};

/// The end of the help page.
const EXAMPLES: &str = "\
Models can also be set in config.toml; see `nudge config`. Without a key or an
address, a provider is never called.

Examples:
  nudge model add local ollama/qwen2.5-coder --url http://127.0.0.1:11434
  nudge model add fast openai/gpt-4.1-mini --input-price 0.4 --output-price 1.6
  nudge model key openai < key.txt";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List models: name, provider, address, context and origin
    Ls,
    /// Add a model, or replace the one with this name
    Add {
        /// Name to ask it by
        #[arg(value_name = "NAME")]
        alias: String,
        /// Provider (openai, anthropic, openrouter, xai or ollama) and model, such as
        /// ollama/qwen2.5-coder
        #[arg(value_name = "PROVIDER/MODEL")]
        actual: String,
        /// Address of the provider, if it is not the usual one
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// How many tokens it can read [default: what the provider says]
        #[arg(long, value_name = "N")]
        context: Option<u32>,
        /// Price of a million input tokens in USD, for the cost of a run
        #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = finite)]
        input_price: Option<f64>,
        /// Price of a million output tokens in USD
        #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = finite)]
        output_price: Option<f64>,
        /// Send a grammar with each request, which a llama.cpp server accepts: small models then
        /// write valid calls
        #[arg(long)]
        constrained: bool,
    },
    /// Remove a model that was added
    Rm {
        /// Name of the model
        #[arg(value_name = "NAME")]
        model: String,
    },
    /// Save the key of a provider, read from standard input
    Key(key::KeyArgs),
}

impl ModelArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls => list_models(invocation),
            Verb::Add { alias, actual, url, context, input_price, output_price, constrained } => {
                let (base_url, context_length) = (url, context);
                let facts = AddModelParams {
                    alias,
                    actual,
                    base_url,
                    context_length,
                    input_price,
                    output_price,
                    constrained,
                };
                add(invocation, &facts)
            }
            Verb::Rm { model } => remove(invocation, model),
            Verb::Key(args) => args.run(invocation),
        }
    }
}

fn add(invocation: &Invocation, params: &AddModelParams) -> Result<Exit, Failure> {
    let answer = invocation.call::<AddModel>(params, here())?;
    let added = answer.typed()?;
    let missing = missing(invocation, &added);
    invocation.output.answer(&answer.json, |page| {
        page.good("✔").text(" added ").strong(&added.alias).text(": ").text(&added.actual);
        page.text(details(&added).map(|details| format!(" ({details})")).unwrap_or_default()).end();
        if let Some(missing) = &missing {
            page.text("  ").warning(missing).end();
        }
    });
    Ok(Exit::Ok)
}

fn remove(invocation: &Invocation, alias: String) -> Result<Exit, Failure> {
    let params = RemoveModelParams { alias };
    let answer = invocation.call::<RemoveModel>(&params, here())?;
    let left = answer.typed()?;
    invocation.output.answer(&answer.json, |page| {
        page.good("✔").text(" removed ").strong(&params.alias).end();
        if left.models.iter().any(|model| model.alias == params.alias) {
            page.text("  the settings have a model of this name, which is used now").end();
        }
    });
    Ok(Exit::Ok)
}

/// All models. Unlike other reads, this one depends on the settings.
pub(crate) fn known(invocation: &Invocation) -> Result<ModelList, Fault> {
    let settings = invocation.settings()?;
    let answer = invocation.call_under::<GetModels>(&settings, &GetModelsParams::default(), here())?;
    answer.typed()
}

/// The model to ask: the named one, that of the run, or the only one there is. `None` leaves the
/// choice to the run.
pub(super) fn chosen(
    invocation: &Invocation,
    named: Option<String>,
    has_run: bool,
) -> Result<Option<String>, Failure> {
    if named.is_none() && has_run {
        return Ok(None);
    }
    let models = known(invocation)?.models;
    let names: Vec<&str> = models.iter().map(|model| model.alias.as_str()).collect();
    match (named, names.as_slice()) {
        (_, []) => Err(none().into()),
        (Some(named), names) if names.contains(&named.as_str()) => Ok(Some(named)),
        (Some(named), names) => {
            let why = format!("there is no model `{named}`; the models are {}", names.join(", "));
            Err(Fault::new(FaultKind::NotFound, "no_model", why)
                .next("add it with `nudge model add NAME PROVIDER/MODEL`")
                .into())
        }
        (None, [only]) => Ok(Some((*only).to_owned())),
        (None, names) => {
            let why = format!("there are several models: {}", names.join(", "));
            Err(Fault::invalid("model", why).next("name one with `--model`").into())
        }
    }
}

fn none() -> Fault {
    Fault::new(FaultKind::NotFound, "no_model", "no model is configured").next(
        "add one with `nudge model add local ollama/qwen2.5-coder --url http://127.0.0.1:11434`; \
         `nudge model add --help` names the providers",
    )
}

// `nudge model ls`: lists models, and says what is missing before one can be asked.

/// Lists the models.
fn list_models(invocation: &Invocation) -> Result<Exit, Failure> {
    let settings = invocation.settings()?;
    let answer = invocation.call_under::<GetModels>(&settings, &GetModelsParams::default(), here())?;
    let answered = answer.typed()?;
    invocation.output.answer(&answer.json, |page| {
        let listed: Vec<Listed<'_>> = answered
            .models
            .iter()
            .map(|model| Listed { model, missing: missing(invocation, model) })
            .collect();
        list(page, &listed);
    });
    Ok(Exit::Ok)
}

/// What this process lacks to ask a model. A server may have other variables.
fn missing(invocation: &Invocation, model: &ModelView) -> Option<String> {
    let name = model.actual.split_once('/').map_or(model.actual.as_str(), |(provider, _)| provider);
    let Some(provider) = Provider::parse(name) else {
        return Some(format!("there is no provider `{name}`"));
    };
    match read_keys(invocation, provider, model.base_url.as_deref()) {
        Ok(keys) if keys.is_configured(provider) => None,
        Ok(_) => Some(ways(provider)),
        Err(fault) => Some(fault.message),
    }
}

/// The keys and addresses of this process. The address of the model is in the place of the
/// provider's.
fn read_keys(invocation: &Invocation, provider: Provider, url: Option<&str>) -> Result<Keys, Fault> {
    let file = invocation.home()?.keys_file();
    let variable = |name: &str| match url {
        Some(url) if name == provider.base_url_variable() => Some(url.to_owned()),
        _ => std::env::var(name).ok(),
    };
    Keys::load(&variable, Some(&file)).map_err(|error| Fault::invalid("keys", error.to_string()))
}

/// What to do. Only Ollama needs an address in place of a key.
fn ways(provider: Provider) -> String {
    match provider.key_variable() {
        Some(variable) => format!("no key here: set {variable} or run `nudge model key {provider}`"),
        None => {
            let variable = provider.base_url_variable();
            format!("no address here: set {variable} or --url to http://127.0.0.1:11434")
        }
    }
}

/// A model, and what is missing before it can be asked here.
struct Listed<'m> {
    /// The model.
    pub(crate) model: &'m ModelView,
    /// What is missing and what to do; `None` if nothing is.
    pub(crate) missing: Option<String>,
}

/// One line for each model, and one for what is missing.
fn list(page: &mut Page, models: &[Listed<'_>]) {
    if models.is_empty() {
        page.text("no models; add one with `nudge model add local ollama/qwen2.5-coder`").end();
        page.text("(docs/models.md explains providers, addresses and keys)").end();
    }
    let column =
        |of: fn(&ModelView) -> &str| models.iter().map(|one| width(of(one.model))).max().unwrap_or(0);
    let (alias, actual) = (column(|model| &model.alias), column(|model| &model.actual));
    for Listed { model, missing } in models {
        page.strong(padded(&model.alias, alias)).text("  ").text(padded(&model.actual, actual));
        let columns = page.columns();
        page.faint(format!("  {}", cut(&facts(model), columns, alias + actual + 4))).end();
        if let Some(missing) = missing {
            page.text("  ").warning(missing).end();
        }
    }
}

/// `http://127.0.0.1:11434, 32,768 tokens, added`.
fn facts(model: &ModelView) -> String {
    let origin = if model.origin == "settings" { "from the settings" } else { &model.origin };
    details(model).into_iter().chain([origin.to_owned()]).collect::<Vec<_>>().join(", ")
}

/// Address, context, prices and grammar of a model, if they are stated.
pub(crate) fn details(model: &ModelView) -> Option<String> {
    let context = model.context_length.map(|tokens| format!("{} tokens", grouped(u64::from(tokens))));
    let price = |name: &str, price: Option<f64>| price.map(|price| format!("${price} per million {name}"));
    let prices = [price("in", model.input_price), price("out", model.output_price)];
    let constrained = model.constrained.then(|| "with a grammar".to_owned());
    let parts: Vec<String> =
        [model.base_url.clone(), context].into_iter().chain(prices).chain([constrained]).flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
