//! What a run notes stays in the run until the user keeps it.

use insta::assert_snapshot;
use serde_json::json;

use crate::runs::kit::{RUN, Scene, ends, goes_on};
use crate::runs::socket::Socket;

const ZEBRA: &str = "<set path=\"known://zebra\">The zebra gateway retries seven times.</set>";

/// The body of an entry, in a run or in the project; empty if there is none.
fn body(scene: &Scene, path: &str, run: Option<&str>) -> String {
    let mut words = vec!["entry", "get", path];
    run.iter().for_each(|run| words.extend(["--run", run]));
    scene.run(&words).stdout.trim().to_owned()
}

/// A prompt in another session; returns what was injected.
fn prompted(scene: &Scene, prompt: &str) -> String {
    let event = |name: &str, more: serde_json::Value| {
        let mut event = json!({"session_id": "s-next", "cwd": scene.dir, "hook_event_name": name});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        scene.home.nudge(["hook", "claude"]).cwd(&scene.dir).stdin(event.to_string()).run().stdout
    };
    let start = event("SessionStart", json!({"source": "startup"}));
    start + &event("UserPromptSubmit", json!({"prompt": prompt}))
}

/// @run_memory @run_keep: a fact that a model noted is not injected, searched or gathered before
/// the user keeps it.
#[test]
fn an_invented_fact_stays_in_its_run() {
    let scene = Scene::new(vec![goes_on(ZEBRA), ends("Done."), ends("I do not know.")]);
    scene.ask("note what you know of the zebra gateway").ok();
    assert_eq!(body(&scene, "known://zebra", Some(RUN)), "The zebra gateway retries seven times.");
    assert_eq!(body(&scene, "known://zebra", None), "");
    let injected = prompted(&scene, "how often does the zebra gateway retry? what retries seven times?");
    assert!(!injected.contains("seven times."), "{injected}");
    let found = scene.run(&["search", "zebra gateway retries", "--json"]).stdout;
    assert!(!found.contains("known://zebra") && !found.contains("\"known\""), "{found}");
    scene.run(&["ask", "--run", "other", "how often does the zebra gateway retry?"]).ok();
    let packet = scene.model.requests().last().expect("a request").user.clone();
    assert!(!packet.contains("known://zebra"), "{packet}");
    scene
        .home
        .nudge(["entry", "set", "known://planted", "by another", "--run", RUN])
        .cwd(&scene.dir)
        .env("CLAUDECODE", "1")
        .run()
        .ok();
    scene.shell(&["run", "keep", RUN]);
    assert_eq!(body(&scene, "known://zebra", None), "");
    scene.shell(&["run", "keep", RUN, "--yes"]);
    assert_eq!(body(&scene, "known://zebra", None), "The zebra gateway retries seven times.");
    scene.shell(&["run", "keep", RUN, "--yes"]);
    scene.shell(&["run", "keep", RUN, "known://nothing/*"]);
    scene.run(&["entry", "set", "known://zebra", "my own words"]).ok();
    scene.shell(&["run", "keep", RUN, "--yes"]);
    assert_eq!(body(&scene, "known://zebra", None), "my own words");
    scene.shell(&["run", "keep", RUN, "--replace", "--yes"]);
    assert_eq!(body(&scene, "known://zebra", None), "The zebra gateway retries seven times.");
    let refused = scene.home.nudge(["run", "keep", RUN]).cwd(&scene.dir).env("CLAUDECODE", "1").run();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert_snapshot!(scene.page());
}

/// @run_fork @run_memory: what a fork writes changes nothing in its parent, and what the parent
/// writes later changes nothing in the fork.
#[test]
fn a_fork_and_its_parent_go_their_own_ways() {
    let scene = Scene::new(vec![
        goes_on("<set path=\"known://a1\">by the parent</set><set path=\"known://a2\">first</set>"),
        ends("Done."),
        goes_on("<set path=\"known://a1\">changed by the fork</set>"),
        ends("Done too."),
        goes_on("<set path=\"known://a2\">second</set>"),
        ends("Done again."),
    ]);
    scene.ask("note it").ok();
    scene.run(&["run", "fork", RUN, "--name", "copy", "change it"]).ok();
    scene.wait_for_end("copy");
    assert_eq!(body(&scene, "known://a1", Some(RUN)), "by the parent");
    assert_eq!(body(&scene, "known://a1", Some("copy")), "changed by the fork");
    scene.ask("change the other").ok();
    assert_eq!(body(&scene, "known://a2", Some(RUN)), "second");
    assert_eq!(body(&scene, "known://a2", Some("copy")), "first");
    scene.run(&["entry", "rm", "known://a2", "--run", RUN]).ok();
    assert_eq!(body(&scene, "known://a2", Some(RUN)), "");
    assert_eq!(body(&scene, "known://a2", Some("copy")), "first");
    assert_eq!(scene.run(&["entry", "ls", "known://**", "--json"]).json()["matched"], 0);
}

/// @run_memory: a run reads what the project knows; what it writes there it alone sees, and a list
/// shows each path once.
#[test]
fn a_run_shadows_what_the_project_knows() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"known://port\"/>"),
        goes_on("<set path=\"known://port\">9090</set><set path=\"hint://shop/port\">9090</set>"),
        ends("9090."),
    ]);
    scene.run(&["entry", "set", "known://port", "8080"]).ok();
    scene.ask("which port is it?").ok();
    assert!(scene.model.requests()[1].user.contains("8080"));
    assert_eq!(body(&scene, "known://port", None), "8080");
    assert_eq!(body(&scene, "known://port", Some(RUN)), "9090");
    let listed = scene.run(&["entry", "ls", "known://**", "--run", RUN, "--json"]).json();
    assert_eq!(listed["matched"], 1, "{listed}");
    assert_eq!(scene.run(&["get", "shop", "port"]).code, Some(3), "a run sets no hints");
}

/// @run_tools @run_memory: whatever scheme a model writes under, it stays in its run: a skill and a
/// page are no one else's.
#[test]
fn what_a_model_writes_stays_in_its_run() {
    let paths = ["skill://tax", "http://shop.example/tax", "unknown://tax", "known://tax", "note://tax"];
    let sets: String = paths.iter().map(|path| format!("<set path=\"{path}\">Round twice.</set>")).collect();
    let scene = Scene::new(vec![goes_on(&sets), ends("Done."), ends("I do not know.")]);
    scene.ask("note it").ok();
    for path in paths {
        assert_eq!(body(&scene, path, Some(RUN)), "Round twice.", "{path}");
        assert_eq!(body(&scene, path, None), "", "{path}");
    }
    scene.run(&["ask", "--run", "other", "is a tax rounded twice?"]).ok();
    let request = scene.model.requests().pop().expect("a request");
    assert!(
        !request.user.contains("Round twice.") && !request.system.contains("Round twice."),
        "{request:?}"
    );
}

/// @ws_init @run_memory: a run that a program started notes nothing in the project, and a directory
/// that memory does not know is not opened.
#[test]
fn a_program_plants_nothing_through_a_run() {
    let scene = Scene::new(vec![goes_on(ZEBRA), ends("Done.")]);
    let mut socket = Socket::open(&scene);
    socket.call("ask", json!({"prompt": "note it", "model": "scripted", "run": RUN}));
    socket.listen_until(|note| note["method"] == "run/state" && note["params"]["state"] == "completed");
    assert_eq!(body(&scene, "known://zebra", None), "");
    let elsewhere = scene.home.dir("elsewhere").canonicalize().expect("a directory");
    socket.call("init", json!({"name": "x", "projectRoot": elsewhere}));
    let refused = socket.ask("ask", json!({"prompt": "read all", "model": "scripted"}));
    assert_eq!(refused["error"]["data"]["reason"], "unknown_project", "{refused}");
    scene.run(&["project", "private", "shop"]).ok();
    socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
    let refused = socket.ask("ask", json!({"prompt": "read all", "model": "scripted"}));
    assert_eq!(refused["error"]["data"]["reason"], "unknown_project", "{refused}");
}
