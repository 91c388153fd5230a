//! Recognises statements in what the user says to an agent, when it is certain that the user said
//! it.

use nudge_memory::capture::{AgentRef, EventBody};
use nudge_testkit::{EventBuilder, MemoryBench, event};
use serde_json::{Value, json};

use crate::statements::setup::{SHOP, START, Talk, fresh};

const RULE: &str = "we use pnpm in this repo, never npm";

fn proposals(bench: &MemoryBench) -> Vec<(String, String)> {
    let found = bench.ok("list_proposals", json!({"all": true}));
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let found = found["proposals"].as_array().expect("a list");
    found.iter().map(|one| (text(one, "kind"), text(one, "text"))).collect()
}

/// @statements_heard: what the user typed, and the agent's own transcript contains, becomes a
/// proposal with those words; said in a second session, it is in force.
#[test]
fn what_the_transcript_confirms_is_heard() {
    let bench = fresh();
    let one = Talk::new(&bench, "one");
    one.receive(&one.event(event::prompt(RULE), START));
    assert_eq!(proposals(&bench), [], "the hook alone is not enough");
    one.typed(RULE, START + 5);
    one.stops(START + 10);
    assert_eq!(proposals(&bench), [("statement".to_owned(), RULE.to_owned())]);
    let waits = bench.ok("knows", json!({}));
    assert_eq!((waits["waiting"].clone(), waits["statements"].clone()), (json!(1), json!([])));
    Talk::new(&bench, "two").says(RULE, START + 60_000);
    let knows = bench.ok("knows", json!({}));
    assert_eq!(knows["statements"][0]["text"], RULE);
    assert_eq!(knows["statements"][0]["origin"], "said_twice");
}

/// @statements_heard: a payload that is not in the transcript, an unattended run, a subagent and a
/// stranger's program create no statement.
#[test]
fn nobody_else_speaks_for_the_person() {
    let bench = fresh();
    let forged = Talk::new(&bench, "forged");
    forged.receive(&forged.event(event::prompt(RULE), START));
    forged.typed("something else", START + 5);
    forged.stops(START + 10);
    let headless = Talk::new(&bench, "headless");
    let mut said = headless.event(event::prompt(RULE), START).build();
    said.headless = Some(true);
    headless.receive(&said);
    headless.typed(RULE, START + 5);
    let mut stop = headless.event(EventBody::Seen, START + 10).build();
    stop.headless = Some(true);
    headless.receive(&stop);
    let subagent = Talk::new(&bench, "subagent");
    let agent = AgentRef { id: "a".into(), kind: None, parent: None };
    subagent.receive(&subagent.event(event::prompt(RULE), START).agent(agent));
    subagent.stops(START + 10);
    let record = EventBuilder::new(event::prompt(RULE)).harness("record").directory(SHOP).at(START);
    bench.memory.receive(&record).expect("kept").react().expect("no fault");
    assert_eq!(proposals(&bench), []);
}

/// @statements_heard: for an agent without a transcript the hook's report is enough.
#[test]
fn without_a_transcript_the_hook_is_enough() {
    let bench = fresh();
    let said = EventBuilder::new(event::prompt(RULE)).harness("cursor").directory(SHOP).at(START);
    bench.memory.receive(&said).expect("kept");
    assert_eq!(proposals(&bench), [("statement".to_owned(), RULE.to_owned())]);
}

/// @statements_routine: a request that recurs in three sessions is proposed as a routine, and
/// applies only when accepted.
#[test]
fn a_request_that_comes_back_is_proposed() {
    let bench = fresh();
    let asks = [
        "commit and update the changelog",
        "please commit, and update the changelog",
        "commit and update changelog",
    ];
    for (number, text) in asks.into_iter().enumerate() {
        assert_eq!(proposals(&bench), [], "after {number} sessions");
        Talk::new(&bench, &format!("s{number}")).says(text, START + number as i64 * 60_000);
    }
    let found = proposals(&bench);
    assert_eq!(found.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), ["routine"], "{found:?}");
    assert_eq!(bench.ok("knows", json!({}))["statements"], json!([]));
}

/// @statements_recognised: rules, facts and preferences are recognised by their grammar; talk about
/// the task, the product or one action is not.
#[test]
fn what_is_meant_to_hold_is_distinguished_from_the_rest() {
    let bench = fresh();
    let talk = Talk::new(&bench, "one");
    let holds =
        ["from now on, run the linter before each commit", "we don't use default exports in this project"];
    let passes = [
        "don't write code yet",
        "the command should always print a header",
        "commit this and push",
        "can you fix the failing test in the parser?",
    ];
    for (number, text) in holds.into_iter().chain(passes).enumerate() {
        talk.says(text, START + number as i64 * 60_000);
    }
    let mut found: Vec<String> = proposals(&bench).into_iter().map(|(_, text)| text).collect();
    found.sort();
    assert_eq!(found, holds);
}
