//! How this process reaches the providers of models, and which models it cannot ask.

use nudge_agent::runs::{Act, Ask, KnownModel, known_models};
use nudge_core::Fault;
use nudge_home::{Home, Settings};
use nudge_memory::operation::Op;
use nudge_memory::{Caller, Memory};
use nudge_models::{Client, Keys, KeysError, ModelSpec, SpecError};
use serde_json::Value;

/// How this process reaches the providers of models.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) home: Home,
    /// Whether an agent started this process, so that its variables do not count.
    pub(crate) by_agent: bool,
}

impl Reach {
    /// The keys and addresses of the providers, as they are now.
    pub(crate) fn keys(&self) -> Result<Keys, KeysError> {
        let file = self.home.keys_file();
        match self.by_agent {
            true => Keys::without_variables(&file),
            false => Keys::load(&|name| std::env::var(name).ok(), Some(&file)),
        }
    }

    /// Rejects a prompt for a model that this process cannot ask, before there is a run for it.
    pub(crate) fn check(
        &self,
        memory: &Memory,
        caller: &Caller,
        op: &str,
        params: &Value,
    ) -> Result<(), Fault> {
        let alias = params["model"].as_str().filter(|_| [Ask::NAME, Act::NAME].contains(&op));
        let Some(alias) = alias else { return Ok(()) };
        let mut models = memory.settings().models.clone();
        models.extend(caller.terms.iter().flat_map(|terms| terms.models.clone()));
        let settings = Settings { models, ..memory.settings().clone() };
        let known = memory.store().read(|reader| known_models(reader, &settings))?;
        let Some(model) = known.iter().find(|model| model.alias == alias) else { return Ok(()) };
        let usable = spec(model).map_err(|error| error.to_string()).and_then(|spec| {
            let keys = self.keys().map_err(|error| error.to_string())?;
            Client::check(&spec, &keys).map_err(|error| error.to_string())
        });
        usable.map_err(|why| Fault::invalid("model_not_usable", why).with("field", "model"))
    }
}

/// The model as its client needs it.
pub(crate) fn spec(model: &KnownModel) -> Result<ModelSpec, SpecError> {
    Ok(ModelSpec {
        base_url: model.set.base_url.clone(),
        context: model.set.context,
        input_price: model.set.input_price,
        output_price: model.set.output_price,
        constrained: model.set.constrained,
        ..ModelSpec::parse(&model.alias, &model.set.model)?
    })
}
