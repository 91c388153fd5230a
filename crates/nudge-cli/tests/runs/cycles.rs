//! Cycles: turns that repeat are strikes, and the model does not hear of it.

use insta::assert_snapshot;

use crate::runs::kit::{Scene, goes_on, says};

/// @run_cycles: the same turn again and again.
#[test]
fn one_turn_repeats() {
    let scene = Scene::new((0..9).map(|_| goes_on("<get path=\"README.md\"/>")).collect());
    scene.ask("what is sold?").exits(1);
    let named = |packet: &str| packet.contains("repeat") || packet.contains("cycle");
    assert!(scene.model.requests().iter().all(|request| !named(&request.user)));
    assert_snapshot!(scene.story());
}

/// @run_cycles: two turns take turns.
#[test]
fn two_turns_repeat() {
    let file = |number: usize| if number.is_multiple_of(2) { "README.md" } else { "src/router.rs" };
    let scene = Scene::new((0..12).map(|n| goes_on(&format!("<get path=\"{}\"/>", file(n)))).collect());
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}

/// @run_cycles: turns that do nothing repeat, too, whatever they say.
#[test]
fn empty_turns_repeat() {
    let words = ["soon", "nearly", "almost", "in a moment", "now", "really"];
    let scene = Scene::new(words.map(|word| says(&format!("<update status=\"102\">{word}</update>"))).into());
    scene.ask("what is sold?").exits(1);
    assert_snapshot!(scene.story());
}
