//! What runs use, and what that costs, with each protocol.

use insta::assert_snapshot;
use nudge_testkit::scripted_model::Tokens;

use crate::runs::kit::{Move, Scene, Setup};

const PRICES: &str = "context = 8192\ninput_price = 3.0\noutput_price = 15.0\n";

fn counted(text: &str, tokens: Tokens) -> Move {
    Move::say(text, |say| say.tokens(Some(tokens)).reasoning("Hm."))
}

/// A run of two turns with this provider.
fn two_turns(provider: &str, model: &str, key: &[(&str, &str)], cost: Option<f64>) -> Scene {
    let tokens = Tokens { input: 1_200, cached: 200, output: 50, reasoning: 20, cost };
    let last = Tokens { input: 1_500, cached: 1_000, output: 100, reasoning: 0, cost };
    let steps = vec![
        counted("<get path=\"README.md\"/><update status=\"102\">next</update>", tokens),
        counted("<update status=\"200\">Tea.</update>", last),
    ];
    let scene = Scene::set_up(&Setup { provider, model, env: key, ..Setup::default() }, steps);
    scene.ask("what is sold?").ok();
    let request = &scene.model.requests()[1];
    scene.note(&format!(
        "{} with the key …{}",
        request.path,
        request.authorization.as_deref().unwrap_or("none")
    ));
    let telemetry = &scene.view("port")["telemetry"];
    assert_eq!((&telemetry["context_tokens"], &telemetry["prompt_tokens"]), (&1_500.into(), &2_700.into()));
    scene
}

/// @run_usage @model_cost: tokens and prices give a cost, with chat completions.
#[test]
fn prices_give_a_cost() {
    assert_snapshot!(two_turns("openai", PRICES, &[("OPENAI_API_KEY", "sk-a-key-0001")], None).story());
}

/// @run_models @run_usage: a model that was added has a price and a grammar, like one of the
/// settings.
#[test]
fn a_model_that_was_added_has_its_prices() {
    let tokens = Tokens { input: 1_000_000, cached: 0, output: 1_000_000, reasoning: 0, cost: None };
    let scene = Scene::new(vec![counted("<update status=\"200\">Tea.</update>", tokens)]);
    let url = scene.model.base_url("openai");
    let add = ["model", "add", "paid", "openai/paid-1", "--url", &url, "--constrained"];
    scene.run(&[&add[..], &["--input-price", "0.4", "--output-price", "1.6"]].concat()).ok();
    scene.ask_with(&["--model", "paid"], "what is sold?").ok();
    assert_eq!(scene.view("port")["telemetry"]["cost_usd"], 2.0);
    assert!(scene.model.requests()[0].body["grammar"].is_string());
}

/// @run_usage @model_cost @model_providers: the same with Anthropic's Messages.
#[test]
fn anthropic_reports_usage() {
    let key = [("ANTHROPIC_API_KEY", "sk-ant-a-key-0002")];
    assert_snapshot!(two_turns("anthropic", PRICES, &key, None).story());
}

/// @run_usage @model_cost @model_providers: Ollama costs nothing that anybody knows.
#[test]
fn ollama_reports_usage() {
    let scene = two_turns("ollama", "context = 8192\n", &[], None);
    assert_eq!(scene.model.requests()[0].body["options"]["num_ctx"], 8192);
    assert_snapshot!(scene.story());
}

/// @run_usage @model_cost: a cost that the provider reports counts, whatever the prices are.
#[test]
fn a_provider_reports_the_cost() {
    let key = [("OPENROUTER_API_KEY", "sk-or-a-key-0003")];
    assert_snapshot!(two_turns("openrouter", PRICES, &key, Some(0.25)).story());
}

/// @run_usage: what the model did not report is an estimate, and says so.
#[test]
fn an_estimate_says_so() {
    let scene = Scene::new(vec![crate::runs::kit::says_uncounted("<update status=\"200\">Tea.</update>")]);
    scene.ask("what is sold?").ok();
    let telemetry = &scene.view("port")["telemetry"];
    assert_eq!(telemetry["estimated"], true);
    assert!(telemetry["context_tokens"].as_u64().is_some_and(|tokens| tokens > 500), "{telemetry}");
    assert_snapshot!(scene.story());
}
