//! HTTP and TLS: how a request reaches a server.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_rustls::{HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt, service_fn};

use crate::address::Address;
use crate::endpoint::Endpoint;
use crate::error::{ErrorKind, ModelError, clean};
use crate::spec::Protocol;

/// How long a connection may take to open, with its name and its TLS.
const MAX_CONNECT: Duration = Duration::from_secs(20);

/// How often a silent connection is probed.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// How many probes in a row may stay unanswered.
const MAX_PROBES: u32 = 3;

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

type Connector = BoxCloneSyncService<Uri, MaybeHttpsStream<TokioIo<TcpStream>>, Box<dyn Error + Send + Sync>>;

pub(crate) type HttpClient = legacy::Client<Connector, String>;

/// Which addresses of a host are called: all of them, if all fit.
pub(crate) type Fits = fn(IpAddr) -> Result<(), &'static str>;

/// The connections. TLS is set up when the first `https` address is called, so that a local model
/// works on a machine without certificates.
#[derive(Debug)]
pub(crate) struct Transport {
    plain: HttpClient,
    tls: OnceLock<Result<HttpClient, String>>,
}

impl Transport {
    pub(crate) fn new() -> Self {
        // Trusts nobody. It is only used for addresses without TLS.
        let nobody = config()
            .map(|builder| builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
        let plain = nobody
            .map(|tls| client(tls, |_| Ok(())))
            .expect("a client without certificates can always be made");
        Self { plain, tls: OnceLock::new() }
    }

    fn client(&self, address: &Address) -> Result<&HttpClient, ModelError> {
        if !address.has_tls() {
            return Ok(&self.plain);
        }
        let made = self.tls.get_or_init(|| Ok(client(verified(config()?)?, |_| Ok(()))));
        made.as_ref().map_err(|why| ModelError::new(ErrorKind::Network, format!("TLS cannot be used: {why}")))
    }

    /// A request for JSON, with the key of the server.
    pub(crate) fn get(&self, endpoint: &Endpoint, address: &Address) -> Result<Call<'_>, ModelError> {
        self.call(endpoint, address, Method::GET, String::new())
    }

    /// A request with a JSON body, with the key of the server.
    pub(crate) fn post(
        &self,
        endpoint: &Endpoint,
        address: &Address,
        body: &serde_json::Value,
    ) -> Result<Call<'_>, ModelError> {
        let call = self.call(endpoint, address, Method::POST, body.to_string())?;
        Ok(call.with(CONTENT_TYPE.as_str(), HeaderValue::from_static("application/json")))
    }

    fn call(
        &self,
        endpoint: &Endpoint,
        address: &Address,
        method: Method,
        body: String,
    ) -> Result<Call<'_>, ModelError> {
        let client = self.client(address)?;
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = address.to_string().parse().map_err(|_| {
            let why = format!("the address of {} is no URL", endpoint.provider);
            ModelError::new(ErrorKind::NotConfigured, why)
        })?;
        *request.headers_mut() = headers(endpoint);
        Ok(Call { client, request })
    }
}

/// A request that was not sent yet.
pub(crate) struct Call<'t> {
    client: &'t HttpClient,
    request: Request<String>,
}

impl Call<'_> {
    /// The request with one more header.
    pub(crate) fn with(mut self, name: &'static str, value: HeaderValue) -> Self {
        self.request.headers_mut().append(name, value);
        self
    }

    pub(crate) async fn send(self) -> Result<Response<Incoming>, legacy::Error> {
        self.client.request(self.request).await
    }
}

/// TLS that trusts whom the system trusts.
pub(crate) fn verified(
    builder: rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
) -> Result<ClientConfig, String> {
    let verified = builder.with_platform_verifier().map_err(|error| error.to_string())?;
    Ok(verified.with_no_client_auth())
}

pub(crate) fn config() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, String> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())
}

/// A client that goes where it is sent and nowhere else: no proxies and no redirects. Connections
/// that are idle are kept for 90 seconds.
pub(crate) fn client(tls: ClientConfig, fits: Fits) -> HttpClient {
    let mut builder = legacy::Client::builder(TokioExecutor::new());
    builder.timer(TokioTimer::new()).pool_timer(TokioTimer::new()).build(connector(tls, fits))
}

fn connector(tls: ClientConfig, fits: Fits) -> Connector {
    let mut http = HttpConnector::new_with_resolver(Resolver(fits));
    http.enforce_http(false);
    http.set_connect_timeout(Some(MAX_CONNECT));
    http.set_nodelay(true);
    http.set_keepalive(Some(KEEPALIVE_INTERVAL));
    http.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    http.set_keepalive_retries(Some(MAX_PROBES));
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(http);
    BoxCloneSyncService::new(service_fn(move |address: Uri| {
        let connected = connector.clone().oneshot(address);
        async move { timeout(MAX_CONNECT, connected).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))? }
    }))
}

/// Looks hosts up, and refuses one whose addresses do not all fit.
#[derive(Clone)]
struct Resolver(Fits);

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, host: Name) -> Self::Future {
        let fits = self.0;
        Box::pin(async move {
            let found = resolve(host).await?;
            found.clone().try_for_each(|address| fits(address.ip())).map_err(io::Error::other)?;
            Ok(found)
        })
    }
}

/// The addresses of a host. `localhost` is this machine, whatever the system says.
async fn resolve(host: Name) -> io::Result<std::vec::IntoIter<SocketAddr>> {
    let found = if host.as_str() == "localhost" {
        vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))]
    } else {
        tokio::net::lookup_host((host.as_str(), 0)).await?.collect()
    };
    Ok(found.into_iter())
}

fn headers(endpoint: &Endpoint) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("nudge/", env!("CARGO_PKG_VERSION"))));
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

/// The next piece of a body; `None` at its end.
pub(crate) async fn next_piece(response: &mut Response<Incoming>) -> Result<Option<Bytes>, hyper::Error> {
    loop {
        let frame = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await;
        match frame.transpose()?.map(hyper::body::Frame::into_data) {
            Some(Ok(bytes)) => return Ok(Some(bytes)),
            // Trailers say nothing that is needed.
            Some(Err(_)) => {}
            None => return Ok(None),
        }
    }
}

/// The beginning of a body. What follows, or cannot be read, is left out.
pub(crate) async fn first_bytes_of(response: &mut Response<Incoming>, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(more)) = next_piece(response).await {
        body.extend_from_slice(&more);
        if body.len() >= most {
            body.truncate(most);
            break;
        }
    }
    body
}

/// A request that was not answered.
pub(crate) fn unsent(endpoint: &Endpoint, error: &legacy::Error) -> ModelError {
    let what = if error.is_connect() { "cannot connect to" } else { "lost the connection to" };
    failed(endpoint, what, error)
}

/// An answer that broke off.
pub(crate) fn broken(endpoint: &Endpoint, error: &hyper::Error) -> ModelError {
    failed(endpoint, "lost the connection to", error)
}

/// A failure of the connection, with its deepest cause. The address is not part of it: some
/// gateways put a secret there.
fn failed(endpoint: &Endpoint, what: &str, error: &(dyn Error + 'static)) -> ModelError {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let is_timeout =
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
    let why = if is_timeout { "no connection within 20 s".to_owned() } else { cause.to_string() };
    let why = clean(&why, endpoint.key.as_ref());
    let host = endpoint.host();
    ModelError::new(ErrorKind::Network, format!("{}: {what} {host}: {why}", endpoint.provider))
}
