//! The JSON-RPC methods: the operations of the registry, and those that need a connection.

use nudge_agent::registry;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::{Ambient, Caller};
use serde_json::{Map, Value, json};

use crate::backend::Backend;
use crate::run_feed::{NOTIFY, PROGRESS, PROPOSAL, RENDER, STATE};

/// Binds a connection to a project.
pub(super) const INIT: &str = "init";

/// Begins the notifications of changes.
pub(super) const SUBSCRIBE: &str = "subscribe";

/// Ends them.
pub(super) const UNSUBSCRIBE: &str = "unsubscribe";

/// The first message on a connection.
pub(super) const HELLO: &str = "nudge/hello";

/// An entry changed.
pub(super) const CHANGED: &str = "entry/changed";

/// The name of an event in the feed that has none of its own.
pub(super) const PLAIN_CHANGE: &str = "change";

/// The position of a subscription is gone.
pub(super) const GONE: &str = "feed/gone";

/// Whether a method works on a WebSocket only.
pub(super) fn needs_connection(method: &str) -> bool {
    [INIT, SUBSCRIBE, UNSUBSCRIBE].contains(&method)
}

/// The error for such a method over `/rpc`.
pub(super) fn no_connection(method: &str) -> Fault {
    Fault::invalid("needs_connection", format!("`{method}` needs a connection, and a POST has none"))
        .next("call it on the WebSocket at /ws")
}

/// The verbs over entries and files. They work in a place.
const VERBS: [&str; 10] =
    ["get", "get_entries", "set", "rm", "cp", "mv", "update", "store", "scan_files", "apply_tags"];

/// Whether an operation works in the caller's project: a verb, or one on runs.
pub(super) fn needs_place(method: &str) -> bool {
    works_on_runs(method) || is_verb(method)
}

/// Whether an operation works on runs.
pub(super) fn works_on_runs(method: &str) -> bool {
    registry::is_of_runs(method)
}

/// Whether an operation is a verb over entries and files.
pub(super) fn is_verb(method: &str) -> bool {
    registry::find(method).is_some_and(|operation| VERBS.contains(&operation.name))
}

/// Whether a verb only reads entries and changes nothing but what the caller has in view.
pub(super) fn is_reading_verb(method: &str) -> bool {
    registry::find(method).is_some_and(|operation| ["get", "get_entries"].contains(&operation.name))
}

/// Runs an operation for a program, in a place if it has one.
pub(super) async fn operate(
    backend: &Backend,
    mut caller: Caller,
    place: Option<Context>,
    method: &str,
    params: Value,
) -> Result<Value, Fault> {
    if let Some(place) = place {
        caller.ambient = Ambient::Here(place);
    }
    if registry::find(method).is_none_or(|operation| operation.name != "discover") {
        return backend.call(caller, method, params).await;
    }
    let asked = params.get("name").and_then(Value::as_str).map(str::to_owned);
    if let Some(name) = asked.as_deref().filter(|name| needs_connection(name)) {
        let mut found = json!({"operations": []});
        add_catalogue(&mut found, Some(name));
        return Ok(found);
    }
    let mut found = backend.call(caller, method, params).await?;
    add_catalogue(&mut found, asked.as_deref());
    Ok(found)
}

/// Adds the methods and notifications to an answer of `discover`, which lists the operations.
fn add_catalogue(found: &mut Value, asked: Option<&str>) {
    let mut methods = Map::new();
    for row in found["operations"].as_array().into_iter().flatten() {
        if let Some(name) = row["name"].as_str() {
            methods.insert(name.to_owned(), json!({"description": row["doc"], "params": row["params"]}));
        }
    }
    for (name, method) in of_connections() {
        if asked.is_none_or(|asked| asked == name) {
            methods.insert(name.to_owned(), method);
        }
    }
    found["methods"] = methods.into();
    found["notifications"] = notifications();
}

fn of_connections() -> [(&'static str, Value); 3] {
    let string = |doc: &str| json!({"type": "string", "description": doc});
    let strings = |doc: &str| json!({"type": "array", "items": {"type": "string"}, "description": doc});
    let number = |doc: &str| json!({"type": "integer", "description": doc});
    let flag = |doc: &str| json!({"type": "boolean", "description": doc});
    [
        (
            INIT,
            method(
                "Bind this WebSocket to a project. Later calls get its directory where they name none.",
                json!({
                    "name": string("Name of the project. It changes nothing."),
                    "projectRoot": string("Absolute path of the directory."),
                    "configPath": string("Accepted and not read: settings come from the directory."),
                }),
                &["name", "projectRoot"],
            ),
        ),
        (
            SUBSCRIBE,
            method(
                "Begin notifications of changes on this WebSocket. Replaces an earlier subscription.",
                json!({
                    "kinds": strings("Only these kinds of change. Default: all."),
                    "schemes": strings("Only entries of these schemes. Default: all."),
                    "sessions": flag("Also send what happens to sessions, under its own name. \
                        Default: false."),
                    "since": number("Position to continue after. Default: the newest."),
                }),
                &[],
            ),
        ),
        (UNSUBSCRIBE, method("End the notifications of changes on this WebSocket.", json!({}), &[])),
    ]
}

fn method(description: &str, properties: Value, required: &[&str]) -> Value {
    let params = json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false});
    json!({"description": description, "params": params})
}

fn notifications() -> Value {
    json!({
        HELLO: {"description": "The first message on a connection.",
            "params": {"nudgeVersion": "Version of the server.", "version": "The same."}},
        CHANGED: {"description": "An entry changed. Sent after `subscribe`.",
            "params": {"position": "Position in the feed.", "id": "Id of the entry.",
                "scheme": "Its scheme.", "kind": "Kind of change.", "version": "Its version.",
                "scope": "Kind and key of its scope, if known."}},
        "nudge.context": {"description": "The context sets of a session changed. Sent after `subscribe` \
                with `sessions`.",
            "params": {"reason": "`changed` or `resume`.", "sessionId": "The session.",
                "context": "All its sets.", "setName": "The set that changed."}},
        "session.busy": {"description": "An agent began to work. Sent after `subscribe` with `sessions`.",
            "params": {"sessionId": "The session.", "busy": "True."}},
        "session.listChanged": {"description": "A session began, stopped, ended, or was looked at or \
                changed. Sent after `subscribe` with `sessions`.",
            "params": {"reason": "Kind of change.", "sessionId": "The session.",
                "unobservedCount": "Number of sessions not looked at since they stopped."}},
        STATE: {"description": "How a run stands: after each call, at the end of a turn and at its end.",
            "params": {"run": "Name of the run.", "turn": "Its last turn.", "status": "Its status.",
                "summary": "The last answer.", "history": "What happened.", "unknowns": "Open questions.",
                "telemetry": "Usage; null while a turn is under way."}},
        PROGRESS: {"description": "What a run does at the moment.",
            "params": {"run": "Name of the run.", "turn": "The turn.",
                "status": "`thinking`, `processing` or `retrying`."}},
        PROPOSAL: {"description": "A run waits for the user. Answer with `run/resolve`.",
            "params": {"run": "Name of the run.", "path": "Path of what waits."}},
        RENDER: {"description": "Text of the model as it comes.",
            "params": {"run": "Name of the run.", "turn": "The turn.", "text": "The next part."}},
        NOTIFY: {"description": "A short message for the user.",
            "params": {"run": "Name of the run.", "text": "The message.", "level": "`info` or `error`."}},
        GONE: {"description": "The position is no longer in the feed. Read what you need anew.",
            "params": {"oldest": "Oldest position to resume from.",
                "head": "Position from which the notifications continue."}},
    })
}

/// The fault for parameters that do not fit a method of a connection.
pub(super) fn misfit(method: &str, why: &str) -> Fault {
    Fault::new(FaultKind::Invalid, "schema", format!("{method}: {why}"))
        .next(format!("call `discover` with name `{method}` to see its parameters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// @ws_discover: a method of a connection hides no operation.
    #[test]
    fn no_operation_has_the_name_of_a_connection_method() {
        for (name, _) in of_connections() {
            assert!(needs_connection(name) && !registry::has(name), "{name}");
        }
    }
}
