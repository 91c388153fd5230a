//! Export and import.

use std::time::Duration;

use nudge_home::Settings;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh, with};

fn filled() -> MemoryBench {
    let mut bench = fresh();
    bench.set(
        "c",
        "dir",
        "c:\\code\\x",
        json!({"ttl": "forever", "scope": {"os": ["windows"]}, "tags": ["path"]}),
    );
    bench.set(
        "c",
        "dir",
        "/Users/dev/x",
        json!({"ttl": "forever", "scope": {"os": ["darwin"]}, "reason": "mac"}),
    );
    bench.set(
        "d",
        "one",
        "v",
        json!({"ttl": "P1W", "priority": 9, "confidence": 0.25, "source": "user", "added_by": "me"}),
    );
    bench.later(Duration::from_secs(5));
    bench.set(
        "d",
        "one",
        "w",
        json!({"ttl": "P1W", "priority": 9, "confidence": 0.25, "source": "user", "added_by": "me"}),
    );
    bench.ok("bump", json!({"component": "d", "key": "one", "delta": 3}));
    bench
}

/// @hint_export
#[test]
fn an_export_has_the_published_shape() {
    let payload = filled().ok("export", json!({"format": "json"}))["payload"].clone();
    assert_eq!(payload["schema_version"], "1.0");
    assert!(payload["created_at"].is_string() && payload["session_id"].is_string());
    assert_eq!(payload["components"]["c"]["hints"]["dir"].as_array().map(Vec::len), Some(2));
    let one = &payload["components"]["d"]["hints"]["one"];
    assert_eq!((&one["value"], &one["version"], &one["use_count"]), (&json!("w"), &json!(2), &json!(3)));
    let part = filled().ok("export", json!({"component": "d"}))["payload"]["components"].clone();
    assert_eq!(
        part.as_object().map(|components| components.keys().collect::<Vec<_>>()),
        Some(vec![&"d".to_owned()])
    );
}

/// @hint_import
#[test]
fn a_round_trip_loses_nothing() {
    let from = filled();
    let payload = from.ok("export", json!({}))["payload"].clone();
    let mut to = fresh();
    to.later(Duration::from_secs(100));
    assert_eq!(
        to.ok("import", json!({"payload": payload, "mode": "merge"})),
        json!({"imported": 3, "skipped": 0})
    );
    assert_eq!(to.ok("export", json!({}))["payload"]["components"], payload["components"]);
    assert_eq!(to.ok("import", json!({"payload": payload})), json!({"imported": 0, "skipped": 3}));
    let origin = to.ok("get_hint", json!({"component": "d", "key": "one"}))["hint"]["origin"].clone();
    assert_eq!(origin["source"], "file-import");
}

/// @hint_import
#[test]
fn a_merge_updates_what_differs_and_keeps_the_rest_and_replace_clears() {
    let bench = fresh();
    bench.set("c", "mine", "v", json!({}));
    bench.set("c", "both", "old", json!({"ttl": "forever"}));
    let record = json!({"value": "new", "meta": {"ttl": "forever"}});
    let payload = json!({"schema_version": "1.0", "components": {"c": {"hints": {"both": record}}}});
    assert_eq!(bench.ok("import", json!({"payload": payload})), json!({"imported": 1, "skipped": 0}));
    let both = bench.ok("get_hint", json!({"component": "c", "key": "both"}))["hint"].clone();
    assert_eq!((&both["value"], &both["version"]), (&json!("new"), &json!(2)));
    assert_eq!(bench.value("c", "mine", json!({})), "v");
    bench.ok("import", json!({"payload": payload, "mode": "replace"}));
    assert_eq!(bench.refused("c", "mine", json!({})).1, "unknown_key");
}

/// @hint_import
#[test]
fn a_payload_from_the_future_is_refused() {
    let bench = fresh();
    for (payload, reason) in [
        (json!({"schema_version": "2.0", "components": {}}), "schema_version"),
        (json!({"components": {}}), "schema_version"),
        (json!({"schema_version": "1.0"}), "payload"),
        (json!([]), "payload"),
    ] {
        let fault = bench.fault("import", json!({"payload": payload}));
        assert_eq!((fault.kind.id(), fault.reason.as_str()), ("E_INVALID", reason));
    }
}

/// @import_all_or_nothing
#[test]
fn one_bad_record_refuses_all_and_every_fault_is_listed() {
    let bench = fresh();
    let key = format!("AKIA{}", "Q3EGRZ7TXVNH5K2M");
    let hints = |bad: Value| json!({"good": {"value": "v"}, "bad": bad});
    let payload = |a: Value, b: Value| json!({"payload": {"schema_version": "1.0", "components": {"a": {"hints": hints(a)}, "b": {"hints": hints(b)}}}});
    let fault = bench.fault(
        "import",
        payload(json!({"value": 7}), json!([{"value": "x"}, {"value": "y", "meta": {"priority": 99}}])),
    );
    assert_eq!((fault.kind.id(), fault.reason.as_str()), ("E_INVALID", "bad_records"));
    let places: Vec<&Value> =
        fault.data["faults"].as_array().expect("a list").iter().map(|fault| &fault["at"]).collect();
    assert_eq!(places, [&json!("a/bad"), &json!("b/bad[1]")]);
    let fault = bench.fault("import", payload(json!({"value": key}), json!({"value": "fine"})));
    assert_eq!(fault.data["faults"][0]["id"], "E_SECRET_REJECTED");
    assert!(!fault.to_json().to_string().contains(&key));
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
}

/// @import_all_or_nothing
#[test]
fn numbers_that_no_reader_could_hold_and_doubles_are_faults() {
    let bench = fresh();
    for record in [
        json!({"value": "v", "version": i64::MAX}),
        json!({"value": "v", "version": 0}),
        json!({"value": "v", "use_count": -1}),
        json!({"value": "v", "use_count": i64::MAX}),
        json!([{"value": "v"}, {"value": "w"}]),
    ] {
        let payload = json!({"schema_version": "1.0", "components": {"c": {"hints": {"k": record}}}});
        assert_eq!(bench.fault("import", json!({"payload": payload})).reason, "bad_records", "{record}");
    }
}

/// @hint_import @hint_provenance
#[test]
fn an_import_raises_nobodys_trust() {
    let mut bench = fresh();
    bench.caller.surface = nudge_memory::Surface::Mcp;
    bench.set("c", "k", "from an agent", json!({}));
    let payload = bench.ok("export", json!({}))["payload"].clone();
    let person = fresh();
    person.ok("import", json!({"payload": payload}));
    let origin = person.ok("get_hint", json!({"component": "c", "key": "k"}))["hint"]["origin"].clone();
    assert_eq!(origin, json!({"source": "file-import", "tier": "model"}));
}

/// @import_all_or_nothing @hint_quota
#[test]
fn five_thousand_hints_fit_and_one_more_keeps_nothing() {
    let payload = |count: usize| {
        let mut components = serde_json::Map::new();
        for index in 0..count {
            let component =
                components.entry(format!("c{}", index / 100)).or_insert_with(|| json!({"hints": {}}));
            component["hints"][format!("k{index}")] = json!({"value": format!("value {index}")});
        }
        json!({"payload": {"schema_version": "1.0", "components": components}})
    };
    let bench = with(Settings::default());
    assert_eq!(bench.fault("import", payload(5_001)).kind.id(), "E_QUOTA");
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
    assert_eq!(bench.ok("import", payload(5_000)), json!({"imported": 5000, "skipped": 0}));
}
