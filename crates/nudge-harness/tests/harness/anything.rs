//! No input makes an adapter panic.

use std::sync::LazyLock;

use nudge_harness::{Harness, Reply, parse, reply, tool_use};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::fixtures::{self, Fixture};

static ALL: LazyLock<Vec<Fixture>> = LazyLock::new(fixtures::all);

/// Runs a payload through every step.
fn swallow(harness: Harness, text: &str) {
    let _ = nudge_harness::transcript::tool_ends(harness, text);
    let Ok(event) = parse(harness, text) else { return };
    let _ = tool_use(&event);
    let said = Reply { context: Some("x".into()), notice: Some("y".into()) };
    let printed = reply(harness, &event, &said);
    assert!(
        printed.is_empty() || serde_json::from_str::<Value>(&printed).is_ok_and(|answer| answer.is_object())
    );
}

fn any_harness() -> impl Strategy<Value = Harness> {
    (0..Harness::ALL.len()).prop_map(|index| Harness::ALL[index])
}

pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(Value::from("Exit code")),
        Just(Value::from("<hook_context>")),
        Just(Value::from("apply_patch *** Begin Patch\n*** Add File: ")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,12}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Every position in a document, parents before children.
fn places(value: &Value, here: String, found: &mut Vec<String>) {
    found.push(here.clone());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| places(value, format!("{here}/{}", escaped(key)), found))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, value)| places(value, format!("{here}/{n}"), found))
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// @harness_never_panics
    #[test]
    fn arbitrary_bytes_are_read_or_refused(harness in any_harness(), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        swallow(harness, &String::from_utf8_lossy(&bytes));
    }

    /// @harness_never_panics
    #[test]
    fn arbitrary_json_is_read_or_refused(harness in any_harness(), json in any_json()) {
        swallow(harness, &json.to_string());
    }

    /// @harness_never_panics
    #[test]
    fn payloads_with_one_value_replaced_are_read_or_refused(which: Index, at: Index, with in any_json(), harness in any_harness()) {
        let fixture = which.get(&ALL);
        let mut payload: Value = serde_json::from_str(&fixture.text).expect("JSON");
        let mut found = Vec::new();
        places(&payload, String::new(), &mut found);
        *payload.pointer_mut(&found[at.index(found.len())]).expect("a place that was found") = with;
        swallow(fixture.harness, &payload.to_string());
        swallow(harness, &payload.to_string());
    }

    /// @harness_never_panics
    #[test]
    fn payloads_with_bytes_changed_or_cut_off_are_read_or_refused(which: Index, at: Index, byte: u8, cut: bool) {
        let fixture = which.get(&ALL);
        let mut bytes = fixture.text.clone().into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        swallow(fixture.harness, &String::from_utf8_lossy(&bytes));
    }
}
