//! The record of a hypothesis, its life, orphans and check-ins.

use nudge_core::{FaultKind, Scope};
use nudge_store::{Durability, EntryDraft, SecretPolicy};
use nudge_testkit::MemoryBench;
use serde_json::{Map, Value, json};

use crate::living::setup::{Agent, DAY, HOUR, NOW, fresh, ghap};

/// @ghap_record: one at a time; updates keep the earlier belief; a falsified one needs its cause.
#[test]
fn a_hypothesis_lives_and_ends() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    let none = agent.ok("get_active_ghap", json!({}));
    assert_eq!((&none["has_active"], &none["goal"]), (&json!(false), &Value::Null));
    let id = agent.tries("the rounding is done twice", "the cart shows 10.00");
    assert!(id.starts_with("ghap_20261115_") && id.len() == "ghap_20261115_061027_abcdef".len(), "{id}");
    let fault = agent.fault("start_ghap", ghap("another one is right", "it works"));
    assert_eq!(
        (fault.kind, fault.reason.as_str(), fault.data["id"].clone()),
        (FaultKind::Conflict, "active_ghap_exists", json!(id))
    );
    agent.ok("update_ghap", json!({"strategy": "research-first", "note": "the docs say once"}));
    let active = agent.ok("get_active_ghap", json!({}));
    assert_eq!((&active["iteration_count"], &active["strategy"]), (&json!(1), &json!("research-first")));
    agent.ok(
        "update_ghap",
        json!({"hypothesis": "the rounding mode is wrong", "prediction": "it shows 9.99"}),
    );
    let active = agent.ok("get_active_ghap", json!({}));
    assert_eq!(
        (&active["iteration_count"], &active["hypothesis"]),
        (&json!(2), &json!("the rounding mode is wrong"))
    );
    for missing in [
        json!({"status": "falsified", "result": "no"}),
        json!({"status": "falsified", "result": "no", "surprise": "!"}),
    ] {
        let fault = agent.fault("resolve_ghap", missing);
        assert_eq!(fault.kind, FaultKind::Invalid);
    }
    agent.was_wrong("it was right all along", "misleading-symptom", "the page was cached");
    assert_eq!(
        agent.fault("resolve_ghap", json!({"status": "confirmed", "result": "x"})).reason,
        "no_active_ghap"
    );
    let listed = agent.ok("list_ghap_entries", json!({"status": "falsified"}));
    let one = &listed["results"][0];
    assert_eq!(
        (&one["id"], &one["confidence_tier"], &one["root_cause"]),
        (&json!(id), &json!("silver"), &json!("misleading-symptom: the page was cached"))
    );
    let whole = agent.ok("get_observations", json!({"ids": [one["entry"]]}));
    assert_eq!(whole[0]["metadata"]["history"][0]["hypothesis"], "the rounding is done twice");
}

/// @ghap_record: a vague one counts less, an abandoned one least; blank parts are rejected.
#[test]
fn an_outcome_has_its_tier() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.tries("something is off somewhere", "it works");
    agent.ok("resolve_ghap", json!({"status": "confirmed", "result": "it was"}));
    agent.tries("the cache key lacks the currency", "it works");
    agent.ok("resolve_ghap", json!({"status": "abandoned", "result": "no time"}));
    let listed = agent.ok("list_ghap_entries", json!({}));
    let tiers: Vec<&Value> =
        listed["results"].as_array().expect("a list").iter().map(|one| &one["confidence_tier"]).collect();
    assert_eq!(tiers, ["abandoned", "bronze"]);
    assert_eq!(agent.fault("start_ghap", ghap("  ", "it works")).kind, FaultKind::Invalid);
    let mut bad = ghap("x is wrong here", "it works");
    bad["domain"] = json!("cooking");
    assert!(agent.fault("start_ghap", bad).message.contains("one of debugging"), "the words are named");
}

/// @ghap_orphans: a hypothesis with an ended or silent session is an orphan for the other sessions,
/// never for its own.
#[test]
fn an_orphan_is_adopted_or_abandoned() {
    let bench = fresh();
    let mut first = Agent::begin(&bench, "s", NOW);
    first.asks("go");
    let id = first.tries("the rounding is done twice", "cargo test passes");
    let mut second = Agent::begin(&bench, "t", NOW + HOUR);
    assert_eq!(second.ok("get_orphaned_ghap", json!({})), json!({"has_orphan": false}), "it is at work");
    first.at = NOW + 2 * HOUR;
    first.ends();
    assert_eq!(first.ok("get_orphaned_ghap", json!({})), json!({"has_orphan": false}), "its own");
    second.at = NOW + 3 * HOUR;
    let orphan = second.ok("get_orphaned_ghap", json!({}));
    assert_eq!(
        (&orphan["has_orphan"], &orphan["id"], &orphan["session_id"]),
        (&json!(true), &json!(id), &json!("s"))
    );
    second.ok("adopt_orphan_ghap", json!({}));
    let active = second.ok("get_active_ghap", json!({}));
    assert_eq!((&active["id"], &active["session_id"]), (&json!(id), &json!("t")));
    assert_eq!(first.ok("get_active_ghap", json!({}))["has_active"], false);
    // Silent for more than four hours.
    let mut third = Agent::begin(&bench, "u", NOW + DAY);
    let fault = third.fault("abandon_orphan_ghap", json!({"reason": " "}));
    assert_eq!(fault.kind, FaultKind::Invalid);
    third.ok("abandon_orphan_ghap", json!({"reason": "the shop is closed"}));
    assert_eq!(third.fault("adopt_orphan_ghap", json!({})).reason, "no_orphan");
    let listed = third.ok("list_ghap_entries", json!({"status": "abandoned"}));
    assert_eq!(listed["results"][0]["result"], "the shop is closed");
}

/// @ghap_orphans: a new session is informed of it in the specified text, and as a typed object.
#[test]
fn a_new_session_hears_of_an_orphan() {
    let bench = fresh();
    let mut first = Agent::begin(&bench, "s", NOW);
    first.asks("go");
    first.tries("the rounding is done twice", "cargo test passes");
    first.ends();
    let mut second = Agent::silent(&bench, "t", NOW + HOUR);
    let injected = second.hook("SessionStart", json!({"source": "startup"})).1.expect("injected");
    let typed = injected.typed.expect("a type");
    assert_eq!(typed.kind, "orphan_detected");
    assert_eq!(
        typed.content,
        "## Orphaned GHAP Detected\n\nFrom previous session:\n\n**Goal**: prices are right\n\
         **Hypothesis**: the rounding is done twice\n\n**Options**:\n- Adopt and continue this work (adopt_orphan_ghap)\n\
         - Abandon with reason (abandon_orphan_ghap)"
    );
    assert!(injected.context.contains(&typed.content), "{}", injected.context);
}

/// Stores the newest hypothesis again with other attributes, as a program with a fault might.
fn rewrite(bench: &MemoryBench, change: impl Fn(&mut Map<String, Value>)) {
    let scope = Scope::Project("/w/shop/.git".to_owned());
    let written = bench.memory.store().write(Durability::Stated, |writer| {
        let mut entry = writer.entries_in(&scope, Some("ghap"))?.pop().expect("a hypothesis");
        change(&mut entry.attributes);
        writer.put_entry(&EntryDraft {
            scope: entry.scope,
            path: entry.path,
            body: entry.body,
            attributes: entry.attributes,
            provenance: entry.writer,
            secrets: SecretPolicy::Reject,
            now: entry.updated_at,
        })
    });
    written.expect("written");
}

/// @ghap_orphans: fields that a stored record lacks read "Unknown", of an orphan and of the
/// hypothesis that was adopted.
#[test]
fn missing_fields_read_unknown() {
    let bench = fresh();
    let mut first = Agent::begin(&bench, "s", NOW);
    first.asks("go");
    first.tries("the rounding is done twice", "cargo test passes");
    first.ends();
    rewrite(&bench, |attributes| {
        for field in ["goal", "hypothesis", "action", "prediction", "created_at"] {
            assert!(attributes.remove(field).is_some(), "{field}");
        }
    });
    let mut second = Agent::silent(&bench, "t", NOW + HOUR);
    let injected = second.start("startup");
    assert!(injected.contains("**Goal**: Unknown\n**Hypothesis**: Unknown\n"), "{injected}");
    let read_unknown = |answer: &Value, fields: &[&str]| {
        assert!(fields.iter().all(|field| answer[field] == "Unknown"), "{answer}");
    };
    let orphan = second.ok("get_orphaned_ghap", json!({}));
    read_unknown(&orphan, &["goal", "hypothesis", "action", "created_at"]);
    second.ok("adopt_orphan_ghap", json!({}));
    let active = second.ok("get_active_ghap", json!({}));
    read_unknown(&active, &["goal", "hypothesis", "action", "prediction", "created_at"]);
    let reminder =
        (0..10).find_map(|number| second.reads(&format!("/w/shop/{number}.rs"))).expect("a reminder");
    assert!(reminder.context.contains("**Current Prediction**: Unknown"), "{}", reminder.context);
}

/// @ghap_session_state @ghap_orphans: a record that cannot be read counts as none.
#[test]
fn an_unreadable_record_counts_as_none() {
    let bench = fresh();
    let mut first = Agent::begin(&bench, "s", NOW);
    first.asks("go");
    first.tries("the rounding is done twice", "cargo test passes");
    first.ends();
    let mut second = Agent::begin(&bench, "t", NOW + HOUR);
    assert_eq!(second.ok("get_orphaned_ghap", json!({}))["has_orphan"], true, "as long as it can be read");
    rewrite(&bench, |attributes| *attributes = Map::from_iter([("id".to_owned(), json!(7))]));
    assert_eq!(second.ok("get_orphaned_ghap", json!({})), json!({"has_orphan": false}));
    assert_eq!(second.fault("adopt_orphan_ghap", json!({})).reason, "no_orphan");
    assert_eq!(first.ok("get_active_ghap", json!({}))["has_active"], false);
    let mut third = Agent::silent(&bench, "u", NOW + 2 * HOUR);
    let injected = third.start("startup");
    assert!(!injected.contains("Orphaned"), "{injected}");
}

/// @ghap_session_state: a program without a session starts one, and its later calls belong to it.
#[test]
fn a_session_can_be_started_by_hand() {
    let bench = fresh();
    let mut agent = Agent::silent(&bench, "unused", NOW);
    let call = |agent: &mut Agent<'_>, op: &str, params: Value| {
        agent.at += 1_000;
        let mut caller = nudge_memory::Caller::new(
            nudge_memory::Surface::Mcp,
            nudge_core::Timestamp::from_millis(agent.at),
        );
        caller.client = Some("curl".to_owned());
        nudge_testkit::call(&bench.memory, &caller, op, params).expect("answered")
    };
    let started = call(&mut agent, "start_session", json!({}));
    let id = started["session_id"].as_str().expect("an id");
    assert_eq!((id.len(), id.as_bytes()[14]), (36, b'4'), "{id}");
    for count in 1..=10 {
        assert_eq!(call(&mut agent, "should_check_in", json!({})), json!({"should_check_in": false}));
        assert_eq!(call(&mut agent, "increment_tool_count", json!({})), json!({"tool_count": count}));
    }
    assert_eq!(call(&mut agent, "should_check_in", json!({})), json!({"should_check_in": true}));
    assert_eq!(
        call(&mut agent, "should_check_in", json!({"frequency": 11})),
        json!({"should_check_in": false})
    );
    assert_eq!(call(&mut agent, "get_session", json!({}))["id"], id);
    assert_eq!(call(&mut agent, "reset_tool_count", json!({})), json!({"tool_count": 0}));
    let next = call(&mut agent, "start_session", json!({}));
    assert_ne!(next["session_id"], id);
    assert_eq!(call(&mut agent, "increment_tool_count", json!({})), json!({"tool_count": 1}), "counted anew");
}

/// @ghap_check_in: ten tools after a hypothesis was stated the agent is reminded, once; never
/// without one.
#[test]
fn a_check_in_comes_with_a_hypothesis_alone() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    for number in 0..25 {
        assert!(agent.reads(&format!("/w/shop/{number}.rs")).is_none(), "nothing is tried");
    }
    agent.tries("the rounding is done twice", "cargo test passes");
    for number in 0..9 {
        assert!(agent.reads(&format!("/w/shop/{number}.rs")).is_none(), "{number}");
    }
    let injected = agent.reads("/w/shop/10.rs").expect("the tenth");
    let typed = injected.typed.expect("a type");
    assert_eq!(
        (typed.kind.as_str(), typed.content.as_str()),
        (
            "reminder",
            "## GHAP Check-in (10 tools since last update)\n\n**Current Goal**: prices are right\n\
             **Current Hypothesis**: the rounding is done twice\n**Current Prediction**: cargo test passes\n\n\
             Is your hypothesis still valid? If it changed, update your GHAP entry."
        )
    );
    assert!(injected.tokens <= 200, "{}", injected.tokens);
    assert!(agent.reads("/w/shop/11.rs").is_none(), "it is counted anew");
}

/// @ghap_warning: there is a warning about a third attempt of a kind that was wrong twice, and
/// about one that is much like a wrong one.
#[test]
fn the_same_mistake_is_warned_of() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.tries("the session cookie expires too early", "login works");
    agent.was_wrong("it lives a week", "wrong-assumption", "the clock of the server is wrong");
    let first = agent.ok("start_ghap", ghap("the database pool is exhausted", "it works"));
    assert_eq!(first.get("warnings"), None, "{first}");
    agent.was_wrong("it was idle", "wrong-assumption", "the query was slow");
    let third = agent.ok("start_ghap", ghap("the session cookie expires early", "login works"));
    let warnings: Vec<&str> =
        third["warnings"].as_array().expect("warned").iter().filter_map(Value::as_str).collect();
    assert_eq!(
        warnings,
        [
            "a hypothesis like this was falsified just now: \"the session cookie expires too early\". Root cause: \"the clock of the server is wrong\"",
            "2 hypotheses about debugging were wrong for the same kind of reason, wrong-assumption. The last: \"the database pool is exhausted\", because: \"the query was slow\"",
        ]
    );
    let mut next = Agent::silent(&bench, "t", NOW + DAY);
    let injected = next.start("startup");
    assert!(injected.contains("tried and wrong: \"the session cookie expires too early\", because: \"the clock of the server is wrong\""), "{injected}");
}
