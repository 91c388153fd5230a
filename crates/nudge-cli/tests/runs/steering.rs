//! Runs that are queued, stopped, resumed, copied and renamed.

use insta::assert_snapshot;

use crate::runs::kit::{RUN, Scene, WITHIN, ends, goes_on, hangs};

/// @run_queue @run_states: prompts are answered in the order in which they came; an abort stops the
/// one under way, and the next goes on.
#[test]
fn prompts_wait_in_a_queue() {
    let scene = Scene::new(vec![hangs("Well"), ends("Tea."), ends("In autumn.")]);
    scene.ask_detached("how old is the shop?");
    scene.wait_for_requests(1);
    scene.ask_detached("what is sold?");
    scene.ask_detached("when is it bought?");
    let states = |view: &serde_json::Value| {
        let loops = view["loops"].as_array().expect("prompts").clone();
        loops.iter().map(|one| one["state"].to_string()).collect::<Vec<_>>().join(" ")
    };
    scene.note(&format!("the prompts are {}", states(&scene.view(RUN))));
    scene.shell(&["run", "abort", RUN]);
    scene.wait_for_end(RUN);
    assert_snapshot!(scene.story());
}

/// @run_queue @run_usage @model_streaming: an abort closes the connection to the model at once; the
/// run has its usage, and can be resumed.
#[test]
fn an_abort_closes_the_connection() {
    let scene = Scene::new(vec![hangs("The router listens"), ends("8080.")]);
    scene.ask_detached("which is it?");
    let view = scene.wait(RUN, |view| view["partial"].as_str().is_some_and(|text| !text.is_empty()));
    assert!(view["telemetry"].is_null(), "{view}");
    scene.shell(&["run", "abort", RUN]);
    assert!(scene.model.wait_until_left(1, WITHIN), "the client stays");
    scene.note("the client of the model has left");
    scene.tell(RUN, 1);
    let shown = scene.run(&["run", "resume", RUN]).ok();
    scene.note(&format!("\n$ nudge run resume port\n{}", shown.trim_end()));
    assert_snapshot!(scene.story());
}

/// @decisions_are_states @run_queue: a run is aborted by the state of its entry.
#[test]
fn a_run_is_cancelled_by_its_state() {
    let scene = Scene::new(vec![hangs("Well")]);
    scene.ask_detached("how old is the shop?");
    scene.wait_for_requests(1);
    scene.run(&["entry", "set", "run://port", "--state", "cancelled"]).ok();
    assert!(scene.model.wait_until_left(1, WITHIN), "the client stays");
    let view = scene.wait_for_end(RUN);
    assert_eq!((&view["state"], &view["status"]), (&"aborted".into(), &499.into()), "{view}");
}

/// @run_states: a run that ended with an answer is not resumed, and a stopped one is not stopped
/// again.
#[test]
fn an_end_is_an_end() {
    let scene = Scene::new(vec![ends("8080.")]);
    scene.ask("which is it?").ok();
    scene.shell(&["run", "resume", RUN]);
    scene.shell(&["run", "abort", RUN]);
    assert_snapshot!(scene.story());
}

/// @run_fork @run_budget_ladder: a copy sees what its parent saw, and goes on with its numbers; the
/// parent stays as it is.
#[test]
fn a_copy_goes_on() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"README.md\"/><set path=\"unknown://tea/kind\">Which tea?</set>"),
        ends("Tea."),
        goes_on("<set path=\"unknown://tea/kind\" visibility=\"archived\"/>"),
        ends("Still tea."),
    ]);
    scene.ask("what is sold?").ok();
    let before = scene.view(RUN);
    scene.shell(&["run", "fork", RUN, "--name", "other", "--quiet", "are you sure?"]);
    scene.packet(3, &["The shop sells", "what is sold?", "are you sure?"]);
    scene.tell("other", 2);
    let after = scene.view(RUN);
    assert_eq!((&before["history"], &before["loops"]), (&after["history"], &after["loops"]));
    assert_snapshot!(scene.story());
}

/// @run_config: a run gets another name, and keeps everything else.
#[test]
fn a_run_is_renamed() {
    let scene = Scene::new(vec![ends("8080."), ends("Nobody knows.")]);
    scene.ask("which is it?").ok();
    scene.shell(&["run", "rename", RUN, "number"]);
    scene.run(&["run", "show", RUN]).exits(3);
    scene.run(&["ask", "--json", "--run", "number", "and why?"]).ok();
    scene.tell("number", 1);
    assert_snapshot!(scene.page());
}

/// @run_resume: a run that is resumed right after an abort does not go on with the
/// request that was aborted.
#[test]
fn a_resume_right_after_an_abort() {
    let scene = Scene::new(vec![hangs("I think"), ends("It is 8080.")]);
    scene.ask_detached("which is it?");
    scene.wait_for_requests(1);
    scene.run(&["run", "abort", RUN]).ok();
    scene.run(&["run", "resume", RUN]).ok();
    assert_eq!(scene.model.requests().len(), 2);
    assert_eq!(scene.view(RUN)["summary"], "It is 8080.");
}
