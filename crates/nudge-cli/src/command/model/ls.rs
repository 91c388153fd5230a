//! `nudge model ls`: lists models, and says what is missing before one can be asked.

use nudge_core::Fault;
use nudge_memory::runs::{GetModelsParams, ModelList, ModelView};
use nudge_models::{Keys, Provider};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::model::{self, Listed};

/// Lists the models.
pub(super) fn run(invocation: &Invocation) -> Result<Exit, Failure> {
    let settings = invocation.settings()?;
    let answer = invocation.call_under(&settings, "get_models", &GetModelsParams::default(), here())?;
    let list: ModelList = invocation.typed(&answer)?;
    invocation.output.answer(&answer, |page| {
        let listed: Vec<Listed<'_>> =
            list.models.iter().map(|model| Listed { model, missing: missing(invocation, model) }).collect();
        model::list(page, &listed);
    });
    Ok(Exit::Ok)
}

/// What this process lacks to ask a model. A server may have other variables.
pub(super) fn missing(invocation: &Invocation, model: &ModelView) -> Option<String> {
    let name = model.actual.split_once('/').map_or(model.actual.as_str(), |(provider, _)| provider);
    let Some(provider) = Provider::parse(name) else {
        return Some(format!("there is no provider `{name}`"));
    };
    match keys(invocation, provider, model.base_url.as_deref()) {
        Ok(keys) if keys.is_configured(provider) => None,
        Ok(_) => Some(ways(provider)),
        Err(fault) => Some(fault.message),
    }
}

/// The keys and addresses of this process. The address of the model is in the place of the
/// provider's.
fn keys(invocation: &Invocation, provider: Provider, url: Option<&str>) -> Result<Keys, Fault> {
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
