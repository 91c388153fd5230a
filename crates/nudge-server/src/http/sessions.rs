//! `/api/sessions`: sessions for programs that show them. Each path is an operation of the
//! registry.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use nudge_core::{Fault, FaultKind};
use nudge_memory::Caller;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::mcp::Mounted;
use super::state::Rights;
use super::{body, rpc};

/// Which sessions to list.
#[derive(Deserialize)]
pub(super) struct Listed {
    limit: Option<i64>,
}

/// `GET /api/sessions`.
pub(super) async fn list(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    headers: HeaderMap,
    listed: Result<Query<Listed>, QueryRejection>,
) -> Response {
    let Ok(Query(listed)) = listed else {
        let fault = Fault::invalid("limit", "cannot read the query").next("set `limit` to a number");
        return body::fault_response(StatusCode::BAD_REQUEST, &fault);
    };
    let mut params = json!({"project": "*"});
    if let Some(limit) = listed.limit {
        params["limit"] = json!(limit);
    }
    let outcome = mounted.state.backend.call(caller(&rights, &headers), "list_session_states", params).await;
    answered(outcome)
}

/// `GET /api/sessions/:id`.
pub(super) async fn get(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    run(&mounted, &rights, &headers, &id, "get_session", Map::new()).await
}

/// `PATCH /api/sessions/:id`.
pub(super) async fn patch(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Response {
    if rights == Rights::Agent {
        let why = "a program with an agent's token changes no session of another project";
        let fault = Fault::new(FaultKind::Forbidden, "other_project", why)
            .next("give the program a token of its own with `nudge token client NAME`");
        return body::fault_response(StatusCode::FORBIDDEN, &fault);
    }
    let bytes = match body::read(&headers, body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(params)) => run(&mounted, &rights, &headers, &id, "update_session", params).await,
        _ => {
            let fault = Fault::invalid("body", "the body is not a JSON object").next(
                "send for example {\"setContext\": {\"setName\": \"files\", \"items\": [\"/w/a.md\"]}}",
            );
            body::fault_response(StatusCode::BAD_REQUEST, &fault)
        }
    }
}

/// `POST /api/sessions/:id/observe`: the user has looked at it.
pub(super) async fn observe(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    let mut params = Map::new();
    params.insert("observed".to_owned(), json!(true));
    run(&mounted, &rights, &headers, &id, "update_session", params).await
}

/// Runs an operation on one session. A caller that names a session by its full id counts as being
/// in its project; a session of a private project is not found.
async fn run(
    mounted: &Mounted,
    rights: &Rights,
    headers: &HeaderMap,
    id: &str,
    op: &'static str,
    mut params: Map<String, Value>,
) -> Response {
    let mut caller = caller(rights, headers);
    let place = match mounted.state.backend.local() {
        Some(local) => {
            let (name, now) = (id.to_owned(), caller.now);
            let looked = move || local.memory().place_of_session(&name, now);
            crate::backend::run_blocking(looked).await.ok().and_then(Result::ok).flatten()
        }
        None => None,
    };
    let Some(place) = place else {
        let fault = Fault::new(FaultKind::NotFound, "no_session", "there is no such session")
            .next("GET /api/sessions lists them");
        return body::fault_response(StatusCode::NOT_FOUND, &fault);
    };
    caller.project = Some(place);
    params.insert("session".to_owned(), json!(id));
    answered(mounted.state.backend.call(caller, op, Value::Object(params)).await)
}

fn caller(rights: &Rights, headers: &HeaderMap) -> Caller {
    rights.caller(rpc::client_of(headers))
}

fn answered(outcome: Result<Value, Fault>) -> Response {
    match outcome {
        Ok(value) => body::json_response(StatusCode::OK, &value),
        Err(fault) => body::fault_response(status(fault.kind), &nudge_store::for_agents(fault)),
    }
}

const fn status(kind: FaultKind) -> StatusCode {
    match kind {
        FaultKind::NotFound => StatusCode::NOT_FOUND,
        FaultKind::Conflict => StatusCode::CONFLICT,
        FaultKind::Forbidden => StatusCode::FORBIDDEN,
        FaultKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        FaultKind::Busy | FaultKind::Unavailable | FaultKind::ReadOnly | FaultKind::NewerStore => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        FaultKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}
