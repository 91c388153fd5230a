//! A hook never exceeds its deadline.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::capture::kit::{
    SESSION, command, drops, fire, home_with_deadlines, import_spool, is_spooled, kept, log, prompt, stop,
};

/// Extra time for a machine that is busy building something else. It hides no bug: a hook that
/// waits for something that never comes waits for ever.
pub(crate) const SLACK: Duration = Duration::from_secs(2);

/// @hook_deadline
#[test]
fn an_input_that_never_ends_is_left() {
    let home = home_with_deadlines();
    let begun = br#"{"session_id":"s","cwd":"/p","hook_event_name":"UserPromptSubmit","pro"#;
    let mut child = home
        .command()
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(begun).expect("taken");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(began.elapsed() < SLACK, "{:?}", began.elapsed());
    drop(stdin);
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    let report = drops(&home.memory());
    assert_eq!(report.by_reason, [("deadline_before_read", 1)].into());
    assert_eq!(report.slots[0].hash, nudge_memory::capture::drops::hash_of(begun));
    assert!(log(&home).contains("lost:deadline_before_read"), "{}", log(&home));
}

/// @hook_deadline
#[test]
fn an_input_that_is_whole_but_never_closed_is_kept() {
    let home = home_with_deadlines();
    let mut child = home
        .command()
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(prompt("and I forgot to hang up").to_string().as_bytes()).expect("taken");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(began.elapsed() < SLACK, "{:?}", began.elapsed());
    drop(stdin);
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    import_spool(&home);
    assert_eq!(kept(&home).said(SESSION), ["and I forgot to hang up"]);
    assert_eq!(drops(&home.memory()).total, 0);
}

/// @hook_deadline
#[test]
fn a_store_that_is_locked_is_not_waited_for_beyond_the_deadline() {
    let home = home_with_deadlines();
    for (payload, allowed) in [(command("make"), 150), (prompt("go on"), 200), (stop(), 500)] {
        let took = kept(&home).while_locked(|| {
            let began = Instant::now();
            fire(&home, &payload);
            began.elapsed()
        });
        assert!(took < Duration::from_millis(allowed) + SLACK, "{took:?}");
        // The hook did not stop trying at once either: others hold the lock only briefly.
        assert!(took > Duration::from_millis(allowed / 4), "{took:?}");
    }
    assert!(is_spooled(&home));
}

/// @hook_deadline: a hook costs little more than the start of the program. The fastest of nine
/// counts, because others may be the machine.
#[test]
fn a_hook_is_fast() {
    let home = home_with_deadlines();
    let fastest = |words: &[&str], input: &str| {
        let times = (0..9).map(|_| {
            let start = Instant::now();
            home.nudge(words).stdin(input).run().ok();
            start.elapsed()
        });
        times.min().expect("nine")
    };
    let begins = fastest(&["--version"], "");
    let hook = fastest(&["hook", "claude"], &prompt("how long does this take?").to_string());
    assert!(hook < begins + Duration::from_millis(100), "{hook:?}, and {begins:?} for --version");
}
