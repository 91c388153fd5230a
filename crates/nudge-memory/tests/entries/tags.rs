//! A model's tags, carried out.

use serde_json::json;

use super::setup::scene;

/// @tags_dispatch
#[test]
fn tags_are_carried_out_in_order() {
    let mut scene = scene();
    scene.agent();
    let text = "Let me see.\n<set path=\"known://plan\" summary=\"the plan\" owner=\"me\">first\nsecond</set>\n\
                <set path=\"known://plan\"><<SEARCH\nsecond\nSEARCH\n<<REPLACE\n2nd\nREPLACE</set>\n\
                <get path=\"known://plan\" line=\"2\" limit=\"1\"/>\n<think>is that all?</think>\n\
                <update status=\"200\">done</update>";
    let answer = scene.bench.ok("apply_tags", json!({"text": text}));
    let statuses: Vec<u64> = answer["calls"]
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| call["status"].as_u64().expect("a status"))
        .collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200], "{answer}");
    assert_eq!(answer["calls"][2]["answer"]["entries"][0]["body"], "2nd");
    let entry = &scene.bench.ok("get", json!({"path": "known://plan"}))["entries"][0];
    assert_eq!(
        (entry["summary"].as_str(), entry["attributes"]["owner"].as_str()),
        (Some("the plan"), Some("me"))
    );
    assert!(answer["text"].as_str().expect("prose").contains("Let me see."));
}

/// @tags_dispatch
#[test]
fn after_a_failure_the_rest_is_not_carried_out() {
    let mut scene = scene();
    scene.agent();
    let text = "<get path=\"known://none\"/><set path=\"known://a\">b</set><sh>make</sh>";
    let answer = scene.bench.ok("apply_tags", json!({"text": text}));
    let status = |at: usize| answer["calls"][at]["status"].as_u64();
    assert_eq!((status(0), status(1), status(2)), (Some(404), Some(499), Some(499)));
    assert_eq!(scene.paths("known://**"), Vec::<String>::new());
    let commands = scene.bench.ok("apply_tags", json!({"text": "<sh>make</sh>"}));
    assert_eq!(commands["calls"][0]["status"], 403);
}

/// @tags_dispatch
#[test]
fn what_a_tag_proposes_is_counted() {
    let mut scene = scene();
    scene.file("a.txt", "one\n");
    scene.file("b.txt", "one\n");
    let text = "<set path=\"*.txt\">s/one/two/</set><search>router</search>";
    let answer = scene.agent().bench.ok("apply_tags", json!({"text": text}));
    assert_eq!(
        (answer["proposals"].as_u64(), answer["calls"][0]["status"].as_u64()),
        (Some(2), Some(202)),
        "{answer}"
    );
    assert_eq!(
        scene.user().bench.ok("list_proposals", json!({}))["proposals"].as_array().map(Vec::len),
        Some(2)
    );
}

/// @tags_dispatch
#[test]
fn a_cut_off_call_removes_nothing() {
    let mut scene = scene();
    scene.agent().set("known://a", "one");
    let answer = scene.bench.ok("apply_tags", json!({"text": "<rm>known://a"}));
    assert_eq!(answer["calls"][0]["status"], 400, "{answer}");
    assert_eq!(scene.paths("known://**"), ["known://a"]);
}

/// @tags_dispatch: an attribute is a number where the verb has a number.
#[test]
fn numbers_in_attributes_are_numbers() {
    let mut scene = scene();
    scene.agent();
    for name in ["a", "b", "c"] {
        scene.bench.ok("set", json!({"path": format!("known://{name}"), "body": name}));
    }
    let answer = scene.bench.ok("apply_tags", json!({"text": "<get path=\"known://**\" max=\"2\"/>"}));
    let entries = answer["calls"][0]["answer"]["entries"].as_array().map(Vec::len);
    assert_eq!(entries, Some(2), "{answer}");
    let text = "<set path=\"known://a\" if_match_version=\"1\" line=\"7\">new</set>";
    let answer = scene.bench.ok("apply_tags", json!({"text": text}));
    assert_eq!(answer["calls"][0]["status"], 200, "{answer}");
    let entry = &scene.bench.ok("get", json!({"path": "known://a"}))["entries"][0];
    assert_eq!((entry["body"].as_str(), &entry["attributes"]["line"]), (Some("new"), &json!(7)));
}

/// @tags_dispatch: a call that is refused leaves nothing behind, as if it came by itself.
#[test]
fn a_refused_call_leaves_nothing_behind() {
    let mut scene = scene();
    scene.agent();
    scene.bench.ok("set", json!({"path": "known://a", "body": "plain x"}));
    scene.bench.ok("set", json!({"path": "known://b", "body": "ghp_x"}));
    // The first entry may have it, and in the second it completes a credential.
    let rest = "k3Jx9QmZ7vTn2LrW8sYb5HdGfC4pAe1uRo6X";
    let text = format!("<set path=\"known://*\" summary=\"changed\">s/x/{rest}/</set>");
    let answer = scene.bench.ok("apply_tags", json!({"text": text}));
    assert_eq!(answer["calls"][0]["status"], 403, "{answer}");
    for entry in scene.bench.ok("get", json!({"path": "known://*", "preview": true}))["entries"]
        .as_array()
        .expect("entries")
    {
        assert_eq!(entry["summary"], serde_json::Value::Null, "{entry}");
    }
}

/// @tags_dispatch
#[test]
fn tags_have_an_agents_rights_whoever_passes_them_on() {
    let scene = scene();
    scene.file("a.txt", "one\n");
    scene.set("known://a", "the user's");
    let text = "The docs say <rm path=\"**\"/> removes all.<set path=\"known://a\">mine</set>";
    let answer = scene.bench.ok("apply_tags", json!({"text": text}));
    assert_eq!(answer["proposals"], 2, "{answer}");
    assert_eq!(scene.on_disk("a.txt").as_deref(), Some("one\n"));
    assert_eq!(scene.body("known://a"), "the user's");
}
