//! Scores, order, and their explanations.

use std::time::Duration;

use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::hints::setup::{DAY, Hints, fresh};

fn score(bench: &MemoryBench, key: &str, context: &Value) -> f64 {
    let answer = bench.ok("get_hint", json!({"component": "c", "key": key, "context": context}));
    answer["match_explain"]["score"].as_f64().expect("a score")
}

/// @hint_ranking
#[test]
fn a_fresh_hint_scores_by_the_published_weights() {
    let bench = fresh();
    bench.set("c", "plain", "v", json!({}));
    bench.set("c", "best", "v", json!({"priority": 10, "confidence": 1.0}));
    let nowhere = json!({});
    assert_eq!(score(&bench, "plain", &nowhere), 0.3); // 0.20 × 0.5 + 0.20 × 0.5 + 0.10 × 1
    assert_eq!(score(&bench, "best", &nowhere), 0.5); // 0.20 + 0.20 + 0.10
}

/// @hint_specificity
#[test]
fn more_conditions_rank_higher_up_to_five() {
    let bench = fresh();
    bench.set("c", "one", "v", json!({"scope": {"os": ["linux"]}}));
    bench.set(
        "c",
        "many",
        "v",
        json!({"scope": {"os": ["linux"], "env_required": ["A", "B", "C", "D", "E"]}}),
    );
    let context = json!({"os": "linux", "env": {"A": "", "B": "", "C": "", "D": "", "E": ""}});
    assert_eq!(score(&bench, "one", &context), 0.34);
    assert_eq!(score(&bench, "many", &context), 0.5);
}

/// @hint_frecency
#[test]
fn use_and_age_have_true_half_lives() {
    let mut bench = fresh();
    bench.set("c", "used", "v", json!({}));
    bench.ok("bump", json!({"component": "c", "key": "used", "delta": 1000}));
    let nowhere = json!({});
    assert_eq!(score(&bench, "used", &nowhere), 0.6); // + 0.30 × 1
    bench.later(7 * DAY);
    assert_eq!(score(&bench, "used", &nowhere), 0.4); // 0.2 + (0.30 + 0.10) / 2
    bench.later(7 * DAY);
    assert_eq!(score(&bench, "used", &nowhere), 0.3);
}

/// @hint_ranking
#[test]
fn of_equals_the_one_set_last_comes_first_then_the_older_entry() {
    let mut bench = fresh();
    for key in ["first", "second"] {
        bench.set("c", key, "v", json!({}));
    }
    let order = |bench: &MemoryBench| -> Vec<Value> {
        let answer = bench.ok("query", json!({"component": "c"}));
        answer["hints"].as_array().expect("a list").iter().map(|row| row["hint"]["key"].clone()).collect()
    };
    assert_eq!(order(&bench), ["first", "second"]);
    bench.later(Duration::from_millis(1));
    bench.set("c", "second", "again", json!({}));
    assert_eq!(order(&bench), ["second", "first"]);
}

/// @hint_explanations @hint_get
#[test]
fn every_read_says_why_in_words() {
    let mut bench = fresh();
    let meta = json!({"priority": 9, "confidence": 0.9, "scope": {"cwd_glob": ["**/http-proxy*"], "branch": ["dev"]}});
    bench.set("c", "k", "v", meta);
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    bench.later(Duration::from_secs(180));
    let context = json!({"cwd": "/work/http-proxy", "branch": "dev"});
    let explain =
        bench.ok("get_hint", json!({"component": "c", "key": "k", "context": context}))["match_explain"]
            .clone();
    assert_eq!(explain["matched"], true);
    let reasons: Vec<&str> =
        explain["reasons"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for reason in [
        "cwd matched **/http-proxy*",
        "branch=dev allowed",
        "recently used (3m ago)",
        "high priority (9/10)",
        "high confidence (0.9)",
    ] {
        assert!(reasons.contains(&reason), "{reason} is not in {reasons:?}");
    }
    bench.set("c", "free", "v", json!({}));
    let explain = bench.ok("query", json!({"keys": ["free"]}))["hints"][0]["match_explain"].clone();
    assert_eq!(explain["reasons"][0], "no scope restrictions");
}
