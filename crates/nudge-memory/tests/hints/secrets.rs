//! What looks like a credential, and what the user lets through.

use nudge_home::Settings;
use nudge_memory::{Caller, Surface, Terms};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh, with};

fn aws() -> String {
    format!("AKIA{}", "Q3EGRZ7TXVNH5K2M")
}

fn jwt() -> String {
    [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
        "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    ]
    .join(".")
}

fn set(bench: &MemoryBench, key: &str, value: &str, meta: Value) -> Result<Value, nudge_core::Fault> {
    bench.call("set_hint", json!({"component": "c", "key": key, "value": value, "meta": meta}))
}

/// @hint_secret_guard @error_codes
#[test]
fn what_looks_like_a_credential_is_refused_and_not_repeated() {
    let bench = fresh();
    let odd_hex = "0123456789abcdef0123456789abcdef0123456789abc"; // 45 digits: no digest has that length
    for secret in [aws(), jwt(), odd_hex.to_owned(), format!("export DB_PASSWORD={}", "hunter2-and-more!")] {
        let fault = set(&bench, "k", &secret, json!({})).expect_err("refused");
        assert_eq!((fault.kind.id(), fault.kind.code()), ("E_SECRET_REJECTED", 40002));
        assert!(!fault.to_json().to_string().contains(&secret));
        assert!(fault.next.is_some());
    }
    assert!(
        set(&bench, "k", "v", json!({"reason": format!("the key is {}", aws())})).is_err(),
        "also in what is said"
    );
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([]));
}

/// @hint_secret_guard
#[test]
fn digests_uuids_and_paths_are_no_secrets_unless_they_are_called_so() {
    let bench = fresh();
    let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    let uuid = "123e4567-e89b-12d3-a456-426614174000";
    let md5 = "d41d8cd98f00b204e9800998ecf8427e";
    for value in [sha1, uuid, md5, "/usr/lib/x86_64-linux-gnu/libssl.so.3", "docker compose build router"] {
        set(&bench, "commit", value, json!({})).unwrap_or_else(|fault| panic!("{value}: {fault:?}"));
    }
    assert!(set(&bench, "api_token", md5, json!({})).is_err(), "the key calls it a token");
}

/// @hint_secret_override
#[test]
fn the_person_may_store_a_secret_and_an_agent_may_not() {
    let mut bench = fresh();
    set(&bench, "marked", &aws(), json!({"sensitivity": "secret"})).expect("the person marked it");
    let allowed = bench
        .ok("set_hint", json!({"component": "c", "key": "allowed", "value": aws(), "allow_secret": true}));
    assert_eq!(allowed["hint"]["meta"]["sensitivity"], "secret");
    bench.caller.surface = Surface::Mcp;
    for params in [
        json!({"component": "c", "key": "x", "value": aws(), "meta": {"sensitivity": "secret"}}),
        json!({"component": "c", "key": "x", "value": aws(), "allow_secret": true}),
    ] {
        assert_eq!(bench.fault("set_hint", params).reason, "secret_over_mcp");
    }
}

/// @hint_secret_override
#[test]
fn the_guard_can_be_switched_off() {
    let bench = with(Settings { secret_guard: false, ..Settings::default() });
    assert_eq!(set(&bench, "k", &aws(), json!({})).expect("the guard is off")["hint"]["value"], aws());
}

/// @hint_secret_display
#[test]
fn a_secret_is_kept_from_agents_and_exports() {
    let mut bench = fresh();
    set(&bench, "k", &aws(), json!({"sensitivity": "secret"})).expect("the person marked it");
    assert_eq!(bench.value("c", "k", json!({})), aws());
    let export = bench.ok("export", json!({}));
    assert_eq!((&export["payload"]["components"], &export["secrets_left_out"]), (&json!({}), &json!(1)));
    let export = bench.ok("export", json!({"include_secrets": true}));
    assert_eq!(export["payload"]["components"]["c"]["hints"]["k"]["value"], aws());
    bench.caller.surface = Surface::Mcp;
    assert_eq!(bench.refused("c", "k", json!({})), ("E_SECRET_REJECTED".into(), "secret_over_mcp".into()));
    assert_eq!(bench.ok("query", json!({}))["left_out"]["secret"], 1);
    assert_eq!(bench.ok("bump", json!({"component": "c", "key": "k"}))["hint"]["value"], "[REDACTED]");
    assert_eq!(bench.fault("export", json!({"include_secrets": true})).kind.id(), "E_SECRET_REJECTED");
    assert!(!bench.ok("list_keys", json!({"component": "c"})).to_string().contains(&aws()));
}

/// @hint_secret_display
#[test]
fn the_person_can_open_secrets_to_agents() {
    let mut bench = with(Settings { mcp_secrets: true, ..Settings::default() });
    bench.caller.surface = Surface::Mcp;
    set(&bench, "k", &aws(), json!({"sensitivity": "secret"})).expect("allowed by settings");
    assert_eq!(bench.value("c", "k", json!({})), aws());
}

/// @hint_secret_override
#[test]
fn the_override_is_for_the_value_alone() {
    let bench = fresh();
    let set = |params: Value| bench.call("set_hint", params);
    for meta in [json!({"tags": [aws()]}), json!({"reason": aws()}), json!({"added_by": aws()})] {
        let mut marked = meta.clone();
        marked["sensitivity"] = json!("secret");
        for params in [
            json!({"component": "c", "key": "k", "value": "v", "meta": meta, "allow_secret": true}),
            json!({"component": "c", "key": "k", "value": "v", "meta": marked}),
        ] {
            let fault = set(params).expect_err("only a value can be a secret");
            assert_eq!(fault.kind.id(), "E_SECRET_REJECTED");
            assert!(!fault.to_json().to_string().contains(&aws()));
        }
    }
    let fault = set(json!({"component": "c", "key": aws(), "value": "v", "allow_secret": true}));
    assert_eq!(fault.expect_err("a name is shown").kind.id(), "E_SECRET_REJECTED");
    let template =
        json!({"type": "template", "format": "mustache", "body": "{{p}}", "defaults": {"p": aws()}});
    let hint = set(json!({"component": "c", "key": "t", "value": template, "allow_secret": true}));
    assert_eq!(hint.expect("kept")["hint"]["meta"]["sensitivity"], "secret");
}

/// @hint_secret_override
#[test]
fn an_agent_cannot_replace_the_persons_secret() {
    let mut bench = fresh();
    set(&bench, "k", &aws(), json!({"sensitivity": "secret"})).expect("the person marked it");
    bench.caller.surface = Surface::Mcp;
    assert_eq!(set(&bench, "k", "mine now", json!({})).expect_err("refused").reason, "secret_over_mcp");
}

/// @hint_provenance
#[test]
fn what_a_client_calls_itself_is_screened_too() {
    let bench = fresh();
    let mut caller = bench.caller.clone();
    caller.client = Some(aws());
    let hint = nudge_testkit::call(
        &bench.memory,
        &caller,
        "set_hint",
        json!({"component": "c", "key": "k", "value": "v"}),
    );
    assert_eq!(hint.expect("kept")["hint"]["origin"]["client"], "[REDACTED]");
}

/// @hint_quota @settings_layers: the user's limits apply in every process; an agent raises none.
#[test]
fn the_users_limits_apply_and_an_agents_only_where_they_are_lower() {
    let bench = with(Settings { max_hints_per_component: 2, ..Settings::default() });
    let set = |surface, most, key: &str| {
        let terms = Terms::of(&Settings { max_hints_per_component: most, ..Settings::default() });
        let caller = Caller { surface, terms: Some(terms), ..bench.caller.clone() };
        let set = nudge_testkit::call(
            &bench.memory,
            &caller,
            "set_hint",
            json!({"component": "c", "key": key, "value": "v"}),
        );
        set.map(|_| ()).map_err(|fault| fault.data["limit"].clone())
    };
    assert_eq!(set(Surface::AgentCli, 1, "one"), Ok(()));
    assert_eq!(set(Surface::AgentCli, 1, "two"), Err(json!(1)));
    assert_eq!(set(Surface::AgentCli, 9, "two"), Ok(()));
    assert_eq!(set(Surface::AgentCli, 9, "three"), Err(json!(2)));
    assert_eq!(set(Surface::Cli, 3, "three"), Ok(()));
    assert_eq!(set(Surface::Cli, 3, "four"), Err(json!(3)));
}

/// @settings_layers
#[test]
fn a_call_is_carried_out_under_the_terms_of_its_own_process() {
    let bench = with(Settings {
        default_ttl: nudge_core::ttl::Ttl::Forever,
        mcp_secrets: true,
        ..Settings::default()
    });
    let mut caller = bench.caller.clone();
    caller.surface = Surface::Mcp;
    caller.terms = Some(Terms::of(&Settings::default()));
    let set = |params: Value| nudge_testkit::call(&bench.memory, &caller, "set_hint", params);
    let hint = set(json!({"component": "c", "key": "k", "value": "v"})).expect("kept");
    assert_eq!(hint["hint"]["meta"]["ttl"], "session");
    let secret = json!({"component": "c", "key": "s", "value": "v", "meta": {"sensitivity": "secret"}});
    assert_eq!(set(secret).expect_err("not under its own terms").reason, "secret_over_mcp");
}
