//! How many tokens a model takes, by what its server says.

use std::time::Duration;

use reqwest::{RequestBuilder, Url};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::endpoint::Endpoint;
use crate::provider::Provider;
use crate::spec::ModelSpec;
use crate::transport::{Transport, first_bytes_of};

/// How long a server may take to say it. A run waits for this.
const WITHIN: Duration = Duration::from_secs(5);

/// The longest answer that is read. OpenRouter's list of models has about a megabyte.
const MOST: usize = 16 * 1024 * 1024;

/// What the server says, if it says anything.
pub(crate) async fn length(transport: &Transport, endpoint: &Endpoint, spec: &ModelSpec) -> Option<u32> {
    match endpoint.provider {
        Provider::Ollama => {
            let ask = json!({ "model": spec.name });
            let request = transport.post(endpoint, endpoint.at("/api/show"), &ask).ok()?;
            of_ollama(&answer(request).await?)
        }
        Provider::OpenRouter => of_list(&get(transport, endpoint, endpoint.at("/models")).await?, &spec.name),
        Provider::OpenAi if !endpoint.is_default => {
            of_props(&get(transport, endpoint, endpoint.beside_v1("/props")).await?)
        }
        Provider::OpenAi | Provider::Anthropic | Provider::Xai => None,
    }
}

async fn get(transport: &Transport, endpoint: &Endpoint, url: Url) -> Option<Value> {
    answer(transport.get(endpoint, url).ok()?).await
}

async fn answer(request: RequestBuilder) -> Option<Value> {
    let read = async {
        let mut response = request.send().await.ok().filter(|response| response.status().is_success())?;
        serde_json::from_slice(&first_bytes_of(&mut response, MOST).await).ok()
    };
    timeout(WITHIN, read).await.ok()?
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
