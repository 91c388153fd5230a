//! Strikes: turns with errors, and when a loop gives up.

use insta::assert_snapshot;

use crate::runs::kit::{Scene, Setup, ends, goes_on, says};

/// @run_strikes @run_dispatch: a failed call is a strike; the calls after it are aborted.
#[test]
fn a_failed_call() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"src/nothing.rs\"/><get path=\"README.md\"/>"),
        ends("There is no such file."),
    ]);
    scene.ask("what does it say?").ok();
    scene.packet(2, &["src/nothing.rs"]);
    assert_snapshot!(scene.story());
}

/// @run_strikes @loop_verdict: a clean turn sets the count back to zero.
#[test]
fn a_clean_turn_forgives() {
    let wrong = |name: &str| goes_on(&format!("<get path=\"src/{name}.rs\"/>"));
    let scene = Scene::new(vec![
        wrong("a"),
        wrong("b"),
        goes_on("<get path=\"README.md\"/>"),
        wrong("c"),
        wrong("d"),
        ends("Only the readme is there."),
    ]);
    scene.ask("what is there?").ok();
    assert_snapshot!(scene.story());
}

/// @run_strikes: three strikes in a row end the loop with 499.
#[test]
fn three_strikes() {
    let wrong = |name: &str| goes_on(&format!("<get path=\"src/{name}.rs\"/>"));
    let scene = Scene::new(vec![wrong("a"), wrong("b"), wrong("c"), ends("Never said.")]);
    scene.ask("what is there?").exits(1);
    assert_eq!(scene.model.requests().len(), 3);
    assert_snapshot!(scene.story());
}

/// @run_healing @run_strikes: calls without an update get a reminder and a strike.
#[test]
fn calls_without_an_update() {
    let scene = Scene::new(vec![says("<get path=\"README.md\"/>"), ends("It sells tea.")]);
    scene.ask("what is sold?").ok();
    scene.packet(2, &["had no update"]);
    assert_snapshot!(scene.story());
}

/// @run_healing @run_strikes @run_cycles: an empty answer is an error; three of them end the loop.
#[test]
fn empty_answers() {
    let scene = Scene::new(vec![says(""), says(" \n"), says("")]);
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}

/// @run_strikes @run_healing: what was lost is one error that the model reads, and an end in the
/// same turn is not accepted.
#[test]
fn a_lost_call() {
    let scene = Scene::new(vec![
        says("<tool_call>{\"name\": \"get\", \"arguments\": {\"path\": \"README"),
        ends("It sells tea."),
    ]);
    scene.ask("what is sold?").ok();
    assert_snapshot!(scene.story());
}

/// @run_caps: a turn has a limit of calls; the others are lost, and the model reads it.
#[test]
fn too_many_calls() {
    let config = "[runs]\nmax_commands = 3\n";
    let calls: String = (1..=4).map(|n| format!("<set path=\"known://n/{n}\">{n}</set>")).collect();
    let scene =
        Scene::set_up(&Setup { config, ..Setup::default() }, vec![goes_on(&calls), ends("Three of them.")]);
    scene.ask("count to four").ok();
    assert_snapshot!(scene.story());
}

/// @run_caps @loop_verdict: a loop has a limit of turns.
#[test]
fn too_many_turns() {
    let config = "[runs]\nmax_turns = 2\n";
    let steps =
        vec![goes_on("<get path=\"README.md\"/>"), goes_on("<get path=\"src/router.rs\"/>"), ends("x")];
    let scene = Scene::set_up(&Setup { config, ..Setup::default() }, steps);
    scene.ask("what is sold?").exits(1);
    assert_eq!(scene.model.requests().len(), 2);
    assert_snapshot!(scene.story());
}
