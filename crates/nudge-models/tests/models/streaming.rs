//! How an answer arrives.

use std::time::Duration;

use nudge_models::{ErrorKind, Finish, Progress, Provider, Usage};
use nudge_testkit::scripted_model::{MODEL, Say, Step, Tokens};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use crate::asking::{Asking, Heard, QUESTION};

/// Generous, because the machine may be busy building.
const SOON: Duration = Duration::from_secs(20);

/// @model_streaming: pieces are reported in order, and the completion has all of them.
#[tokio::test]
async fn an_answer_arrives_in_pieces() {
    for provider in Provider::ALL {
        let say = Say::new("Hello, you.").reasoning("Hm, ok").chunk(6);
        let asking = Asking::new(provider, vec![say.into()]);
        let (result, heard) = asking.ask().await;
        let completion = result.unwrap_or_else(|error| panic!("{provider}: {error}"));
        assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("Hello, you.", "Hm, ok"));
        assert_eq!((completion.finish, completion.model.as_deref()), (Finish::Stop, Some(MODEL)));
        let expected =
            [Heard::Reasoning("Hm, ok".into()), Heard::Text("Hello,".into()), Heard::Text(" you.".into())];
        assert_eq!(heard, expected, "{provider}");
    }
}

/// @model_streaming: a piece is reported while the model still writes, and dropping the call closes
/// the connection.
#[tokio::test(flavor = "multi_thread")]
async fn pieces_arrive_before_the_end_and_leaving_closes_the_connection() {
    for provider in Provider::ALL {
        let asking = Asking::new(provider, vec![Step::hang_after("so far")]);
        let (send, mut pieces) = unbounded_channel();
        let mut on = move |progress: Progress<'_>| drop(send.send(Heard::from(progress)));
        let call = asking.client.complete(&asking.spec, &asking.keys, &QUESTION, asking.deadlines, &mut on);
        tokio::select! {
            result = call => panic!("{provider}: the model has not ended: {result:?}"),
            piece = pieces.recv() => assert_eq!(piece, Some(Heard::Text("so far".into()))),
        }
        assert!(asking.server.wait_until_left(1, SOON), "{provider}");
    }
}

/// @model_streaming: a call can be dropped before anything came.
#[tokio::test(flavor = "multi_thread")]
async fn leaving_before_the_first_piece_closes_the_connection() {
    let asking = Asking::new(Provider::OpenAi, vec![Step::hang_after("")]);
    let call = asking.ask();
    let seen = async {
        while asking.server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::select! {
        (result, _) = call => panic!("nothing was sent: {result:?}"),
        () = seen => {}
    }
    assert!(asking.server.wait_until_left(1, SOON));
}

/// @model_streaming: the network may cut lines and characters anywhere.
#[tokio::test]
async fn cut_lines_and_characters_are_put_together() {
    let text = "Grüße, 世界 🦀\nsecond \"line\"";
    for provider in Provider::ALL {
        for bytes in [1, 2, 3, 7] {
            let say = Say::new(text).reasoning("überlegt").chunk(3).bytes(bytes);
            let completion = Asking::new(provider, vec![say.into()]).answer().await;
            assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), (text, "überlegt"));
        }
    }
}

/// @model_streaming: a stream that breaks, ends or fails after output is interrupted, and not tried
/// again.
#[tokio::test]
async fn a_stream_that_breaks_after_output_is_interrupted() {
    let overloaded = json!({ "type": "overloaded_error", "message": "Overloaded" });
    for provider in Provider::ALL {
        for step in [
            Step::break_after("half an ans"),
            Step::end_early("half an ans"),
            Step::error_inside("half an ans", overloaded.clone()),
        ] {
            let asking = Asking::new(provider, vec![step.clone()]);
            let (result, heard) = asking.ask().await;
            let error = result.expect_err(provider.name());
            assert_eq!(error.kind, ErrorKind::Interrupted, "{provider} {step:?}: {error}");
            assert_eq!(heard, [Heard::Text("half an ans".into())]);
            assert_eq!(asking.server.requests().len(), 1, "{provider} {step:?}");
        }
    }
}

/// @model_streaming: an answer that is not the protocol is malformed.
#[tokio::test]
async fn garbage_is_malformed() {
    for provider in Provider::ALL {
        let asking = Asking::new(provider, vec![Step::Garbage]);
        assert_eq!(asking.error().await.kind, ErrorKind::Malformed, "{provider}");
        assert_eq!(asking.server.requests().len(), 1);
    }
}

/// @model_streaming: silence ends a call, before the first piece and after it.
#[tokio::test(flavor = "multi_thread")]
async fn silence_is_a_timeout() {
    for (provider, text) in [(Provider::OpenAi, ""), (Provider::Anthropic, "so far"), (Provider::Ollama, "")]
    {
        let mut asking = Asking::new(provider, vec![Step::hang_after(text)]);
        asking.deadlines.fetch = Duration::from_millis(100);
        assert_eq!(asking.error().await.kind, ErrorKind::Timeout, "{provider}");
        assert!(asking.server.wait_until_left(1, SOON), "{provider}");
        assert_eq!(asking.server.requests().len(), 1, "{provider}");
    }
}

/// @model_streaming: slow pieces are no silence.
#[tokio::test]
async fn a_slow_answer_is_no_silence() {
    let say = Say::new("slow but steady").chunk(1).delay(Duration::from_millis(25));
    let mut asking = Asking::new(Provider::OpenAi, vec![say.into()]);
    asking.deadlines.fetch = Duration::from_millis(300);
    assert_eq!(asking.answer().await.text, "slow but steady");
}

/// @model_streaming: an answer that never ends is a timeout, although parts of it come.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_is_a_timeout() {
    for provider in Provider::ALL {
        let drips = Say::new(&"drip ".repeat(600)).chunk(5).delay(Duration::from_millis(20));
        let mut asking = Asking::new(provider, vec![drips.into()]);
        asking.deadlines.answer = Duration::from_secs(2);
        let (result, heard) = asking.ask().await;
        let error = result.expect_err(provider.name());
        assert_eq!(error.kind, ErrorKind::Timeout, "{provider}: {error}");
        assert!(error.message.ends_with("took longer than 2s"), "{error}");
        assert!(!heard.is_empty(), "{provider}: parts came before");
        assert!(asking.server.wait_until_left(1, SOON), "{provider}");
    }
}

/// @model_streaming: why an answer ended is the same for every provider.
#[tokio::test]
async fn the_end_has_a_reason() {
    for provider in Provider::ALL {
        for (word, finish) in
            [("length", Finish::Length), ("content_filter", Finish::Other("content_filter".into()))]
        {
            let asking = Asking::new(provider, vec![Say::new("a").finish(word).into()]);
            assert_eq!(asking.answer().await.finish, finish, "{provider}");
        }
    }
}

/// @model_cost: tokens are counted as the provider reports them.
#[tokio::test]
async fn usage_is_what_the_provider_reports() {
    let tokens = Tokens { input: 120, cached: 100, output: 30, reasoning: 12, cost: None };
    let full = Usage { input: Some(120), cached: Some(100), output: Some(30), reasoning: Some(12) };
    for (provider, expected) in [
        (Provider::OpenAi, full),
        (Provider::OpenRouter, full),
        (Provider::Xai, full),
        (Provider::Anthropic, Usage { reasoning: None, ..full }),
        (Provider::Ollama, Usage { reasoning: None, cached: None, ..full }),
    ] {
        let asking = Asking::new(provider, vec![Say::new("a").tokens(Some(tokens)).into()]);
        assert_eq!(asking.answer().await.usage, expected, "{provider}");
        let silent = Asking::new(provider, vec![Say::new("a").tokens(None).into()]);
        assert_eq!(silent.answer().await.usage, Usage::default(), "{provider}");
    }
}

/// @model_cost: what the provider reports, else the prices, else unknown.
#[tokio::test]
async fn a_cost_is_reported_or_computed_or_unknown() {
    let tokens = Tokens { input: 1000, output: 500, ..Tokens::default() };
    let reported = Tokens { cost: Some(0.0123), ..tokens };
    let say = |tokens| Say::new("a").tokens(tokens).into();
    let steps = vec![say(Some(reported)), say(Some(tokens)), say(None), say(Some(tokens))];
    let mut asking = Asking::new(Provider::OpenRouter, steps);
    (asking.spec.input_price, asking.spec.output_price) = (Some(2.0), Some(8.0));
    assert_eq!(asking.answer().await.cost_usd, Some(0.0123), "what the provider says");
    let computed = asking.answer().await.cost_usd.expect("prices are known");
    assert!((computed - 0.006).abs() < 1e-12, "{computed}");
    assert_eq!(asking.answer().await.cost_usd, None, "no tokens are known");
    asking.spec.output_price = None;
    assert_eq!(asking.answer().await.cost_usd, None, "no price is known");
}
