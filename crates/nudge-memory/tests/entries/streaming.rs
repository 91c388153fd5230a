//! Bodies that grow.

use std::time::Instant;

use nudge_core::path::{action_path, channel_path};
use serde_json::{Value, json};

use super::setup::scene;

/// @streaming_appends
#[test]
fn a_stream_is_appended_sampled_and_joined() {
    let scene = scene();
    let path = "sh://turn_1/build_1";
    scene.one("set", json!({"path": path, "body": "start\n", "state": "streaming", "run": "day"}));
    for number in 0..50 {
        let part = format!("<<APPEND\nline {number}\nAPPEND");
        let done = scene.one("set", json!({"path": path, "body": part, "run": "day"}));
        assert_eq!(done["status"], 102);
    }
    let shown = |entry: &Value| (entry["visibility"].clone(), entry["status"].clone());
    scene.one("set", json!({"path": path, "visibility": "archived", "run": "day"}));
    for (part, expected) in [(json!({"line": -1}), "line 49"), (json!({"line": 2, "limit": 1}), "line 0")] {
        let mut params = json!({"path": path, "run": "day"});
        params.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
        let sampled = scene.bench.ok("get", params);
        let entry = &sampled["entries"][0];
        assert_eq!(entry["body"].as_str().map(str::trim_end), Some(expected), "{sampled}");
        assert_eq!(shown(entry), (json!("archived"), json!(102)));
    }
    let listed = scene.bench.ok("get_entries", json!({"pattern": path, "run": "day"}));
    assert_eq!(shown(&listed["entries"][0]), (json!("archived"), json!(102)), "a sample promotes nothing");
    let ended = scene.one("set", json!({"path": path, "state": "resolved", "run": "day"}));
    assert_eq!(ended["status"], 200);
    let body = scene.bench.ok("get", json!({"path": path, "run": "day"}))["entries"][0]["body"].clone();
    let body = body.as_str().expect("a body");
    assert!(body.starts_with("start\n") && body.contains("line 0") && body.contains("line 49"), "{body}");
}

/// @streaming_appends
#[test]
fn a_credential_split_between_two_appends_is_replaced() {
    let scene = scene();
    let path = "sh://turn_1/env_1";
    let token = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let (first, second) = token.split_at(14);
    scene.one("set", json!({"path": path, "body": "GITHUB_TOKEN=", "state": "streaming", "run": "day"}));
    for part in [first, second] {
        let body = json!({"path": path, "body": part, "append": true, "run": "day"});
        scene.one("set", body);
    }
    scene.one("set", json!({"path": path, "state": "resolved", "run": "day"}));
    let body = scene.bench.ok("get", json!({"path": path, "run": "day"}))["entries"][0]["body"].clone();
    assert!(!body.as_str().expect("a body").contains(&token), "{body}");
}

/// @streaming_appends
#[test]
fn appends_cost_linear_time() {
    let scene = scene();
    let chunk = "x".repeat(4_096);
    let part = format!("<<APPEND\n{chunk}\nAPPEND");
    let time = |path: &str, count: usize| {
        scene.one("set", json!({"path": path, "body": "", "state": "streaming", "run": "day"}));
        let start = Instant::now();
        for _ in 0..count {
            scene.one("set", json!({"path": path, "body": part, "run": "day"}));
        }
        start.elapsed()
    };
    time("sh://warm", 20);
    let (short, long) = (time("sh://short", 60), time("sh://long", 240));
    assert!(long < short * 12, "four times the text took {long:?} instead of {short:?}");
}

/// @stream_paths
#[test]
fn a_record_and_its_channels_have_their_own_schemes() {
    let scene = scene();
    let record = action_path(1, "sh", "make test").expect("a path");
    let out = channel_path(&record, 1).expect("a channel");
    scene.one("set", json!({"path": record.as_str(), "body": "ran make test", "run": "day"}));
    scene.one("set", json!({"path": out.as_str(), "body": "ok\n", "state": "streaming", "run": "day"}));
    let category = |path: &str| {
        let shown = scene.bench.ok("get_entries", json!({"pattern": path, "run": "day"}));
        shown["entries"][0]["category"].as_str().expect("a category").to_owned()
    };
    assert_eq!((record.as_str(), out.as_str()), ("log://turn_1/sh/make_test", "sh://turn_1/make_test_1"));
    assert_eq!(
        (category(record.as_str()), category(out.as_str())),
        ("logging".to_owned(), "data".to_owned())
    );
}
