//! The ceiling: what is made smaller, when a loop gives up, and what providers say.

use insta::assert_snapshot;

use crate::runs::kit::{Move, RUN, Scene, Setup, ends, fails, says_uncounted};
use nudge_testkit::scripted_model::Tokens;

/// A text of about this many tokens.
fn long(tokens: usize) -> String {
    (0..tokens / 6).map(|number| format!("line {number} says nothing new.\n")).collect()
}

/// The sizes of the packets that were too large, in the order in which they were assembled.
fn sizes(scene: &Scene) -> Vec<u64> {
    let view = scene.view(RUN);
    let rows = view["history"].as_array().expect("a history");
    let texts = rows.iter().filter_map(|row| row["body"].as_str()?.split_once("The packet has "));
    texts.filter_map(|(_, rest)| rest.split(' ').next()?.parse().ok()).collect()
}

/// @run_budget: below the ceiling nothing is made smaller.
#[test]
fn what_fits_stays_whole() {
    let scene = Scene::new(vec![
        says_uncounted("<get path=\"doc/long.md\"/><update status=\"102\">next</update>"),
        says_uncounted("<update status=\"200\">Nothing new.</update>"),
    ]);
    scene.home.file("shop/doc/long.md", &long(3_000));
    scene.ask("what is said?").ok();
    let packet = &scene.model.requests()[1].user;
    assert!(packet.contains("line 0 says") && packet.contains("line 499 says"), "{packet}");
    assert_snapshot!(scene.story());
}

/// @run_budget_ladder @run_budget: first, what the previous turn made visible is summarized.
#[test]
fn the_previous_turn_is_summarized_first() {
    let scene = Scene::new(vec![
        says_uncounted("<get path=\"doc/long.md\"/><update status=\"200\">Nothing.</update>"),
        says_uncounted("<update status=\"200\">Still nothing.</update>"),
    ]);
    scene.home.file("shop/doc/long.md", &long(3_500));
    scene.ask("what is said?").ok();
    scene.ask_with(&["--no-repo"], &format!("and here?\n{}", long(3_000))).ok();
    let packet = &scene.model.requests()[1].user;
    assert!(!packet.contains("line 580 says"), "the file is summarized: {packet}");
    assert!(packet.contains("line 490 says"), "the prompt is whole: {packet}");
    scene.packet(2, &["413", "doc/long.md"]);
    assert_snapshot!(scene.story());
}

/// @run_budget_ladder: then the prompt is summarized, and the model can read it with `get`.
#[test]
fn a_huge_prompt_is_summarized() {
    let scene = Scene::new(vec![says_uncounted("<update status=\"200\">Too much to read.</update>")]);
    scene.ask_with(&["--no-repo"], &format!("what is new here?\n{}", long(9_000))).ok();
    let packet = &scene.model.requests()[0].user;
    assert!(packet.contains("what is new here?") && !packet.contains("line 900 says"), "{packet}");
    assert_snapshot!(scene.story());
}

/// @run_budget_ladder: a packet that is still too large ends the loop with 413, and nothing is
/// sent.
#[test]
fn a_model_that_reads_too_little() {
    let scene = Scene::set_up(&Setup { model: "context = 1000\n", ..Setup::default() }, vec![ends("8080.")]);
    scene.ask("which is it?").exits(2);
    assert!(scene.model.requests().is_empty());
    let sizes = sizes(&scene);
    assert!(sizes.len() > 1 && sizes.is_sorted_by(|one, next| one >= next), "a packet grew: {sizes:?}");
    assert_snapshot!(scene.story());
}

/// @run_config @run_budget_ladder: the token limit of a run is a limit like that of its model.
#[test]
fn the_limit_of_a_run() {
    let scene = Scene::new(vec![ends("8080.")]);
    scene.ask_with(&["--context-limit", "1000"], "which is it?").exits(2);
    assert!(scene.model.requests().is_empty());
    assert_snapshot!(scene.story());
}

/// @run_budget: what the calls of a turn made visible is summarized if the next packet would be
/// over the ceiling, and an error says so.
#[test]
fn calls_that_read_too_much() {
    let scene = Scene::new(vec![
        says_uncounted("<get path=\"doc/long.md\"/><update status=\"102\">next</update>"),
        says_uncounted("<get path=\"doc/long.md\" line=\"1\" limit=\"2\"/><update status=\"102\">x</update>"),
        says_uncounted("<update status=\"200\">Nothing new.</update>"),
    ]);
    scene.home.file("shop/doc/long.md", &long(12_000));
    scene.ask("what is said?").ok();
    scene.packet(2, &["413", "doc/long.md"]);
    assert_snapshot!(scene.story());
}

/// @run_budget: a packet is measured by its estimate, corrected by what the model counted before.
#[test]
fn a_model_that_counts_more() {
    let counted = |text: &str| {
        Move::say(text, |say| say.tokens(Some(Tokens { input: 2_000, output: 9, ..Tokens::default() })))
    };
    let scene = Scene::new(vec![
        counted("<get path=\"doc/long.md\"/><update status=\"102\">next</update>"),
        counted("<update status=\"200\">Nothing new.</update>"),
    ]);
    scene.home.file("shop/doc/long.md", &long(3_000));
    scene.ask("what is said?").ok();
    assert_snapshot!(scene.story());
}

/// @run_too_long @model_context_too_long: a provider that cannot read the request ends the loop
/// with 413, in the words of each.
#[test]
fn a_provider_cannot_read_it() {
    let table = [
        (
            "openai",
            "",
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        ),
        (
            "anthropic",
            "",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        ("ollama", "", 500, r#"{"error":"prompt too long; exceeded max context length"}"#),
    ];
    let mut pages = String::new();
    for (provider, model, status, body) in table {
        let setup = Setup { provider, model, ..Setup::default() };
        let scene = Scene::set_up(&setup, vec![fails(status, body)]);
        scene.ask("which is it?").exits(2);
        assert_eq!(scene.model.requests().len(), 1, "it is not tried again");
        pages.push_str(&format!("# {provider}\n{}\n", scene.story()));
    }
    assert_snapshot!(pages);
}
