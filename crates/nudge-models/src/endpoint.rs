//! Where a request goes, and what is refused before anything is sent.

use crate::address::{Address, is_configured};
use crate::error::{ErrorKind, ModelError};
use crate::keys::{Key, Keys};
use crate::spec::{ModelSpec, Protocol, Provider};

/// A provider's server and the key for it.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) provider: Provider,
    pub(crate) key: Option<Key>,
    /// Whether the server is on this machine.
    pub(crate) is_local: bool,
    /// Whether it is the provider's own server and not one that the user named.
    pub(crate) is_default: bool,
    base: Address,
}

impl Endpoint {
    /// The server of a model, or what is missing.
    pub(crate) fn of(spec: &ModelSpec, keys: &Keys) -> Result<Self, ModelError> {
        let provider = spec.provider;
        let stated = spec.base_url.as_deref().or_else(|| keys.base_url(provider));
        let key = keys.key(provider).cloned();
        if !is_configured(provider, key.is_some(), stated) {
            return Err(not_configured(missing(provider, stated, keys)));
        }
        let base = parse(stated.unwrap_or(provider.default_base_url()), provider)?;
        let is_local = base.is_loopback();
        if !base.has_tls() && !is_local && key.is_some() {
            let host = base.host_name();
            return Err(not_configured(format!(
                "the address of {provider} is http://{host}: a key is not sent over a network without \
                 TLS; use https, or remove the key"
            )));
        }
        Ok(Self { provider, key, is_local, is_default: stated.is_none(), base })
    }

    /// Where completions are asked for.
    pub(crate) fn completions(&self) -> Address {
        match self.provider.protocol() {
            Protocol::OpenAi => self.at("/chat/completions"),
            Protocol::Anthropic => self.at("/v1/messages"),
            Protocol::Ollama => self.at("/api/chat"),
        }
    }

    /// A path under the base address.
    pub(crate) fn at(&self, path: &str) -> Address {
        self.base.with_path(&format!("{}{path}", self.base.path()))
    }

    /// A path next to the `/v1` of the base address.
    pub(crate) fn beside_v1(&self, path: &str) -> Address {
        let base = self.base.path();
        self.base.with_path(&format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base)))
    }

    /// Host and port, for messages. The path is left out: some gateways put a secret there.
    pub(crate) fn host(&self) -> String {
        self.base.host()
    }
}

fn not_configured(message: String) -> ModelError {
    ModelError::new(ErrorKind::NotConfigured, message)
}

fn missing(provider: Provider, stated: Option<&str>, keys: &Keys) -> String {
    let address = provider.base_url_variable();
    let key = keys.ways_to_add_key(provider);
    match provider {
        _ if keys.has_no_variables() => format!(
            "{provider} is not configured: add a key with `nudge model key {provider}`, or base_url to the model; \
             an agent started this server, so its variables do not count"
        ),
        Provider::Ollama => format!(
            "ollama is not configured: set {address}, such as {}, or base_url of the model",
            provider.default_base_url()
        ),
        Provider::OpenAi => format!(
            "openai is not configured: {key}; for a server of your own, set {address} or base_url of the model"
        ),
        _ if stated.is_some() => format!("{provider} has an address but no key: {key}"),
        _ => format!("{provider} is not configured: {key}"),
    }
}

/// Reads an address and brings it into the form that paths are added to.
fn parse(text: &str, provider: Provider) -> Result<Address, ModelError> {
    let address =
        Address::parse(text).map_err(|why| not_configured(format!("the address of {provider} {why}")))?;
    let path = address.path();
    let path = match provider {
        Provider::OpenAi if path.is_empty() => "/v1",
        Provider::Anthropic => path.strip_suffix("/v1").unwrap_or(path),
        Provider::Ollama => path.strip_suffix("/api").unwrap_or(path),
        _ => path,
    };
    Ok(address.with_path(path))
}

#[cfg(test)]
mod tests;
