//! Keys and addresses of providers, from variables and from the keys file.

mod error;
mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::address::is_configured;
use crate::key::Key;
use crate::provider::Provider;

pub use error::KeysError;
pub use file::write_key;

/// What is configured of each provider. Debug shows neither keys nor addresses.
#[derive(Clone, Default)]
pub struct Keys {
    keys: BTreeMap<Provider, Key>,
    base_urls: BTreeMap<Provider, String>,
    file: Option<PathBuf>,
    /// Whether variables were left out, because an agent may have set them.
    has_no_variables: bool,
}

impl Keys {
    /// Reads variables through `env`, and the keys file if it exists. Variables win.
    ///
    /// The file must have mode 0600 and belong to the user who runs this program.
    pub fn load(env: &dyn Fn(&str) -> Option<String>, file: Option<&Path>) -> Result<Self, KeysError> {
        let mut keys = Self { file: file.map(Path::to_owned), ..Self::default() };
        if let Some(path) = file {
            keys.keys = file::read(path)?;
        }
        for provider in Provider::ALL {
            let value = |name: &str| env(name).filter(|value| !value.trim().is_empty());
            if let Some(name) = provider.key_variable()
                && let Some(text) = value(name)
            {
                let place = name.to_owned();
                let key = Key::new(&text).map_err(|source| KeysError::Key { place, source })?;
                keys.keys.insert(provider, key);
            }
            if let Some(url) = value(provider.base_url_variable()) {
                keys.base_urls.insert(provider, url.trim().to_owned());
            }
        }
        Ok(keys)
    }

    /// Reads the keys file alone, for a process whose variables are not the user's.
    pub fn without_variables(file: &Path) -> Result<Self, KeysError> {
        Ok(Self { has_no_variables: true, ..Self::load(&|_| None, Some(file))? })
    }

    /// Reads variables alone.
    pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Result<Self, KeysError> {
        Self::load(env, None)
    }

    /// Whether a model of this provider can be called without an address of its own.
    ///
    /// A key is enough, except for Ollama, which needs an address. An address is enough for servers
    /// that ask for no key. Everything else is inert.
    pub fn is_configured(&self, provider: Provider) -> bool {
        is_configured(provider, self.key(provider).is_some(), self.base_url(provider))
    }

    pub(crate) fn key(&self, provider: Provider) -> Option<&Key> {
        self.keys.get(&provider)
    }

    pub(crate) fn base_url(&self, provider: Provider) -> Option<&str> {
        self.base_urls.get(&provider).map(String::as_str)
    }

    pub(crate) const fn has_no_variables(&self) -> bool {
        self.has_no_variables
    }

    /// What a person can do to configure a key.
    pub(crate) fn ways_to_add_key(&self, provider: Provider) -> String {
        let variable = provider.key_variable().map(|name| format!("set {name}"));
        let path = self.file.as_ref().map(|path| path.display().to_string());
        let line = format!("{provider} = \"…\"");
        let file = path.map_or_else(
            || format!("add the line {line} to the keys file"),
            |path| format!("add the line {line} to {path}"),
        );
        variable.into_iter().chain([file]).collect::<Vec<_>>().join(", or ")
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let configured = Provider::ALL.into_iter().filter(|provider| self.is_configured(*provider));
        f.debug_tuple("Keys").field(&configured.map(Provider::name).collect::<Vec<_>>()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    fn configured(pairs: &'static [(&'static str, &'static str)]) -> Vec<&'static str> {
        let keys = Keys::from_env(&env(pairs)).expect("the variables are valid");
        Provider::ALL.into_iter().filter(|p| keys.is_configured(*p)).map(Provider::name).collect()
    }

    #[test]
    fn a_provider_is_configured_by_its_own_variables_alone() {
        assert_eq!(configured(&[]), [""; 0]);
        assert_eq!(configured(&[("OPENAI_API_KEY", "k"), ("XAI_API_KEY", "k")]), ["openai", "xai"]);
        assert_eq!(configured(&[("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")]), ["openai"]);
        assert_eq!(configured(&[("OLLAMA_BASE_URL", "http://127.0.0.1:11434")]), ["ollama"]);
        assert_eq!(configured(&[("ANTHROPIC_API_KEY", " "), ("OLLAMA_BASE_URL", "")]), [""; 0]);
    }

    #[test]
    fn an_address_replaces_a_key_only_on_this_machine() {
        assert_eq!(configured(&[("ANTHROPIC_BASE_URL", "https://gateway.example")]), [""; 0]);
        assert_eq!(configured(&[("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")]), ["anthropic"]);
    }

    #[test]
    fn a_bad_variable_is_named_and_not_shown() {
        let error = Keys::from_env(&env(&[("XAI_API_KEY", "two words")])).unwrap_err().to_string();
        assert_eq!(
            error,
            "XAI_API_KEY: a key consists of 1 to 4096 visible ASCII characters, without spaces"
        );
    }

    #[test]
    fn debug_shows_no_key() {
        let pairs = &[("OPENAI_API_KEY", "plain-secret"), ("OLLAMA_BASE_URL", "http://u:pw@h")];
        assert_eq!(format!("{:?}", Keys::from_env(&env(pairs)).unwrap()), r#"Keys(["openai", "ollama"])"#);
    }
}
