//! The same event told twice is one, and two events are two.

use std::collections::HashMap;

use nudge_harness::{Harness, parse};
use nudge_memory::capture::{Via, What, identity, read};
use serde_json::{Value, json};

use crate::fixtures::{self, ended, here, moment, prompted};

/// @capture_identity
#[test]
fn every_payload_told_twice_is_the_same_and_no_two_payloads_are() {
    for harness in Harness::ALL {
        let mut known: HashMap<i64, String> = HashMap::new();
        for (name, payload) in fixtures::of(harness) {
            let Some(kept) = moment(harness, &payload) else { continue };
            let again: Value = serde_json::from_str(&payload).expect("JSON");
            assert_eq!(
                moment(harness, &again.to_string()).map(|kept| kept.identity),
                Some(kept.identity),
                "{name}"
            );
            // What has neither id nor time is told apart by the clock alone, which stands still here.
            let is_kept = !matches!(kept.what, What::Seen | What::About { .. });
            if !is_kept || kept.identity.within_ms.is_some() {
                continue;
            }
            // The two events of one call are the same on purpose.
            let call = match &kept.what {
                What::Action(action) => action.call.clone(),
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
fn a_call_that_is_imported_is_the_one_its_hook_told() {
    let payload = fixtures::one(Harness::Qwen, "files--PostToolUse-edit");
    let event = parse(Harness::Qwen, &payload).expect("an event");
    let mut from_transcript = here();
    from_transcript.via = Via::Import;
    let hooked = read(&event, &payload, &here()).expect("a moment");
    let imported = read(&event, "another text altogether", &from_transcript).expect("a moment");
    assert_eq!(hooked.identity, imported.identity);
    let id = "call_81e05367";
    assert_eq!(hooked.identity, identity::of_call("qwen", &hooked.session, id));
    assert!(matches!(hooked.what, What::Action(action) if action.call.as_deref() == Some(id)));
}

/// @capture_identity
#[test]
fn only_without_id_and_time_does_the_clock_decide() {
    let within =
        |payload: &Value| moment(Harness::Claude, &payload.to_string()).expect("a moment").identity.within_ms;
    assert_eq!(within(&ended("Bash", json!({"command": "ls"}), json!(""))), None);
    assert_eq!(within(&prompted("hello")), None);
    let start =
        json!({"session_id": "s", "cwd": "/p", "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(within(&start), Some(2_000));
    let timed =
        moment(Harness::Copilot, &fixtures::one(Harness::Copilot, "sessionStart-new")).expect("a moment");
    assert_eq!(timed.identity.within_ms, None);
    let (one, two) = (prompted("one"), prompted("two"));
    let hash =
        |payload: &Value| moment(Harness::Claude, &payload.to_string()).expect("a moment").identity.hash;
    assert_ne!(hash(&one), hash(&two));
}
