//! `silence`.

use nudge_core::FaultKind;
use serde_json::json;

use crate::statements::setup::{SHOP, State, fresh, id, stand};

/// @statements_silence: a silenced statement is not in force in that project until it is
/// unsilenced.
#[test]
fn a_silenced_statement_is_not_in_force_there() {
    let mut bench = fresh();
    let own = bench.remember("use tabs");
    let answer = bench.ok("remember", json!({"text": "no emoji", "everywhere": true}));
    let everywhere = answer["statement"]["id"].as_i64().expect("a number");
    let silenced = bench.ok("silence", json!({"id": everywhere}));
    assert_eq!(
        silenced,
        json!({"id": everywhere, "what": "no emoji", "silenced": true, "changed": true, "project": "shop"})
    );
    assert_eq!(bench.ok("silence", json!({"id": everywhere}))["changed"], false);
    assert_eq!(bench.texts(), ["use tabs"]);
    stand(&mut bench, "/w/other");
    bench.remember("here");
    assert_eq!(bench.texts(), ["no emoji", "here"].map(str::to_owned).into_iter().rev().collect::<Vec<_>>());
    bench.ok("silence", json!({"id": everywhere, "project": null}));
    assert_eq!(bench.texts(), ["here"]);
    stand(&mut bench, SHOP);
    let again = bench.ok("silence", json!({"id": everywhere, "project": null, "again": true}));
    assert_eq!((&again["silenced"], &again["changed"]), (&json!(false), &json!(true)));
    assert_eq!(bench.texts().len(), 2);
    let fault = bench.as_agent(|bench| bench.fault("silence", json!({"id": own})));
    assert_eq!(fault.kind, FaultKind::Forbidden);
    assert_eq!(bench.fault("silence", json!({"id": 999})).reason, "no_entry");
}

/// @statements_silence: `knows --all` lists a silenced statement and says so, and `why` gives that
/// as the reason.
#[test]
fn a_silenced_statement_is_listed_and_explained() {
    let mut bench = fresh();
    let own = bench.remember("use tabs");
    let everywhere = bench.ok("remember", json!({"text": "no emoji", "everywhere": true}));
    let everywhere = everywhere["statement"]["id"].as_i64().expect("a number");
    let said = id(bench.say("s1", "never amend commits"));
    for id in [own, everywhere, said] {
        bench.ok("silence", json!({"id": id}));
    }
    assert_eq!(bench.holds(), []);
    let all = bench.ok("knows", json!({"all": true}));
    let listed = all["statements"].as_array().expect("a list");
    let mut silenced: Vec<_> = listed.iter().filter(|one| one["silenced"] == true).collect();
    silenced.sort_by_key(|one| one["id"].as_i64());
    let ids: Vec<_> = silenced.iter().filter_map(|one| one["id"].as_i64()).collect();
    assert_eq!((ids, listed.len()), (vec![own, everywhere, said], 3));
    for id in [own, everywhere, said] {
        let now = bench.ok("explain_injection", json!({"id": id}))["entry"]["now"].to_string();
        assert!(now.contains("does not get it: hidden with `nudge stop-showing`"), "{now}");
    }
}

/// @statements_silence: `why` says what happened to a statement that is over.
#[test]
fn why_tells_what_became_of_a_statement() {
    let bench = fresh();
    let now = |id: i64| bench.ok("explain_injection", json!({"id": id}))["entry"]["now"].to_string();
    let old = bench.remember("deploy with make");
    bench.ok("correct", json!({"id": old, "text": "deploy with just"}));
    assert!(now(old).contains("another statement replaced it"), "{}", now(old));
    let gone = bench.remember("use tabs");
    bench.ok("forget", json!({"id": gone}));
    assert!(now(gone).contains("it was forgotten"), "{}", now(gone));
}
