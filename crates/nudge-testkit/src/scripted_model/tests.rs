//! Tests of the scripted model itself.

use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use super::{FINAL_TEXT, ScriptedModel, Step};
use crate::raw_http::Request;

/// The whole answer to a POST, as text.
fn post(model: &ScriptedModel, path: &str, body: &str) -> String {
    let request = Request::new("POST", path, model.port()).token("secret-1234").body(body);
    let mut stream = crate::raw_http::connect(model.port()).unwrap();
    std::io::Write::write_all(&mut stream, &request.bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const CHAT: &str = r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}]}"#;

#[test]
fn steps_come_in_order_and_then_the_final_text() {
    let model = ScriptedModel::start(vec![Step::say("one")]);
    model.push(Step::fail(429, "slow").header("retry-after", "3"));
    assert!(post(&model, "/v1/chat/completions", CHAT).contains(r#""content":"one""#));
    let failed = post(&model, "/v1/messages", CHAT);
    assert!(failed.starts_with("HTTP/1.1 429 ") && failed.contains("retry-after: 3\r\n"));
    assert!(post(&model, "/api/chat", CHAT).contains(&FINAL_TEXT[..4]));
    let seen: Vec<_> = model.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(seen, ["/v1/chat/completions", "/v1/messages", "/api/chat"]);
}

#[test]
fn a_call_is_seen_without_its_key() {
    let model = ScriptedModel::start(Vec::new());
    post(&model, "/api/v1/chat/completions", CHAT);
    let seen = &model.requests()[0];
    assert_eq!((seen.system.as_str(), seen.user.as_str()), ("S", "U"));
    assert_eq!(seen.authorization.as_deref(), Some("1234"));
    assert!(!format!("{seen:?}").contains("secret"));
}

#[test]
fn questions_about_models_take_no_step() {
    let model = ScriptedModel::start(vec![Step::say("one")]);
    assert!(post(&model, "/api/show", "{}").contains("scripted.context_length"));
    assert_eq!((model.lookups().len(), model.requests().len()), (1, 0));
}

#[test]
fn a_client_that_leaves_is_recorded_and_the_port_is_free_afterwards() {
    let model = ScriptedModel::start(vec![Step::hang_after("wait"), Step::hang_after("wait")]);
    let request = Request::new("POST", "/api/chat", model.port()).body(CHAT);
    let ask = || {
        let mut stream = crate::raw_http::connect(model.port()).unwrap();
        std::io::Write::write_all(&mut stream, &request.bytes()).unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        stream
    };
    drop(ask());
    assert!(model.wait_until_left(1, Duration::from_secs(20)));
    let _still_connected = ask();
    let port = model.port();
    drop(model);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err(), "nobody listens any more");
}
