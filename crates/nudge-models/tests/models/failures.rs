//! What is tried again, for how long, and what is not.

use std::time::{Duration, Instant};

use nudge_models::{ErrorKind, Provider};
use nudge_testkit::ScriptedModel;
use nudge_testkit::scripted_model::Step;
use serde_json::json;

use crate::asking::{Asking, Heard};

/// @model_retries: failures that may pass are tried again with the same id, and reported.
#[tokio::test]
async fn a_failure_that_passes_is_tried_again() {
    use ErrorKind::{Gateway, Network, RateLimit, Server, WarmUp};
    let overloaded = json!({ "type": "overloaded_error", "message": "Overloaded" });
    for (step, kind) in [
        (Step::fail(503, r#"{"error":{"code":503,"message":"Loading model"}}"#), WarmUp),
        (Step::fail(429, "slow down"), RateLimit),
        (Step::fail(502, ""), Gateway),
        (Step::fail(503, "no upstream"), Gateway),
        (Step::fail(504, ""), Gateway),
        (Step::HangUp, Network),
        (Step::break_after(""), Network),
        (Step::end_early(""), Network),
        (Step::fail(500, ""), Server),
        (Step::fail(529, ""), Server),
        (Step::error_inside("", overloaded), Server),
    ] {
        for provider in Provider::ALL {
            let asking = Asking::new(provider, vec![step.clone(), step.clone(), Step::say("back")]);
            let (result, heard) = asking.ask().await;
            let text = result.unwrap_or_else(|error| panic!("{provider} {step:?}: {error}")).text;
            assert_eq!(text, "back");
            let wait = asking.deadlines.max_backoff;
            let expected = [Heard::Retrying(kind, 1, wait), Heard::Retrying(kind, 2, wait)];
            assert_eq!(heard[..2], expected, "{provider} {step:?}");
            let ids: Vec<_> =
                asking.server.requests().into_iter().filter_map(|seen| seen.idempotency_key).collect();
            assert_eq!(ids, ["turn-1"; 3], "{provider} {step:?}");
        }
    }
}

/// @model_retries: a failure that stays is given up at the deadline of its kind.
#[tokio::test]
async fn each_kind_has_its_deadline() {
    use ErrorKind::{Gateway, RateLimit, Server, WarmUp};
    for (status, body, kind) in
        [(503, "loading", WarmUp), (429, "", RateLimit), (502, "", Gateway), (500, "", Server)]
    {
        let mut asking = Asking::new(Provider::OpenAi, vec![Step::fail(status, body); 2000]);
        let deadline = match kind {
            Gateway => &mut asking.deadlines.gateway,
            Server => &mut asking.deadlines.server,
            _ => &mut asking.deadlines.retry,
        };
        *deadline = Duration::from_millis(60);
        let began = Instant::now();
        let error = asking.error().await;
        assert_eq!((error.kind, error.status), (kind, Some(status)));
        assert!(began.elapsed() < Duration::from_secs(10), "{kind}: {:?}", began.elapsed());
        assert!(asking.server.requests().len() > 1, "{kind} is tried again");
    }
}

/// @model_retries: a wait that would pass the deadline is not begun.
#[tokio::test]
async fn nobody_waits_past_the_deadline() {
    let mut asking = Asking::new(Provider::OpenAi, vec![Step::fail(502, "")]);
    asking.deadlines.gateway = Duration::from_millis(1);
    assert_eq!(asking.error().await.kind, ErrorKind::Gateway);
    assert_eq!(asking.server.requests().len(), 1);
}

/// @model_retries: what the provider asks for is done, up to the longest wait.
#[tokio::test]
async fn the_provider_says_how_long_to_wait() {
    let limited = |wait| Step::fail(429, "").header("Retry-After", wait);
    let mut asking =
        Asking::new(Provider::Anthropic, vec![limited("0.02"), limited("3600"), Step::say("ok")]);
    asking.deadlines.max_backoff = Duration::from_millis(40);
    let (result, heard) = asking.ask().await;
    assert_eq!(result.expect("the third try succeeds").text, "ok");
    let retrying = |attempt, ms| Heard::Retrying(ErrorKind::RateLimit, attempt, Duration::from_millis(ms));
    assert_eq!(heard[..2], [retrying(1, 20), retrying(2, 40)]);
}

/// @model_retries: what will not pass is not tried again.
#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    use ErrorKind::{Auth, Rejected};
    for (status, body, kind) in [
        (400, "no such parameter", Rejected),
        (401, "", Auth),
        (402, "no credits", Rejected),
        (403, "", Auth),
        (404, "model not found", Rejected),
        (429, "insufficient_quota", Rejected),
    ] {
        for provider in Provider::ALL {
            let asking = Asking::new(provider, vec![Step::fail(status, body)]);
            let error = asking.error().await;
            assert_eq!((error.kind, error.status), (kind, Some(status)), "{provider}");
            assert_eq!(asking.server.requests().len(), 1, "{provider} {status}");
        }
    }
}

/// @model_retries: nobody listens, and the message says where.
#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_error() {
    let mut asking = Asking::new(Provider::OpenAi, Vec::new());
    let port = asking.server.port();
    asking.server = ScriptedModel::start(Vec::new());
    asking.deadlines.gateway = Duration::from_millis(30);
    let error = asking.error().await;
    assert_eq!((error.kind, error.status), (ErrorKind::Network, None));
    let expected = format!("openai: cannot connect to 127.0.0.1:{port}: ");
    assert!(error.message.starts_with(&expected), "{error}");
    assert!(error.message.to_lowercase().contains("refused"), "{error}");
}

/// @model_context_too_long: every provider's way to say it is recognised and not tried again.
#[tokio::test]
async fn a_request_that_is_too_long_is_recognised() {
    for (provider, status, body) in [
        (Provider::OpenAi, 400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#),
        (Provider::OpenAi, 400, r#"{"error":{"message":"x","type":"exceed_context_size_error"}}"#),
        (Provider::Anthropic, 400, r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#),
        (Provider::Ollama, 400, r#"{"error":"the input length exceeds the context length"}"#),
        (Provider::OpenRouter, 400, r#"{"error":{"message":"maximum context length is 8 tokens"}}"#),
        (Provider::Xai, 400, r#"{"error":"This model's maximum prompt length is 8 but …"}"#),
        (Provider::Ollama, 500, r#"{"error":"input exceeds maximum context length"}"#),
    ] {
        let asking = Asking::new(provider, vec![Step::fail(status, body)]);
        assert_eq!(asking.error().await.kind, ErrorKind::ContextTooLong, "{provider} {body}");
        assert_eq!(asking.server.requests().len(), 1);
    }
}

/// @model_context_too_long: it counts inside a stream too, before output.
#[tokio::test]
async fn a_request_that_is_too_long_is_recognised_inside_a_stream() {
    let error = json!({ "code": 400, "message": "request exceeds the available context size" });
    let asking = Asking::new(Provider::OpenAi, vec![Step::error_inside("", error)]);
    assert_eq!(asking.error().await.kind, ErrorKind::ContextTooLong);
}
