//! An event for unit tests, read from JSON as another process would send it.
//!
//! Fields that it does not name have their defaults, so that a new field changes nothing here.
//! Integration tests have the builder of `nudge-testkit`, which unit tests of this crate cannot use.

use serde_json::json;

use super::{Moment, What};

/// What happened in a session, in the directory `root`; events with one number are the same event.
pub(crate) fn event(session: &str, root: &str, at: i64, number: i64, what: &What) -> Moment {
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
