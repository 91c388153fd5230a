//! The page in a browser: its files, and who is signed in.
//!
//! `nudge ui` asks for a code over the socket and opens `/login#CODE`. A fragment is in no request,
//! so the code is in no log. The page posts it to `/ui/session` and gets two halves: a cookie that
//! no script can read, and a key that no other port can read. The guard asks for both.

pub(super) mod acts;

use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use nudge_client::ui_sessions::ENDS_UNUSED;
use nudge_core::{Fault, FaultKind};
use nudge_web::{ASSETS, File, PAGES, SHELL};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body;
use super::guard::{self, Ends};
use super::mcp::Mounted;
use super::state::{AppState, Rights};
use crate::backend;

/// Signs in and out.
pub(super) const SESSION: &str = "/ui/session";

/// Lists the browsers that are signed in.
pub(super) const BROWSERS: &str = "/ui/sessions";

/// Signs one of them out.
pub(super) const BROWSER: &str = "/ui/sessions/{id}";

/// Pauses capture.
pub(super) const PAUSE: &str = "/ui/pause";

/// Deletes an entry for good.
pub(super) const ENTRY: &str = "/ui/entries/{id}";

/// What commands print.
pub(super) const COMMAND: &str = "/ui/commands/{name}";

/// Where all that only the page calls is.
const OF_PAGE: &str = "/ui/";

/// Sessions with their context sets, which the page reads and writes like other programs.
const SESSIONS: &str = "/api/sessions/";

/// What the page may load and do: its own files, and nothing that text could smuggle in.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every file.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Whether an address shows the page.
pub(super) fn is_page(path: &str) -> bool {
    nudge_web::is_page(path)
}

/// Whether a request needs nothing to be let in: it gets a file, or signs in.
pub(super) fn is_open(method: &Method, path: &str) -> bool {
    is_page(path)
        || path.strip_prefix(ASSETS).is_some_and(|name| nudge_web::asset(name).is_some())
        || (path == SESSION && method == Method::POST)
}

/// Whether only the page may call this.
pub(super) fn is_of_page(path: &str) -> bool {
    path.starts_with(OF_PAGE)
}

/// Whether the page calls this.
pub(super) fn calls(path: &str) -> bool {
    is_of_page(path) || path.starts_with(SESSIONS) || ["/rpc", guard::WEB_SOCKET].contains(&path)
}

/// The cookie of a server on this port. A browser sends it to every port.
pub(super) fn cookie_name(port: u16) -> String {
    format!("nudge_ui_{port}")
}

// The files.

/// The routes of the page's addresses.
pub(super) fn pages() -> impl Iterator<Item = (&'static str, MethodRouter<Mounted>)> {
    PAGES.into_iter().map(|path| (path, get(page)))
}

/// A page: always the same shell. It has one origin, so other names of this machine lead there.
async fn page(State(mounted): State<Mounted>, uri: Uri, headers: HeaderMap) -> Response {
    let port = mounted.state.identity.port().number;
    let own = format!("127.0.0.1:{port}");
    if headers.get(header::HOST).is_none_or(|host| host == own.as_str()) {
        return file(&SHELL, "no-cache");
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    if let Ok(there) = HeaderValue::from_str(&format!(
        "http://{own}{}",
        uri.path_and_query().map_or("/", PathAndQuery::as_str)
    )) {
        response.headers_mut().insert(header::LOCATION, there);
    }
    response
}

/// `GET /assets/:name`. The name has a hash, so the content never changes.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    match nudge_web::asset(&name) {
        Some(found) => file(found, "public, max-age=31536000, immutable"),
        None => {
            let fault = Fault::new(FaultKind::NotFound, "no_such_file", "the page has no such file")
                .next("reload the page");
            body::fault_response(StatusCode::NOT_FOUND, &fault)
        }
    }
}

fn file(file: &'static File, kept: &'static str) -> Response {
    let mut response = Response::new(Body::from(file.bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

// Signing in and out.

/// The body of a sign-in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignIn {
    code: String,
}

/// `POST /ui/session`: a code for the two halves. The guard lets everybody in here, so this checks
/// who asks: our own page, in a browser of this user.
pub(super) async fn sign_in(State(mounted): State<Mounted>, request: Request) -> Response {
    let state = &mounted.state;
    let port = state.identity.port().number;
    let (head, body) = request.into_parts();
    if !guard::is_from_page(&head.headers, port) {
        return guard::refused(state, "foreign_page", "only the page itself may sign in");
    }
    if head.headers.contains_key(header::AUTHORIZATION) {
        return guard::refused(state, "browser_only", "a token signs no browser in");
    }
    let is_json = head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !is_json {
        let fault = Fault::invalid("content_type", "a sign-in is JSON").next("send `application/json`");
        return body::fault_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, &fault);
    }
    let ends = head.extensions.get::<Ends>().copied();
    if !guard::is_opened_by_owner(ends).await {
        let why =
            "this browser does not belong to the user whose memory this is, or its user cannot be found";
        return guard::refused(state, "other_user", why);
    }
    if !guard::is_opened_by_user(ends).await {
        let why = "an agent started the program that signs in, and the page has the user's rights";
        return guard::refused(state, "agent_above", why);
    }
    let bytes = match body::read(&head.headers, body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    let Ok(SignIn { code }) = serde_json::from_slice(&bytes) else {
        let fault = Fault::invalid("body", "the body is no JSON object with a `code`");
        return body::fault_response(StatusCode::BAD_REQUEST, &fault);
    };
    let Some(read_only) = state.codes.redeem(&code) else {
        state.note_refusal("wrong_code");
        let why = "this link was used already, is older than a minute, or is not complete";
        let fault = Fault::new(FaultKind::Forbidden, "wrong_code", why).next("run `nudge ui` again");
        return body::fault_response(StatusCode::FORBIDDEN, &fault);
    };
    let browser = head.headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok());
    let browser = browser.unwrap_or("a browser").to_owned();
    let state = state.clone();
    let begun = backend::run_blocking(move || {
        state.browsers.begin(&browser, read_only).map(|(session, halves)| (session, halves, state))
    });
    let (session, halves, state) = match begun.await {
        Ok(Ok(begun)) => begun,
        Ok(Err(fault)) => return body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &fault),
        Err(_) => return body::fault_response(StatusCode::INTERNAL_SERVER_ERROR, &failed()),
    };
    tracing::info!(session = session.id, read_only, "a browser signed in");
    let version = &state.identity.version;
    let position = position(&state).await;
    let answer = json!({"key": halves.key, "read_only": read_only, "version": version, "position": position});
    with_cookie(body::json_response(StatusCode::OK, &answer), port, &halves.cookie, ENDS_UNUSED)
}

/// `GET /ui/session`: what the page must know to begin. It keeps the cookie for another 30 days.
pub(super) async fn session(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    headers: HeaderMap,
) -> Response {
    let port = mounted.state.identity.port().number;
    let read_only = matches!(rights, Rights::Browser { read_only: true, .. });
    let version = &mounted.state.identity.version;
    let position = position(&mounted.state).await;
    let answer = json!({"read_only": read_only, "version": version, "position": position});
    let response = body::json_response(StatusCode::OK, &answer);
    match guard::shown_cookie(&headers, port) {
        Some(cookie) => with_cookie(response, port, cookie, ENDS_UNUSED),
        None => response,
    }
}

/// Where the feed is now: the page hears of all that comes after, also of what comes before it is
/// connected. Another server that takes over knows it.
async fn position(state: &AppState) -> Option<i64> {
    let local = state.backend.local()?;
    backend::run_blocking(move || local.memory().feed_head()).await.ok()?.ok()
}

/// `DELETE /ui/session`: signs this browser out. Its open connections are closed.
pub(super) async fn sign_out(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
) -> Response {
    let port = mounted.state.identity.port().number;
    let Rights::Browser { session, .. } = rights else {
        return body::fault_response(StatusCode::FORBIDDEN, &failed());
    };
    tracing::info!(session = &*session, "a browser signed out");
    let state = mounted.state.clone();
    match backend::run_blocking(move || state.browsers.end(&session)).await {
        Ok(Ok(_)) => with_cookie(body::json_response(StatusCode::OK, &Value::Null), port, "", 0),
        Ok(Err(fault)) => body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &fault),
        Err(_) => body::fault_response(StatusCode::INTERNAL_SERVER_ERROR, &failed()),
    }
}

fn with_cookie(mut response: Response, port: u16, value: &str, seconds: i64) -> Response {
    let name = cookie_name(port);
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    if let Ok(text) = HeaderValue::from_str(&text) {
        response.headers_mut().insert(header::SET_COOKIE, text);
    }
    response
}

fn failed() -> Fault {
    Fault::new(FaultKind::Internal, "sign_in", "the sign-in could not be changed").next("try again")
}
