//! Addresses of servers: whether one is on this machine, and whether it is enough to call.

use std::net::IpAddr;

use reqwest::Url;

use crate::spec::Provider;

/// Whether a key or an address is enough to call this provider.
pub(crate) fn is_configured(provider: Provider, has_key: bool, base_url: Option<&str>) -> bool {
    let local = || base_url.and_then(|url| Url::parse(url).ok()).is_some_and(|url| is_loopback(&url));
    match provider {
        Provider::OpenAi => has_key || base_url.is_some(),
        Provider::Ollama => base_url.is_some(),
        Provider::Anthropic | Provider::OpenRouter | Provider::Xai => has_key || local(),
    }
}

/// Whether a URL leads to this machine by name or number. The transport resolves `localhost` to
/// loopback addresses only.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || number.is_ok_and(|ip| ip.is_loopback())
}
