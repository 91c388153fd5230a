//! A server that starts while the disk is full.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_testkit::unprivileged::two_users;
use nudge_testkit::{McpStdio, SmallDisk, TestHome};
use serde_json::json;

use crate::cli::home;

/// A small disk with a memory on it; `None` when the tests do not run as root.
fn small_disk(home: &TestHome) -> Option<(SmallDisk, String)> {
    let owner = std::fs::metadata(home.path()).expect("ours").uid();
    two_users(owner).then(|| {
        let disk = SmallDisk::mount(4);
        let memory = disk.path().join("memory").display().to_string();
        home.run(["--home", &memory, "set", "api", "build", "make", "--ttl", "forever"]).ok();
        home.run(["--home", &memory, "mark", "the pipeline was green"]).ok();
        (disk, memory)
    })
}

/// Starts a server on a full disk, then frees the disk; asserts what the server must do in each
/// case.
#[track_caller]
fn serves_through(home: &TestHome, disk: &SmallDisk, memory: &str) {
    let full = disk.fill();
    let mut command = home.command();
    command.args(["--home", memory, "serve"]);
    let mut client = McpStdio::start(command);
    let hint = json!({"component": "api", "key": "build"});
    assert_eq!(client.call("get_hint", hint.clone())["hint"]["value"], "make");
    assert_eq!(client.call("list_components", json!({}))["components"][0]["name"], "api");
    let found = client.call("search", json!({"query": "pipeline"}));
    assert!(found.to_string().contains("the pipeline was green"), "{found}");
    let new = json!({"component": "api", "key": "test", "value": "make check"});
    let refused = client.call_raw("set_hint", new.clone());
    let error = &refused["structuredContent"]["error"];
    assert_eq!(
        (&refused["isError"], &error["data"]["reason"]),
        (&json!(true), &json!("disk_full")),
        "{refused}"
    );
    assert_eq!(
        (&error["message"], &error["next"]),
        (&json!("the disk is full"), &json!("free some space and try again"))
    );
    // Reading still works after the rejected write.
    assert_eq!(client.call("get_hint", hint)["hint"]["value"], "make");

    drop(full);
    client.call("set_hint", new);
    assert_eq!(
        client.call("get_hint", json!({"component": "api", "key": "test"}))["hint"]["value"],
        "make check"
    );
    // It becomes PRIMARY, as any server does that finds none.
    let state = Path::new(memory).join("run/state.json");
    let until = Instant::now() + Duration::from_secs(20);
    while !std::fs::read_to_string(&state)
        .is_ok_and(|state| state.contains(&format!("\"pid\":{}", client.pid())))
    {
        assert!(Instant::now() < until, "it has no office though there is room");
        std::thread::sleep(Duration::from_millis(20));
    }
    client.hang_up();
}

/// The database has no log and no shared memory file: there is no room to open it for writing.
/// @server_full_disk
#[test]
fn a_server_on_a_full_disk_reads_and_recovers() {
    let home = home();
    let Some((disk, memory)) = small_disk(&home) else { return };
    serves_through(&home, &disk, &memory);
}

/// A killed server left its files behind: the store opens, but there is no room for the state file.
/// @server_full_disk
#[test]
fn a_server_after_a_killed_one_reads_and_recovers() {
    let home = home();
    let Some((disk, memory)) = small_disk(&home) else { return };
    let mut command = home.command();
    command.args(["--home", &memory, "serve"]);
    let mut killed = McpStdio::start(command);
    killed.call(
        "set_hint",
        json!({"component": "other", "key": "k", "value": "v", "meta": {"ttl": "forever"}}),
    );
    killed.call("delete_hint", json!({"component": "other", "key": "k"}));
    drop(killed);
    serves_through(&home, &disk, &memory);
}

/// A background server has no client to serve on a full disk; it exits and says why.
/// @server_full_disk
#[test]
fn a_detached_server_says_that_the_disk_is_full() {
    let home = home();
    let Some((disk, memory)) = small_disk(&home) else { return };
    let _full = disk.fill();
    let refused = home.run(["--home", &memory, "serve", "--daemon"]).exits(5);
    assert!(refused.stderr.contains("free some space and try again"), "{}", refused.stderr);
}
