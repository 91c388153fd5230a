//! Tests of the protocols without a network.

use serde_json::json;

use super::*;
use crate::keys::Keys;
use crate::request::{Finish, Progress, Usage};

fn endpoint(model: &str, base_url: &str) -> (Endpoint, ModelSpec) {
    let mut spec = ModelSpec::parse("m", model).expect("a model");
    spec.base_url = Some(base_url.to_owned());
    (Endpoint::of(&spec, &Keys::default()).expect("a local server"), spec)
}

const REQUEST: ModelRequest<'static> = ModelRequest {
    system: "S",
    user: "U",
    temperature: 0.7,
    max_tokens: Some(100),
    think: false,
    grammar: Some("root ::= \"a\""),
    referer: None,
    title: None,
    turn_id: "t",
};

fn body_of(model: &str, request: &ModelRequest<'_>, shape: &Shape) -> Value {
    let (endpoint, spec) = endpoint(model, "http://127.0.0.1:1");
    body(&endpoint, &spec, request, shape)
}

/// Reads a whole stream in pieces of one byte.
fn read(protocol: Protocol, text: &str) -> (Result<(), Fault>, Answer) {
    let mut reader = Reader::new(protocol);
    let mut on = |_: Progress<'_>| {};
    for byte in text.as_bytes() {
        if let Err(fault) = reader.push(&[*byte], &mut on) {
            return (Err(fault), reader.answer);
        }
    }
    (reader.end(&mut on), reader.answer)
}

#[test]
fn a_temperature_is_sent_as_it_was_written() {
    assert_eq!(body_of("openai/m", &REQUEST, &Shape::default())["temperature"], json!(0.7));
}

#[test]
fn a_grammar_goes_only_to_a_constrained_model() {
    let (endpoint, mut spec) = endpoint("openai/m", "http://127.0.0.1:1");
    assert_eq!(body(&endpoint, &spec, &REQUEST, &Shape::default()).get("grammar"), None);
    spec.constrained = true;
    assert_eq!(body(&endpoint, &spec, &REQUEST, &Shape::default())["grammar"], json!("root ::= \"a\""));
    for other in ["openrouter/m", "xai/m", "anthropic/m", "ollama/m"] {
        let (endpoint, mut spec) = self::endpoint(other, "http://127.0.0.1:1");
        spec.constrained = true;
        assert_eq!(body(&endpoint, &spec, &REQUEST, &Shape::default()).get("grammar"), None, "{other}");
    }
}

#[test]
fn a_shape_leaves_fields_out() {
    let shape = Shape { temperature: false, new_limit_name: true, stream_options: false, ..Shape::default() };
    let body = body_of("openai/m", &REQUEST, &shape);
    assert_eq!([body.get("temperature"), body.get("max_tokens"), body.get("stream_options")], [None; 3]);
    assert_eq!(body["max_completion_tokens"], json!(100));
}

#[test]
fn anthropic_gets_a_limit_and_reasons_without_a_temperature() {
    let request = ModelRequest { max_tokens: None, think: true, ..REQUEST };
    let body = body_of("anthropic/m", &request, &Shape::default());
    assert_eq!((&body["max_tokens"], &body["thinking"]), (&json!(4096), &json!({ "type": "adaptive" })));
    assert_eq!(body.get("temperature"), None);
    let shape = Shape { thinking: crate::shape::Thinking::Budget, ..Shape::default() };
    let body = body_of("anthropic/m", &request, &shape);
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 2048 }));
    let small = ModelRequest { max_tokens: Some(1500), ..request };
    assert_eq!(body_of("anthropic/m", &small, &shape).get("thinking"), None);
    let hot = ModelRequest { temperature: 1.5, ..REQUEST };
    assert_eq!(body_of("anthropic/m", &hot, &Shape::default())["temperature"], json!(1.0));
}

#[test]
fn an_empty_system_text_is_not_sent() {
    let request = ModelRequest { system: "", ..REQUEST };
    assert_eq!(body_of("openai/m", &request, &Shape::default())["messages"].as_array().unwrap().len(), 1);
    assert_eq!(body_of("anthropic/m", &request, &Shape::default()).get("system"), None);
}

#[test]
fn events_may_have_comments_names_and_data_over_several_lines() {
    let text = ": OPENROUTER PROCESSING\n\nevent: x\nid: 1\ndata: {\"choices\":[{\"delta\":\n\
                data: {\"content\":\"hé\"}}]}\n\ndata:{\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let (end, answer) = read(Protocol::OpenAi, text);
    assert_eq!((end, answer.completion.text.as_str(), answer.is_done), (Ok(()), "hé", true));
}

#[test]
fn a_last_event_without_an_empty_line_counts() {
    let (end, answer) = read(Protocol::OpenAi, "data: [DONE]");
    assert_eq!((end, answer.is_done), (Ok(()), true));
}

#[test]
fn reasoning_that_is_counted_beside_the_output_is_added_to_it() {
    let usage = |total: u64| {
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": total,
            "prompt_tokens_details": { "cached_tokens": 4 }, "completion_tokens_details": { "reasoning_tokens": 3 } });
        read(Protocol::OpenAi, &format!("data: {}\n\n", json!({ "choices": [], "usage": usage })))
            .1
            .completion
            .usage
    };
    let expected = Usage { input: Some(10), cached: Some(4), output: Some(5), reasoning: Some(3) };
    assert_eq!(usage(15), expected);
    assert_eq!(usage(18), Usage { output: Some(8), ..expected });
}

#[test]
fn absurd_counts_are_no_panic() {
    let most = u64::MAX;
    let usage = json!({ "prompt_tokens": most, "completion_tokens": most, "total_tokens": most,
        "completion_tokens_details": { "reasoning_tokens": most } });
    let event = json!({ "choices": [], "usage": usage });
    let answer = read(Protocol::OpenAi, &format!("data: {event}\n\n")).1;
    assert_eq!(answer.completion.usage.output, Some(most));
}

#[test]
fn an_event_without_an_end_is_refused() {
    let text = format!("data: {}\n", "a".repeat(1000)).repeat(MAX_EVENT_BYTES / 1000 + 1);
    assert!(matches!(read(Protocol::OpenAi, &text).0, Err(Fault::Malformed("a part is too long"))));
}

#[test]
fn anthropic_counts_cached_input_apart() {
    let text = format!(
        "data: {}\n\ndata: {}\n\n",
        json!({ "type": "message_start", "message": { "model": "c", "usage": { "input_tokens": 10,
            "cache_read_input_tokens": 30, "cache_creation_input_tokens": 2, "output_tokens": 1 } } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" }, "usage": { "output_tokens": 7 } }),
    );
    let (_, answer) = read(Protocol::Anthropic, &text);
    let expected = Usage { input: Some(42), cached: Some(30), output: Some(7), reasoning: None };
    assert_eq!((answer.completion.usage, answer.completion.finish), (expected, Finish::Length));
}

#[test]
fn an_error_inside_a_stream_has_a_status() {
    let status = |protocol, text: &str| match read(protocol, text).0 {
        Err(Fault::Reported { status, .. }) => status,
        other => panic!("{other:?}"),
    };
    let overloaded =
        "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    assert_eq!(status(Protocol::Anthropic, overloaded), 529);
    assert_eq!(status(Protocol::OpenAi, "data: {\"error\":{\"code\":429,\"message\":\"x\"}}\n\n"), 429);
    assert_eq!(status(Protocol::OpenAi, "data: {\"error\":{\"code\":\"502\",\"message\":\"x\"}}\n\n"), 502);
    assert_eq!(status(Protocol::OpenAi, "error: {\"code\":400,\"message\":\"x\"}\n"), 400);
    assert_eq!(status(Protocol::OpenAi, "data: {\"error\":{\"type\":\"rate_limit_exceeded\"}}\n\n"), 429);
    assert_eq!(status(Protocol::Ollama, "{\"error\":\"llama runner terminated\"}\n"), 500);
}

#[test]
fn what_is_no_json_is_malformed() {
    for (protocol, text) in [
        (Protocol::OpenAi, "data: {oops\n\n"),
        (Protocol::OpenAi, "data: 7\n\n"),
        (Protocol::Anthropic, "data: {}\n\n"),
        (Protocol::Ollama, "<html>\n"),
        (Protocol::Ollama, "{}\n"),
    ] {
        assert!(matches!(read(protocol, text).0, Err(Fault::Malformed(_))), "{text}");
    }
}

#[test]
fn lines_are_the_same_for_every_cut() {
    let text = "data: grüße 🦀\r\n\r\ndata: b\n\nrest";
    for size in 1..=text.len() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            lines.push(piece).unwrap();
            found.extend(std::iter::from_fn(|| lines.next()));
        }
        found.extend(lines.rest());
        assert_eq!(found, ["data: grüße 🦀", "", "data: b", "", "rest"], "pieces of {size}");
    }
}

#[test]
fn a_line_without_end_is_not_collected_for_ever() {
    let mut lines = Lines::default();
    let piece = vec![b'x'; MAX_LINE_BYTES / 2];
    assert_eq!(lines.push(&piece), Ok(()));
    assert_eq!(lines.push(&piece), Ok(()));
    assert_eq!(lines.push(b"x"), Err(TooLong));
}
