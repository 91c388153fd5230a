//! The providers: who serves a model, and by which protocol.

use std::fmt;

/// Who serves a model.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI, and every server that speaks its chat completions, llama.cpp among them.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Ollama.
    Ollama,
    /// OpenRouter.
    OpenRouter,
    /// xAI.
    Xai,
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
    /// Every provider, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Anthropic, Self::Ollama, Self::OpenRouter, Self::Xai];

    /// Reads a name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name().eq_ignore_ascii_case(name))
    }

    /// The name in `provider/model` and in the keys file.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::OpenRouter => "openrouter",
            Self::Xai => "xai",
        }
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
