//! Verbs over patterns.

use serde_json::json;

use super::setup::scene;

/// @verbs_by_pattern
#[test]
fn every_kind_of_pattern_selects() {
    let scene = scene();
    scene.set("known://auth/plan", "{\"steps\": [1, 2]}");
    scene.set("known://auth/risk", "<risk><level>3</level></risk>");
    scene.set("known://build", "cargo build");
    scene.set("unknown://auth", "who signs?");
    assert_eq!(scene.paths("known://auth/*"), ["known://auth/plan", "known://auth/risk"]);
    assert_eq!(scene.paths("known://**").len(), 3);
    assert_eq!(scene.paths("/.*:..auth/"), ["unknown://auth"]);
    assert_eq!(scene.paths("known://build"), ["known://build"]);
    let with =
        |body: &str| scene.bench.ok("get", json!({"path": "known://**", "body": body, "preview": true}));
    let path = |body: &str| with(body)["entries"][0]["path"].clone();
    assert_eq!(path("$.steps[1]"), "known://auth/plan");
    assert_eq!(path("//level"), "known://auth/risk");
    assert_eq!(path("cargo"), "known://build");
    assert_eq!(path("/^cargo\\s/"), "known://build");
    let none = with("nowhere");
    assert_eq!((none["matched"].as_u64(), none["bodies_read"].as_u64()), (Some(0), Some(3)));
}

/// @verbs_by_pattern
#[test]
fn a_pattern_changes_all_that_it_matches() {
    let scene = scene();
    for name in ["plan_a", "plan_b", "other"] {
        scene.set(&format!("known://{name}"), "draft");
    }
    let set = scene
        .bench
        .ok("set", json!({"path": "known://plan_*", "body": "s/draft/done/", "visibility": "summarized"}));
    assert_eq!((set["matched"].as_u64(), set["results"].as_array().map(Vec::len)), (Some(2), Some(2)));
    assert_eq!((scene.body("known://plan_b"), scene.body("known://other")), ("done".into(), "draft".into()));
    scene.bench.ok("cp", json!({"path": "known://plan_*", "to": "known://old/*"}));
    scene.bench.ok("mv", json!({"path": "known://plan_*", "to": "known://new/"}));
    assert_eq!(
        scene.paths("known://**"),
        ["known://new/a", "known://new/b", "known://old/a", "known://old/b", "known://other"]
    );
    assert_eq!(scene.bench.fault("cp", json!({"path": "known://old/*", "to": "known://x"})).reason, "to");
    let rm = scene.bench.ok("rm", json!({"path": "known://{old,new}/*", "filter": "done"}));
    assert_eq!(rm["matched"], 4);
    assert_eq!(scene.paths("known://**"), ["known://other"]);
}

/// @pattern_bounds
#[test]
fn a_pattern_without_bounds_is_refused() {
    let scene = scene();
    scene.set("known://a", "b");
    let long = format!("/{}/", "(a|b)?".repeat(900));
    for pattern in ["/(?=a)/", "/(a)\\1/", long.as_str()] {
        assert_eq!(scene.bench.fault("get", json!({"path": pattern})).reason, "pattern", "{pattern}");
    }
    let many = scene
        .bench
        .ok("get", json!({"path": "known://**", "body": "//*//*//*//*//*//*//*", "preview": true}));
    assert_eq!(many["matched"], 0);
}

/// @verbs_by_pattern: what is only counted is counted as what is shown.
#[test]
fn the_number_of_matches_does_not_depend_on_how_many_are_shown() {
    let scene = scene();
    for name in ["a", "b", "c", "d"] {
        scene.set(&format!("known://{name}"), "text");
        scene.set(&format!("log://{name}"), "of the project");
    }
    for (run, name) in [("one", "a1"), ("one", "z"), ("two", "b1"), ("two", "y")] {
        scene.bench.ok("set", json!({"path": format!("log://{name}"), "body": "of a run", "run": run}));
    }
    let said = scene.bench.ok("remember", json!({"text": "always run make check before a commit"}));
    let id = said["statement"]["id"].as_i64().expect("an id");
    let matched = |path: &str, max: u64, run: Option<&str>| {
        let answer = scene.bench.ok("get", json!({"path": path, "max": max, "preview": true, "run": run}));
        answer["matched"].as_u64().expect("a number")
    };
    assert_eq!(matched("known://**", 1, None), 5);
    scene.bench.ok("forget", json!({"id": id}));
    for max in [1, 2, 100] {
        assert_eq!(matched("known://**", max, None), 4, "{max}");
        assert_eq!(matched("log://**", max, None), 4, "{max}");
        for run in ["one", "two"] {
            assert_eq!(matched("log://**", max, Some(run)), 6, "{max} {run}");
            assert_eq!(matched("/log:.*/", max, Some(run)), 6, "{max} {run}");
        }
    }
}
