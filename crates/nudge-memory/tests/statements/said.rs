//! What the user says to agents becomes a proposal.

use nudge_core::Timestamp;
use nudge_memory::statements::proposals::{Kind, Proposed};
use nudge_memory::statements::{STATEMENT_SIMILARITY, Saying, Similarity};
use serde_json::{Value, json};

use crate::statements::setup::{MINUTE, START, State, fresh, id};

/// @statements_said
#[test]
fn what_was_said_once_waits_and_is_not_in_force() {
    let mut bench = fresh();
    let said = bench.say("s1", "we use pnpm, never npm");
    assert!(matches!(said, Proposed::New(_)), "{said:?}");
    let again = bench.say("s1", "We use pnpm, never npm.");
    assert_eq!(again, Proposed::Counted(nudge_core::EntryId(id(said))));
    assert_eq!(bench.holds(), []);
    let waiting = bench.waiting();
    assert_eq!(waiting.len(), 1);
    let one = &waiting[0];
    assert_eq!(
        (&one["kind"], &one["action"], &one["state"]),
        (&json!("statement"), &json!("remember"), &json!("waiting"))
    );
    assert_eq!((&one["times"], &one["sessions"], &one["in_force"]), (&json!(2), &json!(1), &Value::Null));
    assert_eq!(one["proposed_by"], "the person said it, in shop");
    assert_eq!(
        one["said"],
        json!([{"session": "s1", "at": Timestamp::from_millis(START).plus(MINUTE * 2).to_string(), "how": "prompt", "prompt": 7}])
    );
    assert_eq!(bench.ok("knows", json!({}))["waiting"], 1);
    let all = bench.ok("knows", json!({"all": true}));
    assert_eq!(all["statements"][0]["origin"], "said_once");
}

/// @statements_twice
#[test]
fn what_was_said_in_two_sessions_is_in_force_undecided() {
    let mut bench = fresh();
    let said = id(bench.say("s1", "don't amend commits"));
    bench.say("s2", "Don't amend commits");
    assert_eq!(bench.holds(), [(said, "don't amend commits".to_owned(), "said_twice".to_owned())]);
    let one = &bench.waiting()[0];
    assert_eq!((&one["sessions"], &one["times"], &one["in_force"]), (&json!(2), &json!(2), &json!(true)));
    bench.ok("drop_proposal", json!({"id": said}));
    assert_eq!(bench.holds(), []);
    assert_eq!(bench.say("s3", "don't amend commits"), Proposed::TurnedDown(nudge_core::EntryId(said)));
    assert_eq!((bench.holds().len(), bench.waiting().len()), (0, 0), "a dropped proposal never comes back");
}

/// @web_review: a decision can be taken back: what was dropped waits again, and what was accepted
/// once its statement is forgotten.
#[test]
fn a_decision_can_be_taken_back() {
    let mut bench = fresh();
    let said = id(bench.say("s1", "don't amend commits"));
    assert_eq!(bench.fault("reopen_proposal", json!({"id": said})).reason, "not_undone", "it waits");
    bench.ok("drop_proposal", json!({"id": said}));
    assert_eq!(bench.ok("reopen_proposal", json!({"id": said}))["state"], "waiting");
    assert_eq!(bench.waiting().len(), 1);
    let made = bench.ok("accept_proposal", json!({"id": said}))["statement"]["id"].clone();
    assert_eq!(bench.fault("reopen_proposal", json!({"id": said})).reason, "not_undone", "it is in force");
    bench.ok("forget", json!({"id": made}));
    bench.ok("reopen_proposal", json!({"id": said}));
    assert_eq!((bench.waiting().len(), bench.holds().len()), (1, 0));
}

/// @statements_replaced
#[test]
fn a_later_contradiction_takes_the_place_of_what_was_said() {
    let mut bench = fresh();
    let first = id(bench.say("s1", "run the e2e tests before a push"));
    bench.say("s2", "run the e2e tests before a push");
    let second = id(bench.say("s3", "never run the e2e tests"));
    assert_eq!(bench.holds(), [], "the later one was said once");
    let all = bench.ok("list_proposals", json!({"all": true}));
    let of = |id: i64| all["proposals"].as_array().into_iter().flatten().find(|one| one["id"] == id).cloned();
    let replaced = of(first).expect("listed");
    assert_eq!((&replaced["state"], &replaced["successor"]), (&json!("replaced"), &json!(second)));
    assert_eq!(bench.fault("accept_proposal", json!({"id": first})).reason, "decided");
    // If the user drops the later one, the earlier one applies again.
    bench.ok("drop_proposal", json!({"id": second}));
    assert_eq!(bench.texts(), ["run the e2e tests before a push"]);
}

/// @statements_replaced: a replaced statement that is said again starts afresh.
#[test]
fn what_is_said_again_begins_anew() {
    let mut bench = fresh();
    let first = id(bench.say("s1", "run the e2e tests"));
    bench.say("s2", "run the e2e tests");
    bench.say("s3", "never run the e2e tests");
    assert_eq!(id(bench.say("s4", "run the e2e tests")), first);
    assert_eq!((bench.holds().len(), bench.waiting().len()), (0, 1));
    assert_eq!(bench.waiting()[0]["sessions"], 1);
    bench.say("s5", "run the e2e tests");
    assert_eq!(bench.texts(), ["run the e2e tests"]);
}

/// @statements_replaced: what the user stated or accepted never ends because of what is only said.
#[test]
fn a_statement_does_not_give_way_to_what_is_said() {
    let mut bench = fresh();
    let statement = bench.remember("run the e2e tests");
    let said = id(bench.say("s1", "never run the e2e tests"));
    for session in ["s2", "s3"] {
        bench.say(session, "never run the e2e tests");
        assert_eq!(bench.texts(), ["run the e2e tests"]);
        let one = &bench.waiting()[0];
        assert_eq!((&one["contradicts"][0]["id"], &one["in_force"]), (&json!(statement), &Value::Null));
    }
    let all = bench.ok("knows", json!({"all": true}));
    let held = all["statements"].as_array().into_iter().flatten().find(|one| one["id"] == said);
    assert_eq!(held.expect("listed")["against"], statement);
    // When the statement ends, what was said in several sessions applies.
    bench.ok("forget", json!({"id": statement}));
    assert_eq!(bench.texts(), ["never run the e2e tests"]);
    // Stated afterwards, the statement comes first again.
    assert_eq!(bench.remember("run the e2e tests"), statement);
    assert_eq!(bench.texts(), ["run the e2e tests"]);
    // Accepted, what was said replaces it.
    let accepted = bench.ok("accept_proposal", json!({"id": said}));
    assert_eq!(accepted["replaced"][0]["id"], statement);
    assert_eq!(bench.texts(), ["never run the e2e tests"]);
    bench.say("s4", "run the e2e tests");
    bench.say("s5", "run the e2e tests");
    assert_eq!(bench.texts(), ["never run the e2e tests"]);
}

/// @statements_replaced: what the user said in two sessions replaces what an agent stated.
#[test]
fn an_agents_statement_gives_way_to_what_is_in_force() {
    let mut bench = fresh();
    let statement = bench.as_agent(|bench| bench.remember("run the e2e tests"));
    let said = id(bench.say("s1", "never run the e2e tests"));
    assert_eq!(bench.texts(), ["run the e2e tests"]);
    bench.say("s2", "never run the e2e tests");
    assert_eq!(bench.texts(), ["never run the e2e tests"]);
    let over = bench.fault("forget", json!({"id": statement}));
    assert_eq!(over.next.as_deref(), Some(&*format!("it was replaced by {said}")));
    bench.ok("drop_proposal", json!({"id": said}));
    assert_eq!(bench.texts(), ["run the e2e tests"]);
}

/// @statements_said: rules that differ in one word are two.
#[test]
fn two_rules_that_differ_in_one_word_are_two() {
    let mut bench = fresh();
    let texts = ["always run cargo fmt before you commit", "always run just lint before you commit"];
    for session in ["s1", "s2"] {
        for text in texts {
            bench.say(session, text);
        }
    }
    let mut held = bench.texts();
    held.sort_unstable();
    assert_eq!(held, texts);
}

/// @statements_said: words that are already stated are counted there, and old events replace
/// nothing.
#[test]
fn what_is_stated_already_is_counted() {
    let mut bench = fresh();
    let statement = bench.remember("use tabs");
    assert_eq!(id(bench.say("s1", "use tabs")), statement);
    let view = &bench.ok("knows", json!({}))["statements"][0];
    assert_eq!((&view["times"], &view["sessions"]), (&json!(2), &json!(1)));
    assert_eq!(view["stated_by"], "the person, in shop");
    assert_eq!(bench.waiting(), Vec::<Value>::new());
    let early = Saying::to_agent("s0", Timestamp::from_millis(1), "prompt", None);
    let early = |text: &str| bench.say_so(Kind::Statement, vec![early.clone()], text, &STATEMENT_SIMILARITY);
    assert!(matches!(early("never use tabs"), Proposed::New(_)));
    assert_eq!(bench.texts(), ["use tabs"]);
}

/// @statements_said: credentials and empty text are not proposed.
#[test]
fn what_holds_a_credential_is_not_proposed() {
    let mut bench = fresh();
    assert_eq!(bench.say("s1", "  "), Proposed::Unfit);
    let key = format!("always use ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(bench.say("s1", &key), Proposed::Unfit);
    assert_eq!(bench.waiting(), Vec::<Value>::new());
}

/// @statements_routine
#[test]
fn a_routine_is_proposed_after_three_sessions_and_holds_only_when_accepted() {
    let bench = fresh();
    let said = |session: &str, at: i64| {
        Saying::to_agent(session, Timestamp::from_millis(START + at), "prompt", None)
    };
    let text = "commit and update the changelog";
    let say = |said: Vec<Saying>| bench.say_so(Kind::Routine, said, text, &STATEMENT_SIMILARITY);
    assert_eq!(say(vec![said("s1", 1), said("s1", 2), said("s2", 3)]), Proposed::TooFew);
    assert_eq!(bench.waiting(), Vec::<Value>::new());
    let proposed = say(vec![said("s1", 1), said("s1", 2), said("s2", 3), said("s3", 4)]);
    // Earlier occurrences are not counted again.
    say(vec![said("s4", 5), said("s1", 2), said("s2", 3), said("s3", 4)]);
    let one = &bench.waiting()[0];
    assert_eq!((&one["kind"], &one["times"], &one["sessions"]), (&json!("routine"), &json!(5), &json!(4)));
    assert_eq!((&one["in_force"], bench.holds().len()), (&Value::Null, 0));
    assert_eq!(bench.ok("knows", json!({}))["waiting"], 0, "a routine is no recent instruction");
    let accepted = bench.ok("accept_proposal", json!({"id": id(proposed)}));
    assert_eq!(accepted["statement"]["category"], "workflow");
    assert_eq!((&accepted["statement"]["times"], bench.texts()), (&json!(5), vec![text.to_owned()]));
    say(vec![said("s5", 6), said("s4", 5), said("s1", 2), said("s2", 3), said("s3", 4)]);
    let view = &bench.ok("knows", json!({}))["statements"][0];
    let counted = (&view["times"], &view["sessions"], &view["routine"]);
    assert_eq!(counted, (&json!(6), &json!(5), &json!(true)));
    // It reads as a usual request, not as an order.
    let block = bench.ok("preview_context", json!({}))["text"].to_string();
    assert!(
        block.contains("- routine, asked for in 5 sessions: \\\"commit and update the changelog\\\""),
        "{block}"
    );
}

/// @statements_limit
#[test]
fn the_oldest_that_was_said_once_gives_way() {
    let mut bench = fresh();
    let exact = Similarity { same: |one, other| one == other, contradicts: |_, _| false };
    let mut say = |n: u32, session: &str| {
        bench.later(MINUTE);
        let said = Saying::to_agent(session, bench.caller.now, "prompt", None);
        bench.say_so(Kind::Statement, vec![said], &format!("rule {n}"), &exact)
    };
    let twice = id(say(0, "s1"));
    say(0, "s2");
    let first = id(say(1, "s1"));
    for n in 2..=201 {
        say(n, "s1");
    }
    let all = bench.ok("list_proposals", json!({"all": true}));
    let listed = all["proposals"].as_array().expect("a list");
    let expired: Vec<&Value> = listed.iter().filter(|one| one["state"] == "expired").collect();
    assert_eq!((expired.len(), &expired[0]["id"]), (1, &json!(first)));
    assert_eq!(bench.waiting().len(), 201);
    assert_eq!(bench.holds()[0].0, twice, "what was said in two sessions stays");
    // Said again, it is back.
    assert_eq!(id(bench.say("s2", "rule 1")), first);
}
