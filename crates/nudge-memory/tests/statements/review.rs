//! The user decides.

use serde_json::{Value, json};

use crate::statements::setup::{SHOP, State, fresh, id, stand};

/// @statements_review
#[test]
fn an_accepted_saying_is_the_persons_statement() {
    let mut bench = fresh();
    let said = id(bench.say("s1", "we use pnpm"));
    stand(&mut bench, "/w/other");
    let accepted = bench.ok("accept_proposal", json!({"id": said}));
    assert_eq!((&accepted["kind"], &accepted["state"]), (&json!("statement"), &json!("accepted")));
    let statement = &accepted["statement"];
    assert_eq!(
        (&statement["origin"], &statement["stated_by"]),
        (&json!("accepted"), &json!("the person, in shop"))
    );
    assert_eq!((&statement["times"], &statement["sessions"]), (&json!(1), &json!(1)));
    assert_eq!(bench.holds(), [], "it holds where it was said, not where it was reviewed");
    stand(&mut bench, SHOP);
    assert_eq!(bench.texts(), ["we use pnpm"]);
    assert_eq!(bench.waiting(), Vec::<Value>::new());
    assert_eq!(bench.fault("accept_proposal", json!({"id": said})).reason, "decided");
    assert_eq!(json!(id(bench.say("s2", "we use pnpm"))), statement["id"], "said again, it counts there");
}

/// @statements_review: the user may reword it, and the original words are still known.
#[test]
fn a_saying_is_accepted_in_other_words() {
    let mut bench = fresh();
    let said = id(bench.say("s1", "no npm pls"));
    let accepted = bench.ok("accept_proposal", json!({"id": said, "text": "use pnpm and not npm"}));
    assert_eq!(accepted["statement"]["text"], "use pnpm and not npm");
    let statement = accepted["statement"]["id"].as_i64().expect("a number");
    assert_eq!(id(bench.say("s2", "no npm pls")), statement);
    bench.ok("forget", json!({"id": statement}));
    assert_eq!(id(bench.say("s3", "no npm pls")), statement, "turned down with its statement");
    assert_eq!((bench.holds().len(), bench.waiting().len()), (0, 0));
    bench.ok("set_hint", json!({"component": "a", "key": "b", "value": "c"}));
    bench.as_agent(|bench| bench.ok("set_hint", json!({"component": "a", "key": "b", "value": "d"})));
    let edit = bench.waiting()[0]["id"].clone();
    assert_eq!(bench.fault("accept_proposal", json!({"id": edit, "text": "x"})).reason, "text");
}

/// @statements_review: an accepted statement replaces what it contradicts, and the answer says so.
#[test]
fn an_accepted_saying_replaces_what_it_speaks_against() {
    let mut bench = fresh();
    let old = bench.remember("run the e2e tests");
    let said = id(bench.say("s1", "never run the e2e tests"));
    let accepted = bench.ok("accept_proposal", json!({"id": said}));
    assert_eq!(accepted["replaced"][0]["id"], old);
    assert_eq!(bench.texts(), ["never run the e2e tests"]);
}
