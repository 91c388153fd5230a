//! `nudge model`: the models that `nudge ask` can use, and the keys of their providers.

mod key;
mod ls;

use clap::{Args, Subcommand};
use nudge_core::{Fault, FaultKind};
use nudge_memory::runs::{AddModelParams, GetModelsParams, ModelList, ModelView, RemoveModelParams};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::model;

/// The end of the help page.
const EXAMPLES: &str = "\
Models can also be set in config.toml; see `nudge config`. Without a key or an
address, a provider is never called.

Examples:
  nudge model add local ollama/qwen2.5-coder --url http://127.0.0.1:11434
  nudge model add fast openai/gpt-4.1-mini
  nudge model key openai < key.txt";

// The arguments. The summary is in `cli.rs`, with the others.
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
            Verb::Ls => ls::run(invocation),
            Verb::Add { alias, actual, url, context } => {
                add(invocation, &AddModelParams { alias, actual, base_url: url, context_length: context })
            }
            Verb::Rm { model } => remove(invocation, model),
            Verb::Key(args) => args.run(invocation),
        }
    }
}

fn add(invocation: &Invocation, params: &AddModelParams) -> Result<Exit, Failure> {
    let answer = invocation.call("add_model", params, here())?;
    let added: ModelView = invocation.typed(&answer)?;
    let missing = ls::missing(invocation, &added);
    invocation.output.answer(&answer, |page| {
        page.good("✔").text(" added ").strong(&added.alias).text(": ").text(&added.actual);
        page.text(model::details(&added).map(|details| format!(" ({details})")).unwrap_or_default()).end();
        if let Some(missing) = &missing {
            page.text("  ").warning(missing).end();
        }
    });
    Ok(Exit::Ok)
}

fn remove(invocation: &Invocation, alias: String) -> Result<Exit, Failure> {
    let params = RemoveModelParams { alias };
    let answer = invocation.call("remove_model", &params, here())?;
    let left: ModelList = invocation.typed(&answer)?;
    invocation.output.answer(&answer, |page| {
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
    let answer = invocation.call_under(&settings, "get_models", &GetModelsParams::default(), here())?;
    invocation.typed(&answer)
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
