//! Whatever a payload contains, the captured event is small, and nothing fails.

use std::time::Instant;

use nudge_harness::{Harness, parse};
use nudge_memory::capture::{EventBody, read};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::captured_events::fixtures::{self, captured, ended, here, prompted};

const MAX_EVENT_BYTES: usize = 64 * 1024;

fn size(harness: Harness, payload: &str) -> usize {
    let Ok(event) = parse(harness, payload) else { return 0 };
    let Some(captured) = read(&event, payload, &here()) else { return 0 };
    serde_json::to_string(&captured).expect("JSON").len()
}

/// @capture_bounded
#[test]
fn the_largest_payloads_leave_small_moments() {
    for text in ["\u{1}".repeat(40_000), "𝄞".repeat(40_000), "x ".repeat(40_000), "a\n".repeat(40_000)] {
        let mut prompt = prompted(&text);
        let mut edit =
            ended("Edit", json!({"file_path": text, "old_string": text, "new_string": text}), json!(text));
        let mut command = ended(&text, json!({"command": text, "description": text}), json!(text));
        let many = json!(
            (0..500).map(|n| format!("{n}{}", &text[..text.floor_char_boundary(3_900)])).collect::<Vec<_>>()
        );
        let read = ended("Read", json!({"files": many}), json!(""));
        for payload in [&mut prompt, &mut edit, &mut command] {
            for key in ["session_id", "prompt_id", "tool_use_id", "agent_id", "agent_type", "transcript_path"]
            {
                payload[key] = json!(text);
            }
            payload["cwd"] = json!(format!("/{}", &text[..text.floor_char_boundary(4_000)]));
        }
        command["tool_name"] = json!("Bash");
        for payload in [prompt, edit, command, read] {
            let size = size(Harness::Claude, &payload.to_string());
            assert!(0 < size && size <= MAX_EVENT_BYTES, "{size} of {:?}…", &payload.to_string()[..80]);
        }
    }
}

/// @capture_bounded
#[test]
fn a_very_large_file_leaves_its_hash_in_no_time_to_speak_of() {
    let content = "some line of code, repeated\n".repeat(500_000);
    let payload = ended("Write", json!({"file_path": "/big", "content": content}), json!({"type": "create"}))
        .to_string();
    let event = parse(Harness::Claude, &payload).expect("an event");
    let begun = Instant::now();
    assert_eq!(content.bytes().filter(|byte| *byte == b'\n').count(), 500_000);
    let once = begun.elapsed();
    let begun = Instant::now();
    let kept = read(&event, &payload, &here()).expect("a moment");
    // Ten times as long as looking at each byte would mean that it reads the content again and
    // again.
    assert!(begun.elapsed() < 10 * once, "{:?}, and {once:?} for each byte once", begun.elapsed());
    let EventBody::Action(kept) = kept.what else { panic!("an action") };
    assert_eq!(kept.metadata["size"], 14_000_128, "what was not looked through is rounded");
    assert_eq!(kept.metadata["lines_added"], 500_000);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        "(git (commit|push)|\\$\\(|<<'?E|[\"'`\\\\;&|\n<>() ]|-m|x|<private>|</private>|<nudge-memory){0,12}"
            .prop_map(Value::from),
        "(\\*\\*\\* (Begin Patch|Add File: a|Update File: b)|@@ -1,2 \\+1 @@|[-+ ]x|\n){0,12}"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A captured payload in which any field, at any depth, may contain anything.
fn any_payload() -> impl Strategy<Value = (Harness, String)> {
    let captured: Vec<(Harness, String)> = Harness::ALL
        .into_iter()
        .flat_map(|harness| fixtures::of(harness).into_iter().map(move |(_, payload)| (harness, payload)))
        .collect();
    (prop::sample::select(captured), prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4))
        .prop_map(|((harness, payload), changes)| {
            let mut payload: Value = serde_json::from_str(&payload).expect("JSON");
            for (place, value) in changes {
                put(&mut payload, place, value);
            }
            (harness, payload.to_string())
        })
}

fn put(payload: &mut Value, place: prop::sample::Index, value: Value) {
    let Value::Object(map) = payload else { return };
    let mut places: Vec<(String, Option<String>)> = Vec::new();
    for (key, inner) in map.iter() {
        places.push((key.clone(), None));
        places.extend(
            inner.as_object().into_iter().flat_map(Map::keys).map(|inner| (key.clone(), Some(inner.clone()))),
        );
    }
    let (key, inner) = places[place.index(places.len())].clone();
    match inner {
        Some(inner) => map[&key][&inner] = value,
        None => map[&key] = value,
    }
}

proptest! {
    /// @capture_bounded
    #[test]
    fn nothing_in_a_payload_makes_reading_fail((harness, payload) in any_payload()) {
        prop_assert!(size(harness, &payload) <= MAX_EVENT_BYTES);
    }
}

/// @capture_bounded
#[test]
fn an_event_of_no_session_is_no_moment() {
    assert_eq!(captured(Harness::Opencode, &fixtures::one(Harness::Opencode, "config")), None);
}
