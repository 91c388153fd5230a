//! Who may write into which project.

use serde_json::{Value, json};

use crate::isolation::kit::{Http, REMOTE, Scene, assert_refused};

/// @project_write_elsewhere An agent's note goes to the project it works in, whatever project or
/// session it names.
#[test]
fn an_agent_plants_nothing_in_another_project() {
    let scene = Scene::new();
    let shop = scene.repository("shop", Some(REMOTE));
    scene.work("s-shop", &shop, "jewel");
    let other = scene.repository("other", None);
    scene.work("s-other", &other, "pebble");
    let unseen = scene.repository("unseen", None);
    let mut agent = scene.agent(&other);
    let tries = [
        json!({"text": "planted", "project": shop}),
        json!({"text": "planted", "project": shop.join("src")}),
        json!({"text": "planted", "project": "shop"}),
        json!({"text": "planted", "project": "id:1"}),
        json!({"text": "planted", "project": "1"}),
        json!({"text": "planted", "project": shop.join(".git")}),
        json!({"text": "planted", "project": unseen}),
        json!({"text": "planted", "session": "s-shop"}),
        json!({"text": "planted", "session": "s-sh"}),
        json!({"text": "planted", "project": "other", "session": "s-shop"}),
    ];
    for params in &tries {
        let answer = agent.call_raw("create_marker", params.clone());
        assert_refused(&answer, "other_project");
        assert!(answer.to_string().contains("you are in other"), "{answer}");
    }
    // A client's claim about its session does not change its project.
    let call =
        json!({"name": "create_marker", "arguments": {"text": "planted"}, "_meta": {"threadId": "s-shop"}});
    let answer = agent.request("tools/call", call);
    assert_eq!(answer["result"]["structuredContent"]["project"], "other", "{answer}");
    let noted = agent.call("create_marker", json!({"text": "own", "project": "other"}));
    assert_eq!(noted["project"], "other");
    agent.hang_up();

    let http = Http::open(&scene.home);
    for params in tries.iter().filter(|params| params.get("session").is_none()) {
        let answer = http.rpc("create_marker", params);
        assert_eq!(answer["error"]["data"]["reason"], "other_project", "{params}: {answer}");
        assert_refused(&http.mcp("create_marker", params, "s-other")["result"], "other_project");
    }
    let answer = http.rpc("create_marker", &json!({"text": "planted"}));
    assert_eq!(answer["error"]["data"]["reason"], "no_place", "{answer}");
    // A call over HTTP is in the project of the session that it names.
    let placed = http.mcp("create_marker", &json!({"text": "from http"}), "s-shop");
    let placed = &placed["result"]["structuredContent"];
    assert_eq!((&placed["project"], &placed["session"]), (&json!("shop"), &json!("s-shop")));
    let started = scene.begin("s-next", &shop);
    assert!(!started.contains("planted"), "{started}");
    assert!(scene.projects(&shop).iter().all(|one| one["name"] != "unseen"));
    // The user may write to any project.
    let noted = scene.run_as_user(&other, ["mark", "by the person", "--project", "shop", "--json"]).json();
    assert_eq!((&noted["project"], &noted["session"]), (&json!("shop"), &json!("s-next")));
}

/// @project_write_elsewhere Over `/rpc` nothing of a project is pinned, renamed, merged, trusted or
/// made private.
#[test]
fn a_program_changes_no_project() {
    let scene = Scene::new();
    let shop = scene.repository("shop", None);
    scene.work("s-shop", &shop, "jewel");
    let other = scene.repository("other", None);
    scene.work("s-other", &other, "pebble");
    let found = scene.run_as_user(&shop, ["search", "jewel", "--json"]).json();
    let id = found[0]["id"].clone();
    let before = scene.projects(&shop);
    let http = Http::open(&scene.home);
    let refused = |method: &str, params: Value, reason: &str| {
        let answer = http.rpc(method, &params);
        assert_eq!(answer["error"]["data"]["reason"], reason, "{method}: {answer}");
    };
    for row in found.as_array().expect("rows").iter().filter(|row| row["obs_type"] != "user_prompt") {
        refused("pin", json!({"ids": [row["id"]]}), "tier");
        refused("unpin", json!({"ids": [row["id"]]}), "tier");
    }
    assert_ne!(id, Value::Null);
    refused("rename_project", json!({"project": "shop", "name": "x"}), "tier");
    refused("merge_projects", json!({"from": "shop", "into": "other"}), "tier");
    refused("set_private", json!({"project": "shop"}), "tier");
    refused("set_private", json!({"project": "shop", "private": false}), "tier");
    refused("trust_project", json!({"directory": shop}), "tier");
    assert_eq!(scene.projects(&shop), before);
}
