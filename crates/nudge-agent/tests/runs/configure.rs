//! The settings of a run.

use serde_json::{Value, json};

use super::setup::scene;

/// @run_config: model, temperature and limit change; the prompt that waits keeps its model.
#[test]
fn settings_change_for_prompts_from_now_on() {
    let scene = scene();
    scene.bench.ok("add_model", json!({"alias": "n", "actual": "ollama/other"}));
    scene.ask("night", "first");
    let params = json!({"run": "night", "model": "n", "temperature": 0.5, "context_limit": 4000});
    scene.bench.ok("configure_run", params);
    let row = scene.row("night");
    assert_eq!((row.model.as_str(), row.temperature, row.context_limit), ("n", Some(0.5), Some(4000)));
    scene.bench.ok("ask", json!({"run": "night", "prompt": "second"}));
    let loops = scene.bench.memory.store().read(|reader| Ok::<_, nudge_core::Fault>(reader.loops(row.id)?));
    let models: Vec<String> = loops.expect("read").into_iter().map(|one| one.model).collect();
    assert_eq!(models, ["m", "n"]);
}

/// @run_config: the persona is fixed for the life of a run.
#[test]
fn the_persona_is_fixed() {
    let scene = scene();
    scene.bench.ok("start_run", json!({"model": "m", "run": "night", "persona": "a sailor"}));
    let fault = |operation: &str, params| scene.bench.fault(operation, params).reason;
    assert_eq!(fault("configure_run", json!({"run": "night", "persona": "a cook"})), "persona");
    assert_eq!(fault("ask", json!({"run": "night", "prompt": "x", "persona": "a cook"})), "persona");
    scene.bench.ok("configure_run", json!({"run": "night", "persona": "a sailor"}));
    assert_eq!(scene.row("night").persona.as_deref(), Some("a sailor"));
}

/// @run_config: what no model takes is rejected, and changes nothing.
#[test]
fn bad_settings_change_nothing() {
    let scene = scene();
    scene.ask("night", "first");
    let fault = |params| scene.bench.fault("configure_run", params).reason;
    assert_eq!(fault(json!({"run": "night", "temperature": -0.1})), "temperature");
    assert_eq!(fault(json!({"run": "night", "model": "nobody"})), "no_model");
    assert_eq!(fault(json!({"run": "nobody", "temperature": 1.0})), "no_run");
    let row = scene.row("night");
    assert_eq!((row.model.as_str(), row.temperature), ("m", None));
}

/// @kernel_secret_boundary: names of runs, models and projects are no credentials, and a name made
/// from a prompt has none.
#[test]
fn a_name_is_no_credential() {
    let scene = scene();
    let token = concat!("ghp_", "R8k2Lq7Zt1Vw9Xy4Bn6Mc3Ds5Fg0Hj2KpQ1a");
    let refused = |operation: &str, params: Value| {
        let fault = scene.bench.call(operation, params).expect_err(operation);
        assert_eq!(fault.reason, "secret", "{operation}: {fault:?}");
    };
    refused("start_run", json!({"model": "m", "run": token}));
    refused("add_model", json!({"alias": token, "actual": "ollama/m"}));
    refused("add_model", json!({"alias": "m", "actual": format!("ollama/{token}")}));
    refused(
        "add_model",
        json!({"alias": "m", "actual": "openai/m", "base_url": format!("http://h/?key={token}")}),
    );
    scene.ask("night", "first");
    refused("ask", json!({"model": "m", "run": token, "prompt": "x"}));
    refused("rename_run", json!({"run": "night", "name": token}));
    refused("fork_run", json!({"run": "night", "name": token}));
    refused("rename_project", json!({"project": "shop", "name": token}));
    let asked = scene.bench.ok("ask", json!({"model": "m", "prompt": format!("use {token} now")}));
    assert!(!asked.to_string().to_lowercase().contains("ghp"), "{asked}");
}
