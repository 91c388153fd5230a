//! Failures of a provider that end a loop, or a turn.

use insta::assert_snapshot;
use nudge_testkit::raw_http::free_port;
use nudge_testkit::scripted_model::Step;

use crate::runs::kit::{Move, RUN, Scene, Setup, ends, fails, hangs};

/// Times that a test can wait for.
const SHORT: &str = "[runs]\nretry_deadline_s = 1\nfetch_timeout_s = 1\nmax_backoff_s = 1\n";

/// @model_inert @run_models: a provider without configuration gets nothing, and there is no run.
#[test]
fn a_provider_that_is_not_configured() {
    let setup = Setup { has_address: false, ..Setup::default() };
    let scene = Scene::set_up(&setup, vec![ends("Never said.")]);
    assert_snapshot!(scene.ask("which is it?").exits(2).page());
    assert!(scene.model.requests().is_empty());
    assert!(scene.run(&["run", "ls"]).stdout.starts_with("no runs"));
}

/// @model_retries @run_too_long: a wrong key ends the loop at once.
#[test]
fn a_wrong_key() {
    let scene = Scene::new(vec![fails(401, r#"{"error":{"message":"Incorrect API key provided"}}"#)]);
    scene.ask("which is it?").exits(1);
    assert_eq!(scene.model.requests().len(), 1);
    assert_snapshot!(scene.story());
}

/// @model_retries @run_too_long: a request that the provider rejects is not sent again.
#[test]
fn a_rejected_request() {
    let scene = Scene::new(vec![fails(400, r#"{"error":{"message":"there is no such model"}}"#)]);
    scene.ask("which is it?").exits(1);
    assert_eq!(scene.model.requests().len(), 1);
    assert_snapshot!(scene.story());
}

/// @model_retries: a server that fails is tried until its deadline.
#[test]
fn a_server_that_fails() {
    let steps = (0..9).map(|_| fails(500, r#"{"error":"it broke"}"#)).collect();
    let scene = Scene::set_up(&Setup { config: SHORT, ..Setup::default() }, steps);
    scene.ask("which is it?").exits(1);
    let keys: Vec<_> = scene.model.requests().into_iter().map(|request| request.idempotency_key).collect();
    assert!(keys.len() > 1 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    let view = scene.view(RUN);
    assert_eq!((&view["turn"], &view["state"]), (&1.into(), &"failed".into()), "{view}");
    let story = scene.story();
    // How often it was tried depends on the machine.
    let mut lines: Vec<&str> = story.lines().collect();
    lines.dedup();
    assert_snapshot!(lines.join("\n"));
}

/// @run_too_long @model_streaming: a broken stream is an error of the turn, and the loop goes on.
#[test]
fn a_broken_stream() {
    let broken =
        Move::scripted(Step::break_after("<get path=\"READ"), "<get path=\"READ (the connection breaks)");
    let scene = Scene::new(vec![broken, ends("It sells tea.")]);
    scene.ask("what is sold?").ok();
    assert_snapshot!(scene.story());
}

/// @model_streaming: an error inside the stream, after output, is an error of the turn, too.
#[test]
fn an_error_inside_the_stream() {
    let error = serde_json::json!({"message": "overloaded"});
    let broken = Move::scripted(Step::error_inside("It sells", error), "It sells (error: overloaded)");
    let scene = Scene::new(vec![broken, ends("It sells tea.")]);
    scene.ask("what is sold?").ok();
    assert_snapshot!(scene.story());
}

/// @model_streaming: an answer that is not the protocol ends the loop.
#[test]
fn an_answer_that_is_no_protocol() {
    let scene = Scene::new(vec![Move::scripted(Step::Garbage, "(a web page)")]);
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}

/// @model_streaming: a model that says nothing for too long ends the loop.
#[test]
fn a_model_that_says_nothing() {
    let scene = Scene::set_up(&Setup { config: SHORT, ..Setup::default() }, vec![hangs("")]);
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}

/// @model_retries: nobody listens at the address.
#[test]
fn nobody_listens() {
    let model = format!("context = 8192\nbase_url = \"http://127.0.0.1:{}/v1\"\n", free_port());
    let setup = Setup { model: &model, has_address: false, config: SHORT, ..Setup::default() };
    let scene = Scene::set_up(&setup, Vec::new());
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}

/// @authority_settings @model_inert: the variables of a server that an agent started decide
/// nothing, neither for the agent nor for the user who asks the same server later.
#[test]
fn an_agents_variables_are_not_read() {
    let setup = Setup { has_address: false, ..Setup::default() };
    let scene = Scene::set_up(&setup, vec![ends("Never said."), ends("Never said.")]);
    scene.run(&["stop"]).ok();
    let ask = |run: &'static str| scene.home.nudge(["ask", "--run", run, "which is it?"]).cwd(&scene.dir);
    let by_agent = ask("agents")
        .env("CLAUDECODE", "1")
        .env("OPENAI_BASE_URL", scene.model.base_url("openai"))
        .env("OPENAI_API_KEY", "sk-of-the-agent")
        .run();
    by_agent.exits(2);
    let later = ask("users").run();
    assert!(later.stderr.contains("an agent started this server"), "{later:?}");
    assert!(scene.model.requests().is_empty(), "something was sent to the agent's address");
}
