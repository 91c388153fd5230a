//! Events that cannot be stored in time wait in the spool, without their secrets, and are imported
//! once.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::capture::kit::{
    KEY, SESSION, command, files_with, fire, home, home_with_deadlines, import_spool, is_spooled, log,
    prompt, stored,
};

/// @hook_spool
#[test]
fn a_locked_store_sends_it_to_the_spool_without_its_secrets() {
    let home = home_with_deadlines();
    stored(&home).while_locked(|| fire(&home, &prompt(&format!("deploy with {KEY} please"))));
    let spool = home.memory().join("run/spool");
    let mode = |path: &std::path::Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&spool), mode(&spool.join("moments.jsonl"))), (0o700, 0o600));
    assert_eq!(files_with(&home.memory(), KEY), [""; 0]);
    assert!(log(&home).contains("claude prompt spooled:"), "{}", log(&home));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["deploy with [REDACTED] please"]);
    assert!(!is_spooled(&home));
}

/// @hook_spool
#[test]
fn a_store_that_is_newer_than_the_program_is_left_alone() {
    let home = home();
    fire(&home, &prompt("before"));
    import_spool(&home);
    let ours = stored(&home).set_version(99);
    fire(&home, &prompt("meanwhile"));
    assert_eq!(stored(&home).version(), 99);
    assert!(is_spooled(&home) && log(&home).contains("spooled:newer_schema"), "{}", log(&home));
    stored(&home).set_version(ours);
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["before", "meanwhile"]);
}

/// @hook_never_migrates
#[test]
fn an_older_store_is_not_upgraded_by_a_hook() {
    let home = home();
    fire(&home, &prompt("before"));
    import_spool(&home);
    let ours = stored(&home).set_version(1);
    fire(&home, &prompt("meanwhile"));
    assert_eq!(stored(&home).version(), 1);
    assert!(!home.memory().join("backups").exists(), "an upgrade makes a copy first");
    assert!(is_spooled(&home) && log(&home).contains("spooled:needs_migration"), "{}", log(&home));
    stored(&home).set_version(ours);
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["before", "meanwhile"]);
}

/// @hook_spool
#[test]
fn a_damaged_store_is_logged_and_gone_around() {
    let home = home();
    stored(&home).make();
    let database = home.memory().join("nudge.db");
    let sound = std::fs::read(&database).expect("readable");
    std::fs::write(&database, b"this is no database, whatever its name says".repeat(100)).expect("ours");
    fire(&home, &prompt("saved all the same"));
    assert!(is_spooled(&home) && log(&home).contains("spooled:damaged"), "{}", log(&home));
    std::fs::write(&database, sound).expect("ours");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["saved all the same"]);
}

/// @hook_spool_taken_in
#[test]
fn the_next_hook_takes_it_in() {
    let home = home_with_deadlines();
    stored(&home).while_locked(|| {
        fire(&home, &command("make one"));
        fire(&home, &command("make two"));
        fire(&home, &command("make two"));
    });
    assert!(is_spooled(&home));
    let until = Instant::now() + Duration::from_secs(20);
    // On a busy machine a hook may have no time left to import the spool; the next hook does it.
    while is_spooled(&home) && Instant::now() < until {
        fire(&home, &command("make three"));
    }
    assert!(!is_spooled(&home));
    let mut did = stored(&home).did(SESSION);
    did.sort_unstable();
    assert_eq!(did, ["command make one", "command make three", "command make two"]);
}

/// @hook_spool_taken_in
#[test]
fn a_server_takes_it_in_at_its_start_and_while_it_runs() {
    let home = home_with_deadlines();
    stored(&home).while_locked(|| fire(&home, &prompt("before it started")));
    let _server = home.daemon(&[]);
    wait_until_taken(&home);
    stored(&home).while_locked(|| fire(&home, &prompt("while it runs")));
    wait_until_taken(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["before it started", "while it runs"]);
}

fn wait_until_taken(home: &nudge_testkit::TestHome) {
    let until = Instant::now() + Duration::from_secs(20);
    while is_spooled(home) {
        assert!(Instant::now() < until, "nobody takes the spool in");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// @hook_spool_taken_in
#[test]
fn a_line_that_was_cut_off_costs_itself_alone() {
    let home = home_with_deadlines();
    stored(&home).while_locked(|| fire(&home, &prompt("whole")));
    let file = home.memory().join("run/spool/moments.jsonl");
    let mut text = std::fs::read(&file).expect("readable");
    let torn = text[..100].to_vec();
    text.extend_from_slice(&torn);
    std::fs::write(&file, text).expect("ours");
    stored(&home).while_locked(|| fire(&home, &prompt("after it")));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["whole", "after it"]);
    let report = crate::capture::kit::drops(&home.memory());
    assert_eq!(report.by_reason, [("torn", 1)].into());
}
