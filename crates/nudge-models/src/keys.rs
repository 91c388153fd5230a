//! Keys and addresses of providers, from variables and from the keys file.

mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use nudge_secrets::REDACTED;

use crate::address::is_configured;
use crate::spec::Provider;

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

/// The longest key that is accepted. Keys in use have a few hundred characters at most.
const MAX_KEY_BYTES: usize = 4096;

/// A shorter text is no secret, and replacing it would make a message unreadable.
const MIN_REPLACED: usize = 4;

/// A credential. Debug and Display show `[REDACTED]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// A text cannot be a key. Says nothing of the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key consists of 1 to 4096 visible ASCII characters, without spaces")]
pub struct BadKey;

impl Key {
    /// Takes a key, without the white space around it.
    pub fn new(text: &str) -> Result<Self, BadKey> {
        let text = text.trim();
        let fits =
            (1..=MAX_KEY_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(BadKey) }
    }

    /// The key itself, for a header or the keys file and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with the key replaced.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < MIN_REPLACED {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Why keys cannot be read or written. No variant contains a line of the file or a value.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The file cannot be read or written.
    #[error("keys file {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is a directory, a device or a pipe.
    #[error("keys file {0}: not a regular file")]
    NotAFile(PathBuf),
    /// Others may read it.
    #[error("keys file {path} has mode {mode:04o}, others may read it: run chmod 600 {path}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It belongs to someone else.
    #[error("keys file {0} belongs to another user: make it your own, or remove it")]
    Owner(PathBuf),
    /// It is too long for a file of keys.
    #[error("keys file {0} is longer than 64 KiB")]
    TooLong(PathBuf),
    /// A line is not TOML.
    #[error("keys file {path}, line {line}: write lines such as openai = \"key\"")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A line names no provider.
    #[error("keys file {path}, line {line}: no provider; the providers are {names}", names = Provider::names())]
    Provider {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A value cannot be a key.
    #[error("{place}: {source}")]
    Key {
        /// The variable, or the file and its line.
        place: String,
        /// What a key is.
        source: BadKey,
    },
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

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" plain-but-secret\n").unwrap();
        assert_eq!(key.reveal(), "plain-but-secret");
        assert_eq!(format!("{key} {key:?} {:?}", Some(&key)), "[REDACTED] [REDACTED] Some([REDACTED])");
        assert_eq!(key.hide_in("bad key plain-but-secret!"), "bad key [REDACTED]!");
    }

    #[test]
    fn what_cannot_be_a_header_is_no_key() {
        for text in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(Key::new(text), Err(BadKey), "{text:?}");
        }
    }
}
