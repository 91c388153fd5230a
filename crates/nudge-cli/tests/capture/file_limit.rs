//! Hooks under a limit on file size.

use nudge_testkit::TestHome;
use serde_json::Value;

use crate::capture::kit::{SESSION, drops, home, import_spool, is_spooled, prompt, quiet, stored};

/// Runs a hook that may write no file larger than `blocks` blocks of 512 bytes.
#[track_caller]
fn fire_under(home: &TestHome, blocks: u32, payload: &Value) {
    let script = format!("ulimit -c 0; ulimit -f {blocks}; exec \"$@\"");
    quiet(home.nudge(["hook", "claude"]).stdin(payload.to_string()).in_shell(&script).run());
}

/// Stores an event without a limit, through the command that has time to wait for a busy machine.
#[track_caller]
fn keep(home: &TestHome, payload: &Value) {
    quiet(home.nudge(["record"]).stdin(payload.to_string()).run());
}

/// @file_limit @hook_always_quiet
#[test]
fn a_hook_survives_any_limit_in_silence() {
    for blocks in [0, 1, 8, 64, 256, 512, 1024] {
        let fresh = home();
        fire_under(&fresh, blocks, &prompt("fresh"));
        let used = home();
        keep(&used, &prompt("before"));
        fire_under(&used, blocks, &prompt("under the limit"));
        keep(&used, &prompt("after"));
        import_spool(&used);
        let mut said = stored(&used).prompt_texts(SESSION);
        // Where not even one line fits into a file, nothing can be stored or noted.
        if blocks > 1 {
            assert!(said.contains(&"under the limit".to_owned()), "{blocks} blocks: {said:?}");
        }
        said.retain(|text| text != "under the limit");
        assert_eq!(said, ["before", "after"], "{blocks} blocks");
    }
}

/// @file_limit
#[test]
fn where_a_line_fits_the_event_waits_in_the_spool() {
    let home = home();
    keep(&home, &prompt("before"));
    fire_under(&home, 16, &prompt("too much for the database"));
    assert!(is_spooled(&home));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["before", "too much for the database"]);
}

/// @file_limit @hook_drops
#[test]
fn where_its_line_does_not_fit_the_event_is_in_the_drop_record() {
    let home = home();
    keep(&home, &prompt("before"));
    fire_under(&home, 16, &prompt(&"long ".repeat(4000)));
    assert_eq!(drops(&home.memory()).by_reason, [("unwritable", 1)].into());
    keep(&home, &prompt("after"));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["before", "after"]);
}
