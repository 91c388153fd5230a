//! Setting, versions, variants, names, quota.

use nudge_home::Settings;
use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh, with};

/// @hint_record @hint_set
#[test]
fn a_hint_comes_back_with_everything_that_was_said() {
    let bench = fresh();
    let meta = json!({
        "reason": "custom router image", "tags": ["build", "docker"], "priority": 7, "confidence": 0.8, "ttl": "forever",
        "scope": {"cwd_glob": ["**/http-proxy*"], "branch": ["dev", "main"], "os": ["linux", "darwin"]}
    });
    let answer = bench.set("http-proxy", "build", "docker compose build router", meta.clone());
    let hint = &answer["hint"];
    assert_eq!(hint["value"], "docker compose build router");
    assert_eq!(hint["meta"], meta);
    assert_eq!((&hint["version"], &hint["use_count"]), (&json!(1), &json!(0)));
    assert_eq!(hint["created_at"], hint["updated_at"]);
    assert_eq!(hint["created_at"], bench.caller.now.to_string());
    assert!(hint.get("last_used_at").is_none());
}

/// @hint_set @error_codes
#[test]
fn component_key_and_value_are_required_and_not_empty() {
    let bench = fresh();
    for params in [
        json!({}),
        json!({"component": "c", "key": "k"}),
        json!({"component": "", "key": "k", "value": "v"}),
        json!({"component": "c", "key": "  ", "value": "v"}),
        json!({"component": "c", "key": "k", "value": ""}),
        json!({"component": "c", "key": "k", "value": 7}),
        json!({"component": "c", "key": "k", "value": "v", "if_match_version": -1}),
        json!({"component": "c", "key": "k", "value": "v", "tll": "PT1H"}),
    ] {
        let fault = bench.fault("set_hint", params.clone());
        assert_eq!((fault.kind.id(), fault.kind.code()), ("E_INVALID", 40001), "{params}");
        assert!(fault.next.is_some(), "{params}");
    }
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
}

/// @hint_values @hint_get
#[test]
fn all_five_kinds_of_value_are_kept() {
    let bench = fresh();
    for value in [
        json!("plain"),
        json!({"type": "command", "shell": "bash", "cmd": "make -j4"}),
        json!({"type": "path", "os": ["linux"], "abs": "/srv/app"}),
        json!({"type": "template", "format": "mustache", "body": "hello {{name}}", "defaults": {"name": "you"}}),
        json!({"type": "json", "data": {"a": [1, null, "x"], "b": {"c": true}}}),
    ] {
        bench.ok("set_hint", json!({"component": "c", "key": "k", "value": value}));
        assert_eq!(bench.value("c", "k", json!({})), value);
    }
}

/// @hint_values_are_inert
#[test]
fn a_command_is_returned_and_not_run() {
    let bench = fresh();
    let marker = std::env::temp_dir().join(format!("nudge-inert-{}", std::process::id()));
    let value = json!({"type": "command", "shell": "sh", "cmd": format!("touch {}", marker.display())});
    bench.ok("set_hint", json!({"component": "c", "key": "run", "value": value}));
    let template = json!({"type": "template", "format": "jinja", "body": "{{ 7 * 7 }}"});
    bench.ok("set_hint", json!({"component": "c", "key": "page", "value": template}));
    assert_eq!(bench.value("c", "run", json!({})), value);
    assert_eq!(bench.value("c", "page", json!({})), template);
    assert!(!marker.exists());
}

/// @hint_meta_limits
#[test]
fn meta_out_of_bounds_is_invalid_and_names_the_field() {
    let bench = fresh();
    for (meta, field) in [
        (json!({"priority": 0}), "meta.priority"),
        (json!({"priority": 11}), "meta.priority"),
        (json!({"confidence": -0.1}), "meta.confidence"),
        (json!({"confidence": 1.01}), "meta.confidence"),
        (json!({"sensitivity": "internal"}), "meta.sensitivity"),
        (json!({"source": "the person, honestly"}), "meta.source"),
        (json!({"tags": [""]}), "meta.tags"),
    ] {
        let fault =
            bench.fault("set_hint", json!({"component": "c", "key": "k", "value": "v", "meta": meta}));
        assert_eq!((fault.kind.id(), &fault.data["field"]), ("E_INVALID", &json!(field)));
    }
}

/// @hint_names
#[test]
fn any_printable_name_is_a_name() {
    let bench = fresh();
    for (component, key) in
        [("a/b", "env.X?y=1&if=z"), ("日本語", "ключ"), ("100%", "a b"), ("-p", "--json"), ("🦀", "..")]
    {
        bench.set(component, key, "v", json!({}));
        let hint = bench.ok("get_hint", json!({"component": component, "key": key}))["hint"].clone();
        assert_eq!((&hint["component"], &hint["key"]), (&json!(component), &json!(key)));
    }
    for name in ["a\u{0}b", "a\nb", "\u{1b}[31m", &"x".repeat(201)] {
        assert_eq!(bench.fault("get_hint", json!({"component": name, "key": "k"})).kind.id(), "E_INVALID");
    }
}

/// @hint_versions
#[test]
fn a_version_rises_with_each_set_and_guards_against_others() {
    let bench = fresh();
    let set = |value: &str, version: Value| {
        bench.call(
            "set_hint",
            json!({"component": "c", "key": "k", "value": value, "if_match_version": version}),
        )
    };
    assert_eq!(set("a", json!(0)).expect("there is none yet")["hint"]["version"], 1);
    assert_eq!(set("b", json!(1)).expect("version 1 is stored")["hint"]["version"], 2);
    let fault = set("c", json!(1)).expect_err("version 2 is stored");
    assert_eq!((fault.kind.id(), fault.kind.code()), ("E_CONFLICT", 40901));
    assert_eq!((&fault.data["expected_version"], &fault.data["current_version"]), (&json!(1), &json!(2)));
    assert_eq!(set("d", json!(0)).expect_err("there is one").kind.id(), "E_CONFLICT");
    assert_eq!(bench.value("c", "k", json!({})), "b");
}

/// @hint_variants
#[test]
fn variants_are_distinguished_by_their_conditions_in_any_order() {
    let bench = fresh();
    bench.set("c", "k", "one", json!({"scope": {"os": ["linux", "darwin"], "branch": ["a", "b"]}}));
    let second =
        bench.set("c", "k", "two", json!({"scope": {"branch": ["b", "a"], "os": ["darwin", "linux"]}}));
    assert_eq!(second["hint"]["version"], 2);
    let other = bench.set("c", "k", "three", json!({"scope": {"os": ["windows"]}}));
    assert_eq!(other["hint"]["version"], 1);
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([{"name": "c", "hint_count": 2}]));
    bench.ok("bump", json!({"component": "c", "key": "k", "context": {"os": "windows"}}));
    let count = |os: &str| {
        bench.ok("get_hint", json!({"component": "c", "key": "k", "context": {"os": os, "branch": "a"}}))["hint"]["use_count"].clone()
    };
    assert_eq!((count("windows"), count("linux")), (json!(1), json!(0)));
}

/// @hint_quota
#[test]
fn each_limit_is_kept_and_says_which_it_is() {
    let settings =
        Settings { max_hints: 4, max_hints_per_component: 2, max_components: 2, ..Settings::default() };
    let bench = with(settings);
    bench.set("a", "1", "v", json!({}));
    bench.set("a", "1", "w", json!({"scope": {"os": ["linux"]}}));
    let try_set = |component: &str, key: &str| {
        let fault = bench.fault("set_hint", json!({"component": component, "key": key, "value": "v"}));
        (fault.kind.code(), fault.reason, fault.data["limit"].clone())
    };
    assert_eq!(try_set("a", "2"), (42901, "max_hints_per_component".into(), json!(2)));
    bench.set("b", "1", "v", json!({}));
    assert_eq!(try_set("c", "1"), (42901, "max_components".into(), json!(2)));
    bench.set("b", "2", "v", json!({}));
    assert_eq!(try_set("b", "3"), (42901, "max_hints".into(), json!(4)));
    bench.set("b", "2", "replacing is no new hint", json!({}));
}

/// @hint_path_safety
#[test]
fn paths_must_be_absolute_and_nothing_may_climb() {
    let bench = fresh();
    for abs in ["relative", "./x", "/a/../../etc", "C:\\a\\..\\b", "~/x"] {
        let value = json!({"type": "path", "abs": abs});
        let fault = bench.fault("set_hint", json!({"component": "c", "key": "k", "value": value}));
        assert!([40001, 40003].contains(&fault.kind.code()), "{abs}: {fault:?}");
    }
    for abs in ["/srv/app", "C:\\code\\x", "\\\\server\\share"] {
        bench.ok("set_hint", json!({"component": "c", "key": "k", "value": {"type": "path", "abs": abs}}));
    }
    for glob in ["../**", "a/../b", "[", &"x".repeat(501), ""] {
        let meta = json!({"scope": {"cwd_glob": [glob]}});
        let fault =
            bench.fault("set_hint", json!({"component": "c", "key": "g", "value": "v", "meta": meta}));
        assert_eq!(fault.kind.code(), 40003, "{glob}");
    }
}

/// @hint_provenance
#[test]
fn what_a_caller_claims_does_not_change_where_it_came_from() {
    let mut bench = fresh();
    let claim = json!({"source": "user", "added_by": "the person"});
    bench.caller.surface = nudge_memory::Surface::Mcp;
    let hint = bench.set("c", "k", "v", claim)["hint"].clone();
    assert_eq!((&hint["meta"]["source"], &hint["meta"]["added_by"]), (&json!("user"), &json!("the person")));
    assert_eq!(hint["origin"]["session"], "nudge-2026-11-14", "one of the day: it named none");
    let origin = json!({"source": "agent", "tier": "model", "session": hint["origin"]["session"]});
    assert_eq!(hint["origin"], origin);
    bench.caller.surface = nudge_memory::Surface::Cli;
    assert_eq!(
        bench.set("c", "k", "w", json!({}))["hint"]["origin"],
        json!({"source": "user", "tier": "client"})
    );
}
