//! The models that were added.

use nudge_memory::Surface;
use serde_json::json;

use super::setup::scene;

/// @run_models: the user adds, replaces and removes models.
#[test]
fn the_user_manages_models() {
    let scene = scene();
    let params = json!({"alias": "far", "actual": "openai/big", "base_url": "https://models.example/v1", "context_length": 8000});
    let added = scene.bench.ok("add_model", params);
    assert_eq!(
        (&added["origin"], &added["base_url"]),
        (&json!("added"), &json!("https://models.example/v1"))
    );
    scene.bench.ok("add_model", json!({"alias": "m", "actual": "ollama/other"}));
    let models = scene.bench.ok("get_models", json!({}))["models"].clone();
    assert_eq!((&models[0]["alias"], &models[1]["actual"]), (&json!("far"), &json!("ollama/other")));
    let left = scene.bench.ok("remove_model", json!({"alias": "far"}));
    assert_eq!(left["models"].as_array().map(Vec::len), Some(1));
    assert_eq!(scene.bench.fault("remove_model", json!({"alias": "far"})).reason, "no_model");
}

/// @run_models: an agent sets no address and replaces no model, but may add one.
#[test]
fn an_agent_sets_no_address() {
    let mut scene = scene();
    for surface in [Surface::AgentCli, Surface::Rpc] {
        scene.by(surface);
        for params in [
            json!({"alias": "far", "actual": "openai/big", "base_url": "https://evil.example"}),
            json!({"alias": "m", "actual": "openai/big"}),
        ] {
            assert_eq!(scene.bench.fault("add_model", params).reason, "model_address", "{surface:?}");
        }
    }
    assert_eq!(
        scene.bench.ok("add_model", json!({"alias": "near", "actual": "ollama/x"}))["origin"],
        "added"
    );
}

/// @run_models: aliases, providers and addresses are checked.
#[test]
fn bad_models_are_rejected() {
    let scene = scene();
    for (params, reason) in [
        (json!({"alias": "a b", "actual": "ollama/x"}), "alias"),
        (json!({"alias": "a", "actual": "nobody/x"}), "actual"),
        (json!({"alias": "a", "actual": "ollama/"}), "actual"),
        (json!({"alias": "a", "actual": "ollama/x", "base_url": "ftp://x"}), "base_url"),
        (json!({"alias": "a", "actual": "ollama/x", "base_url": "http://me:pw@host"}), "base_url"),
    ] {
        assert_eq!(scene.bench.fault("add_model", params.clone()).reason, reason, "{params}");
    }
}
