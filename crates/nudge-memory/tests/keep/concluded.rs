//! The conclusion of a turn, where the hook that ends it leaves it out.

use std::io::Write;

use nudge_core::ObservationKind;
use nudge_memory::capture::EventBody;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::keep::setup::{Keep, captured, fresh};

fn message(second: u32, text: &str, calls: Value) -> Value {
    let data = json!({"content": text, "toolRequests": calls});
    json!({"type": "assistant.message", "data": data, "timestamp": format!("2026-11-15T06:10:{second}.000Z")})
}

fn conclusions(bench: &MemoryBench) -> Vec<String> {
    let rows = bench.observations("s").into_iter();
    rows.filter(|row| row.kind == ObservationKind::Conclusion).map(|row| row.body).collect()
}

/// @capture_conclusions: Copilot CLI's own record has it, before an earlier read or after it, and
/// it is stored once.
#[test]
fn what_a_turn_came_to_is_read_from_the_events_of_copilot() {
    let bench = fresh();
    let file = NamedTempFile::new().expect("a temporary file");
    let path = file.path().display().to_string();
    let add = |line: &Value| writeln!(file.as_file(), "{line}").expect("written");
    let hook = |number: i64, name: &str| {
        let seen = captured(number, number * 1000, EventBody::Seen).harness("copilot").named(name);
        bench.follow(&seen.transcript(&path));
    };
    add(&message(20, "I look first.", json!([{"toolCallId": "c1"}])));
    hook(1, "agentStop");
    assert_eq!(conclusions(&bench), Vec::<String>::new());
    add(&message(30, "It is the lock.", json!([])));
    hook(2, "notification");
    assert_eq!(conclusions(&bench), Vec::<String>::new());
    hook(3, "agentStop");
    hook(4, "agentStop");
    assert_eq!(conclusions(&bench), ["It is the lock."]);
    add(&message(40, "And it is open now.", json!([])));
    hook(5, "Stop");
    assert_eq!(conclusions(&bench), ["It is the lock.", "And it is open now."]);
}
