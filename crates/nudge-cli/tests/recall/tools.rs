//! The six read-only tools, as an agent uses them.

use serde_json::{Value, json};

use crate::recall::setup::Scene;

const READING: [&str; 6] =
    ["search", "get_observations", "timeline", "recent_context", "session_trace", "file_history"];

/// @recall_tools: all six are listed as read-only tools, over stdio and without a port.
#[test]
fn six_tools_only_read() {
    let scene = Scene::new();
    let mut agent = scene.agent();
    let listed = agent.request("tools/list", json!({}))["result"]["tools"].clone();
    let listed = listed.as_array().expect("a list");
    for name in READING {
        let tool =
            listed.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true), "{name}");
    }
}

/// @recall_tools: answers have the same facts as text and as structured content; a list is a field
/// of the structure.
#[test]
fn answers_are_text_and_structure() {
    let scene = Scene::new();
    let kept = scene.worked();
    let mut agent = scene.agent();
    let cart = scene.file("shop", "src/cart.rs");
    let calls = [
        ("search", json!({"query": "cargo"})),
        ("get_observations", json!({"ids": [kept[3]]})),
        ("timeline", json!({"anchor": kept[3]})),
        ("recent_context", json!({"limit": 3})),
        ("session_trace", json!({"session_id": "s-shop-1"})),
        ("file_history", json!({"file_path": cart})),
    ];
    for (tool, arguments) in calls {
        let result = agent.call_raw(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
        let structure = &result["structuredContent"];
        assert!(structure.is_object(), "{tool}: {structure}");
        if text.is_array() {
            assert_eq!(*structure, json!({"result": text}), "{tool}")
        } else {
            assert_eq!(*structure, text)
        }
        assert!(text.to_string().contains("cart"), "{tool}: {text}");
    }
}

/// @recall_tools: mistakes are tool errors with the documented messages.
#[test]
fn mistakes_are_reported_in_the_agreed_words() {
    let scene = Scene::new();
    scene.worked();
    let mut agent = scene.agent();
    for (tool, arguments, words) in [
        ("get_observations", json!({"ids": []}), "ids array must not be empty"),
        ("timeline", json!({"anchor": 4711}), "anchor observation not found"),
        ("session_trace", json!({"session_id": "nope"}), "session not found: nope"),
    ] {
        let result = agent.call_raw(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        assert_eq!(result["structuredContent"]["error"]["message"], json!(words));
        assert!(result["content"][0]["text"].as_str().is_some_and(|text| text.contains(words)), "{result}");
    }
    let unknown = agent.call("file_history", json!({"file_path": "/nowhere"}));
    assert_eq!(unknown, json!({"file_path": "/nowhere", "sessions": []}));
}

/// @recall_other_projects: an agent in one project is shown no tool output from another.
#[test]
fn an_agent_is_not_reported_of_other_projects() {
    let scene = Scene::new();
    scene.worked();
    let mut agent = scene.agent();
    let rows = agent.call("recent_context", json!({}))["result"].clone();
    let of_till: Vec<&Value> =
        rows.as_array().expect("a list").iter().filter(|row| row["project"] == "till").collect();
    let injected: Vec<&str> = of_till.iter().map(|row| row["content"].as_str().expect("text")).collect();
    assert_eq!(injected, ["till.rs", "cargo"]);
    let found = agent.call("search", json!({"query": "till"}));
    assert_eq!(found["results"], json!([]));
    assert!(found["withheld"]["count"].as_i64() >= Some(1), "{found}");
}
