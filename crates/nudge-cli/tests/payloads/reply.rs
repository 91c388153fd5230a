//! Whether an answer is one that the agent's own schema takes.

use nudge_harness::Harness;
use serde_json::Value;

/// With nothing to say, most agents take silence, and two expect an object.
pub(crate) fn check(harness: Harness, name: &str, stdout: &str) {
    let valid = match harness {
        Harness::Cline | Harness::Cursor => serde_json::from_str::<Value>(stdout)
            .is_ok_and(|answer| answer == Value::Object(serde_json::Map::new())),
        _ => stdout.is_empty(),
    };
    assert!(valid, "{name} of {} was answered {stdout:?}", harness.name());
}
