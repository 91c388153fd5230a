//! `correct` and `forget`.

use nudge_core::FaultKind;
use serde_json::{Value, json};

use crate::statements::setup::{MINUTE, State, fresh, id, stand};

/// @statements_correct
#[test]
fn a_corrected_statement_names_its_successor_and_holds_no_more() {
    let mut bench = fresh();
    let old =
        bench.ok("remember", json!({"text": "deploy with make", "directory": "web", "category": "workflow"}));
    let old = &old["statement"];
    bench.later(MINUTE);
    let answer = bench.ok("correct", json!({"id": old["id"], "text": "deploy with just"}));
    let (new, corrected) = (&answer["statement"], &answer["corrected"]);
    assert_eq!((&new["predecessor"], &corrected["successor"]), (&old["id"], &new["id"]));
    assert_eq!((&new["directory"], &new["category"]), (&json!("web/"), &json!("workflow")));
    assert_eq!((&corrected["state"], &corrected["text"]), (&json!("corrected"), &json!("deploy with make")));
    assert_eq!(bench.texts(), ["deploy with just"]);
    let all = bench.ok("knows", json!({"all": true}));
    assert_eq!(all["statements"].as_array().map(Vec::len), Some(2), "it stays readable");
    let fault = bench.fault("correct", json!({"id": old["id"], "text": "x"}));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "over"));
    assert_eq!(fault.next.as_deref(), Some(&*format!("it was replaced by {}", new["id"])));
    // The same words in another form are the same statement.
    let same = bench.ok("correct", json!({"id": new["id"], "text": "Deploy with just."}));
    assert_eq!((&same["statement"]["id"], &same["corrected"]), (&new["id"], &Value::Null));
    assert_eq!(bench.texts(), ["Deploy with just."]);
}

/// @statements_correct: a proposal with the old words is replaced by the new ones.
#[test]
fn what_waits_in_the_old_words_is_replaced() {
    let mut bench = fresh();
    let old = bench.as_agent(|bench| bench.remember("the tests need redis"));
    let said = id(bench.say("s1", "the tests need redis"));
    let other = id(bench.say("s1", "never amend commits"));
    assert_eq!(bench.waiting().len(), 2);
    let new = bench.ok("correct", json!({"id": old, "text": "the tests need valkey"}));
    let waiting: Vec<Value> = bench.waiting().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(waiting, [other]);
    let all = bench.ok("list_proposals", json!({"all": true}));
    let over = all["proposals"].as_array().into_iter().flatten().find(|one| one["id"] == said).cloned();
    let over = over.expect("listed");
    assert_eq!((&over["state"], &over["successor"]), (&json!("replaced"), &new["statement"]["id"]));
}

/// @statements_correct: if the old words are stated again, they are in force again.
#[test]
fn the_old_words_stated_again_take_their_place_back() {
    let mut bench = fresh();
    let old = bench.remember("deploy with make");
    let new = bench.ok("correct", json!({"id": old, "text": "deploy with just"}))["statement"]["id"].clone();
    let newest =
        bench.ok("correct", json!({"id": new, "text": "deploy with bazel"}))["statement"]["id"].clone();
    bench.later(MINUTE);
    let answer = bench.ok("remember", json!({"text": "deploy with make"}));
    assert_eq!((&answer["statement"]["id"], &answer["created"]), (&json!(old), &json!(false)));
    assert_eq!((&answer["replaced"][0]["id"], &answer["replaced"][1]), (&newest, &Value::Null));
    assert_eq!(bench.texts(), ["deploy with make"]);
    let fault = bench.fault("forget", json!({"id": newest}));
    assert_eq!(fault.next.as_deref(), Some(&*format!("it was replaced by {old}")));
}

/// @statements_forget: a forgotten statement does not return because the user says it, only because
/// the user states it.
#[test]
fn a_forgotten_statement_stays_away() {
    let mut bench = fresh();
    let statement = bench.remember("always squash commits");
    let answer = bench.ok("forget", json!({"id": format!("#{statement}")}));
    assert_eq!(answer["statement"]["state"], "forgotten");
    assert_eq!(bench.holds(), []);
    for session in ["s1", "s2", "s3"] {
        assert_eq!(id(bench.say(session, "Always squash commits!")), statement);
    }
    assert_eq!((bench.holds().len(), bench.waiting().len()), (0, 0));
    assert_eq!(bench.fault("forget", json!({"id": statement})).reason, "over");
    assert_eq!(bench.remember("always squash commits"), statement);
    assert_eq!(bench.texts(), ["always squash commits"]);
}

/// @statements_authority
#[test]
fn an_agents_change_of_the_persons_statement_is_a_proposal() {
    let mut bench = fresh();
    let statement = bench.remember("deploy with make");
    let answer =
        bench.as_agent(|bench| bench.ok("correct", json!({"id": statement, "text": "deploy with just"})));
    assert_eq!(answer["proposal"]["state"], "waiting");
    assert_eq!(answer["statement"]["text"], "deploy with make");
    let correct = answer["proposal"]["id"].as_i64().expect("a number");
    let answer = bench.as_agent(|bench| bench.ok("forget", json!({"id": statement})));
    let forget = answer["proposal"]["id"].as_i64().expect("a number");
    assert_eq!(bench.texts(), ["deploy with make"]);
    let waiting = bench.waiting();
    let shown: Vec<_> = waiting.iter().map(|one| (&one["kind"], &one["action"], &one["current"])).collect();
    let current = json!("deploy with make");
    assert_eq!(
        shown,
        [
            (&json!("statement"), &json!("forget"), &current),
            (&json!("statement"), &json!("correct"), &current)
        ]
    );
    let accepted = bench.ok("accept_proposal", json!({"id": correct}));
    assert_eq!(accepted["statement"]["text"], "deploy with just");
    assert_eq!(accepted["statement"]["stated_by"], "the person, in shop");
    assert_eq!(accepted["statement"]["predecessor"], statement);
    assert_eq!(bench.fault("accept_proposal", json!({"id": forget})).reason, "gone");
    bench.ok("drop_proposal", json!({"id": forget}));
    assert_eq!(bench.texts(), ["deploy with just"]);
}

/// @statements_authority: agents change what agents stated, in the project they work in.
#[test]
fn agents_change_their_own() {
    let mut bench = fresh();
    let statement = bench.as_agent(|bench| bench.remember("the tests need redis"));
    let corrected =
        bench.as_agent(|bench| bench.ok("correct", json!({"id": statement, "text": "they need valkey"})));
    assert_eq!((&corrected["proposal"], &corrected["statement"]["origin"]), (&Value::Null, &json!("agent")));
    let next = corrected["statement"]["id"].clone();
    stand(&mut bench, "/w/other");
    let fault = bench.as_agent(|bench| bench.fault("forget", json!({"id": next})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Forbidden, "other_project"));
    stand(&mut bench, crate::statements::setup::SHOP);
    bench.as_agent(|bench| bench.ok("forget", json!({"id": next})));
    assert_eq!(bench.holds(), []);
    let said = id(bench.say("s1", "always rebase"));
    let fault = bench.as_agent(|bench| bench.fault("forget", json!({"id": said})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Forbidden, "persons"));
}

/// @statements_correct: what the user said is corrected or forgotten like a statement.
#[test]
fn the_person_corrects_and_forgets_what_was_only_said() {
    let mut bench = fresh();
    let said = id(bench.say("s1", "always rebase"));
    let answer = bench.ok("correct", json!({"id": said, "text": "rebase before a merge"}));
    assert_eq!(answer["statement"]["origin"], "accepted");
    assert_eq!(bench.texts(), ["rebase before a merge"]);
    let said = id(bench.say("s1", "use tabs"));
    let answer = bench.ok("forget", json!({"id": said}));
    assert_eq!(answer["statement"]["state"], "forgotten");
    assert_eq!((bench.waiting().len(), id(bench.say("s2", "use tabs"))), (0, said));
    assert_eq!(bench.texts(), ["rebase before a merge"]);
}

/// @statements_correct: only a statement can be corrected or forgotten.
#[test]
fn anything_else_is_no_statement() {
    let bench = fresh();
    bench.ok("set_hint", json!({"component": "a", "key": "b", "value": "c"}));
    for number in [1, 99] {
        for (operation, params) in
            [("forget", json!({"id": number})), ("correct", json!({"id": number, "text": "x"}))]
        {
            let fault = bench.fault(operation, params);
            assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::NotFound, "no_statement"));
        }
    }
}
