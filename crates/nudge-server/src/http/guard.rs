//! Access control: the layer in front of every path.
//!
//! A web page that the user visits can make the browser send requests to the loopback port, under a
//! name it chose (rebinding) or from its own origin. So the Host must be ours, any Origin must be
//! ours, and all paths but `/health` and those of the page need a token, which no web page can
//! read. A client token counts only if no agent stands above the process that opened the
//! connection.
//!
//! The page itself shows two halves instead of a token: its cookie, and its key in a header.
//! Another port of this machine gets the cookie too, and is the same site; so what another page
//! asks for is refused by `Sec-Fetch-Site`, and no half counts alone.
//!
//! A browser cannot set headers on a WebSocket. So `/ws` also takes the token or the key among the
//! offered protocols, if there is no Authorization header.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use nudge_client::agent_above::{Opener, is_from_user, opener};
use nudge_core::{Fault, FaultKind};

use super::body;
use super::state::{AppState, Rights, Shown};
use super::ui;
use crate::backend;

/// Both ends of a connection.
#[derive(Copy, Clone)]
pub(super) struct Ends {
    pub(super) peer: SocketAddr,
    pub(super) own: SocketAddr,
}

/// The path of the WebSocket.
pub(super) const WEB_SOCKET: &str = "/ws";

/// The prefix of the offered protocol that holds the token.
const TOKEN_PREFIX: &str = "token.";

/// The prefix of the offered protocol that holds the key of a page.
const KEY_PREFIX: &str = "key.";

/// The header with the key of a page.
const KEY_HEADER: &str = "x-nudge-key";

/// Where a browser says which page asks.
const FETCH_SITE: &str = "sec-fetch-site";

/// Lets a request through, or answers it here.
pub(super) async fn guard(State(state): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    let port = state.identity.port().number;
    if !is_for_us(&request, port) {
        return refused(&state, "foreign_host", "the Host header does not name this server");
    }
    if !is_from_us(request.headers(), port) {
        return refused(&state, "foreign_origin", "requests from other web pages are rejected");
    }
    if !is_for_this_page(&request) {
        return refused(&state, "foreign_page", "requests that another web page makes are rejected");
    }
    if !is_open(&request) {
        let Some(rights) = shown_rights(&request, &state) else {
            return unauthorised(&state, tried(&request), ui::is_of_page(request.uri().path()));
        };
        let is_browser = matches!(rights, Rights::Browser { .. });
        if !is_browser && ui::is_of_page(request.uri().path()) {
            let why = "only a browser that is signed in with `nudge ui` may call this";
            return refused(&state, "browser_only", why);
        }
        let ends = request.extensions().get::<Ends>().copied();
        if is_browser && !is_opened_by_owner(ends).await {
            let why = "this connection does not belong to the user whose memory this is";
            return refused(&state, "other_user", why);
        }
        if matches!(rights, Rights::User { .. }) && !is_opened_by_user(ends).await {
            let why = "a client token is the user's, and an agent opened this connection";
            return refused(&state, "agent_above", why);
        }
        note_use(&state, &rights).await;
        request.extensions_mut().insert(rights);
    }
    next.run(request).await
}

/// Whether a request needs nothing to be let in: it reveals nothing confidential, or is checked by
/// its own handler.
fn is_open(request: &Request) -> bool {
    let path = request.uri().path();
    path == "/health" || ui::is_open(request.method(), path)
}

/// Only a use that was admitted keeps a token or a signed-in browser alive.
async fn note_use(state: &Arc<AppState>, rights: &Rights) {
    let (state, rights) = (state.clone(), rights.clone());
    let _ = backend::run_blocking(move || match rights {
        Rights::Agent => {}
        Rights::User { client } => state.clients.note_use(&client),
        Rights::Browser { session, .. } => state.browsers.note_use(&session),
    })
    .await;
}

/// Whether no other web page makes the browser send this. A link to the page may be followed from
/// anywhere: that shows the page, and nothing of it to where the link was.
fn is_for_this_page(request: &Request) -> bool {
    let said = |name: &str| request.headers().get(name).map(HeaderValue::as_bytes);
    match said(FETCH_SITE) {
        None | Some(b"same-origin" | b"none") => true,
        Some(_) => {
            let is_link =
                said("sec-fetch-mode") == Some(b"navigate") && said("sec-fetch-dest") == Some(b"document");
            is_link && request.method() == Method::GET && ui::is_page(request.uri().path())
        }
    }
}

fn is_for_us(request: &Request, port: u16) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let named = host.to_str().is_ok_and(|host| is_our_name(host, port));
    named && request.uri().authority().is_none_or(|authority| is_our_name(authority.as_str(), port))
}

fn is_our_name(host: &str, port: u16) -> bool {
    let Some((name, number)) = host.rsplit_once(':') else { return false };
    let named = ["127.0.0.1", "localhost", "[::1]"].iter().any(|ours| name.eq_ignore_ascii_case(ours));
    named && number == port.to_string()
}

/// Whether a request says that our own page makes it, as browsers do for every POST.
pub(super) fn is_from_page(headers: &HeaderMap, port: u16) -> bool {
    let own = format!("http://127.0.0.1:{port}");
    only(headers.get_all(header::ORIGIN).iter()).is_some_and(|origin| origin == own.as_str())
        && only(headers.get_all(FETCH_SITE).iter()).is_some_and(|site| site == "same-origin")
}

fn is_from_us(headers: &HeaderMap, port: u16) -> bool {
    let ours = [format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}")];
    headers.get_all(header::ORIGIN).iter().all(|origin| ours.iter().any(|ours| origin == ours.as_str()))
}

fn shown_rights(request: &Request, state: &AppState) -> Option<Rights> {
    state.rights_of(&shown(request.uri().path(), request.headers(), state.identity.port().number)?)
}

/// What a request shows. The halves of a page count where a page calls, if there is no token.
pub(super) fn shown(path: &str, headers: &HeaderMap, port: u16) -> Option<Shown> {
    if let Some(token) = shown_token(path, headers) {
        return Some(Shown::Token(token.into()));
    }
    if headers.contains_key(header::AUTHORIZATION) || !ui::calls(path) {
        return None;
    }
    let key = match path == WEB_SOCKET {
        true => only(offered_protocols(headers).filter_map(|offered| offered.strip_prefix(KEY_PREFIX)))?,
        false => only(headers.get_all(KEY_HEADER).iter())?.to_str().ok()?,
    };
    let cookie = shown_cookie(headers, port)?;
    Some(Shown::Browser { cookie: cookie.into(), key: key.into() })
}

/// Our cookie. Several of the name count as none: one of them may be another port's.
pub(super) fn shown_cookie(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = ui::cookie_name(port);
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    only(pairs.filter(|(its, _)| *its == name).map(|(_, value)| value))
}

/// Whether a connection was opened by a process with no agent above it.
pub(super) async fn is_opened_by_user(ends: Option<Ends>) -> bool {
    let Some(Ends { peer, own }) = ends else { return false };
    backend::run_blocking(move || opener(peer, own)).await.is_ok_and(|found| found == Opener::Other)
}

/// Whether a connection belongs to the user whose memory this is. Both halves are not enough:
/// another user who holds the port while no server runs gets them from an open page.
pub(super) async fn is_opened_by_owner(ends: Option<Ends>) -> bool {
    let Some(Ends { peer, own }) = ends else { return false };
    backend::run_blocking(move || is_from_user(peer, own)).await.unwrap_or(false)
}

/// The token that a request shows. One that shows several shows none.
fn shown_token<'r>(path: &str, headers: &'r HeaderMap) -> Option<&'r str> {
    if path == WEB_SOCKET && !headers.contains_key(header::AUTHORIZATION) {
        return only(offered_protocols(headers).filter_map(|offered| offered.strip_prefix(TOKEN_PREFIX)));
    }
    let (scheme, token) =
        only(headers.get_all(header::AUTHORIZATION).iter())?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The protocols that a WebSocket client offers.
pub(super) fn offered_protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim)
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// Whether a request shows a token, right or wrong.
fn tried(request: &Request) -> bool {
    request.headers().contains_key(header::AUTHORIZATION)
        || shown_token(request.uri().path(), request.headers()).is_some()
}

pub(super) fn refused(state: &AppState, reason: &'static str, message: &str) -> Response {
    state.note_refusal(reason);
    body::fault_response(StatusCode::FORBIDDEN, &Fault::new(FaultKind::Forbidden, reason, message))
}

fn unauthorised(state: &AppState, tried: bool, is_of_page: bool) -> Response {
    if is_of_page && !tried {
        state.note_refusal("signed_out");
        let fault = Fault::new(FaultKind::Forbidden, "signed_out", "this browser is not signed in")
            .next("run `nudge ui` in a terminal");
        return body::fault_response(StatusCode::UNAUTHORIZED, &fault);
    }
    let (reason, message) = if tried {
        ("wrong_token", "wrong bearer token")
    } else {
        ("no_token", "this path needs the bearer token")
    };
    state.note_refusal(reason);
    let fault = Fault::new(FaultKind::Forbidden, reason, message).next(
        "send `Authorization: Bearer …` with a token of `nudge token client`, or with the content of run/token",
    );
    let mut response = body::fault_response(StatusCode::UNAUTHORIZED, &fault);
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"nudge\""));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// @ws_rules: only `/ws` takes the token from the offered protocols, and only one.
    #[test]
    fn a_token_among_the_protocols_counts_on_the_web_socket_only() {
        let offered = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(line));
            }
            headers
        };
        let headers = offered(&["nudge.v1, token.abc"]);
        assert_eq!(shown_token("/ws", &headers), Some("abc"));
        assert_eq!(shown_token("/rpc", &headers), None);
        assert_eq!(shown_token("/ws", &offered(&["nudge.v1", "token.abc"])), Some("abc"));
        assert_eq!(shown_token("/ws", &offered(&["token.abc, token.abc"])), None);
        assert_eq!(shown_token("/ws", &offered(&["nudge.v1"])), None);
        let mut both = headers;
        both.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
        assert_eq!(shown_token("/ws", &both), Some("x"));
        both.append(header::AUTHORIZATION, HeaderValue::from_static("Bearer abc"));
        assert_eq!(shown_token("/ws", &both), None);
    }

    #[test]
    fn only_loopback_names_with_our_port_are_ours() {
        for host in ["127.0.0.1:8765", "localhost:8765", "LocalHost:8765", "[::1]:8765"] {
            assert!(is_our_name(host, 8765), "{host}");
        }
        for host in [
            "127.0.0.1",
            "localhost",
            "localhost:80",
            "evil.example:8765",
            "127.0.0.1.evil:8765",
            "::1:8765",
            ":8765",
            "",
        ] {
            assert!(!is_our_name(host, 8765), "{host}");
        }
    }
}
