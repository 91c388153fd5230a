//! What each provider is sent.

use nudge_models::{ModelRequest, Provider};
use nudge_testkit::scripted_model::{CONTEXT_TOKENS, Step};
use serde_json::json;

use crate::asking::{Asking, KEY, QUESTION};

/// @model_providers: each provider is called at its path, with its key and the id of the turn.
#[tokio::test]
async fn each_provider_is_called_in_its_protocol() {
    for (provider, path, key) in [
        (Provider::OpenAi, "/v1/chat/completions", Some("9876")),
        (Provider::Anthropic, "/v1/messages", Some("9876")),
        (Provider::Ollama, "/api/chat", None),
        (Provider::OpenRouter, "/api/v1/chat/completions", Some("9876")),
        (Provider::Xai, "/v1/chat/completions", Some("9876")),
    ] {
        assert!(KEY.ends_with("9876"));
        let asking = Asking::new(provider, Vec::new());
        asking.answer().await;
        let seen = &asking.server.requests()[0];
        assert_eq!((seen.path.as_str(), seen.authorization.as_deref()), (path, key));
        assert_eq!((seen.system.as_str(), seen.user.as_str()), ("Be brief.", "Who is there?"));
        assert_eq!(seen.idempotency_key.as_deref(), Some("turn-1"));
        assert_eq!((&seen.body["model"], &seen.body["stream"]), (&json!("scripted-1"), &json!(true)));
    }
}

/// @model_providers: OpenRouter alone is shown whom to credit, and only if that is set.
#[tokio::test]
async fn a_request_is_credited_at_openrouter() {
    for provider in Provider::ALL {
        let asking = Asking::new(provider, Vec::new());
        asking.answer().await;
        let credited =
            ModelRequest { referer: Some("https://shop.example"), title: Some("Shop"), ..QUESTION };
        asking.ask_for(&credited).await.0.expect("it answers");
        let seen = asking.server.requests();
        assert_eq!(seen[0].credit, [None, None], "{provider}");
        let expected = [Some("https://shop.example".to_owned()), Some("Shop".to_owned())];
        let expected = if provider == Provider::OpenRouter { expected } else { [None, None] };
        assert_eq!(seen[1].credit, expected, "{provider}");
    }
}

/// @model_providers: limits go out under each protocol's name; Anthropic always gets one.
#[tokio::test]
async fn limits_go_out_under_their_names() {
    let body = |provider, max_tokens| async move {
        let mut asking = Asking::new(provider, Vec::new());
        asking.spec.context = Some(4096);
        asking.ask_for(&ModelRequest { max_tokens, ..QUESTION }).await.0.expect("it answers");
        asking.server.requests()[0].body.clone()
    };
    assert_eq!(body(Provider::OpenAi, Some(9)).await["max_tokens"], json!(9));
    assert_eq!(body(Provider::OpenAi, None).await.get("max_tokens"), None);
    assert_eq!(body(Provider::Anthropic, Some(9)).await["max_tokens"], json!(9));
    assert_eq!(body(Provider::Anthropic, None).await["max_tokens"], json!(4096));
    let options = json!({ "temperature": 0.5, "num_predict": 9, "num_ctx": 4096 });
    assert_eq!(body(Provider::Ollama, Some(9)).await["options"], options);
}

/// @model_providers: a grammar goes to a constrained model alone.
#[tokio::test]
async fn a_constrained_model_gets_the_grammar() {
    let request = ModelRequest { grammar: Some("root ::= \"yes\""), ..QUESTION };
    let mut asking = Asking::new(Provider::OpenAi, Vec::new());
    asking.ask_for(&request).await.0.expect("it answers");
    asking.spec.constrained = true;
    asking.ask_for(&request).await.0.expect("it answers");
    let seen: Vec<_> =
        asking.server.requests().iter().map(|seen| seen.body.get("grammar").cloned()).collect();
    assert_eq!(seen, [None, Some(json!("root ::= \"yes\""))]);
}

/// @model_providers: a field that a model refuses is left out, and stays out.
#[tokio::test]
async fn a_refused_field_is_left_out() {
    let limit = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#;
    let heat =
        r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model."}}"#;
    let asking = Asking::new(Provider::OpenAi, vec![Step::fail(400, limit), Step::fail(400, heat)]);
    asking.answer().await;
    asking.answer().await;
    let seen = asking.server.requests();
    let fields = |at: usize| {
        ["max_tokens", "max_completion_tokens", "temperature"].map(|name| seen[at].body.get(name).is_some())
    };
    assert_eq!(fields(0), [true, false, true]);
    assert_eq!(fields(1), [false, true, true]);
    assert_eq!([fields(2), fields(3)], [[false, true, false]; 2]);
    let ids: Vec<_> = seen.iter().filter_map(|seen| seen.idempotency_key.as_deref()).collect();
    assert_eq!(ids, ["turn-1", "turn-1-1", "turn-1-2", "turn-1"], "a changed request has its own id");
}

/// @model_providers: servers that know their context are asked for it.
#[tokio::test]
async fn the_context_is_asked_where_it_is_known() {
    for (provider, expected, path) in [
        (Provider::OpenAi, Some(CONTEXT_TOKENS), Some("/props")),
        (Provider::Ollama, Some(CONTEXT_TOKENS), Some("/api/show")),
        (Provider::OpenRouter, Some(CONTEXT_TOKENS), Some("/api/v1/models")),
        (Provider::Anthropic, None, None),
        (Provider::Xai, None, None),
    ] {
        let asking = Asking::new(provider, Vec::new());
        let found = asking.client.context_length(&asking.spec, &asking.keys).await;
        let asked = asking.server.lookups();
        assert_eq!((found, asked.first().map(String::as_str)), (expected, path), "{provider}");
    }
}
