//! What each verb does.

use serde_json::json;

use super::setup::scene;

/// @verb_set
#[test]
fn set_creates_and_changes() {
    let scene = scene();
    let made = scene.set("known://auth/plan", "use tokens");
    assert_eq!((made["status"].as_u64(), made["version"].as_i64()), (Some(200), Some(1)));
    assert_eq!(made["visibility"], "visible");
    let more = scene.one(
        "set",
        json!({"path": "known://auth/plan", "attributes": {"owner": "ada"}, "visibility": "summarized",
               "summary": "how we sign in"}),
    );
    assert_eq!((more["version"].as_i64(), more["visibility"].as_str()), (Some(2), Some("summarized")));
    let entry = &scene.bench.ok("get", json!({"path": "known://auth/plan", "preview": true}))["entries"][0];
    assert_eq!(entry["attributes"]["owner"], "ada");
    assert_eq!(entry["summary"], "how we sign in");
    assert_eq!(scene.body("known://auth/plan"), "use tokens");
    let blank = scene.set("unknown://why", "");
    assert_eq!(blank["status"], 200);
    assert_eq!(scene.body("unknown://why"), "");
}

/// @verb_set
#[test]
fn set_needs_something_to_set() {
    let scene = scene();
    assert_eq!(scene.bench.fault("set", json!({"path": "known://x"})).reason, "nothing");
    let missing = scene.one("set", json!({"path": "known://x", "visibility": "archived"}));
    assert_eq!(missing["status"], 404);
    let version = scene.one("set", json!({"path": "known://x", "body": "a", "if_match_version": 3}));
    assert_eq!(version["status"], 409);
    assert_eq!(
        scene.one("set", json!({"path": "known://x", "body": "a", "if_match_version": 0}))["status"],
        200
    );
}

/// @verb_get
#[test]
fn get_promotes_and_a_part_does_not() {
    let scene = scene();
    scene.set("known://list", "one\ntwo\nthree\nfour\n");
    scene.one("set", json!({"path": "known://list", "visibility": "archived"}));
    let part = scene.bench.ok("get", json!({"path": "known://list", "line": -2, "limit": 1}));
    assert_eq!(part["entries"][0]["body"], "three\n");
    assert_eq!(part["entries"][0]["lines"], json!({"from": 3, "count": 1, "of": 4}));
    assert_eq!(part["entries"][0]["visibility"], "archived");
    let whole = scene.bench.ok("get", json!({"path": "known://list"}));
    assert_eq!(whole["entries"][0]["visibility"], "visible");
    assert_eq!(whole["entries"][0]["body"], "one\ntwo\nthree\nfour\n");
    let fault = scene.bench.fault("get", json!({"path": "known://*", "line": 1}));
    assert_eq!(fault.reason, "lines");
    let fault = scene.bench.fault("get", json!({"path": "known://list", "body": "two", "limit": 1}));
    assert_eq!(fault.kind.code(), 40001);
    assert_eq!(scene.bench.ok("get", json!({"path": "known://none"}))["failed"]["status"], 404);
}

/// @verb_get
#[test]
fn get_says_what_its_budget_left_out() {
    let scene = scene();
    scene.set("known://big", &"word ".repeat(3_000));
    scene.set("known://small", "a word");
    let answer = scene.bench.ok("get", json!({"path": "known://*", "max_tokens": 100}));
    assert_eq!(answer["entries"][0]["body"], json!(null));
    assert!(answer["entries"][0]["withheld"].as_str().expect("why").contains("budget"), "{answer}");
    assert_eq!(answer["entries"][1]["body"], "a word");
    let one = scene.bench.ok("get", json!({"path": "known://*", "max": 1}));
    assert_eq!((one["left_out"].as_u64(), one["next"].as_str()), (Some(1), Some("known://big")));
    let rest = scene.bench.ok("get", json!({"path": "known://*", "after": "known://big"}));
    assert_eq!(rest["entries"][0]["path"], "known://small");
}

/// @verb_rm
#[test]
fn rm_removes_from_memory_or_from_the_view_of_a_run() {
    let scene = scene();
    scene.set("known://a", "one");
    scene.bench.ok("get", json!({"path": "known://a", "run": "night"}));
    assert_eq!(scene.one("rm", json!({"path": "known://a", "run": "night"}))["status"], 200);
    assert_eq!(scene.body("known://a"), "one");
    let again = scene.one("rm", json!({"path": "known://a", "run": "night"}));
    assert_eq!(again["status"], 404);
    assert_eq!(scene.one("rm", json!({"path": "known://a"}))["status"], 200);
    assert_eq!(scene.paths("known://**"), Vec::<String>::new());
    assert_eq!(scene.one("rm", json!({"path": "known://a"}))["status"], 404);
}

/// @verb_cp_mv
#[test]
fn cp_copies_and_mv_renames() {
    let scene = scene();
    let made = scene.one("set", json!({"path": "known://a", "body": "one", "attributes": {"n": 1}}));
    let copied = scene.one("cp", json!({"path": "known://a", "to": "known://b"}));
    assert_eq!((copied["status"].as_u64(), copied["to"].as_str()), (Some(200), Some("known://b")));
    assert_eq!(scene.body("known://b"), "one");
    let moved = scene.one("mv", json!({"path": "known://a", "to": "known://c/d"}));
    assert_eq!(moved["id"], made["id"], "a renamed entry keeps its id");
    assert_eq!(scene.paths("known://**"), ["known://b", "known://c/d"]);
    let taken = scene.one("mv", json!({"path": "known://b", "to": "known://c/d"}));
    assert_eq!(taken["status"], 409);
    assert_eq!(scene.one("cp", json!({"path": "known://z", "to": "known://y"}))["status"], 404);
    assert_eq!(scene.one("cp", json!({"path": "known://b", "to": "unknown://b"}))["status"], 200);
    assert_eq!(scene.body("unknown://b"), "one");
}

/// @verb_update
#[test]
fn update_records_how_far_the_work_has_come() {
    let scene = scene();
    let goes_on = scene.one("update", json!({"body": "read the router"}));
    assert_eq!(
        (goes_on["status"].as_u64(), goes_on["path"].as_str()),
        (Some(102), Some("update://read_the_router"))
    );
    let done = scene.one("update", json!({"body": "found it", "status": 200, "run": "night"}));
    assert_eq!(done["status"], 200);
    assert_eq!(scene.bench.fault("update", json!({"body": "x", "status": 500})).reason, "status");
    let stored = scene.bench.ok("get", json!({"path": "update://found_it", "run": "night"}));
    assert_eq!(stored["entries"][0]["attributes"]["status"], 200);
    assert_eq!(stored["entries"][0]["scope"], "run");
}

/// @verbs_preview
#[test]
fn a_preview_changes_nothing() {
    let scene = scene();
    scene.set("known://a", "one two");
    scene.set("known://b", "three");
    let before = scene.bench.ok("get", json!({"path": "known://**", "preview": true}));
    assert_eq!((before["bodies_read"].as_u64(), before["bodies_to_read"].as_u64()), (Some(0), Some(2)));
    let set = scene.bench.ok("set", json!({"path": "known://*", "body": "s/one/two/", "preview": true}));
    assert!(set["results"][0]["diff"].as_str().expect("a diff").contains("+two two"), "{set}");
    let rm = scene.bench.ok("rm", json!({"path": "known://*", "manifest": true}));
    assert_eq!((rm["matched"].as_u64(), rm["preview"].as_bool()), (Some(2), Some(true)));
    let mv = scene.bench.ok("mv", json!({"path": "known://*", "to": "known://old/*", "preview": true}));
    assert_eq!(mv["results"][1]["to"], "known://old/b");
    assert_eq!(scene.bench.ok("get", json!({"path": "known://**", "preview": true})), before);
}

/// @entry_edits
#[test]
fn a_body_with_markers_edits_the_entry() {
    let scene = scene();
    scene.set("known://plan", "first\nsecond\nthird\n");
    let edit = "<<SEARCH\nsecond\nSEARCH\n<<REPLACE\n2nd\nREPLACE\n<<APPEND\nfourth\nAPPEND";
    let edited = scene.set("known://plan", edit);
    assert_eq!((edited["status"].as_u64(), edited["version"].as_i64()), (Some(200), Some(2)));
    assert_eq!(
        scene.bench.ok("get", json!({"path": "known://plan"}))["entries"][0]["body"]
            .as_str()
            .map(|body| body.contains("2nd")),
        Some(true)
    );
    let lost = scene.set("known://plan", "<<SEARCH\nnot there at all\nSEARCH\n<<REPLACE\nx\nREPLACE");
    assert_eq!((lost["status"].as_u64(), lost["outcome"].as_str()), (Some(409), Some("conflict")));
    for broken in ["s/2nd", "s/2nd/", "s/2nd/3rd"] {
        assert_eq!(scene.bench.fault("set", json!({"path": "known://plan", "body": broken})).reason, "edit");
    }
    assert_eq!(scene.set("known://none", "s/a/b/")["status"], 404);
    let open = scene.bench.fault("set", json!({"path": "known://plan", "body": "<<SEARCH\nx"}));
    assert_eq!(open.reason, "edit");
    let raw = scene.one("set", json!({"path": "known://plan", "body": "<<SEARCH\nx", "raw": true}));
    assert_eq!(raw["status"], 200);
    assert_eq!(scene.body("known://plan"), "<<SEARCH\nx");
}
