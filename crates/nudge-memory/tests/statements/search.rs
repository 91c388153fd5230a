//! Statements in search results.

use nudge_core::Timestamp;
use nudge_testkit::MemoryBench;
use serde_json::json;

use crate::statements::setup::{SHOP, START, State, stand};

fn found(bench: &MemoryBench, words: &str) -> Vec<i64> {
    let answer = bench.ok("search", json!({"query": words}));
    let rows = answer["results"].as_array().expect("a list");
    rows.iter().map(|row| row["id"].as_i64().expect("a number")).collect()
}

/// @statements_search
#[test]
fn what_holds_is_found_and_what_is_over_is_not() {
    let mut bench = MemoryBench::on_disk(Timestamp::from_millis(START));
    stand(&mut bench, SHOP);
    let statement = bench.remember("deploy with kingfisher");
    assert_eq!(found(&bench, "kingfisher"), [statement]);
    let corrected = bench.ok("correct", json!({"id": statement, "text": "deploy with heron"}));
    let heron = corrected["statement"]["id"].as_i64().expect("a number");
    assert_eq!(found(&bench, "kingfisher"), Vec::<i64>::new());
    assert_eq!(found(&bench, "heron"), [heron]);
    bench.ok("forget", json!({"id": heron}));
    assert_eq!(found(&bench, "heron"), Vec::<i64>::new());
    bench.say("s1", "always deploy with egret");
    assert_eq!(found(&bench, "egret"), Vec::<i64>::new(), "proposals are never searched");
}
