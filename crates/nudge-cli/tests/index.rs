//! Which process writes the search index, seen from outside.

use std::time::{Duration, Instant};

use nudge_testkit::{Outcome, TestHome};
use serde_json::{Value, json};

const NUDGE: &str = env!("CARGO_BIN_EXE_nudge");

/// The timeout: long enough for a debug build on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

fn memories(count: usize) -> String {
    let line = |number: usize| {
        json!({"id": number, "project": "p", "text": format!("note about widget{number} and more")})
            .to_string()
    };
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

fn import(home: &TestHome, count: usize) -> Outcome {
    let file = home.file("memories.jsonl", &memories(count));
    home.run(["import", "memories", file.to_str().expect("a path of text")])
}

/// What `doctor` says about the index.
fn index_finding(home: &TestHome) -> String {
    let outcome = home.run(["doctor", "--json"]);
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("doctor answers in JSON");
    let checks = answer["checks"].as_array().expect("checks");
    let index = checks.iter().find(|check| check["name"] == "index").expect("the index is looked at");
    index["message"].as_str().expect("a message").to_owned()
}

/// What `doctor` says about the index once that is `wanted`, or at the timeout.
fn wait_for_finding(home: &TestHome, wanted: &str) -> String {
    let until = Instant::now() + TIMEOUT;
    loop {
        let found = index_finding(home);
        if found == wanted || Instant::now() > until {
            return found;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// @recall_fresh When many changes are waiting and there is no server, a separate process updates
/// the index.
#[test]
fn a_process_is_started_when_much_has_gathered() {
    let home = TestHome::new(NUDGE);
    import(&home, 50);
    assert!(!home.memory().join("index").exists(), "fifty are scanned in no time");
    import(&home, 2_200);
    assert_eq!(wait_for_finding(&home, "2200 entries, 0 changes behind"), "2200 entries, 0 changes behind");
}

/// @recall_fresh A server updates the index by itself, and the index stays after the server has
/// gone.
#[test]
fn a_server_keeps_the_index() {
    let home = TestHome::new(NUDGE);
    import(&home, 20);
    let server = home.daemon(&[]);
    assert_eq!(wait_for_finding(&home, "20 entries, 0 changes behind"), "20 entries, 0 changes behind");
    drop(server);
    assert!(index_finding(&home).contains("20 entries"));
}
