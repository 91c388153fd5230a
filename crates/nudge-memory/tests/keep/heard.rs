//! Who wrote a prompt: the user, if the agent's own transcript contains it and the session was
//! attended.

use std::io::Write;

use nudge_memory::capture::EventBody;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::keep::setup::{Keep, captured, fresh, prompt};

const RULE: &str = "we use pnpm in this repo, never npm";
const AT: &str = "2026-11-15T06:10:27.200Z";

/// The first line of a Codex rollout, by what started it.
fn begun_by(source: &str) -> Value {
    let meta = json!({"id": "s", "session_id": "s", "timestamp": AT, "cwd": "/src", "source": source});
    json!({"timestamp": AT, "type": "session_meta", "payload": meta})
}

fn message(text: &str) -> Value {
    let item = json!({"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text}]});
    json!({"timestamp": AT, "type": "event_msg", "payload": {"type": "item_completed", "item": item}})
}

/// A session in which a hook reports the rule as a prompt, and the transcript has these lines by
/// the end of the turn. The first line is read at its start.
fn session(bench: &MemoryBench, first: &Value, then: &[Value]) {
    let file = NamedTempFile::new().expect("a temporary file");
    let path = file.path().display().to_string();
    let add = |line: &Value| writeln!(file.as_file(), "{line}").expect("written");
    add(first);
    bench.follow(&captured(1, 0, EventBody::Seen).transcript(&path));
    bench.follow(&captured(2, 100, prompt(RULE)).transcript(&path));
    then.iter().for_each(add);
    bench.follow(&captured(3, 200, EventBody::Seen).transcript(&path));
}

fn proposed(bench: &MemoryBench) -> Vec<Value> {
    let answer = bench.ok("list_proposals", json!({}));
    answer["proposals"].as_array().into_iter().flatten().map(|one| one["text"].clone()).collect()
}

/// @statements_heard
#[test]
fn a_prompt_counts_that_the_transcript_has_too() {
    let bench = fresh();
    session(&bench, &begun_by("cli"), &[message("something else")]);
    assert_eq!(proposed(&bench), Vec::<Value>::new());
    let bench = fresh();
    session(&bench, &begun_by("cli"), &[message(RULE)]);
    assert_eq!(proposed(&bench), [RULE]);
}

/// @statements_heard: only the first line of a rollout says that the session is unattended, and it
/// was read at an earlier hook.
#[test]
fn what_a_script_asks_is_not_said_by_the_person() {
    let bench = fresh();
    session(&bench, &begun_by("exec"), &[message(RULE)]);
    assert_eq!(proposed(&bench), Vec::<Value>::new());
    let session = bench.memory.store().read(|reader| reader.agent_session_by_name("s")).expect("read");
    assert_eq!(session.and_then(|session| session.headless), Some(true));
    assert_eq!(bench.prompts("s").len(), 1, "the prompt itself is kept");
}
