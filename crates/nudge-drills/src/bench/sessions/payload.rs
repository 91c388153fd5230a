//! What Claude Code would send and write: the payloads of its hooks, in the format of version
//! 2.1.325, and the lines of its transcript.

use nudge_core::Timestamp;
use serde_json::{Value, json};

use super::calls::REFUSED_MESSAGE;
use super::data::Event;
use super::script::Roots;

/// The session and its directory. The path of its transcript is added when it is played.
#[derive(Clone, Debug)]
pub(crate) struct Workspace<'d> {
    pub(crate) session: &'d str,
    pub(crate) cwd: &'d str,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: Value,
}

impl Workspace<'_> {
    fn payload(&self, event: &str, turn: &str, own: Value) -> Value {
        let mut payload = json!({
            "session_id": self.session, "cwd": self.cwd, "permission_mode": "default", "hook_event_name": event,
        });
        if !turn.is_empty() {
            payload["prompt_id"] = turn.into();
        }
        if let (Some(all), Value::Object(own)) = (payload.as_object_mut(), own) {
            all.extend(own);
        }
        payload
    }

    pub(crate) fn start(&self, source: &str) -> Value {
        self.payload("SessionStart", "", json!({"source": source, "model": "claude-opus-5-5"}))
    }

    pub(crate) fn prompt(&self, turn: &str, words: &str) -> Value {
        self.payload("UserPromptSubmit", turn, json!({"prompt": words}))
    }

    pub(crate) fn about(&self, turn: &str, call: &Call) -> Value {
        let own = json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id});
        self.payload("PreToolUse", turn, own)
    }

    pub(crate) fn done(&self, turn: &str, call: &Call, response: Value) -> Value {
        let own = json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id, "tool_response": response});
        self.payload("PostToolUse", turn, own)
    }

    pub(crate) fn failed(&self, turn: &str, call: &Call, error: &str) -> Value {
        let own = json!({
            "tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id, "error": error, "is_interrupt": false,
        });
        self.payload("PostToolUseFailure", turn, own)
    }

    pub(crate) fn compacts(&self, turn: &str) -> Value {
        self.payload("PreCompact", turn, json!({"trigger": "auto", "custom_instructions": ""}))
    }

    pub(crate) fn stop(&self, turn: &str, last: &str) -> Value {
        let own = json!({"stop_hook_active": false, "last_assistant_message": last, "background_tasks": []});
        self.payload("Stop", turn, own)
    }

    pub(crate) fn end(&self, turn: &str) -> Value {
        self.payload("SessionEnd", turn, json!({"reason": "other"}))
    }
}

/// The response of a shell.
pub(crate) fn output(text: &str) -> Value {
    json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false})
}

/// Whether the output of a command reports a failure: other agents put the status into it.
pub(super) fn says_failed(output: &str) -> bool {
    const MARKS: [&str; 2] = ["Process exited with code ", "Exit code "];
    let status = |line: &str| {
        let said = MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
        said.trim().parse::<i32>().ok()
    };
    let in_head = output.lines().take(5).find_map(status);
    in_head.is_some_and(|status| status != 0) || output.starts_with("failed in sandbox")
}

/// The calls of an event: a command, a change to each file of a patch, or the tool that it names.
pub(super) fn calls(event: &Event, roots: &Roots, cwd: &str) -> Vec<Call> {
    let id = format!("toolu_{:06}", event.seq);
    let call = |tool: &str, input| vec![Call { id: id.clone(), tool: tool.to_owned(), input }];
    match event.kind.as_str() {
        "command" => call("Bash", json!({"command": roots.replace(&event.text, cwd)})),
        "edit" => {
            let of = |(number, file): (usize, &String)| Call {
                id: format!("{id}_{number}"),
                ..change(event, file, &roots.place(file, cwd))
            };
            event.files.iter().enumerate().map(of).collect()
        }
        "assistant" if event.is_by("ExitPlanMode") => call("ExitPlanMode", json!({"plan": event.text})),
        "assistant" => {
            call("Agent", json!({"description": "", "prompt": "", "subagent_type": "general-purpose"}))
        }
        _ => {
            let file = event.files.first().map(|file| roots.place(file, cwd));
            let input = file.map_or_else(|| json!({}), |file| json!({"file_path": file}));
            call(event.tool.as_deref().unwrap_or("Tool"), input)
        }
    }
}

/// A change to one file, with whatever text the agent left of it.
fn change(event: &Event, file: &str, placed: &str) -> Call {
    let of = |tool: &str, input| Call { id: String::new(), tool: tool.to_owned(), input };
    if let Some((_, whole)) = event.text.split_once("\n+++ whole file\n") {
        return of("Write", json!({"file_path": placed, "content": whole}));
    }
    let (old, new) = match event.text.split_once("\n--- old\n") {
        Some((_, rest)) => {
            let (old, new) = rest.split_once("\n+++ new\n").unwrap_or((rest, ""));
            (old.to_owned(), new.to_owned())
        }
        None => patched(&event.text, file),
    };
    of("Edit", json!({"file_path": placed, "old_string": old, "new_string": new}))
}

/// The lines that a patch removes from a file and adds to it.
fn patched(patch: &str, file: &str) -> (String, String) {
    let (mut old, mut new, mut is_ours) = (String::new(), String::new(), false);
    for line in patch.lines() {
        if let Some(header) = line.strip_prefix("*** ") {
            is_ours = header.ends_with(&format!("File: {file}"));
        } else if let (true, Some(line)) = (is_ours, line.strip_prefix('-')) {
            old.push_str(line);
            old.push('\n');
        } else if let (true, Some(line)) = (is_ours, line.strip_prefix('+')) {
            new.push_str(line);
            new.push('\n');
        }
    }
    (old, new)
}

// The lines in a session's transcript of Claude Code.

/// The writer of one session: its directory, its time and its turn.
#[derive(Debug)]
pub(crate) struct TranscriptWriter<'p> {
    pub(crate) workspace: &'p Workspace<'p>,
    pub(crate) turn: &'p str,
    pub(crate) at: i64,
    /// The number of this line, unique within the session.
    pub(crate) number: u64,
}

impl TranscriptWriter<'_> {
    fn line(&self, kind: &str) -> Value {
        json!({
            "type": kind, "sessionId": self.workspace.session, "cwd": self.workspace.cwd, "version": "2.1.325", "userType": "external",
            "isSidechain": false, "uuid": format!("u{}", self.number), "promptId": self.turn,
            "timestamp": Timestamp::from_millis(self.at).to_string(),
        })
    }

    fn message(&self, role: &str, content: Value) -> Value {
        let mut line = self.line(role);
        line["message"] = json!({"role": role, "content": content});
        line
    }

    /// A prompt of the user; a command has its arguments separate.
    pub(crate) fn prompt(&self, words: &str, is_command: bool) -> Value {
        if !is_command {
            return self.message("user", words.into());
        }
        let (name, arguments) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let name = format!(
            "<command-message>{}</command-message>\n<command-name>{name}</command-name>",
            name.trim_start_matches('/')
        );
        self.message("user", format!("{name}\n<command-args>{arguments}</command-args>").into())
    }

    pub(crate) fn assistant_text(&self, text: &str) -> Value {
        self.message("assistant", json!([{"type": "text", "text": text}]))
    }

    pub(crate) fn thought(&self, text: &str) -> Value {
        self.message("assistant", json!([{"type": "thinking", "thinking": text, "signature": ""}]))
    }

    pub(crate) fn called(&self, call: &Call) -> Value {
        let block = json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": call.input});
        self.message("assistant", json!([block]))
    }

    pub(crate) fn answered(&self, call: &Call, text: &str, failed: bool) -> Value {
        let block =
            json!({"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed});
        self.message("user", json!([block]))
    }

    /// A call that the user rejected, with their comment.
    pub(crate) fn refused(&self, call: &Call, words: &str) -> Value {
        const WHAT: &str = "The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
        let how = "To tell you how to proceed, the user said:";
        self.answered(call, &format!("{REFUSED_MESSAGE} {WHAT} {how}\n{words}"), true)
    }

    /// A comment that the user sent with the result of a call.
    pub(crate) fn comment_on_result(&self, id: &str, words: &str) -> Value {
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": ""});
        self.message("user", json!([result, {"type": "text", "text": words}]))
    }

    /// A message that the user typed while the agent worked: it is queued, then sent to the agent.
    pub(crate) fn queued(&self, words: &str) -> [Value; 2] {
        ["enqueue", "remove"].map(|operation| {
            let mut line = self.line("queue-operation");
            line["operation"] = operation.into();
            line["content"] = words.into();
            line
        })
    }

    pub(crate) fn summed_up(&self, text: &str) -> Value {
        let mut line = self.message("user", text.into());
        line["isCompactSummary"] = true.into();
        line
    }
}

/// The questions in the sentence for the model, `"question"="answer", …`, each with its answer.
pub(super) fn answers(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Some((_, mut rest)) = text.split_once('"') else { return found };
    while let Some((question, after)) = rest.split_once("\"=\"") {
        let next = after.find("\", \"");
        let end = next
            .or_else(|| after.find("\" user notes:"))
            .or_else(|| after.find("\". "))
            .or_else(|| after.rfind('"'));
        let end = end.unwrap_or(after.len());
        found.push((question.to_owned(), after[..end].to_owned()));
        match next {
            Some(next) => rest = &after[next + 4..],
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use nudge_core::event::{EventKind, Speaker, SpeechKind, StartSource};
    use nudge_core::{HookEvent, ObservationKind, Outcome, Timestamp};
    use nudge_harness::Harness;
    use nudge_harness::transcript::speech;
    use nudge_memory::capture::{self, CapturedVia, EventBody, ProjectRef, ReadContext};

    use super::*;

    const DESK: Workspace<'_> = Workspace { session: "s", cwd: "/r" };

    fn read(payload: &Value) -> HookEvent {
        nudge_harness::parse(Harness::Claude, &payload.to_string()).expect("a payload of Claude Code")
    }

    fn kept(payload: &Value) -> EventBody {
        let here = ReadContext {
            now: Timestamp::from_millis(5_000),
            project: ProjectRef {
                key: "k".into(),
                name: "n".into(),
                root: "/r".into(),
                ..ProjectRef::default()
            },
            headless: Some(false),
            via: CapturedVia::Hook,
            own_root: None,
            is_own_tool: |_| false,
        };
        capture::read(&read(payload), &payload.to_string(), &here).expect("a moment").what
    }

    fn acted(payload: &Value) -> (ObservationKind, String, Outcome) {
        match kept(payload) {
            EventBody::Action(action) => (action.kind, action.body, action.outcome),
            other => panic!("not an action: {other:?}"),
        }
    }

    #[test]
    fn what_frames_a_session_is_read_back() {
        assert_eq!(
            read(&DESK.start("startup")).kind,
            EventKind::SessionStart { source: StartSource::Startup }
        );
        let prompt = read(&DESK.prompt("t", "fix it"));
        assert_eq!((prompt.kind, prompt.prompt_id.as_deref()), (EventKind::Prompt, Some("t")));
        assert_eq!(prompt.prompt.map(|prompt| prompt.by), Some(Speaker::Person));
        assert_eq!(read(&DESK.stop("t", "done")).message.as_deref(), Some("done"));
        assert!(matches!(kept(&DESK.end("t")), EventBody::End { .. }));
        assert!(matches!(kept(&DESK.compacts("t")), EventBody::Compact { ahead: true, .. }));
    }

    #[test]
    fn calls_are_kept_as_what_they_did() {
        let roots = Roots::of(&[]);
        let ran = calls(&Event::made("command", "cargo test", &[]), &roots, "/r").remove(0);
        let done = DESK.done("t", &ran, output("ok"));
        assert_eq!(acted(&done), (ObservationKind::Command, "cargo test".to_owned(), Outcome::Success));
        let failed = DESK.failed("t", &ran, "Exit code 3\nno");
        assert_eq!(acted(&failed).0, ObservationKind::CommandError);
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-old\n+new\n*** Add File: b.rs\n+whole\n*** End Patch";
        let both = calls(&Event::made("edit", patch, &["a.rs", "b.rs"]), &roots, "/r");
        assert_eq!(
            both[0].input,
            json!({"file_path": "/r/a.rs", "old_string": "old\n", "new_string": "new\n"})
        );
        let edited = DESK.done("t", &both[1], Value::Null);
        assert_eq!(acted(&edited).1, "/r/b.rs");
        let whole =
            calls(&Event::made("edit", "x.md\n+++ whole file\nhello", &["x.md"]), &roots, "/r").remove(0);
        assert_eq!((whole.tool.as_str(), &whole.input["content"]), ("Write", &json!("hello")));
    }

    #[test]
    fn a_status_in_the_output_tells_of_a_failure() {
        assert!(says_failed("Chunk ID: a\nWall time: 0.6 seconds\nProcess exited with code 1\nOutput:\nno"));
        assert!(!says_failed("Chunk ID: a\nProcess exited with code 0\nOutput:\nProcess exited with code 1"));
        assert!(says_failed("failed in sandbox LinuxSeccomp with execution error"));
    }

    #[test]
    fn what_no_hook_tells_is_read_from_the_lines() {
        let workspace = Workspace { session: "s", cwd: "/r" };
        let pen = TranscriptWriter { workspace: &workspace, turn: "t", at: 1_000, number: 1 };
        let call = |id: &str, tool: &str, input| Call { id: id.to_owned(), tool: tool.to_owned(), input };
        let push = call("c1", "Bash", json!({"command": "git push"}));
        let sentence =
            "User has answered your questions: \"Which?\"=\"the second, please\". You can now continue.";
        let asked = answers(sentence);
        assert_eq!(asked, [("Which?".to_owned(), "the second, please".to_owned())]);
        let ask = call("c2", "AskUserQuestion", json!({"questions": [{"question": "Which?"}]}));
        let [waits, goes] = pen.queued("and push");
        let lines = [
            pen.prompt("fix it", false),
            pen.thought("hm"),
            pen.called(&push),
            pen.refused(&push, "run the tests first"),
            pen.called(&ask),
            pen.answered(&ask, sentence, false),
            waits,
            goes,
            pen.comment_on_result("c1", "use tabs"),
            pen.assistant_text("done"),
        ];
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let said: Vec<(String, SpeechKind)> = speech(Harness::Claude, "/t/s.jsonl", &text, || None)
            .into_iter()
            .filter_map(|event| Some((event.prompt?.text, event.speech?.manner)))
            .collect();
        let of = |words: &str, manner| (words.to_owned(), manner);
        let expected = [
            of("run the tests first", SpeechKind::Refusal),
            of("the second, please", SpeechKind::Answer),
            of("and push", SpeechKind::Queued),
            of("use tabs", SpeechKind::Beside),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn several_answers_are_distinguished() {
        let text = "User has answered your questions: \"A?\"=\"one\", \"B?\"=\"two\" user notes: later";
        let of = |question: &str, answer: &str| (question.to_owned(), answer.to_owned());
        assert_eq!(answers(text), [of("A?", "one"), of("B?", "two")]);
    }
}
