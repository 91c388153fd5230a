//! JSON answers.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use nudge_core::Fault;
use serde_json::{Value, json};

/// A JSON answer that must not be cached.
pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A failure of the request itself, before any operation ran.
pub(super) fn fault(status: StatusCode, fault: &Fault) -> Response {
    json(status, &json!({"error": fault.to_json()}))
}
