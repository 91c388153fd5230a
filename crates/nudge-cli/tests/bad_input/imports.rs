//! Imports that are damaged, too new, malformed or too large: each is imported whole or not at all.

use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::bad_input::{home, orderly};

fn good() -> Value {
    json!({
        "schema_version": "1.0",
        "created_at": "2026-11-01T08:00:00Z",
        "session_id": "s",
        "components": {
            "api": {"hints": {
                "build": {
                    "value": {"type": "command", "shell": "bash", "cmd": "make build"},
                    "meta": {"tags": ["build"], "priority": 7, "confidence": 0.8, "ttl": "forever", "reason": "größer 日本"},
                    "version": 3, "created_at": "2026-11-01T08:00:00Z", "updated_at": "2026-11-02T08:00:00Z",
                    "last_used_at": "2026-11-03T08:00:00Z", "use_count": 4
                },
                "dir": [
                    {"value": {"type": "path", "abs": "/srv/api"}, "meta": {"scope": {"os": ["linux"]}}},
                    {"value": {"type": "path", "abs": "/Users/dev/api"}, "meta": {"scope": {"os": ["darwin"]}}}
                ]
            }},
            "web": {"hints": {
                "page": {"value": {"type": "template", "format": "jinja", "body": "{{ a }}", "defaults": {"a": "1"}}},
                "data": {"value": {"type": "json", "data": [1, {"b": null}]}}
            }}
        }
    })
}

fn import(home: &TestHome, bytes: impl Into<Vec<u8>>) -> nudge_testkit::Outcome {
    orderly(home.nudge(["import", "-", "--json"]).stdin(bytes).run())
}

/// Everything in the store, as an export.
fn stored(home: &TestHome) -> Value {
    home.run(["export", "--json"]).json()["payload"]["components"].clone()
}

/// A home with one hint that no bad import may touch.
fn stocked() -> TestHome {
    let home = home();
    home.run(["set", "api", "build", "mine", "--ttl", "forever"]).ok();
    home
}

/// @import_all_or_nothing
#[test]
fn a_file_cut_off_anywhere_leaves_everything_as_it_was() {
    let home = stocked();
    let before = stored(&home);
    let whole = good().to_string();
    let mut at = 0;
    while at < whole.len() {
        let fault = import(&home, &whole.as_bytes()[..at]).fault(2);
        assert_eq!(fault["id"], "E_INVALID", "cut at {at}: {fault}");
        at += 1 + whole.len() / 40;
    }
    assert_eq!(stored(&home), before);
    assert_eq!(import(&home, whole).json(), json!({"imported": 5, "skipped": 0}));
}

/// @import_all_or_nothing
#[test]
fn a_file_with_flipped_bits_is_taken_whole_or_not_at_all() {
    let home = stocked();
    let whole = good().to_string().into_bytes();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut refused = 0;
    for _ in 0..100 {
        let mut bytes = whole.clone();
        for _ in 0..=next() % 3 {
            let place = usize::try_from(next()).expect("64 bits") % bytes.len();
            bytes[place] ^= 1 << (next() % 8);
        }
        let before = stored(&home);
        let outcome = import(&home, bytes.clone());
        match outcome.code {
            Some(0) => {}
            code => {
                refused += 1;
                assert_eq!(code, Some(2), "{outcome:?}");
                assert_eq!(stored(&home), before, "{}", String::from_utf8_lossy(&bytes));
            }
        }
    }
    assert!(refused > 20, "only {refused} of 100 damaged files were refused");
}

/// @import_all_or_nothing
#[test]
fn a_version_from_the_future_is_refused() {
    let home = stocked();
    let before = stored(&home);
    for version in [
        json!("2.0"),
        json!("1.1"),
        json!("1.0 "),
        json!("\u{1b}[31m"),
        json!(1.0),
        json!(1),
        json!(null),
        json!(["1.0"]),
    ] {
        let mut payload = good();
        payload["schema_version"] = version.clone();
        let fault = import(&home, payload.to_string()).fault(2);
        assert_eq!(
            (&fault["id"], &fault["data"]["reason"]),
            (&json!("E_INVALID"), &json!("schema_version")),
            "{version}"
        );
    }
    let mut without = good();
    without.as_object_mut().expect("an object").remove("schema_version");
    import(&home, without.to_string()).fault(2);
    assert_eq!(stored(&home), before);
}

/// @import_all_or_nothing
#[test]
fn a_record_of_the_wrong_shape_refuses_the_whole_file() {
    let home = stocked();
    let before = stored(&home);
    let wrong = [
        ("/components", json!([])),
        ("/components", json!(null)),
        ("/components/api", json!("x")),
        ("/components/api/hints", json!([1])),
        ("/components/api/hints/build", json!(null)),
        ("/components/api/hints/build", json!([null])),
        ("/components/api/hints/build/value", json!(7)),
        ("/components/api/hints/build/value", json!("")),
        ("/components/api/hints/build/value", json!({"type": "blob"})),
        ("/components/api/hints/build/value/cmd", json!(["rm", "-rf"])),
        ("/components/api/hints/build/value/shell", json!("fish")),
        ("/components/api/hints/build", json!([["make", {}, 3]])),
        ("/components/api/hints/build/meta", json!([])),
        ("/components/api/hints/build/meta", json!(["why", ["tag"]])),
        ("/components/api/hints/dir/0/meta/scope", json!([])),
        ("/components/api/hints/build/meta/priority", json!(11)),
        ("/components/api/hints/build/meta/priority", json!(1.5)),
        ("/components/api/hints/build/meta/priority", json!("7")),
        ("/components/api/hints/build/meta/confidence", json!(-0.1)),
        ("/components/api/hints/build/meta/ttl", json!("2 hours")),
        ("/components/api/hints/build/meta/tags", json!("build")),
        ("/components/api/hints/build/meta/tags", json!([""])),
        ("/components/api/hints/build/version", json!("3")),
        ("/components/api/hints/build/version", json!(1e30)),
        ("/components/api/hints/build/use_count", json!(1.5)),
        ("/components/api/hints/build/created_at", json!("yesterday")),
        ("/components/api/hints/build/updated_at", json!(17)),
        ("/components/api/hints/dir/0/meta/scope", json!("linux")),
        ("/components/api/hints/dir/0/meta/scope/os", json!(["plan9"])),
        ("/components/api/hints/dir/1/value/abs", json!("relative/path")),
        ("/components/api/hints/dir/1/value/abs", json!("/a/../../etc")),
        ("/components/web/hints/page/value/defaults", json!({"a": 1})),
        ("/components/web/hints/page/value/format", json!("erb")),
    ];
    for (place, value) in wrong {
        let mut payload = good();
        *payload.pointer_mut(place).unwrap_or_else(|| panic!("{place} is not there")) = value.clone();
        let outcome = import(&home, payload.to_string());
        assert_eq!(outcome.code, Some(2), "{place} = {value}: {}", outcome.stdout);
        assert_eq!(outcome.fault(2)["code"], 40001, "{place} = {value}");
        assert_eq!(stored(&home), before, "{place} = {value}");
    }
}

/// @import_all_or_nothing
#[test]
fn every_bad_record_is_named_and_no_good_one_is_kept() {
    let home = stocked();
    let before = stored(&home);
    let mut payload = good();
    for n in 0..60 {
        payload["components"]["bad"]["hints"][format!("k{n}")] = json!({"value": n});
    }
    payload["components"]["bad"]["hints"]["fine"] = json!({"value": "x"});
    let fault = import(&home, payload.to_string()).fault(2);
    assert_eq!(
        (&fault["data"]["fault_count"], &fault["data"]["faults"][0]["at"]),
        (&json!(60), &json!("bad/k0")),
        "{fault}"
    );
    assert_eq!(stored(&home), before);
}

/// @import_all_or_nothing
#[test]
fn what_is_no_payload_at_all_is_refused() {
    let home = stocked();
    let before = stored(&home);
    let deep = format!("{{\"schema_version\":\"1.0\",\"components\":{}", "{\"a\":".repeat(100_000));
    let bodies: [&[u8]; 8] =
        [b"", b"null", b"[]", b"7", b"\"1.0\"", b"\xff\xfe", b"PK\x03\x04", deep.as_bytes()];
    for body in bodies {
        import(&home, body).fault(2);
    }
    let file = home.dir("a-directory");
    orderly(home.run(["import".as_ref(), file.as_os_str()])).exits(1);
    orderly(home.run(["import", "/no/such/file"])).exits(3);
    assert_eq!(stored(&home), before);
}

/// An import of `count` hints, within the limits on components and on hints per component.
fn hints_payload(count: usize) -> String {
    let mut components = serde_json::Map::new();
    for n in 0..count {
        let hints = components.entry(format!("c{:03}", n / 200)).or_insert_with(|| json!({"hints": {}}));
        hints["hints"][format!("k{:03}", n % 200)] =
            json!({"value": format!("value {n}"), "meta": {"ttl": "forever"}});
    }
    json!({"schema_version": "1.0", "components": components}).to_string()
}

/// @import_all_or_nothing
#[test]
fn five_thousand_hints_fit_and_one_more_is_one_too_many() {
    let home = home();
    let fault = import(&home, hints_payload(5_001)).fault(6);
    assert_eq!((&fault["id"], &fault["code"]), (&json!("E_QUOTA"), &json!(42901)), "{fault}");
    assert_eq!(stored(&home), json!({}));
    assert_eq!(import(&home, hints_payload(5_000)).json(), json!({"imported": 5_000, "skipped": 0}));
    assert_eq!(import(&home, hints_payload(5_000)).json(), json!({"imported": 0, "skipped": 5_000}));
    let before = stored(&home);
    let more = json!({"schema_version": "1.0", "components": {"new": {"hints": {"one": {"value": "x"}}}}});
    assert_eq!(import(&home, more.to_string()).fault(6)["id"], "E_QUOTA");
    assert_eq!(home.run(["set", "new", "one", "x", "--json"]).fault(6)["id"], "E_QUOTA");
    assert_eq!(stored(&home), before);
    home.run(["set", "c000", "k000", "changed"]).ok();
}

/// @import_all_or_nothing
#[test]
fn a_replacing_import_that_fails_removes_nothing() {
    let home = stocked();
    let before = stored(&home);
    let mut payload = good();
    payload["components"]["api"]["hints"]["build"]["meta"]["priority"] = json!(99);
    let refused = orderly(
        home.nudge(["import", "-", "--mode", "replace", "--yes", "--json"]).stdin(payload.to_string()).run(),
    );
    assert_eq!(refused.fault(2)["data"]["reason"], "bad_records");
    let secret = ["AKIA", "IOSFODNN7EXAMPLQ"].concat();
    let mut payload = good();
    payload["components"]["web"]["hints"]["key"] = json!({"value": secret});
    let outcome = orderly(
        home.nudge(["import", "-", "--mode", "replace", "--yes", "--json"]).stdin(payload.to_string()).run(),
    );
    assert!(!outcome.stdout.contains(&secret));
    assert_eq!(outcome.fault(2)["data"]["reason"], "bad_records");
    let refused = orderly(
        home.nudge(["import", "-", "--mode", "replace", "--yes", "--json"]).stdin(hints_payload(5_001)).run(),
    );
    assert_eq!(refused.fault(6)["id"], "E_QUOTA");
    assert_eq!(stored(&home), before);
}

/// Numbers and times at the limits of their formats. @import_all_or_nothing
#[test]
fn a_history_at_the_edge_is_kept_or_refused_and_can_be_lived_with() {
    let history = [
        json!({"version": i64::MAX, "use_count": i64::MAX}),
        json!({"version": i64::MIN, "use_count": i64::MIN}),
        json!({"version": 0, "use_count": -1}),
        json!({"created_at": "9999-12-31T23:59:59Z", "updated_at": "9999-12-31T23:59:59Z"}),
        json!({"last_used_at": "9999-12-31T23:59:59Z", "use_count": 1}),
        json!({"created_at": "0001-01-01T00:00:00Z", "updated_at": "0001-01-01T00:00:00Z"}),
        json!({"created_at": "-9999-01-01T00:00:00Z"}),
        json!({"updated_at": "1969-12-31T23:59:59.999Z", "created_at": "2030-01-01T00:00:00Z"}),
    ];
    for facts in history {
        let home = home();
        let mut record = json!({"value": "x", "meta": {"ttl": "forever"}});
        record.as_object_mut().expect("an object").extend(facts.as_object().expect("an object").clone());
        let payload = json!({"schema_version": "1.0", "components": {"a": {"hints": {"b": record}}}});
        if import(&home, payload.to_string()).code != Some(0) {
            assert_eq!(stored(&home), json!({}), "{facts}");
            continue;
        }
        let read = orderly(home.run(["get", "a", "b", "--json"])).json();
        let score = read["match_explain"]["score"].as_f64().expect("a score");
        assert!((0.0..=1.0).contains(&score), "{facts}: {read}");
        assert!(read["hint"]["version"].as_i64().is_some_and(|version| version >= 1), "{facts}: {read}");
        orderly(home.run(["get", "a", "b"])).ok();
        orderly(home.run(["bump", "a", "b", "--delta", "1000", "--json"])).ok();
        let changed = orderly(home.run(["set", "a", "b", "y", "--json"])).json();
        assert!(changed["hint"]["version"].as_i64() > read["hint"]["version"].as_i64(), "{facts}");
        let again = orderly(home.run(["get", "a", "b", "--json"])).json();
        assert!(again["hint"]["use_count"].as_i64().is_some_and(|count| count >= 0), "{facts}: {again}");
        orderly(home.run(["export"])).ok();
        orderly(home.run(["doctor"])).ok();
    }
}
