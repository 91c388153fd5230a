//! What happened around an entry.

use nudge_core::FaultKind;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::recall::setup::{Recall, command, fresh, ids, prompt, thought};

fn around(bench: &MemoryBench, params: Value) -> (Vec<i64>, i64, Vec<i64>) {
    let answer = bench.answer("timeline", params);
    let anchor = answer["anchor"]["id"].as_i64().expect("an id");
    (ids(&answer["before"], "id"), anchor, ids(&answer["after"], "id"))
}

/// @recall_timeline: the neighbouring rows are of the same session, in the order they happened,
/// five on either side by default.
#[test]
fn a_timeline_is_of_one_session_and_in_order() {
    let bench = fresh();
    // Reported late, and between those of another session.
    let late = [7, 8].map(|after| bench.keep("s-1/api", after, command(&format!("late {after}"))));
    let mut of_session = Vec::new();
    for after in 0..7 {
        of_session.push(bench.keep("s-1/api", after, command(&format!("step {after}"))));
        bench.keep("s-2/api", after, command(&format!("other {after}")));
    }
    of_session.extend(late);
    let at = |index: usize| of_session[index];
    assert_eq!(
        around(&bench, json!({"anchor": at(6)})),
        (of_session[1..6].to_vec(), at(6), of_session[7..].to_vec())
    );
    assert_eq!(
        around(&bench, json!({"anchor": at(4), "before": 2, "after": 1})),
        (vec![at(2), at(3)], at(4), vec![at(5)])
    );
    assert_eq!(around(&bench, json!({"anchor": at(1), "after": 0})), (vec![at(0)], at(1), Vec::new()));
    let answer = bench.answer("timeline", json!({"anchor": at(0), "after": 1}));
    let whole = bench.answer("get_observations", json!({"ids": [at(0), at(1)]}));
    assert_eq!(json!([answer["anchor"], answer["after"][0]]), whole);
}

/// @recall_timeline: the user's prompts are among the actions; the agent's thinking is not.
#[test]
fn prompts_stand_where_they_were_given() {
    let bench = fresh();
    let first = bench.keep("s-1/api", 0, command("ls"));
    let asked = bench.keep("s-1/api", 1, prompt("build it"));
    bench.keep("s-1/api", 2, thought("I will run make"));
    let done = bench.keep("s-1/api", 3, command("make"));
    assert_eq!(around(&bench, json!({"anchor": asked})), (vec![first], asked, vec![done]));
    assert_eq!(around(&bench, json!({"anchor": done, "before": 1})), (vec![asked], done, Vec::new()));
}

/// @recall_timeline: an unknown anchor is an error; one without neighbouring rows has empty sides;
/// at most a hundred are returned.
#[test]
fn unknown_lonely_and_greedy_anchors() {
    let bench = fresh();
    let alone = bench.keep("s-1/api", 0, command("ls"));
    assert_eq!(around(&bench, json!({"anchor": alone})), (Vec::new(), alone, Vec::new()));
    for anchor in [json!(4_711), json!(-1), json!(0)] {
        let fault = bench.ask("api", "timeline", json!({"anchor": anchor})).expect_err("not there");
        assert_eq!(
            (fault.kind, fault.message.as_str()),
            (FaultKind::NotFound, "anchor observation not found")
        );
    }
    for anchor in [json!(4_711), json!("seven")] {
        let fault = bench.ask("api", "timeline", json!({"anchor": anchor})).expect_err("no such");
        assert_eq!(fault.data["field"], "anchor", "{fault:?}");
    }
    for after in 1..150 {
        bench.keep("s-1/api", after, command(&format!("step {after}")));
    }
    assert_eq!(around(&bench, json!({"anchor": alone, "after": 100_000})).2.len(), 100);
    assert_eq!(around(&bench, json!({"anchor": alone, "before": -3, "after": -3})).2.len(), 0);
}
