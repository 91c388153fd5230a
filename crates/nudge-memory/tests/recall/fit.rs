//! Answers to agents fit their programs' limits.

use nudge_core::tokens::{Tokens, estimate};
use serde_json::{Value, json};

use crate::recall::session::sum_up;
use crate::recall::setup::{Recall, command, edit, fresh, ids, prompt};

/// The limit in the spec, in bytes of JSON.
const MAX_ANSWER_BYTES: usize = 60_000;

/// The lowest limit of any agent, in tokens.
const TOKENS: Tokens = Tokens(25_000);

/// A text of that many characters, similar to commands.
fn long(characters: usize) -> String {
    let words = "cargo test --workspace -- auth::tests::login \"née\"\n";
    words.chars().cycle().take(characters).collect()
}

#[track_caller]
fn check(answer: &Value) {
    let text = answer.to_string();
    assert!(text.len() <= MAX_ANSWER_BYTES, "{} bytes", text.len());
    assert!(estimate(&text) < TOKENS, "{:?}", estimate(&text));
}

/// @recall_answer_size: fifty large entries are all there, each cut to the same length and marked
/// as cut; the user gets all of it.
#[test]
fn fifty_large_entries_are_cut_to_one_length() {
    let bench = fresh();
    let kept: Vec<i64> = (0..50).map(|after| bench.keep("s-1/api", after, command(&long(6_000)))).collect();
    let answer = bench.answer("get_observations", json!({"ids": kept}));
    check(&answer);
    assert!(answer.to_string().len() > MAX_ANSWER_BYTES * 9 / 10, "what room there is is used");
    assert_eq!(ids(&answer, "id"), kept);
    for row in answer.as_array().expect("a list") {
        assert_eq!(row["content"], answer[0]["content"]);
        assert_eq!(row["metadata"]["cut_from_characters"], json!(6_000));
    }
    let whole = bench.ok("get_observations", json!({"ids": kept}));
    assert!(whole.as_array().expect("a list").iter().all(|row| row["content"] == json!(long(6_000))));
}

/// @recall_answer_size: short texts stay whole next to long ones, and an answer that fits is not
/// changed.
#[test]
fn only_what_is_too_long_is_cut() {
    let bench = fresh();
    let large = bench.keep("s-1/api", 0, command(&long(20_000)));
    let small: Vec<i64> = (1..46).map(|after| bench.keep("s-1/api", after, command(&long(100)))).collect();
    let one = bench.answer("get_observations", json!({"ids": [large]}));
    assert_eq!(
        (&one[0]["content"], &one[0]["metadata"]["cut_from_characters"]),
        (&json!(long(20_000)), &json!(null))
    );
    let several: Vec<i64> =
        (50..55).map(|after| bench.keep("s-1/api", after, command(&long(20_000)))).collect();
    let all: Vec<i64> = small.iter().chain(&several).copied().collect();
    let answer = bench.answer("get_observations", json!({"ids": all}));
    check(&answer);
    assert_eq!(ids(&answer, "id"), all);
    assert!((0..45).all(|place| answer[place]["content"] == json!(long(100))));
    assert!((45..50).all(|place| answer[place]["metadata"]["cut_from_characters"] == json!(20_000)));
}

/// @recall_answer_size: this also applies to recent rows and to timelines; of too many neighbouring
/// rows the farthest are left out, and the answer says so.
#[test]
fn rows_around_and_recent_rows_fit() {
    let bench = fresh();
    let kept: Vec<i64> = (0..210).map(|after| bench.keep("s-1/api", after, command(&long(1_500)))).collect();
    let recent = bench.answer("recent_context", json!({"limit": 100}));
    check(&recent);
    assert_eq!(recent.as_array().map(Vec::len), Some(100));
    let near = bench.answer("timeline", json!({"anchor": kept[105], "before": 10, "after": 10}));
    check(&near);
    assert_eq!((near["before"].as_array().map(Vec::len), &near["truncated"]), (Some(10), &json!(null)));
    let far = json!({"anchor": kept[105], "before": 100, "after": 100});
    let answer = bench.answer("timeline", far.clone());
    check(&answer);
    assert_eq!(answer["truncated"], json!(true));
    let (before, after) = (ids(&answer["before"], "id"), ids(&answer["after"], "id"));
    assert!(
        before.len() >= 45 && before.len().abs_diff(after.len()) <= 1,
        "{} {}",
        before.len(),
        after.len()
    );
    assert_eq!((before.last(), after.first()), (kept.get(104), kept.get(106)), "the nearest stay");
    let whole = bench.ok("timeline", far);
    assert_eq!((whole["before"].as_array().map(Vec::len), &whole["truncated"]), (Some(100), &json!(null)));
}

/// @recall_answer_size: as much of a session is shown as fits, from its beginning, with its
/// summary; the counts stay.
#[test]
fn a_trace_tells_what_fits() {
    let bench = fresh();
    let mut last = 0;
    for after in 0..60 {
        bench.keep("s-1/api", after * 10, prompt(&long(2_500)));
        for step in 1..6 {
            last = bench.keep("s-1/api", after * 10 + step, edit(&format!("/api/src/{after}/{step}.rs")));
        }
    }
    sum_up(&bench);
    let trace = bench.answer("session_trace", json!({"session_id": "s-1"}));
    check(&trace);
    assert_eq!((&trace["truncated"], &trace["summary"]["observations"]), (&json!(true), &json!(300)));
    let prompts = trace["prompts"].as_array().expect("a list");
    assert!((10..60).contains(&prompts.len()), "{}", prompts.len());
    assert!(prompts.iter().all(|prompt| prompt["observation_count"] == json!(5)));
    assert_eq!(ids(&prompts[0]["observations"], "id").len(), 5);
    let whole = bench.ok("session_trace", json!({"session_id": "s-1"}));
    assert_eq!((&whole["truncated"], whole["prompts"].as_array().map(Vec::len)), (&json!(null), Some(60)));
    assert_eq!(whole["prompts"][59]["observations"][4]["id"], json!(last));
}

/// @recall_answer_size: the prompts behind the touches of a file are cut, not the touches.
#[test]
fn the_history_of_a_file_fits() {
    let bench = fresh();
    for after in 0..60 {
        bench.keep("s-1/api", after * 10, prompt(&long(2_000)));
        bench.keep("s-1/api", after * 10 + 1, edit("/api/src/auth.rs"));
    }
    let params = json!({"file_path": "/api/src/auth.rs", "limit": 50});
    let answer = bench.answer("file_history", params.clone());
    check(&answer);
    let touches = answer["sessions"][0]["touches"].as_array().expect("a list");
    assert_eq!(touches.len(), 50);
    assert!(
        touches.iter().all(|touch| touch["prompt_content"].as_str().is_some_and(|said| said.ends_with('…')))
    );
    let whole = bench.ok("file_history", params);
    assert_eq!(whole["sessions"][0]["touches"][0]["prompt_content"], json!(long(2_000)));
}

/// @recall_answer_size: a summary with a thousand steps is shown with fewer.
#[test]
fn a_summary_of_many_steps_fits() {
    let bench = fresh();
    for episode in 0..5 {
        let topics = [
            "mend the parser of carts today",
            "deploy servers in the second region",
            "write release notes about billing",
            "upgrade every dependency there is",
            "measure how quick searching became",
        ];
        bench.keep("s-1/api", episode * 1_000, prompt(topics[episode as usize]));
        for step in 1..=200 {
            bench.keep(
                "s-1/api",
                episode * 1_000 + step,
                edit(&format!("/api/src/some/deep/directory/{episode}/{step}.rs")),
            );
        }
    }
    sum_up(&bench);
    let found = bench.answer("search", json!({"query": "carts", "obs_type": "session_summary"}));
    let id = found["results"][0]["id"].clone();
    let answer = bench.answer("get_observations", json!({"ids": [id]}));
    check(&answer);
    let facts = &answer[0]["metadata"];
    let kept = facts["lists_cut_to"].as_u64().expect("it says so");
    assert_eq!(facts["episodes"][0]["trace"].as_array().map(Vec::len), Some(kept as usize));
    check(&bench.answer("session_trace", json!({"session_id": "s-1"})));
    let whole = bench.ok("get_observations", json!({"ids": [id]}));
    assert_eq!(whole[0]["metadata"]["episodes"][0]["trace"].as_array().map(Vec::len), Some(200));
}

/// @recall_answer_size: paths are cut too, and so are requests.
#[test]
fn long_paths_are_cut() {
    let bench = fresh();
    let path = |number: i64| format!("/api/{}{number}.rs", "deep/".repeat(300));
    let kept: Vec<i64> = (0..105).map(|number| bench.keep("s-1/api", number, edit(&path(number)))).collect();
    check(&bench.answer("get_observations", json!({"ids": kept[..50]})));
    check(&bench.answer("timeline", json!({"anchor": kept[50], "before": 50, "after": 50})));
    check(&bench.answer("recent_context", json!({"limit": 100, "project": null})));
    check(&bench.answer("session_trace", json!({"session_id": "s-1"})));
    check(&bench.answer("search", json!({"query": "deep", "limit": 100, "project": null})));
    check(&bench.answer("file_history", json!({"file_path": "x".repeat(100_000)})));
}
