//! An event for unit tests, parsed from JSON as another process would send it.
//!
//! Unnamed fields have their defaults, so a new field changes nothing here. Integration tests use
//! the builder of `nudge-testkit`, which unit tests of this crate cannot.

use serde_json::json;

use super::{CapturedEvent, EventBody};

/// An event of a session in the directory `root`. Events with the same number are the same event.
pub(crate) fn event(session: &str, root: &str, at: i64, number: i64, what: &EventBody) -> CapturedEvent {
    let name = root.rsplit('/').next().unwrap_or(root);
    let event = json!({
        "harness": "claude",
        "event": "PostToolUse",
        "session": session,
        "project": {"key": root, "name": name, "root": root},
        "at": at,
        "identity": {"hash": number},
        "via": "hook",
        "what": what,
    });
    serde_json::from_value(event).expect("an event")
}
