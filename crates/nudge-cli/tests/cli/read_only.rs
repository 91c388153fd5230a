//! A read-only home, as in an agent's sandbox. Runs without privileges, because root ignores file
//! modes.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nudge_testkit::unprivileged::Unprivileged;

/// @kernel_read_only_home
#[test]
fn reads_work_and_a_write_names_the_reason() {
    let user = Unprivileged::new(Path::new(env!("CARGO_BIN_EXE_nudge")));
    user.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    user.run(["entry", "set", "known://auth/plan", "tokens first"]).ok();
    fs::write(user.home().with_file_name("notes.txt"), "by hand\n").expect("ours or root's to write");
    let memory = user.home().join(".local/share/nudge");
    fs::set_permissions(memory.join("nudge.db"), Permissions::from_mode(0o400))
        .expect("ours or root's to change");
    fs::set_permissions(&memory, Permissions::from_mode(0o500)).expect("ours or root's to change");
    assert_eq!(user.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    assert_eq!(user.run(["ls", "--json"]).json()["components"][0]["name"], "api");
    // The entries of the view stay as they are, and their bodies are read all the same.
    assert_eq!(user.run(["entry", "get", "known://auth/plan"]).ok().trim_end(), "tokens first");
    assert_eq!(user.run(["entry", "get", "notes.txt"]).ok(), "by hand\n");
    let found = user.run(["entry", "get", "known://**", "--json"]).json();
    assert_eq!(found["entries"][0]["body"], "tokens first");
    for change in [&["--visibility", "archived"][..], &["--persist"]] {
        let words = [&["entry", "get", "notes.txt", "--json"], change].concat();
        assert_eq!(user.run(words).fault(5)["id"], "E_READ_ONLY", "{change:?}");
    }
    let fault = user.run(["set", "api", "build", "cmake", "--json"]).fault(5);
    assert_eq!(fault["id"], "E_READ_ONLY");
    assert!(fault["next"].is_string(), "{fault}");
    let report = user.run(["doctor", "--json"]).json();
    let store = report["checks"].as_array().expect("a list").iter().find(|check| check["name"] == "store");
    assert_eq!(store.expect("a store check")["verdict"], "warn");
    fs::set_permissions(&memory, Permissions::from_mode(0o700)).expect("ours or root's to change");
}
