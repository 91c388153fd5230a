//! What is left of a run after its server died.

use insta::assert_snapshot;
use nudge_testkit::{Server, Terminal};

use crate::runs::kit::{RUN, Scene, ends, goes_on, hangs, says};

/// The server of a scene.
fn server(scene: &Scene) -> Server<'_> {
    scene.home.daemon(&[])
}

fn keys(scene: &Scene) -> Vec<String> {
    scene.model.requests().into_iter().filter_map(|request| request.idempotency_key).collect()
}

/// @run_resume @run_usage: a request that was under way is lost, and is never sent again.
#[test]
fn the_server_dies_while_the_model_speaks() {
    let scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), hangs("It sells")]);
    scene.ask_detached("what is sold?");
    scene.wait(RUN, |view| view["partial"].as_str().is_some_and(|text| text.contains("sells")));
    server(&scene).kill();
    scene.note("the server is killed, and started again");
    scene.serve();
    scene.wait_for_end(RUN);
    let mut seen = keys(&scene);
    assert_eq!(seen.len(), 2);
    seen.dedup();
    assert_eq!(seen.len(), 2, "each request was sent once");
    scene.tell(RUN, 1);
    scene.push(ends("It sells tea."));
    scene.shell(&["run", "resume", RUN, "--quiet"]);
    assert_eq!(keys(&scene).len(), 3);
    assert_snapshot!(scene.story());
}

/// @run_resume @run_questions: a run that waits for the user waits for the next server, too; its
/// calls are not repeated.
#[test]
fn the_server_dies_while_the_user_thinks() {
    let calls = "<set path=\"known://tea\">green</set><ask_user question=\"Is it green?\"/>\
        <set path=\"known://cup\">white</set><update status=\"102\">next</update>";
    let scene = Scene::new(vec![says(calls), ends("Green tea in white cups.")]);
    let words = ["entry", "set", "run://port", "what is sold?", "--attr", "model=scripted"];
    scene.shell(&words);
    scene.wait(RUN, |view| view["state"] == "proposed");
    server(&scene).kill();
    scene.note("the server is killed, and started again");
    scene.serve();
    assert_eq!(scene.view(RUN)["state"], "proposed");
    let mut terminal = Terminal::start(scene.command(&["run", "resume", RUN]));
    terminal.wait_for("an empty line rejects");
    terminal.press("yes\n");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(keys(&scene).len(), 2, "the first answer was not asked for again");
    assert_snapshot!(scene.story());
}

/// @run_resume @run_queue: prompts that waited are answered by the next server.
#[test]
fn the_queue_outlives_the_server() {
    let scene = Scene::new(vec![hangs("It"), ends("In autumn.")]);
    scene.ask_detached("what is sold?");
    scene.wait_for_requests(1);
    scene.ask_detached("when is it bought?");
    server(&scene).kill();
    scene.note("the server is killed, and started again");
    scene.serve();
    scene.wait_for_end(RUN);
    assert_snapshot!(scene.story());
}

/// @run_resume: what a server that was stopped in order lost is lost, too.
#[test]
fn a_server_that_stops_loses_its_request() {
    let scene = Scene::new(vec![hangs("It")]);
    scene.ask_detached("what is sold?");
    scene.wait_for_requests(1);
    scene.run(&["stop"]).ok();
    scene.note("the server is stopped, and started again");
    scene.serve();
    scene.wait_for_end(RUN);
    assert_eq!(keys(&scene).len(), 1);
    assert_snapshot!(scene.story());
}
