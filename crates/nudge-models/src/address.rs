//! Addresses of servers: how one is read, whether it is on this machine, and whether it is enough
//! to call.

use std::fmt;
use std::net::IpAddr;

use hyper::Uri;

use crate::spec::Provider;

/// The address of a server: `http` or `https`, a host, and a path that other paths are added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    has_tls: bool,
    /// In lower case; an IPv6 address is in brackets.
    host: String,
    /// `None` for the usual port.
    port: Option<u16>,
    path: String,
    query: Option<String>,
}

/// Why a text is no address, as the end of a sentence that begins with "the address".
pub(crate) type BadAddress = &'static str;

impl Address {
    /// Reads an address. A fragment is dropped.
    pub(crate) fn parse(text: &str) -> Result<Self, BadAddress> {
        const NO_URL: BadAddress = "is no URL: write http://host:port or https://host";
        const NOT_HTTP: BadAddress = "must begin with http:// or https://";
        let text = text.trim();
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(if text.contains(':') { NOT_HTTP } else { NO_URL });
        };
        let has_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(NOT_HTTP),
        };
        // The scheme is known in lower case only.
        let uri: Uri = format!("http://{rest}").parse().map_err(|_| NO_URL)?;
        let authority = uri.authority().ok_or(NO_URL)?;
        if authority.as_str().contains('@') {
            return Err("contains a user or a password: put the key into a variable or the keys file");
        }
        if authority.host().is_empty() {
            return Err(NOT_HTTP);
        }
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("" | ":") | None => None,
            Some(_) => Some(authority.port_u16().ok_or(NO_URL)?),
        };
        Ok(Self {
            has_tls,
            host: authority.host().to_ascii_lowercase(),
            port: port.filter(|port| *port != if has_tls { 443 } else { 80 }),
            path: uri.path().trim_end_matches('/').to_owned(),
            query: uri.query().map(str::to_owned),
        })
    }

    pub(crate) const fn has_tls(&self) -> bool {
        self.has_tls
    }

    /// Without a slash at the end.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The same server with another path.
    pub(crate) fn with_path(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// Host and port, for messages. The path is left out: some gateways put a secret there.
    pub(crate) fn host(&self) -> String {
        self.port.map_or_else(|| self.host.clone(), |port| format!("{}:{port}", self.host))
    }

    /// The host without its port.
    pub(crate) fn host_name(&self) -> &str {
        &self.host
    }

    /// Whether it leads to this machine by name or number. The transport resolves `localhost` to
    /// loopback addresses only.
    pub(crate) fn is_loopback(&self) -> bool {
        let number = self.host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        self.host == "localhost" || number.is_ok_and(|ip| ip.is_loopback())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.has_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.host(), self.path)?;
        self.query.iter().try_for_each(|query| write!(f, "?{query}"))
    }
}

/// Whether a key or an address is enough to call this provider.
pub(crate) fn is_configured(provider: Provider, has_key: bool, base_url: Option<&str>) -> bool {
    let local =
        || base_url.and_then(|url| Address::parse(url).ok()).is_some_and(|address| address.is_loopback());
    match provider {
        Provider::OpenAi => has_key || base_url.is_some(),
        Provider::Ollama => base_url.is_some(),
        Provider::Anthropic | Provider::OpenRouter | Provider::Xai => has_key || local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_one_form() {
        for (text, form) in [
            ("https://h", "https://h"),
            (" HTTPS://API.Example.org:443/v1/ ", "https://api.example.org/v1"),
            ("http://h:80/?a=1#f", "http://h?a=1"),
            ("http://h:8080/a/b?a=1", "http://h:8080/a/b?a=1"),
            ("http://[::1]:11434", "http://[::1]:11434"),
        ] {
            assert_eq!(Address::parse(text).expect(text).to_string(), form);
        }
        for bad in [
            "",
            "h",
            "h:80",
            "mailto:a@h",
            "http:/h",
            "http://",
            "http://:80",
            "http://h:port",
            "http://h:99999",
            "http://a b",
            "http://u@h",
            "http://u:p@h",
            "http://h/a b",
            "ws://h",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_names_and_numbers_of_this_machine_are_local() {
        for local in ["http://localhost", "http://LOCALHOST:1", "http://127.9.9.9", "http://[::1]:1/v1"] {
            assert!(Address::parse(local).expect(local).is_loopback(), "{local}");
        }
        for far in ["http://localhost.example.org", "http://127.1", "http://0x7f000001", "http://[::2]"] {
            assert!(!Address::parse(far).expect(far).is_loopback(), "{far}");
        }
    }
}
