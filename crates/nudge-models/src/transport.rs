//! HTTP and TLS: how a request reaches a server.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{RequestBuilder, Response, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::endpoint::Endpoint;
use crate::error::{ErrorKind, ModelError, clean};
use crate::spec::Protocol;

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(20);

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The connections. TLS is set up when the first `https` address is called, so that a local model
/// works on a machine without certificates.
#[derive(Debug)]
pub(crate) struct Transport {
    plain: reqwest::Client,
    tls: OnceLock<Result<reqwest::Client, String>>,
}

impl Transport {
    pub(crate) fn new() -> Self {
        // Trusts nobody. It is only used for addresses without TLS.
        let nobody = config()
            .map(|builder| builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
        let plain = nobody.and_then(client).expect("a client without certificates can always be made");
        Self { plain, tls: OnceLock::new() }
    }

    fn client(&self, url: &Url) -> Result<&reqwest::Client, ModelError> {
        if url.scheme() == "http" {
            return Ok(&self.plain);
        }
        let made = self.tls.get_or_init(|| {
            let verified = config()?.with_platform_verifier().map_err(|error| error.to_string())?;
            client(verified.with_no_client_auth())
        });
        made.as_ref().map_err(|why| ModelError::new(ErrorKind::Network, format!("TLS cannot be used: {why}")))
    }

    /// A request for JSON, with the key of the server.
    pub(crate) fn get(&self, endpoint: &Endpoint, url: Url) -> Result<RequestBuilder, ModelError> {
        Ok(self.client(&url)?.get(url).headers(headers(endpoint)))
    }

    /// A request with a JSON body, with the key of the server.
    pub(crate) fn post(
        &self,
        endpoint: &Endpoint,
        url: Url,
        body: &serde_json::Value,
    ) -> Result<RequestBuilder, ModelError> {
        let json = HeaderValue::from_static("application/json");
        let request = self.client(&url)?.post(url).headers(headers(endpoint));
        Ok(request.header(CONTENT_TYPE, json).body(body.to_string()))
    }
}

fn config() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, String> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())
}

/// A client that goes where it is sent and nowhere else: no proxies, no redirects, and `localhost`
/// is this machine.
fn client(tls: ClientConfig) -> Result<reqwest::Client, String> {
    let localhost =
        [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].map(|ip| SocketAddr::new(ip, 0));
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .resolve_to_addrs("localhost", &localhost)
        .user_agent(concat!("nudge/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| error.to_string())
}

fn headers(endpoint: &Endpoint) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if endpoint.provider.protocol() == Protocol::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
        if let Some(key) = &endpoint.key {
            headers.insert("x-api-key", secret(key.reveal()));
        }
    } else if let Some(key) = &endpoint.key {
        headers.insert(AUTHORIZATION, secret(&format!("Bearer {}", key.reveal())));
    }
    headers
}

/// A header that no Debug shows.
fn secret(value: &str) -> HeaderValue {
    let mut value = HeaderValue::from_str(value).expect("a key consists of visible ASCII");
    value.set_sensitive(true);
    value
}

/// The beginning of a body. What follows, or cannot be read, is left out.
pub(crate) async fn first_bytes_of(response: &mut Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(more)) = response.chunk().await {
        body.extend_from_slice(&more);
        if body.len() >= most {
            body.truncate(most);
            break;
        }
    }
    body
}

/// A failure of the connection. The address is not part of it: some gateways put a secret there.
pub(crate) fn broken(endpoint: &Endpoint, error: &reqwest::Error) -> ModelError {
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let why = if error.is_timeout() { "no connection within 20 s".to_owned() } else { deepest(error, cause) };
    let host = endpoint.host();
    let what = if error.is_connect() { "cannot connect to" } else { "lost the connection to" };
    let why = clean(&why, endpoint.key.as_ref());
    ModelError::new(ErrorKind::Network, format!("{}: {what} {host}: {why}", endpoint.provider))
}

/// The deepest cause. The outermost error shows the address, so it is not used itself.
fn deepest(error: &reqwest::Error, cause: &dyn Error) -> String {
    if error.source().is_none() { "the request failed".to_owned() } else { cause.to_string() }
}
