//! Tests of what answers mean.

use hyper::header::HeaderValue;

use super::*;

#[test]
fn statuses_and_texts_have_a_kind() {
    use ErrorKind::*;
    for (status, body, kind) in [
        (400, "bad temperature", Rejected),
        (400, r#"{"error":"Incorrect API key provided: xa***"}"#, Auth),
        (401, "", Auth),
        (402, "Insufficient credits", Rejected),
        (403, "", Auth),
        (404, "model not found", Rejected),
        (408, "", Timeout),
        (413, "", Rejected),
        (307, "", Rejected),
        (429, "slow down", RateLimit),
        (429, r#"{"error":{"code":"insufficient_quota"}}"#, Rejected),
        (500, "", Server),
        (501, "", Server),
        (502, "", Gateway),
        (503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, WarmUp),
        (503, "Model is warming up", WarmUp),
        (503, "server not ready", WarmUp),
        (503, "upstream connect error", Gateway),
        (504, "", Gateway),
        (522, "", Gateway),
        (529, r#"{"type":"error","error":{"type":"overloaded_error"}}"#, Server),
    ] {
        assert_eq!(kind_of(status, body), kind, "{status} {body}");
    }
}

/// What each provider answers to a request that is too long.
#[test]
fn a_request_that_is_too_long_is_recognised_at_every_provider() {
    for (who, status, body) in [
        (
            "openai",
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        ("openai", 400, "Your input exceeds the context window of this model."),
        (
            "anthropic",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        ("anthropic", 400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        ("anthropic", 413, r#"{"type":"error","error":{"type":"request_too_large","message":"Too large"}}"#),
        (
            "llama.cpp",
            400,
            r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}"#,
        ),
        ("llama.cpp", 500, r#"{"error":{"code":500,"message":"Context size has been exceeded."}}"#),
        ("ollama", 400, r#"{"error":"the input length exceeds the context length"}"#),
        ("ollama", 500, r#"{"error":"prompt too long; exceeded max context length"}"#),
        (
            "openrouter",
            400,
            r#"{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens","code":400}}"#,
        ),
        (
            "xai",
            400,
            r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 136973 tokens."}"#,
        ),
        ("vllm", 422, "This model's maximum context length is 4096 tokens"),
    ] {
        assert_eq!(kind_of(status, body), ErrorKind::ContextTooLong, "{who}: {body}");
    }
    assert_eq!(kind_of(429, "maximum context length"), ErrorKind::RateLimit);
}

#[test]
fn every_text_is_in_lower_case_and_counts() {
    for (who, text) in TOO_LONG {
        assert_eq!(*text, text.to_lowercase(), "{who}");
        assert_eq!(kind_of(400, &text.to_uppercase()), ErrorKind::ContextTooLong, "{who}: {text}");
    }
}

#[test]
fn the_wait_is_read_in_every_form() {
    let now: Timestamp = "2015-10-21T07:27:30Z".parse().unwrap();
    let wait = |name: &'static str, value: &str| {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_str(value).unwrap())]);
        retry_after(&headers, now)
    };
    assert_eq!(wait("retry-after", "7"), Some(Duration::from_secs(7)));
    assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
    assert_eq!(wait("retry-after-ms", "250"), Some(Duration::from_millis(250)));
    assert_eq!(wait("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::from_secs(30)));
    for nothing in ["-1", "soon", "nan", "inf", "Wed, 21 Oct 2015 07:00:00 GMT", ""] {
        assert_eq!(wait("retry-after", nothing), None, "{nothing}");
    }
}
