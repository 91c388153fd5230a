//! Reads a request's body, with limits on size and time; writes JSON answers.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use nudge_core::{Fault, FaultKind};
use serde_json::{Value, json};

/// The longest body: several times an import of the largest memory that the limits allow.
pub(super) const MAX_BODY: usize = 16 * 1024 * 1024;

/// A body on the loopback takes milliseconds; one that takes this long is meant to block us.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// The whole body, or the answer that rejects it.
pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let announced =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_WITHIN, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_over_limit(&error) => Err(too_large()),
        Ok(Err(_)) => Err(unreadable()),
        Err(_) => Err(too_slow()),
    }
}

fn is_over_limit(error: &axum::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        cause = error.source();
    }
    false
}

fn too_large() -> Response {
    let fault = Fault::new(
        FaultKind::TooLarge,
        "body_too_large",
        format!("a request is limited to {MAX_BODY} bytes"),
    )
    .with("limit", MAX_BODY)
    .next("send less at once");
    fault_response(StatusCode::PAYLOAD_TOO_LARGE, &fault)
}

fn too_slow() -> Response {
    let fault = Fault::new(FaultKind::Invalid, "body_too_slow", "the request body did not arrive in time")
        .next("send it again");
    fault_response(StatusCode::REQUEST_TIMEOUT, &fault)
}

fn unreadable() -> Response {
    let fault = Fault::new(FaultKind::Invalid, "body_unreadable", "the request body ended early");
    fault_response(StatusCode::BAD_REQUEST, &fault)
}

/// A JSON answer that must not be cached.
pub(super) fn json_response(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A failure of the request itself, before any operation ran.
pub(super) fn fault_response(status: StatusCode, fault: &Fault) -> Response {
    json_response(status, &json!({"error": fault.to_json()}))
}
