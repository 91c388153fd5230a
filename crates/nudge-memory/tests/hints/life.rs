//! How long hints last.

use std::time::Duration;

use nudge_core::ttl::Ttl;
use nudge_home::Settings;
use serde_json::json;

use crate::hints::setup::{DAY, Hints, fresh, with};

/// @hint_ttl @scenario_hotfix_toggle
#[test]
fn a_two_hour_hint_is_silently_gone_after_two_hours() {
    let mut bench = fresh();
    bench.set(
        "api",
        "env.FEATURE_X",
        "1",
        json!({"ttl": "PT2H", "tags": ["env", "test"], "scope": {"branch": ["hotfix/*"]}}),
    );
    let hotfix = json!({"branch": "hotfix/login"});
    bench.later(Duration::from_secs(2 * 3600 - 1));
    assert_eq!(bench.value("api", "env.FEATURE_X", hotfix.clone()), "1");
    bench.later(Duration::from_secs(1));
    assert_eq!(bench.refused("api", "env.FEATURE_X", hotfix).1, "unknown_component");
    assert_eq!(bench.ok("query", json!({"tags": ["env"]}))["hints"], json!([]));
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
}

/// @hint_ttl
#[test]
fn time_runs_from_the_last_set_and_a_bump_does_not_renew_it() {
    let mut bench = fresh();
    bench.set("c", "k", "v", json!({"ttl": "P1D"}));
    bench.later(DAY / 2);
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    bench.set("c", "again", "v", json!({"ttl": "P1D"}));
    bench.later(DAY / 2);
    assert_eq!(bench.refused("c", "k", json!({})).1, "unknown_key");
    assert_eq!(bench.value("c", "again", json!({})), "v");
}

/// @hint_ttl
#[test]
fn a_sweep_removes_what_has_ended_and_a_new_one_starts_afresh() {
    let mut bench = fresh();
    bench.set("c", "k", "v", json!({"ttl": "PT1M"}));
    bench.set("c", "k", "w", json!({"ttl": "PT1M"}));
    bench.set("c", "stays", "v", json!({"ttl": "forever"}));
    bench.later(Duration::from_secs(61));
    assert_eq!(bench.set("c", "k", "new", json!({"ttl": "PT1M"}))["hint"]["version"], 1);
    bench.later(Duration::from_secs(61));
    assert_eq!(bench.memory.sweep(bench.caller.now).expect("sweeps").hints, 1);
    assert_eq!(bench.memory.stats().expect("stats").hints, 1);
}

/// @hint_ttl
#[test]
fn a_new_hint_sweeps_what_has_ended_where_no_server_does() {
    let mut bench = fresh();
    bench.set("c", "old", "v", json!({"ttl": "PT1M"}));
    bench.later(Duration::from_secs(61));
    bench.set("c", "new", "v", json!({}));
    assert_eq!(bench.memory.stats().expect("stats").hints, 1);
}

/// @hint_ttl
#[test]
fn a_ttl_that_is_none_is_refused() {
    let bench = fresh();
    for ttl in ["", "2h", "PT", "P-1D", "PT0S", "next week", "SESSION "] {
        let fault = bench
            .fault("set_hint", json!({"component": "c", "key": "k", "value": "v", "meta": {"ttl": ttl}}));
        assert_eq!(fault.kind.id(), "E_INVALID", "{ttl:?}");
    }
}

/// @hint_session_lifetime
#[test]
fn session_hints_end_with_the_session_and_others_stay() {
    let bench = fresh();
    bench.set("c", "session", "v", json!({}));
    bench.set("c", "forever", "v", json!({"ttl": "forever"}));
    let before = bench.memory.session().expect("a session").id;
    let ended = bench.memory.end_session(bench.caller.now).expect("ends");
    assert_ne!(before, ended.next.id);
    assert_eq!(ended.hints, 1);
    assert_eq!(bench.refused("c", "session", json!({})).1, "unknown_key");
    assert_eq!(bench.value("c", "forever", json!({})), "v");
}

/// @hint_session_lifetime
#[test]
fn the_default_is_session_unless_the_person_says_otherwise() {
    assert_eq!(fresh().set("c", "k", "v", json!({}))["hint"]["meta"]["ttl"], "session");
    let bench = with(Settings { default_ttl: Ttl::Forever, ..Settings::default() });
    assert_eq!(bench.set("c", "k", "v", json!({}))["hint"]["meta"]["ttl"], "forever");
}
