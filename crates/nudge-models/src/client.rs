//! The client: a call with its retries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::address::Address;
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::keys::Keys;
use crate::request::{Completion, ModelRequest, Progress};
use crate::retry::{Deadlines, Retries};
use crate::shape::Shape;
use crate::spec::{ModelSpec, Provider};
use crate::stream::Attempt;
use crate::transport::{Call, Transport, first_bytes_of};

/// Calls models. A clone shares connections and what was learned about models.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    transport: Transport,
    /// What each model accepts, by server and name.
    shapes: Mutex<HashMap<(String, String), Shape>>,
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

impl Client {
    /// A client without connections. Nothing is sent until a call.
    pub fn new() -> Self {
        Self { inner: Arc::new(Inner { transport: Transport::new(), shapes: Mutex::default() }) }
    }

    /// Whether a model can be asked as far as keys and addresses go. Nothing is sent.
    pub fn check(spec: &ModelSpec, keys: &Keys) -> Result<(), ModelError> {
        Endpoint::of(spec, keys).map(|_| ())
    }

    /// Sends a request and reports the answer as it arrives.
    ///
    /// Failures that may pass are tried again until their deadline, but only before the first
    /// output. Dropping the future closes the connection, which ends the work at the provider.
    pub async fn complete(
        &self,
        spec: &ModelSpec,
        keys: &Keys,
        request: &ModelRequest<'_>,
        deadlines: Deadlines,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Completion, ModelError> {
        let endpoint = Endpoint::of(spec, keys)?;
        let transport = &self.inner.transport;
        let attempt = Attempt { transport, endpoint: &endpoint, spec, request, silence: deadlines.fetch };
        let mut shape = self.shape(&endpoint, spec);
        let mut retries = Retries::new(deadlines);
        let began = Instant::now();
        loop {
            let answered = timeout(deadlines.answer, attempt.run(&shape, &mut *on)).await;
            let failure = match answered {
                Ok(Ok(completion)) => return Ok(completion),
                Ok(Err(failure)) => failure,
                Err(_) => return Err(attempt.too_slow(deadlines.answer)),
            };
            let (error, body) = (failure.error, failure.body.as_deref());
            if let (Some(status), Some(body)) = (error.status, body)
                && shape.adapt(status, body)
            {
                self.remember(&endpoint, spec, shape);
                continue;
            }
            let Some(again) = retries.after(&error, began.elapsed()) else { return Err(error) };
            on(Progress::Retrying { kind: error.kind, attempt: again.attempt, wait: again.wait });
            sleep(again.wait).await;
        }
    }

    /// How many tokens the model's server says it takes. `None` if it is not configured, does not
    /// say, or does not answer within a few seconds.
    pub async fn context_length(&self, spec: &ModelSpec, keys: &Keys) -> Option<u32> {
        let endpoint = Endpoint::of(spec, keys).ok()?;
        length(&self.inner.transport, &endpoint, spec).await
    }

    fn shape(&self, endpoint: &Endpoint, spec: &ModelSpec) -> Shape {
        let shapes = self.inner.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.get(&(endpoint.host(), spec.name.clone())).copied().unwrap_or_default()
    }

    /// Later calls begin with this shape. Their ids are their own, so changes count from 0.
    fn remember(&self, endpoint: &Endpoint, spec: &ModelSpec, shape: Shape) {
        let mut shapes = self.inner.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.insert((endpoint.host(), spec.name.clone()), Shape { changes: 0, ..shape });
    }
}

// How many tokens a model takes, by what its server says.

/// How long a server may take to say it. A run waits for this.
const LIMITS_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer that is read. OpenRouter's list of models has about a megabyte.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// What the server says, if it says anything.
pub(crate) async fn length(transport: &Transport, endpoint: &Endpoint, spec: &ModelSpec) -> Option<u32> {
    match endpoint.provider {
        Provider::Ollama => {
            let ask = json!({ "model": spec.name });
            let request = transport.post(endpoint, &endpoint.at("/api/show"), &ask).ok()?;
            of_ollama(&answer(request).await?)
        }
        Provider::OpenRouter => {
            of_list(&get(transport, endpoint, &endpoint.at("/models")).await?, &spec.name)
        }
        Provider::OpenAi if !endpoint.is_default => {
            of_props(&get(transport, endpoint, &endpoint.beside_v1("/props")).await?)
        }
        Provider::OpenAi | Provider::Anthropic | Provider::Xai => None,
    }
}

async fn get(transport: &Transport, endpoint: &Endpoint, address: &Address) -> Option<Value> {
    answer(transport.get(endpoint, address).ok()?).await
}

async fn answer(call: Call<'_>) -> Option<Value> {
    let read = async {
        let mut response = call.send().await.ok().filter(|response| response.status().is_success())?;
        serde_json::from_slice(&first_bytes_of(&mut response, MAX_ANSWER_BYTES).await).ok()
    };
    timeout(LIMITS_TIMEOUT, read).await.ok()?
}

/// What the model file sets, or else what the model was made for.
fn of_ollama(answer: &Value) -> Option<u32> {
    let parameters = answer.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let set = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
    let facts = answer.get("model_info").and_then(Value::as_object);
    let made_for = facts.and_then(|facts| {
        facts.iter().find(|(name, _)| name.ends_with(".context_length")).and_then(|(_, value)| tokens(value))
    });
    match (set, made_for) {
        (Some(set), Some(most)) => Some(u32::min(set, most)),
        (set, made_for) => set.or(made_for),
    }
}

/// The entry of OpenRouter's list with this name.
fn of_list(answer: &Value, name: &str) -> Option<u32> {
    let models = answer.get("data")?.as_array()?;
    let model = models.iter().find(|model| model.get("id").and_then(Value::as_str) == Some(name))?;
    model.get("context_length").and_then(tokens)
}

/// What llama.cpp was started with.
fn of_props(answer: &Value) -> Option<u32> {
    answer.pointer("/default_generation_settings/n_ctx").and_then(tokens)
}

fn tokens(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|tokens| u32::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_says_what_is_set_and_what_is_possible() {
        let possible = json!({ "llama.context_length": 8192, "llama.embedding_length": 4096 });
        assert_eq!(of_ollama(&json!({ "model_info": possible })), Some(8192));
        let parameters = "stop    \"<|end|>\"\nnum_ctx                        4096";
        assert_eq!(of_ollama(&json!({ "model_info": possible, "parameters": parameters })), Some(4096));
        let parameters = "num_ctx 99999";
        assert_eq!(of_ollama(&json!({ "model_info": possible, "parameters": parameters })), Some(8192));
        assert_eq!(of_ollama(&json!({ "parameters": parameters })), Some(99999));
        assert_eq!(of_ollama(&json!({})), None);
    }

    #[test]
    fn lists_and_properties_are_read() {
        let list = json!({ "data": [{ "id": "a/b" }, { "id": "a/c", "context_length": 131_072 }] });
        assert_eq!(
            [of_list(&list, "a/c"), of_list(&list, "a/b"), of_list(&list, "x")],
            [Some(131_072), None, None]
        );
        assert_eq!(of_props(&json!({ "default_generation_settings": { "n_ctx": 4096 } })), Some(4096));
        assert_eq!(of_props(&json!({ "default_generation_settings": { "n_ctx": 0 } })), None);
    }
}
