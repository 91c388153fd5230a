//! A model as the user configured it, and the providers that serve models.

use std::fmt;

/// A model: who serves it, its name there, and what the user said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// The user's name for it.
    pub alias: String,
    /// Who serves it.
    pub provider: Provider,
    /// Its name at the provider, such as `gpt-4o` or `anthropic/claude-opus-4`.
    pub name: String,
    /// The address of its server. It wins over the provider's variable.
    pub base_url: Option<String>,
    /// How many tokens input and output may have together.
    pub context: Option<u32>,
    /// USD for a million tokens of input.
    pub input_price: Option<f64>,
    /// USD for a million tokens of output.
    pub output_price: Option<f64>,
    /// Whether the grammar of a request is sent. Only servers that speak OpenAI's protocol and
    /// understand GBNF, such as llama.cpp, take one.
    pub constrained: bool,
}

/// Why a text names no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no `/`, or nothing before or after it.
    #[error("`{0}` names no model: write provider/model, such as openai/gpt-4o")]
    Form(String),
    /// The provider is not known.
    #[error("`{0}` is no provider; the providers are {names}", names = Provider::names())]
    Provider(String),
}

impl ModelSpec {
    /// Reads `provider/model` or `provider/publisher/model`. The first part is the provider, and
    /// the rest is the provider's own name of the model.
    pub fn parse(alias: &str, text: &str) -> Result<Self, SpecError> {
        let form = || SpecError::Form(text.to_owned());
        let (provider, name) = text.trim().split_once('/').ok_or_else(form)?;
        if provider.is_empty() || name.split('/').any(str::is_empty) || text.contains(char::is_control) {
            return Err(form());
        }
        let known = Provider::parse(provider).ok_or_else(|| SpecError::Provider(provider.to_owned()))?;
        Ok(Self {
            alias: alias.to_owned(),
            provider: known,
            name: name.to_owned(),
            base_url: None,
            context: None,
            input_price: None,
            output_price: None,
            constrained: false,
        })
    }
}

nudge_core::named_enum! {
    /// Who serves a model.
    pub enum Provider {
        /// OpenAI, and every server that speaks its chat completions, llama.cpp among them.
        OpenAi => "openai",
        /// Anthropic.
        Anthropic => "anthropic",
        /// Ollama.
        Ollama => "ollama",
        /// OpenRouter.
        OpenRouter => "openrouter",
        /// xAI.
        Xai => "xai",
    }
}

/// How a provider is spoken to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Chat completions, server-sent events.
    OpenAi,
    /// Messages, server-sent events.
    Anthropic,
    /// `/api/chat`, a JSON object per line.
    Ollama,
}

impl Provider {
    /// Reads a name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name().eq_ignore_ascii_case(name))
    }
    /// The variable that contains the key. Ollama has none: a local server asks for no key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama => None,
            Self::OpenRouter => Some("OPENROUTER_API_KEY"),
            Self::Xai => Some("XAI_API_KEY"),
        }
    }

    /// The variable that contains the address of the server.
    pub fn base_url_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Ollama => "OLLAMA_BASE_URL",
            Self::OpenRouter => "OPENROUTER_BASE_URL",
            Self::Xai => "XAI_BASE_URL",
        }
    }

    /// The address that applies when none is configured.
    pub(crate) fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::OpenRouter => "https://openrouter.ai/api/v1",
            Self::Xai => "https://api.x.ai/v1",
        }
    }

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::OpenAi | Self::OpenRouter | Self::Xai => Protocol::OpenAi,
            Self::Anthropic => Protocol::Anthropic,
            Self::Ollama => Protocol::Ollama,
        }
    }

    pub(crate) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_and_name_are_split_at_the_first_slash() {
        for (text, provider, name) in [
            ("openai/gpt-4o", Provider::OpenAi, "gpt-4o"),
            ("Anthropic/claude-opus-4", Provider::Anthropic, "claude-opus-4"),
            ("ollama/qwen2.5-coder:1.5b", Provider::Ollama, "qwen2.5-coder:1.5b"),
            ("openrouter/meta/llama-3:free", Provider::OpenRouter, "meta/llama-3:free"),
            ("openrouter/anthropic/claude-opus-4", Provider::OpenRouter, "anthropic/claude-opus-4"),
            (" xai/grok-4 ", Provider::Xai, "grok-4"),
        ] {
            let spec = ModelSpec::parse("a", text).expect(text);
            assert_eq!((spec.provider, spec.name.as_str()), (provider, name), "{text}");
        }
    }

    #[test]
    fn what_is_no_model_is_refused_with_the_form() {
        for text in ["", "gpt-4o", "openai/", "/gpt", "openai//x", "openai/x/", "openai/a\nb"] {
            assert_eq!(ModelSpec::parse("a", text), Err(SpecError::Form(text.to_owned())), "{text:?}");
        }
        let message = ModelSpec::parse("a", "acme/x").unwrap_err().to_string();
        assert_eq!(
            message,
            "`acme` is no provider; the providers are openai, anthropic, ollama, openrouter, xai"
        );
    }

    #[test]
    fn every_name_reads_back() {
        for provider in Provider::ALL {
            assert_eq!(Provider::parse(provider.name()), Some(provider));
            assert_eq!(Provider::parse(&provider.name().to_uppercase()), Some(provider));
        }
        assert_eq!(Provider::parse("OpenRouter"), Some(Provider::OpenRouter));
        assert_eq!(Provider::parse("acme"), None);
        assert_eq!(Provider::parse(""), None);
    }
}
