//! What transcripts add after the hooks.

use std::io::Write;

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{Action, EventBody, identity};
use nudge_testkit::EventBuilder;
use serde_json::json;

use crate::keep::setup::{Keep, captured, command, fresh};

fn transcript(lines: &[serde_json::Value]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    for line in lines {
        writeln!(file, "{line}").expect("written");
    }
    file
}

fn following(file: &tempfile::NamedTempFile, event: EventBuilder) -> EventBuilder {
    event.transcript(&file.path().display().to_string())
}

/// @capture_transcript_outcomes: if a hook does not report how a command ended, that is read from
/// the transcript at the next hook.
#[test]
fn an_outcome_comes_from_the_transcript_at_the_next_hook() {
    let bench = fresh();
    let file = transcript(&[]);
    let mut reported = command("make", Outcome::Unknown);
    if let EventBody::Action(Action { call, .. }) = &mut reported {
        *call = Some("call-1".to_owned());
    }
    let identity = identity::of_call("codex", "s", "call-1");
    let first = following(&file, captured(0, 0, reported).identity(identity));
    assert_eq!(bench.follow(&first), "stored");
    assert_eq!(bench.observations("s")[0].outcome, Outcome::Unknown);
    let line = json!({"type": "event_msg", "payload": {"type": "item_completed", "item":
        {"type": "CommandExecution", "id": "call-1", "exit_code": 2, "status": "failed"}}});
    writeln!(file.as_file(), "{line}").expect("written");
    let next = following(&file, captured(9, 5, command("ls", Outcome::Success)));
    bench.follow(&next);
    let row = &bench.observations("s")[0];
    assert_eq!((row.kind, row.outcome), (ObservationKind::CommandError, Outcome::Failed { exit: Some(2) }));
}

/// @capture_transcript_outcomes: an end that was written before the hook of its call came is found
/// too.
#[test]
fn an_end_that_came_before_its_hook_is_found() {
    let bench = fresh();
    let line = json!({"type": "event_msg", "payload": {"type": "item_completed", "item":
        {"type": "CommandExecution", "id": "call-1", "exit_code": 0, "status": "completed"}}});
    let file = transcript(&[line]);
    let start = following(&file, captured(1, 0, EventBody::Seen));
    bench.follow(&start);
    let identity = identity::of_call("codex", "s", "call-1");
    let late = following(&file, captured(0, 5, command("make", Outcome::Unknown)).identity(identity));
    bench.follow(&late);
    assert_eq!(bench.observations("s")[0].outcome, Outcome::Success);
}

/// @capture_thinking: the agent's thinking is stored with the prompts, once, marked as the agent's.
#[test]
fn thoughts_are_kept_once() {
    let bench = fresh();
    let thought = json!({"type": "assistant", "sessionId": "s", "timestamp": "2026-11-15T08:00:00.000Z", "uuid": "u1",
        "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "The parser drops the last token."}]}});
    let file = transcript(&[thought.clone(), thought]);
    let stop = following(&file, captured(1, 0, EventBody::Seen)).harness("claude");
    for _ in 0..2 {
        bench.follow(&stop);
    }
    let thoughts: Vec<_> = bench.prompts("s").into_iter().map(|row| (row.speaker, row.body)).collect();
    assert_eq!(thoughts, [(Speaker::Agent, "The parser drops the last token.".to_owned())]);
}

/// @capture_speech: what the user said and no hook reports is read from the transcript at the next
/// hook, once, even when its call was in an earlier piece.
#[test]
fn what_the_person_said_is_caught_up_with_at_the_next_hook() {
    let bench = fresh();
    let line = |kind: &str, at: &str, content: serde_json::Value| json!({"type": kind, "sessionId": "s", "timestamp": at, "uuid": at, "message": {"role": kind, "content": content}});
    let call = json!([{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "git push"}}]);
    let file = transcript(&[line("assistant", "2026-11-15T08:00:00.000Z", call)]);
    let stop = |number| following(&file, captured(number, 0, EventBody::Seen)).harness("claude");
    bench.follow(&stop(1));
    let words = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nrun the tests first";
    let refused = json!([{"type": "tool_result", "tool_use_id": "c1", "content": words, "is_error": true}]);
    writeln!(file.as_file(), "{}", line("user", "2026-11-15T08:00:05.000Z", refused)).expect("written");
    writeln!(
        file.as_file(),
        "{}",
        line("user", "2026-11-15T08:00:09.000Z", "a prompt that its hook tells".into())
    )
    .expect("written");
    for number in 2..4 {
        bench.follow(&stop(number));
    }
    let prompts = bench.prompts("s");
    let said: Vec<_> = prompts
        .iter()
        .map(|row| (row.speaker, row.body.as_str(), row.attributes["about"].as_str()))
        .collect();
    assert_eq!(said, [(Speaker::Person, "run the tests first", Some("Bash: git push"))]);
}

/// @capture_speech: a transcript that did not exist when its session began is read from its first
/// line, however long it is at the next hook: Claude Code writes lines of 75 KB between the useful
/// ones.
#[test]
fn a_transcript_that_grows_fast_is_read_from_its_beginning() {
    let bench = fresh();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let seen = |number| {
        let event = captured(number, 0, EventBody::Seen).harness("claude");
        event.transcript(&path.display().to_string())
    };
    bench.follow(&seen(1));
    let words = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nrun the tests first";
    let refused = json!([{"type": "tool_result", "tool_use_id": "c1", "content": words, "is_error": true}]);
    let line = json!({"type": "user", "sessionId": "s", "timestamp": "2026-11-15T08:00:05.000Z", "uuid": "u",
        "message": {"role": "user", "content": refused}});
    let long = json!({"type": "api-request-shape", "sessionId": "s", "shape": "x".repeat(75_000)});
    let mut lines = vec![long.to_string(); 10];
    lines.insert(5, line.to_string());
    std::fs::write(&path, lines.join("\n") + "\n").expect("written");
    bench.follow(&seen(2));
    let said: Vec<String> = bench.prompts("s").into_iter().map(|row| row.body).collect();
    assert_eq!(said, ["run the tests first"]);
}
