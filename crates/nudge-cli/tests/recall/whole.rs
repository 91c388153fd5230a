//! Long texts in full: all of it for the user, as much as its program accepts for an agent.

use serde_json::json;

use crate::recall::setup::{Scene, ran};

/// @recall_answer_size: an agent's program accepts the answer in one piece; `nudge show` prints all
/// of it.
#[test]
fn a_person_gets_all_and_an_agent_what_fits() {
    let scene = Scene::new();
    let text = "cargo test --workspace ".repeat(300).trim().to_owned();
    let captured_events =
        (0..50).map(|number| scene.event("s-1", "shop", number, ran(&format!("{text} {number}"))));
    let kept = scene.keep_all(captured_events.collect());
    let result = scene.agent().call_raw("get_observations", json!({"ids": kept}));
    let injected = result["content"][0]["text"].as_str().expect("a text");
    assert!(injected.len() <= 60_000, "{}", injected.len());
    let rows = result["structuredContent"]["result"].as_array().expect("a list").clone();
    assert_eq!(rows.len(), 50);
    let mut args = vec!["show".to_owned(), "--json".to_owned()];
    args.extend(kept.iter().map(i64::to_string));
    let shown = scene.nudge(&args.iter().map(String::as_str).collect::<Vec<_>>()).run().json();
    for (number, row) in rows.iter().enumerate() {
        let whole = format!("{text} {number}");
        assert_eq!(shown[number]["content"], json!(whole));
        assert_eq!(row["metadata"]["cut_from_characters"], json!(whole.chars().count()));
        let beginning = row["content"].as_str().and_then(|text| text.strip_suffix('…')).expect("it was cut");
        assert!(whole.starts_with(beginning) && beginning.len() > 500, "{beginning}");
    }
}
