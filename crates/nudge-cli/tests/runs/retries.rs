//! Failures of a provider that pass: the request is sent again, and the loop knows nothing of it.

use insta::assert_snapshot;
use nudge_testkit::scripted_model::Step;

use crate::runs::kit::{Move, Scene, ends, fails};

/// The story of a failure that passes.
fn passes(failure: Move) -> String {
    let scene = Scene::new(vec![failure, ends("It sells tea.")]);
    scene.ask("what is sold?").ok();
    let keys: Vec<_> = scene.model.requests().into_iter().map(|request| request.idempotency_key).collect();
    assert!(keys.len() == 2 && keys[0] == keys[1], "every try has the same key: {keys:?}");
    scene.story()
}

/// @model_retries: a limit of the rate passes after the time that the provider names.
#[test]
fn a_rate_limit_passes() {
    let limited = Step::fail(429, r#"{"error":"slow down"}"#).header("retry-after-ms", "30");
    assert_snapshot!(passes(Move::scripted(limited, "(HTTP 429) slow down, try again in 30 ms")));
}

/// @model_retries: a model that is being loaded answers later.
#[test]
fn a_model_is_loaded() {
    assert_snapshot!(passes(fails(503, r#"{"error":{"message":"Loading model"}}"#)));
}

/// @model_retries: a gateway that does not reach the model passes.
#[test]
fn a_gateway_passes() {
    assert_snapshot!(passes(fails(502, "bad gateway")));
}

/// @model_retries: a connection that closes before any answer is tried again.
#[test]
fn a_lost_connection_passes() {
    assert_snapshot!(passes(Move::scripted(Step::HangUp, "(the connection closes)")));
}
