//! Reading, finding, deleting, bumping and listing hints.

use std::time::Duration;

use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh, here};

/// @hint_get @error_codes
#[test]
fn what_is_not_there_says_what_is_missing() {
    let bench = fresh();
    assert_eq!(bench.refused("nope", "k", json!({})), ("E_NOT_FOUND".into(), "unknown_component".into()));
    bench.set("c", "k", "v", json!({"scope": {"os": ["windows"]}}));
    assert_eq!(bench.refused("c", "nope", json!({})), ("E_NOT_FOUND".into(), "unknown_key".into()));
    let fault = bench.fault("get_hint", json!({"component": "c", "key": "k", "context": {"os": "linux"}}));
    assert_eq!((fault.kind.code(), fault.reason.as_str()), (40401, "not_eligible"));
    assert_eq!(fault.data["variants"][0]["scope"], json!({"os": ["windows"]}));
    assert!(
        fault.data["variants"][0]["failed"].as_str().is_some_and(|failed| failed.contains("os")),
        "{fault:?}"
    );
    assert!(fault.next.is_some());
}

/// @hint_query
#[test]
fn a_query_filters_by_component_keys_tags_and_pattern() {
    let bench = fresh();
    bench.set("api", "build", "cargo build", json!({"tags": ["build", "rust"], "priority": 9}));
    bench.set(
        "api",
        "test",
        "cargo nextest run",
        json!({"tags": ["test", "rust"], "reason": "faster than cargo test"}),
    );
    bench.set("web", "build", "npm run build", json!({"tags": ["build"]}));
    let found = |params: Value| -> Vec<String> {
        let answer = bench.ok("query", params);
        let names = answer["hints"].as_array().expect("a list").iter().map(|row| {
            format!(
                "{}/{}",
                row["hint"]["component"].as_str().unwrap_or(""),
                row["hint"]["key"].as_str().unwrap_or("")
            )
        });
        names.collect()
    };
    assert_eq!(found(json!({"component": "api"})), ["api/build", "api/test"]);
    assert_eq!(found(json!({"keys": ["build"]})), ["api/build", "web/build"]);
    assert_eq!(found(json!({"tags": ["rust", "test"]})), ["api/test"]);
    assert_eq!(found(json!({"regex": "npm.*build"})), ["web/build"]);
    assert_eq!(found(json!({"regex": "faster"})), ["api/test"]);
    assert_eq!(found(json!({"regex": "(?i)NEXTEST\\s\\w+"})), ["api/test"]);
    assert_eq!(found(json!({"component": "unknown"})), Vec::<String>::new());
    assert_eq!(bench.fault("query", json!({"regex": "("})).kind.id(), "E_INVALID");
    assert_eq!(bench.fault("query", json!({"limit": 0})).kind.id(), "E_INVALID");
}

/// @hint_query
#[test]
fn a_query_counts_what_it_left_out() {
    let bench = fresh();
    for key in ["a", "b", "c"] {
        bench.set("c", key, "v", json!({}));
    }
    bench.set("c", "win", "v", json!({"scope": {"os": ["windows"]}}));
    let answer = bench.ok("query", json!({"component": "c", "limit": 2, "context": {"os": "linux"}}));
    assert_eq!(answer["hints"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["left_out"], json!({"not_eligible": 1, "over_limit": 1, "secret": 0}));
}

/// @hint_delete
#[test]
fn deleting_returns_what_was_there_and_the_last_hint_takes_its_component() {
    let bench = fresh();
    bench.set("c", "k", "v", json!({"tags": ["t"]}));
    let answer = bench.ok("delete_hint", json!({"component": "c", "key": "k"}));
    assert_eq!((&answer["deleted"], &answer["previous"]["value"]), (&json!(true), &json!("v")));
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
    assert_eq!(bench.fault("delete_hint", json!({"component": "c", "key": "k"})).kind.id(), "E_NOT_FOUND");
    assert_eq!(bench.set("c", "k", "again", json!({}))["hint"]["version"], 1);
}

/// @hint_delete @hint_bump
#[test]
fn among_variants_the_one_that_applies_is_meant() {
    let bench = fresh();
    bench.set("c", "k", "win", json!({"scope": {"os": ["windows"]}}));
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    bench.set("c", "k", "mac", json!({"scope": {"os": ["darwin"]}}));
    for operation in ["bump", "delete_hint"] {
        let fault = bench.fault(operation, json!({"component": "c", "key": "k", "context": {"os": "linux"}}));
        assert_eq!((fault.kind.id(), fault.reason.as_str()), ("E_INVALID", "ambiguous"));
        assert_eq!(fault.data["variants"].as_array().map(Vec::len), Some(2));
    }
    let gone = bench.ok("delete_hint", json!({"component": "c", "key": "k", "context": {"os": "darwin"}}));
    assert_eq!(gone["previous"]["value"], "mac");
    assert_eq!(bench.value("c", "k", json!({"os": "windows"})), "win");
}

/// @hint_bump
#[test]
fn bumping_counts_uses_and_changes_nothing_else() {
    let mut bench = fresh();
    let before = bench.set("c", "k", "v", json!({}))["hint"].clone();
    bench.later(Duration::from_secs(60));
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    let after = bench.ok("bump", json!({"component": "c", "key": "k", "delta": 3}))["hint"].clone();
    assert_eq!(
        (&after["use_count"], &after["last_used_at"]),
        (&json!(4), &json!(bench.caller.now.to_string()))
    );
    assert_eq!((&after["version"], &after["updated_at"]), (&before["version"], &before["updated_at"]));
    assert_eq!(bench.ok("get_hint", json!({"component": "c", "key": "k"}))["hint"], after);
    for delta in [0, -1, 1001] {
        let fault = bench.fault("bump", json!({"component": "c", "key": "k", "delta": delta}));
        assert_eq!(fault.kind.id(), "E_INVALID");
    }
}

/// @hint_components
#[test]
fn listings_show_everything_whether_or_not_it_applies() {
    let bench = fresh();
    bench.set("b", "k", "v", json!({"scope": {"os": ["windows"]}}));
    bench.set("a", "y", "v", json!({}));
    bench.set("a", "x", "v", json!({}));
    assert_eq!(
        bench.ok("list_components", json!({}))["components"],
        json!([{"name": "a", "hint_count": 2}, {"name": "b", "hint_count": 1}])
    );
    let keys = bench.ok("list_keys", json!({"component": "b"}));
    assert_eq!(
        (&keys["hints"][0]["key"], &keys["hints"][0]["scope"]),
        (&json!("k"), &json!({"os": ["windows"]}))
    );
    assert_eq!(bench.fault("list_keys", json!({"component": "z"})).kind.id(), "E_NOT_FOUND");
}

/// @hint_metrics
#[test]
fn stats_name_the_top_tags_and_the_most_used() {
    let bench = fresh();
    bench.set("a", "x", "v", json!({"tags": ["build", "rust"]}));
    bench.set("a", "y", "v", json!({"tags": ["build"]}));
    bench.ok("bump", json!({"component": "a", "key": "y", "delta": 5}));
    let stats = bench.ok("hint_stats", json!({}));
    assert_eq!((&stats["hints"], &stats["components"]), (&json!(2), &json!(1)));
    assert_eq!(stats["top_tags"], json!([{"tag": "build", "hints": 2}, {"tag": "rust", "hints": 1}]));
    assert_eq!(
        (&stats["most_used"][0]["key"], &stats["most_used"][0]["use_count"]),
        (&json!("y"), &json!(5))
    );
}

/// @hint_context
#[test]
fn what_a_local_caller_leaves_out_is_filled_in_and_a_far_one_gets_nothing() {
    let mut bench = fresh();
    bench.set(
        "c",
        "k",
        "here",
        json!({"scope": {"cwd_glob": ["/home/**"], "branch": ["main"], "os": ["linux"]}}),
    );
    assert_eq!(bench.refused("c", "k", json!({})).1, "not_eligible");
    bench.caller.ambient = here("/home/me/app");
    assert_eq!(bench.value("c", "k", json!({})), "here");
    assert_eq!(bench.refused("c", "k", json!({"os": "darwin"})).1, "not_eligible");
    let elsewhere = json!({"cwd": "/home/nowhere-that-exists"});
    assert_eq!(bench.refused("c", "k", elsewhere).1, "not_eligible", "another directory has another branch");
    let fault = bench.fault("get_hint", json!({"component": "c", "key": "k", "context": {"cdw": "/x"}}));
    assert_eq!(fault.kind.id(), "E_INVALID");
}

/// @hint_context @hint_ranking: among hints with the same score, one that names an open file comes
/// first and says so.
#[test]
fn an_open_file_breaks_a_tie() {
    let bench = fresh();
    bench.set("web", "about-parser.rs", "by its key", json!({}));
    bench.set("api", "tagged", "by its tag", json!({"tags": ["lexer.rs"]}));
    bench.set("api", "said", "run the tests of src/token.rs first", json!({}));
    bench.set("schema.rs", "format", "by its component", json!({}));
    bench.set("api", "other", "sublexer.rs and lexer.rst are other files", json!({}));
    let first = |files: Value| {
        let found = bench.ok("query", json!({"context": {"files_open": files}}));
        let best = &found["hints"][0];
        let reasons = best["match_explain"]["reasons"].as_array().expect("reasons").clone();
        let open = reasons.iter().filter_map(Value::as_str).find(|reason| reason.contains("open file"));
        (best["hint"]["key"].as_str().expect("a key").to_owned(), open.map(str::to_owned))
    };
    assert_eq!(first(json!([])), ("about-parser.rs".into(), None), "the older of equals");
    for (file, key) in [
        ("/w/shop/src/lexer.rs", "tagged"),
        ("src/token.rs", "said"),
        ("schema.rs", "format"),
        ("/w/about-parser.rs", "about-parser.rs"),
    ] {
        let name = file.rsplit('/').next().expect("a name");
        let reason = format!("names an open file ({name})");
        assert_eq!(first(json!([file])), (key.into(), Some(reason)), "{file}");
    }
    assert_eq!(first(json!(["/w/unheard-of.rs"])), ("about-parser.rs".into(), None));
    bench.set("api", "better", "x", json!({"priority": 10}));
    assert_eq!(first(json!(["src/token.rs"])).0, "better", "it breaks ties and nothing more");
}

/// @operation_names
#[test]
fn dotted_names_are_the_same_operations() {
    let bench = fresh();
    bench.ok("nudge.set_hint", json!({"component": "c", "key": "k", "value": "v"}));
    for operation in nudge_testkit::registry::all() {
        assert!(
            nudge_testkit::registry::find(&format!("nudge.{}", operation.name)).is_some(),
            "{}",
            operation.name
        );
    }
    assert_eq!(bench.ok("nudge.get_hint", json!({"component": "c", "key": "k"}))["hint"]["value"], "v");
    let fault = bench.fault("get_hnit", json!({}));
    assert_eq!((fault.kind.id(), &fault.data["nearest"]), ("E_UNKNOWN_OPERATION", &json!("get_hint")));
}
