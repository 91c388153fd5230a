//! An event reported twice is one, and two events are two.

use std::collections::HashMap;

use nudge_harness::{Harness, parse};
use nudge_memory::capture::{CapturedVia, EventBody, identity, read};
use serde_json::{Value, json};

use crate::captured_events::fixtures::{self, captured, ended, here, prompted};

/// @capture_identity
#[test]
fn every_payload_reported_twice_is_the_same_and_no_two_payloads_are() {
    for harness in Harness::ALL {
        let mut known: HashMap<i64, String> = HashMap::new();
        for (name, payload) in fixtures::of(harness) {
            let Some(kept) = captured(harness, &payload) else { continue };
            let again: Value = serde_json::from_str(&payload).expect("JSON");
            assert_eq!(
                captured(harness, &again.to_string()).map(|kept| kept.identity),
                Some(kept.identity),
                "{name}"
            );
            // Events with neither id nor time are distinguished only by the clock, which is frozen
            // here.
            let is_kept = !matches!(kept.what, EventBody::Seen | EventBody::About { .. });
            if !is_kept || kept.identity.within_ms.is_some() {
                continue;
            }
            // The two events of one call are the same on purpose.
            let call = match &kept.what {
                EventBody::Action(action) => action.call.clone(),
                _ => None,
            };
            if let Some(other) =
                known.insert(kept.identity.hash, call.clone().unwrap_or_else(|| name.clone()))
            {
                assert_eq!(Some(other), call, "{name}");
            }
        }
    }
}

/// @capture_identity
#[test]
fn a_call_that_is_imported_is_the_one_its_hook_reported() {
    let payload = fixtures::one(Harness::Qwen, "files--PostToolUse-edit");
    let event = parse(Harness::Qwen, &payload).expect("an event");
    let mut from_transcript = here();
    from_transcript.via = CapturedVia::Import;
    let hooked = read(&event, &payload, &here()).expect("a moment");
    let imported = read(&event, "another text altogether", &from_transcript).expect("a moment");
    assert_eq!(hooked.identity, imported.identity);
    let id = "call_81e05367";
    assert_eq!(hooked.identity, identity::of_call("qwen", &hooked.session, id));
    assert!(matches!(hooked.what, EventBody::Action(action) if action.call.as_deref() == Some(id)));
}

/// @capture_identity
#[test]
fn only_without_id_and_time_does_the_clock_decide() {
    let within = |payload: &Value| {
        captured(Harness::Claude, &payload.to_string()).expect("a moment").identity.within_ms
    };
    assert_eq!(within(&ended("Bash", json!({"command": "ls"}), json!(""))), None);
    assert_eq!(within(&prompted("hello")), None);
    let start =
        json!({"session_id": "s", "cwd": "/p", "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(within(&start), Some(2_000));
    let timed =
        captured(Harness::Copilot, &fixtures::one(Harness::Copilot, "sessionStart-new")).expect("a moment");
    assert_eq!(timed.identity.within_ms, None);
    let (one, two) = (prompted("one"), prompted("two"));
    let hash =
        |payload: &Value| captured(Harness::Claude, &payload.to_string()).expect("a moment").identity.hash;
    assert_ne!(hash(&one), hash(&two));
}
