//! A hook never exceeds its deadline.

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::capture::kit::{
    SESSION, command, drops, fire, home_with_deadlines, import_spool, is_spooled, log, prompt, stop, stored,
};

/// Extra time for a machine that is busy building something else. A hook that waits for something
/// that never comes waits for ever, and one that is often late fails [`in_time`].
const SLACK: Duration = Duration::from_secs(2);

/// Extra time for starting and ending a process.
const START: Duration = Duration::from_millis(100);

/// By how many attempts those in time must lead. A busy machine delays some events; a hook that
/// waits too long is late every time.
const LEAD: i32 = 3;

/// How many attempts there are at most.
const TRIES: u32 = 20;

/// Asserts that most attempts end in time.
#[track_caller]
pub(crate) fn in_time(what: &str, allowed: Duration, attempt: impl Fn() -> Duration) {
    let mut lead = 0;
    for _ in 0..TRIES {
        let took = attempt();
        assert!(took < allowed + SLACK, "{what} took {took:?}");
        lead += if took < allowed + START { 1 } else { -1 };
        if lead == LEAD {
            return;
        }
    }
    panic!("{what} often takes longer than {allowed:?}");
}

/// @hook_deadline: the measure of the tests below. A hook that is late each time, or every other
/// time, is not in time.
#[test]
fn most_attempts_must_be_in_time() {
    let allowed = Duration::from_millis(150);
    let is_in_time = |late: u32| {
        let count = Cell::new(0_u32);
        let attempt = || {
            count.set(count.get() + 1);
            allowed
                + if count.get().is_multiple_of(late) { Duration::from_millis(240) } else { Duration::ZERO }
        };
        catch_unwind(AssertUnwindSafe(|| in_time("a hook", allowed, attempt))).is_ok()
    };
    assert_eq!([1, 2, 3].map(is_in_time), [false, false, true]);
}

/// How long a hook takes that gets this input, and nothing more and no end of it. It is silent.
#[track_caller]
fn unended(home: &TestHome, input: &[u8]) -> Duration {
    let mut child = home
        .command()
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input).expect("taken");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    let took = began.elapsed();
    drop(stdin);
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    took
}

/// @hook_deadline
#[test]
fn an_input_that_never_ends_is_left() {
    let begun = br#"{"session_id":"s","cwd":"/p","hook_event_name":"UserPromptSubmit","pro"#;
    in_time("an input without an end", Duration::from_millis(150), || {
        let home = home_with_deadlines();
        let took = unended(&home, begun);
        let report = drops(&home.memory());
        assert_eq!(report.by_reason, [("deadline_before_read", 1)].into());
        assert_eq!(report.slots[0].hash, nudge_memory::capture::drops::hash_of(begun));
        assert!(log(&home).contains("lost:deadline_before_read"), "{}", log(&home));
        took
    });
}

/// @hook_deadline
#[test]
fn an_input_that_is_whole_but_never_closed_is_kept() {
    in_time("an input that stays open", Duration::from_millis(200), || {
        let home = home_with_deadlines();
        let took = unended(&home, prompt("and I forgot to hang up").to_string().as_bytes());
        import_spool(&home);
        assert_eq!(stored(&home).prompt_texts(SESSION), ["and I forgot to hang up"]);
        assert_eq!(drops(&home.memory()).total, 0);
        took
    });
}

/// @hook_deadline
#[test]
fn a_store_that_is_locked_is_not_waited_for_beyond_the_deadline() {
    let home = home_with_deadlines();
    for (payload, allowed) in [(command("make"), 150), (prompt("go on"), 200), (stop(), 500)] {
        in_time(&payload["hook_event_name"].to_string(), Duration::from_millis(allowed), || {
            let took = stored(&home).while_locked(|| {
                let began = Instant::now();
                fire(&home, &payload);
                began.elapsed()
            });
            // The hook did not stop trying at once either: others hold the lock only briefly.
            assert!(took > Duration::from_millis(allowed / 4), "{took:?}");
            took
        });
    }
    assert!(is_spooled(&home));
}

/// @hook_deadline: at a session's start, with a prompt and before a tool, a hook costs little more
/// than the start of the program, with a server and without. The fastest of nine counts, because
/// others may be the machine.
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
    let event = |name: &str, own: Value| {
        let mut payload = json!({"session_id": SESSION, "cwd": home.path(), "hook_event_name": name});
        payload.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        payload
    };
    let events = [
        event("SessionStart", json!({"source": "startup"})),
        prompt("how long does this take?"),
        event(
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "make"}}),
        ),
    ];
    let are_fast = |with: &str| {
        for event in &events {
            let hook = fastest(&["hook", "claude"], &event.to_string());
            let most = begins + Duration::from_millis(100);
            assert!(hook < most, "{hook:?} with {with}, and {begins:?} for --version: {event}");
        }
    };
    are_fast("no server");
    let _server = home.daemon(&[]);
    are_fast("a server");
}
