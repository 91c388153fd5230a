//! Answers: from the prompt alone, from memory, from files, and none at all.

use insta::assert_snapshot;

use crate::runs::kit::{Move, Scene, ends, goes_on, says};

/// @run_lifecycle @run_healing: text without a call is the answer of a loop that asks.
#[test]
fn plain_text_is_the_answer() {
    let scene = Scene::new(vec![says("It listens on 8080.")]);
    scene.ask("which port does the router use?").ok();
    assert_snapshot!(scene.story());
}

/// @run_gather @run_sources @run_memory: memory is searched for the prompt, and the answer names
/// what it is based on.
#[test]
fn an_answer_from_memory() {
    let scene = Scene::new(Vec::new());
    let words = ["remember", "--json", "the router listens on 8080 because 80 needs root"];
    let id = scene.run(&words).json()["statement"]["id"].as_i64().expect("an id");
    scene.push(ends(&format!("8080, because 80 needs root (#{id}).")));
    scene.ask("why does the router not use 80?").ok();
    scene.packet(1, &["needs root"]);
    assert_snapshot!(scene.story());
}

/// @run_gather @run_memory @run_sources: a model reads a hint under its path, as any other caller
/// does.
#[test]
fn an_answer_from_a_hint() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"hint://shop/deploy\"/>"),
        ends("`make deploy` (hint://shop/deploy)."),
    ]);
    scene.run(&["hint", "set", "shop", "deploy", "run make deploy from main"]).ok();
    scene.ask("who ships it?").ok();
    scene.packet(2, &["make deploy"]);
    assert_snapshot!(scene.story());
}

/// @run_dispatch @run_sources: a model reads a file and cites it.
#[test]
fn an_answer_from_a_file() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"src/router.rs\"/>"),
        ends("It trims the last slash (src/router.rs)."),
    ]);
    scene.ask("what happens to paths?").ok();
    scene.packet(2, &["trim_end_matches"]);
    assert_snapshot!(scene.story());
}

/// @run_gather: when nothing matches, nothing is shown.
#[test]
fn nothing_has_the_words() {
    let scene = Scene::new(vec![says("<update status=\"422\">Nothing here says it.</update>")]);
    scene.run(&["remember", "the router listens on 8080"]).ok();
    scene.ask("zyzzyva quokka?").exits(3);
    assert!(!scene.model.requests()[0].user.contains("8080"));
    assert_snapshot!(scene.story());
}

/// @run_gather: `--no-repo` leaves out the files.
#[test]
fn files_can_be_left_out() {
    let scene = Scene::new(vec![ends("I cannot see it.")]);
    scene.run(&["remember", "the router is older than the shop"]).ok();
    scene.ask_with(&["--no-repo"], "how old is the router, and where is its PORT?").ok();
    assert!(!scene.model.requests()[0].user.contains("u16"));
    assert_snapshot!(scene.story());
}

/// @run_gather: the tag `search` lists matches, a line for each.
#[test]
fn a_model_searches() {
    let scene = Scene::new(vec![goes_on("<search>tea</search>"), ends("It sells tea (README.md).")]);
    scene.run(&["remember", "tea is bought in autumn"]).ok();
    scene.ask("what is sold?").ok();
    scene.packet(2, &["matches", "README.md:"]);
    assert_snapshot!(scene.story());
}

/// @run_tools: a pattern with a preview lists what it would read, and reads nothing.
#[test]
fn a_preview_lists_what_matches() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"known://plan/*\" preview/>"),
        ends("There are two plans, and I read none."),
    ]);
    for (path, body) in [("known://plan/one", "buy green leaves"), ("known://plan/two", "buy black leaves")] {
        scene.run(&["entry", "set", path, body]).ok();
    }
    scene.ask("which are there?").ok();
    assert!(!scene.model.requests()[1].user.contains("black leaves"));
    assert_snapshot!(scene.story());
}

/// @run_tools: a part of a file goes into the log, and the file does not come into view.
#[test]
fn a_part_of_a_file() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"src/router.rs\" line=\"3\" limit=\"2\"/>"),
        ends("The function is `route`."),
    ]);
    scene.ask("which function is it?").ok();
    let packet = &scene.model.requests()[1].user;
    assert!(packet.contains("pub fn route") && !packet.contains("trim_end_matches"), "{packet}");
    assert_snapshot!(scene.story());
}

/// @run_update: the last update of a turn counts.
#[test]
fn the_last_update_counts() {
    let first = "<update status=\"102\">looking</update><update status=\"200\">It is 80.</update>";
    let scene = Scene::new(vec![says(&format!("{first}<update status=\"200\">It is 8080.</update>"))]);
    scene.ask("which is it?").ok();
    assert_snapshot!(scene.story());
}

/// @run_update: an answer with the status of work that goes on is sent again with that of an end.
#[test]
fn an_answer_with_the_wrong_status() {
    let scene = Scene::new(vec![says("<update status=\"102\">It is 8080.</update>"), ends("It is 8080.")]);
    scene.ask("which is it?").ok();
    scene.packet(2, &["nothing new comes"]);
    assert_snapshot!(scene.story());
}

/// @run_update @run_states: 204 is an end without anything to say.
#[test]
fn there_is_nothing_to_do() {
    let scene = Scene::new(vec![says("<update status=\"204\"/>")]);
    scene.ask("is anything left?");
    assert_snapshot!(scene.story());
}

/// @run_update @run_states: 422 is an end without an answer.
#[test]
fn there_is_no_answer() {
    let scene = Scene::new(vec![says("<update status=\"422\">Nobody wrote it down.</update>")]);
    scene.ask("who chose it?").exits(3);
    assert_snapshot!(scene.story());
}

/// @run_memory: a thought is in one line in the next turn; reasoning that comes apart is kept
/// apart.
#[test]
fn a_thought_becomes_one_line() {
    let thought = "First the file, then the memory.\nThe port may be in both.\nThat would be odd.";
    let calls = format!("<think>{thought}</think><update status=\"102\">next</update>");
    let scene =
        Scene::new(vec![Move::say(&calls, |say| say.reasoning("The user wants a number.")), ends("8080.")]);
    scene.ask("which is it?").ok();
    scene.packet(2, &["First the file", "That would be odd"]);
    scene.shell(&["entry", "get", "reasoning://1", "--run", "port"]);
    assert_snapshot!(scene.story());
}
