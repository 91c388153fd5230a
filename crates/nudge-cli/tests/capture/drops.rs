//! Lost events are counted even where nothing can be written.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nudge_memory::capture::drops::{FILE_BYTES, hash_of};
use nudge_testkit::unprivileged::{Unprivileged, two_users};
use nudge_testkit::{Outcome, SmallDisk, StoredMemory};
use serde_json::Value;

use crate::capture::kit::{SESSION, drops, fire, home, prompt, quiet};

fn send(command: &mut Command, payload: &Value, home: &Path) -> Outcome {
    let mut child = command
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("taken");
    Outcome::new(child.wait_with_output().expect("it ends"), home.to_owned())
}

/// @hook_drops
#[test]
fn the_record_has_its_room_from_the_first_event_on() {
    let home = home();
    fire(&home, &crate::capture::kit::stop());
    let found = home.memory().join("run/drops").metadata().expect("the record is there");
    assert_eq!((found.len(), found.permissions().mode() & 0o777), (FILE_BYTES, 0o600));
    assert_eq!(drops(&home.memory()).total, 0);
}

/// @hook_drops
#[test]
fn a_directory_that_cannot_be_written_is_a_reason() {
    let user = Unprivileged::new(env!("CARGO_BIN_EXE_nudge").as_ref());
    let memory = user.home().join(".local/share/nudge");
    quiet(send(&mut user.command(), &prompt("while it can be written"), &user.home()));
    user.run(["set", "t", "t", "t"]).ok();
    for dir in [&memory, &memory.join("run"), &memory.join("logs")] {
        if dir.exists() {
            fs::set_permissions(dir, Permissions::from_mode(0o500)).expect("ours or we are root");
        }
    }
    let lost = prompt("when it cannot");
    quiet(send(&mut user.command(), &lost, &user.home()));
    let report = drops(&memory);
    assert_eq!(report.by_reason, [("unwritable", 1)].into());
    assert_eq!(report.slots[0].hash, hash_of(lost.to_string().as_bytes()));
    let doctor = user.run(["doctor", "--json"]).stdout;
    assert!(doctor.contains("1 event lost: unwritable 1×"), "{doctor}");
    for dir in [&memory, &memory.join("run")] {
        fs::set_permissions(dir, Permissions::from_mode(0o700)).expect("ours or we are root");
    }
    quiet(send(&mut user.command(), &prompt("when it can again"), &user.home()));
    user.run(["set", "t", "t", "t"]).ok();
    assert_eq!(
        StoredMemory::in_dir(&memory).prompt_texts(SESSION),
        ["while it can be written", "when it can again"]
    );
    assert_eq!(drops(&memory).total, 1);
}

/// @hook_drops
#[test]
fn a_home_that_was_never_writable_is_left_quietly() {
    let user = Unprivileged::new(env!("CARGO_BIN_EXE_nudge").as_ref());
    fs::set_permissions(user.home(), Permissions::from_mode(0o500)).expect("ours or we are root");
    quiet(send(&mut user.command(), &prompt("x"), &user.home()));
    assert!(!user.home().join(".local").exists());
}

/// @hook_drops
#[test]
fn a_full_disk_is_a_reason() {
    let home = home();
    if !two_users(
        fs::metadata(home.path()).map(|found| std::os::unix::fs::MetadataExt::uid(&found)).expect("ours"),
    ) {
        return;
    }
    let disk = SmallDisk::mount(4);
    let memory = disk.path().join("memory");
    let at = memory.display().to_string();
    let fire = |payload: &Value| {
        quiet(home.nudge(["--home", &at, "hook", "claude"]).stdin(payload.to_string()).run())
    };
    fire(&prompt("while there is room"));
    home.run(["--home", &at, "set", "t", "t", "t"]).ok();
    let full = disk.fill();
    let lost = prompt("when there is none");
    fire(&lost);
    let report = drops(&memory);
    assert_eq!(report.by_reason, [("disk_full", 1)].into());
    assert_eq!(report.slots[0].hash, hash_of(lost.to_string().as_bytes()));
    drop(full);
    fire(&prompt("when there is again"));
    home.run(["--home", &at, "set", "t", "t", "t"]).ok();
    assert_eq!(
        StoredMemory::in_dir(&memory).prompt_texts(SESSION),
        ["while there is room", "when there is again"]
    );
    assert_eq!(drops(&memory).total, 1);
}
