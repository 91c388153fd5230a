//! Each condition alone, and all together.

use nudge_core::FaultKind;
use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh, here};

/// Sets a hint with one scope and checks in which contexts it applies.
fn check(scope: Value, applies: &[Value], refused: &[Value]) {
    let bench = fresh();
    bench.set("c", "k", "v", json!({"scope": scope}));
    for context in applies {
        assert_eq!(bench.value("c", "k", context.clone()), "v", "{scope} applies to {context}");
    }
    for context in refused {
        assert_eq!(
            bench.refused("c", "k", context.clone()).1,
            "not_eligible",
            "{scope} does not apply to {context}"
        );
    }
}

/// @condition_cwd
#[test]
fn a_directory_glob_matches_segments() {
    check(
        json!({"cwd_glob": ["**/http-proxy*", "/srv/{a,b}/*"]}),
        &[
            json!({"cwd": "/work/http-proxy"}),
            json!({"cwd": "/work/http-proxy-2/"}),
            json!({"cwd": "/srv/a/x"}),
        ],
        &[
            json!({"cwd": "/work/http-proxy/src"}),
            json!({"cwd": "/srv/c/x"}),
            json!({"cwd": "/srv/a/x/y"}),
            json!({}),
        ],
    );
}

/// @condition_repo
#[test]
fn a_repository_is_the_same_by_any_of_its_addresses() {
    check(
        json!({"repo": ["git@github.com:org/app.git", "git:other/tool"]}),
        &[
            json!({"repo": "https://github.com/org/app"}),
            json!({"repo": "ssh://git@github.com/org/app.git"}),
            json!({"repo": "https://gitlab.example/other/tool.git"}),
        ],
        &[
            json!({"repo": "https://github.com/org/app2"}),
            json!({"repo": "https://gitlab.com/org/app"}),
            json!({}),
        ],
    );
}

/// @condition_branch
#[test]
fn a_branch_is_named_or_matched() {
    check(
        json!({"branch": ["dev", "hotfix/*"]}),
        &[json!({"branch": "dev"}), json!({"branch": "hotfix/login"})],
        &[
            json!({"branch": "development"}),
            json!({"branch": "hotfix"}),
            json!({"branch": "main"}),
            json!({}),
        ],
    );
}

/// @condition_os
#[test]
fn a_system_is_one_of_three() {
    check(
        json!({"os": ["linux", "darwin"]}),
        &[json!({"os": "linux"}), json!({"os": "darwin"})],
        &[json!({"os": "windows"}), json!({})],
    );
    let bench = fresh();
    let meta = json!({"scope": {"os": ["plan9"]}});
    let fault = bench.fault("set_hint", json!({"component": "c", "key": "k", "value": "v", "meta": meta}));
    assert_eq!(fault.kind.id(), "E_INVALID");
}

/// @condition_env
#[test]
fn variables_must_be_set_and_have_an_allowed_value() {
    check(
        json!({"env_required": ["CI"]}),
        &[json!({"env": {"CI": "1"}}), json!({"env": {"CI": ""}})],
        &[json!({"env": {"OTHER": "1"}}), json!({"env": {"CI": null}}), json!({})],
    );
    check(
        json!({"env_match": {"STAGE": ["dev", "test"], "REGION": "eu"}}),
        &[json!({"env": {"STAGE": "test", "REGION": "eu"}})],
        &[json!({"env": {"STAGE": "prod", "REGION": "eu"}}), json!({"env": {"STAGE": "dev"}}), json!({})],
    );
}

/// @condition_env
#[test]
fn only_names_that_conditions_mention_are_asked_for() {
    let mut bench = fresh();
    bench.set("c", "k", "v", json!({"scope": {"env_match": {"STAGE": "dev"}, "env_required": ["CI"]}}));
    bench.set("c", "free", "v", json!({}));
    bench.caller.ambient = here("/x");
    assert_eq!(bench.value("c", "free", json!({})), "v");
    let fault = bench.fault("get_hint", json!({"component": "c", "key": "k"}));
    assert_eq!((fault.kind, &fault.data["names"]), (FaultKind::NeedEnv, &json!(["CI", "STAGE"])));
    let secret = json!({"env": {"CI": "1", "STAGE": "a-value-nobody-may-see"}});
    let fault = bench.fault("get_hint", json!({"component": "c", "key": "k", "context": secret}));
    assert!(!fault.to_json().to_string().contains("nobody-may-see"), "{fault:?}");
}

/// @hint_conditions @hint_eligibility
#[test]
fn all_conditions_must_hold_together() {
    check(
        json!({"cwd_glob": ["/w/**"], "branch": ["dev"], "os": ["linux"], "env_required": ["CI"]}),
        &[json!({"cwd": "/w/a", "branch": "dev", "os": "linux", "env": {"CI": "1"}})],
        &[
            json!({"cwd": "/v/a", "branch": "dev", "os": "linux", "env": {"CI": "1"}}),
            json!({"cwd": "/w/a", "branch": "main", "os": "linux", "env": {"CI": "1"}}),
            json!({"cwd": "/w/a", "branch": "dev", "os": "darwin", "env": {"CI": "1"}}),
            json!({"cwd": "/w/a", "branch": "dev", "os": "linux"}),
        ],
    );
    check(json!({}), &[json!({}), json!({"os": "windows"})], &[]);
}
