//! Files of the project.

use serde_json::json;

use super::setup::scene;

/// @entry_files
#[test]
fn a_file_is_read_from_disk_and_fresh() {
    let scene = scene();
    scene.file("src/main.rs", "fn main() {}\n");
    scene.file("target/out.txt", "built\n");
    scene.file(".gitignore", "target/\n");
    assert_eq!(scene.paths("**/*.rs"), ["src/main.rs"]);
    assert_eq!(scene.paths("**"), [".gitignore", "src/main.rs"]);
    let read = scene.bench.ok("get", json!({"path": "src/main.rs"}));
    let entry = &read["entries"][0];
    assert_eq!(
        (entry["body"].as_str(), entry["visibility"].as_str()),
        (Some("fn main() {}\n"), Some("visible"))
    );
    assert_eq!(entry["attributes"]["hash"].as_str().map(str::len), Some(64));
    scene.file("src/main.rs", "fn main() { run() }\n");
    let again = &scene.bench.ok("get", json!({"path": "src/main.rs"}))["entries"][0];
    assert_eq!(
        (again["body"].as_str(), again["attributes"]["changed_since_last_read"].as_bool()),
        (Some("fn main() { run() }\n"), Some(true))
    );
    assert_eq!(scene.bench.ok("get", json!({"path": "src/none.rs"}))["failed"]["status"], 404);
    let one = scene.bench.ok("get", json!({"path": "src/main.rs", "body": "run()"}));
    assert_eq!((one["matched"].as_u64(), one["entries"][0]["body"].is_string()), (Some(1), true));
    assert_eq!(scene.bench.ok("get", json!({"path": "src/main.rs", "body": "nowhere"}))["matched"], 0);
    assert!(scene.bench.call("set", json!({"path": "known:/a", "body": "x"})).is_err(), "a slash is missing");
    let by_body = scene.bench.ok("get", json!({"path": "**", "body": "run()", "preview": true}));
    assert_eq!(by_body["entries"][0]["path"], "src/main.rs");
}

/// @entry_files
#[test]
fn the_users_write_is_made_at_once_and_an_agents_waits() {
    let mut scene = scene();
    scene.file("a.txt", "one\ntwo\n");
    let done = scene.set("a.txt", "s/two/2/");
    assert_eq!(done["status"], 200);
    assert!(done["diff"].as_str().expect("a diff").contains("-two\n+2"), "{done}");
    assert_eq!(scene.on_disk("a.txt").as_deref(), Some("one\n2\n"));
    let proposed = scene.agent().set("a.txt", "<<SEARCH\none\nSEARCH\n<<REPLACE\n1\nREPLACE");
    assert_eq!(proposed["status"], 202);
    assert_eq!(scene.set("new/b.txt", "hello\n")["status"], 202);
    assert_eq!(scene.one("rm", json!({"path": "a.txt"}))["status"], 202);
    assert_eq!(scene.on_disk("a.txt").as_deref(), Some("one\n2\n"));
    let waiting = scene.user().bench.ok("list_proposals", json!({}));
    let waiting = waiting["proposals"].as_array().expect("a list").clone();
    assert_eq!(waiting.len(), 3);
    assert!(waiting.iter().all(|one| one["kind"] == "file" && one["diff"].is_string()), "{waiting:?}");
    let id = |path: &str, action: &str| {
        waiting.iter().find(|one| one["path"] == path && one["action"] == action).expect("it waits")["id"]
            .clone()
    };
    scene.bench.ok("accept_proposal", json!({"id": id("a.txt", "set")}));
    assert_eq!(scene.on_disk("a.txt").as_deref(), Some("1\n2\n"));
    let stale = scene.bench.fault("accept_proposal", json!({"id": id("a.txt", "delete")}));
    assert_eq!(stale.reason, "changed", "it was made for another text");
    scene.bench.ok("accept_proposal", json!({"id": id("new/b.txt", "set")}));
    assert_eq!(scene.on_disk("new/b.txt").as_deref(), Some("hello\n"));
}

/// @files_constraint_veto
#[test]
fn a_constraint_vetoes_and_ignores() {
    let mut scene = scene();
    scene.file("lock.txt", "one\n");
    scene.file("secret/key.txt", "one\n");
    scene.agent().set("lock.txt", "two\n");
    scene.user();
    let answer = scene.bench.ok("store", json!({"path": "lock.txt", "readonly": true}));
    assert_eq!(answer["constraints"], json!([{"pattern": "lock.txt", "kind": "readonly"}]));
    scene.bench.ok("store", json!({"path": "secret/**", "ignore": true}));
    assert_eq!(scene.bench.ok("store", json!({"path": "docs/**"}))["constraints"][2]["kind"], "add");
    assert_eq!(scene.paths("**"), ["lock.txt"]);
    let id = scene.bench.ok("list_proposals", json!({}))["proposals"][0]["id"].clone();
    assert_eq!(scene.bench.fault("accept_proposal", json!({"id": id})).reason, "constraint");
    assert_eq!(scene.set("lock.txt", "mine\n")["status"], 403);
    assert_eq!(scene.agent().set("secret/key.txt", "mine\n")["status"], 403);
    assert_eq!(scene.on_disk("lock.txt").as_deref(), Some("one\n"));
    assert!(scene.bench.call("store", json!({"path": "x"})).is_err(), "constraints are the user's");
    scene.user().bench.ok("store", json!({"path": "lock.txt", "clear": true}));
    assert_eq!(scene.set("lock.txt", "mine\n")["status"], 200);
}

/// @files_constraint_veto
#[test]
fn get_with_persist_adds_the_files_for_good() {
    let mut scene = scene();
    scene.file(".gitignore", "*.env\n");
    scene.file("dev.env", "PORT=1\n");
    assert_eq!(scene.paths("*.env"), Vec::<String>::new());
    scene.bench.ok("get", json!({"path": "dev.env", "persist": true}));
    assert_eq!(scene.paths("*.env"), ["dev.env"]);
    assert_eq!(scene.bench.ok("store", json!({}))["constraints"][0]["kind"], "add");
    assert!(scene.agent().bench.call("get", json!({"path": "dev.env", "persist": true})).is_err());
}

/// @capture_hashes
#[test]
fn no_plain_hash_or_size_of_a_file_is_stored() {
    let mut scene = scene();
    scene.file("answer.txt", "the answer is 4711\n");
    let shown = scene.bench.ok("get", json!({"path": "answer.txt"}));
    let hash = shown["entries"][0]["attributes"]["hash"].as_str().expect("a hash").to_owned();
    scene.agent().set("answer.txt", "the answer is 4712\n");
    let stored = scene.bench.memory.store().read(|reader| {
        let mut all = String::new();
        for scheme in ["file", "proposal"] {
            for entry in reader.newest(scheme, 9)? {
                all.push_str(&format!("{:?}\n", entry.attributes));
            }
        }
        Ok::<_, nudge_core::Fault>(all)
    });
    let stored = stored.expect("read");
    assert!(stored.contains("hash") && !stored.contains(&hash) && !stored.contains("size"), "{stored}");
}

/// @files_stay_inside
#[test]
fn nothing_leaves_the_root() {
    let mut scene = scene();
    let outside = scene.root.parent().expect("a parent").join("outside.txt");
    std::fs::write(&outside, "theirs\n").expect("written");
    std::os::unix::fs::symlink(&outside, scene.root.join("link.txt")).expect("linked");
    std::os::unix::fs::symlink(outside.parent().expect("a parent"), scene.root.join("dir")).expect("linked");
    let absolute = outside.display().to_string();
    for agent in [false, true] {
        if agent {
            scene.agent();
        }
        for path in [
            "../outside.txt",
            "a/../../outside.txt",
            &absolute,
            "link.txt",
            "dir/outside.txt",
            ".git/hooks/pre-commit",
            ".GIT/config",
        ] {
            for (verb, params) in [
                ("set", json!({"path": path, "body": "mine\n"})),
                ("mv", json!({"path": "inside.txt", "to": path})),
                ("cp", json!({"path": "inside.txt", "to": path})),
            ] {
                scene.file("inside.txt", "mine\n");
                let result = scene.bench.call(verb, params);
                let is_refused = result.as_ref().map_or(true, |answer| {
                    answer["results"][0]["status"].as_u64().is_some_and(|status| status >= 400)
                });
                assert!(is_refused, "{verb} {path}: {result:?}");
            }
            let read = scene.bench.ok("get", json!({"path": path}));
            assert!(read["entries"].as_array().expect("a list").is_empty(), "{path}: {read}");
        }
        assert_eq!(std::fs::read_to_string(&outside).expect("read"), "theirs\n");
        assert!(!scene.root.join(".git/hooks").exists());
    }
}

/// @kernel_secret_boundary: the answer that is kept for a repeated call has no credential, also if
/// the name of a file is one.
#[test]
fn a_kept_answer_about_a_file_holds_no_credential() {
    let scene = scene();
    let token = concat!("ghp_", "R8k2Lq7Zt1Vw9Xy4Bn6Mc3Ds5Fg0Hj2KpQ1a");
    let set = || {
        let mut caller = scene.bench.caller.clone();
        caller.operation_id = Some("op-1".to_owned());
        let params = json!({"path": format!("keys-{token}.txt"), "body": "x\n"});
        nudge_testkit::call(&scene.bench.memory, &caller, "set", params).expect("set").to_string()
    };
    let (first, repeated) = (set(), set());
    assert!(first.contains(token) && !repeated.contains(token), "{first}\n{repeated}");
}

/// @files_manifest
#[test]
fn a_scan_lists_the_files_with_their_cost() {
    let scene = scene();
    scene.file("b.txt", "some words here\n");
    scene.file("a/a.txt", "word\n");
    scene.file("image.png", "\0\0");
    let scan = scene.bench.ok("scan_files", json!({}));
    assert_eq!((scan["files"].as_u64(), scan["left_out"].as_u64()), (Some(2), Some(1)));
    let list = &scene.bench.ok("get", json!({"path": "log://turn_0/repo/manifest"}))["entries"][0];
    assert_eq!(list["visibility"], "visible");
    let body = list["body"].as_str().expect("a body");
    let lines: Vec<&str> = body.lines().collect();
    assert!(
        lines[0].starts_with("* a/a.txt - ")
            && lines[1].starts_with("* b.txt - ")
            && lines[1].ends_with(" tokens"),
        "{body}"
    );
}

/// @project_scope_needed
#[test]
fn a_file_needs_a_project() {
    let mut scene = scene();
    scene.bench.caller.ambient = nudge_memory::Ambient::Nothing;
    scene.bench.caller.project = None;
    scene.agent();
    assert_eq!(scene.bench.fault("set", json!({"path": "a.txt", "body": "x"})).reason, "no_place");
    assert_eq!(scene.bench.fault("scan_files", json!({})).reason, "no_place");
}

/// @entry_files
#[test]
fn a_file_stays_text_and_a_refused_move_leaves_nothing() {
    let mut scene = scene();
    scene.file("a.txt", "one\n");
    assert_eq!(scene.set("a.txt", "x\0y")["status"], 400);
    scene.bench.ok("store", json!({"path": "a.txt", "readonly": true}));
    assert_eq!(scene.one("mv", json!({"path": "a.txt", "to": "known://a"}))["status"], 403);
    assert_eq!(scene.paths("known://**"), Vec::<String>::new());
    scene.bench.ok("store", json!({"path": "a.txt", "clear": true}));
    let moved = scene.agent().one("mv", json!({"path": "a.txt", "to": "known://a"}));
    assert_eq!(moved["status"], 202, "the removal waits: {moved}");
}
