//! The commands that read, on a machine where nothing was ever stored.

use insta::assert_snapshot;
use nudge_testkit::TestHome;

/// @recall_cold_start: every command that reads says that there is nothing, and creates nothing.
#[test]
fn commands_that_read_say_that_there_is_nothing() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    let calls = [
        "search cart",
        "search cart --human",
        "recent",
        "show 1",
        "timeline 1",
        "trace x",
        "history f",
        "learn",
        "fix oops",
        "context",
        "why",
        "why 1",
        "usage",
        "session show",
        "focus ls",
        "handoff",
        "hypotheses",
        "journal ls",
    ];
    let page = |call: &str| {
        let injected = home.nudge(call.split(' ')).env("COLUMNS", "90").run();
        format!("$ nudge {call}\n{}", injected.page())
    };
    assert_snapshot!("cold", calls.map(page).join("\n"));
    assert!(!home.memory().exists(), "reading makes nothing");
    let faults = ["timeline 1", "trace x", "why 1"].map(|call| {
        let injected = home.run(format!("{call} --json").split(' ')).fault(3);
        injected["id"].clone()
    });
    assert_eq!(faults, ["E_NOT_FOUND"; 3]);
}
