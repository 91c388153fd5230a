//! What a run writes, and what it leaves in the store.

use insta::assert_snapshot;
use nudge_testkit::until;
use serde_json::{Value, json};

use crate::runs::kit::{Scene, WITHIN, ends, goes_on};

/// @run_tools @run_memory: a model stores facts and open questions, and archives what it no longer
/// needs.
#[test]
fn facts_and_open_questions() {
    let scene = Scene::new(vec![
        goes_on(
            "<set path=\"known://router/port\">8080</set><set path=\"unknown://router/why\">Why not 80?</set>",
        ),
        goes_on("<set path=\"known://router/port\" visibility=\"archived\"/>"),
        ends("8080; nobody knows why."),
    ]);
    scene.ask("which is it?").ok();
    scene.packet(2, &["known://router/port", "unknown://router/why"]);
    scene.packet(3, &["known://router/port", "unknown://router/why"]);
    scene.tell("port", 1);
    scene.shell(&["entry", "get", "known://router/port"]);
    assert_snapshot!(scene.page());
}

/// @verb_set @tags_dispatch: a description and key words are one text; a value that cannot be used
/// is refused in words for a model.
#[test]
fn a_fact_has_a_description_and_key_words() {
    let scene = Scene::new(vec![
        goes_on("<set path=\"known://tea\" summary=\"what is sold\" tags=\"tea,leaf\">Green.</set>"),
        goes_on("<set path=\"known://tea\" if_match_version=\"the last\">Black.</set>"),
        ends("Green."),
    ]);
    scene.ask("what is sold?").ok();
    scene.packet(2, &["known://tea"]);
    assert_snapshot!(scene.story());
}

/// @run_notifications: a row of the history has the path of what a call was about, its record, and
/// facts as a text of JSON.
#[test]
fn a_row_of_the_history() {
    let call = "<set path=\"known://tea\" visibility=\"summarized\">Green.</set><think>Hm.</think>";
    let scene = Scene::new(vec![goes_on(call), ends("Green.")]);
    scene.ask("what is sold?").ok();
    let view = scene.view("port");
    let rows = view["history"].as_array().expect("rows");
    let row = |tool: &str| rows.iter().find(|row| row["tool"] == tool).expect("a row");
    let paths = |tool: &str| (row(tool)["path"].clone(), row(tool)["record"].clone());
    assert_eq!(paths("set"), (json!("known://tea"), json!("log://turn_1/set/known%3A_tea")));
    assert_eq!(paths("think"), (json!("log://turn_1/think/note"), json!("log://turn_1/think/note")));
    assert_eq!(paths("prompt"), (json!("prompt://1"), json!("prompt://1")));
    assert_eq!(
        (&row("set")["attributes"], &row("think")["attributes"]),
        (&json!("{\"visibility\":\"summarized\"}"), &json!("{}"))
    );
}

/// @run_tables: prompts, messages, answers and calls are entries in the run's scope.
#[test]
fn everything_is_an_entry() {
    let scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), ends("Tea.")]);
    scene.ask("what is sold?").ok();
    for path in ["prompt://1", "assistant://1", "log://turn_1/get/README.md", "assistant://2"] {
        scene.shell(&["entry", "get", path, "--run", "port"]);
    }
    assert_snapshot!(scene.page());
}

/// @run_messages @run_tables: both messages are stored as they were sent; the system message is the
/// same in every turn, byte for byte.
#[test]
fn messages_are_stored_as_they_were_sent() {
    let scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), ends("Tea.")]);
    scene.ask("what is sold?").ok();
    let requests = scene.model.requests();
    assert_eq!(requests[0].system, requests[1].system);
    for (turn, request) in requests.iter().enumerate() {
        for (scheme, sent) in [("system", &request.system), ("user", &request.user)] {
            let path = format!("{scheme}://{}", turn + 1);
            let stored = scene.run(&["entry", "get", &path, "--run", "port"]).ok();
            assert_eq!(stored.trim_end(), sent.trim_end(), "{path}");
        }
    }
    let instructions = |packet: &str| {
        let (_, rest) = packet.split_once("<instructions").expect("a block");
        rest.split_once("</instructions>").expect("an end").0.to_owned()
    };
    assert_eq!(instructions(&requests[0].user), instructions(&requests[1].user));
}

/// @run_messages: what a loop left visible stays visible, and the earlier prompt is in the log.
#[test]
fn the_next_prompt_sees_what_the_last_one_read() {
    let scene = Scene::new(vec![
        goes_on("<get path=\"README.md\"/>"),
        ends("Tea."),
        ends("In the readme, as I read before."),
    ]);
    scene.ask("what is sold?").ok();
    scene.ask("and where is that written?").ok();
    scene.packet(3, &["The shop sells", "what is sold?", "and where is that"]);
    assert_snapshot!(scene.story());
}

/// Whether a search finds something.
fn has(scene: &Scene, word: &str) -> bool {
    scene.run(&["search", word]).stdout.contains("conclusion")
}

/// @run_memory: a run is captured as a session of its own, with its prompt and its answer.
#[test]
fn a_run_is_a_session() {
    let scene = Scene::new(vec![ends("Oolong, from the hills.")]);
    scene.ask("which leaves are bought?").ok();
    // What happened is captured after the answer is there.
    until(WITHIN, || has(&scene, "oolong").then_some(()));
    scene.shell(&["search", "leaves"]);
    scene.shell(&["search", "oolong"]);
    scene.shell(&["sessions"]);
    assert_snapshot!(scene.page());
}

/// @run_memory: what a run answered is no source for another run and for agents; what an agent
/// concluded is.
#[test]
fn an_answer_is_no_source() {
    let answer = "buy_leaves reads OOLONG_GRADE from hills.toml.";
    let scene = Scene::new(vec![ends(answer), ends("Nobody knows.")]);
    let record = |event: &str, more: Value| {
        let mut event = json!({"session_id": "s-1", "cwd": scene.dir, "hook_event_name": event});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        scene.home.nudge(["record"]).cwd(&scene.dir).stdin(event.to_string()).run().ok();
    };
    let concluded = "buy_leaves reads ASSAM_GRADE from lowlands.toml.";
    record("UserPromptSubmit", json!({"prompt": "Compare what is read in buy_leaves"}));
    record("Stop", json!({"last_assistant_message": concluded}));
    scene.ask("what does buy_leaves read?").ok();
    until(WITHIN, || has(&scene, "OOLONG_GRADE").then_some(()));
    let question =
        "why does buy_leaves read ASSAM_GRADE from lowlands.toml and OOLONG_GRADE from hills.toml?";
    scene.run(&["ask", "--json", "--run", "again", question]).ok();
    let packet = &scene.model.requests()[1].user;
    let context = scene.run(&["context", "--prompt", question]).ok();
    for text in [packet, &context] {
        assert!(text.contains(concluded) && !text.contains(answer), "{text}");
    }
    let begin = scene.run(&["context"]).ok();
    assert!(begin.contains("Compare what is read") && !begin.contains("OOLONG"), "{begin}");
}

/// @run_lifecycle: `set run://` with a body is the same as `ask`.
#[test]
fn a_run_begins_as_an_entry() {
    let scene = Scene::new(vec![ends("8080.")]);
    let words = ["entry", "set", "run://port", "which is it?", "--attr", "model=scripted"];
    scene.shell(&words);
    scene.wait_for_end("port");
    assert_snapshot!(scene.story());
}
