//! What a loop that asks may not do.

use insta::assert_snapshot;

use crate::runs::kit::{Scene, ends, goes_on, says};

/// @run_policy @run_tools: a loop that asks executes nothing and changes no file.
#[test]
fn tools_that_act_are_refused() {
    let calls = "<sh command=\"rm -rf .\"/><env command=\"env\"/><rm path=\"README.md\"/>\
                 <mv path=\"README.md\" to=\"X.md\"/><cp path=\"README.md\" to=\"Y.md\"/>";
    let scene = Scene::new(vec![goes_on(calls), ends("I may not.")]);
    scene.ask("clean up").ok();
    assert!(scene.dir.join("README.md").exists() && !scene.dir.join("Y.md").exists());
    let system = &scene.model.requests()[0].system;
    assert!(!system.contains("<sh") && !system.contains("<rm"), "{system}");
    assert_snapshot!(scene.story());
}

/// @run_policy: `set` on a file is refused.
#[test]
fn a_file_is_not_changed() {
    let scene = Scene::new(vec![goes_on("<set path=\"README.md\">sells coffee</set>"), ends("I may not.")]);
    scene.ask("sell coffee").ok();
    assert!(std::fs::read_to_string(scene.dir.join("README.md")).expect("a file").contains("tea"));
    scene.shell(&["review"]);
    assert_snapshot!(scene.story());
}

/// @run_policy @run_memory: what the user wrote is not changed, and no proposal is made.
#[test]
fn the_words_of_the_user_stay() {
    let scene = Scene::new(vec![
        goes_on("<set path=\"known://plan/tea\">sell coffee</set>"),
        goes_on("<rm path=\"known://plan/tea\"/>"),
        ends("The plan is yours to change."),
    ]);
    scene.run(&["entry", "set", "known://plan/tea", "sell green tea"]).ok();
    scene.ask("change the plan").ok();
    scene.shell(&["entry", "get", "known://plan/tea"]);
    scene.shell(&["review"]);
    assert_snapshot!(scene.story());
}

/// @run_policy: a target with more than 512 characters, or without any, is refused.
#[test]
fn a_target_has_a_shape() {
    let long = format!("<get path=\"{}\"/>", "known://".to_owned() + &"reasoning/".repeat(60));
    let scene = Scene::new(vec![
        goes_on(&format!("{long}<search>  </search>")),
        goes_on("<get path=\"README.md\nthen the router\"/>"),
        goes_on("<get path=\"README.md\"/>"),
        goes_on("<get path=\"READ\u{7}ME.md\"/>"),
        goes_on("<get path=\"READ\u{202e}ME.md\"/>"),
        ends("Enough."),
    ]);
    scene.ask("read it all").ok();
    assert_snapshot!(scene.story());
}

/// @run_update: an end in a turn in which a call failed is not accepted.
#[test]
fn an_end_after_a_failure() {
    let scene = Scene::new(vec![
        says("<get path=\"src/nothing.rs\"/><update status=\"200\">It says nothing.</update>"),
        ends("There is no such file."),
    ]);
    scene.ask("what does it say?").ok();
    scene.packet(2, &["Not accepted"]);
    assert_snapshot!(scene.story());
}
