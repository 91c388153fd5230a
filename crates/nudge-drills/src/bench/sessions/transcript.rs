//! The lines in a session's transcript of Claude Code.

use nudge_core::Timestamp;
use serde_json::{Value, json};

use super::calls::REFUSED;
use super::payload::{Call, Workspace};

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

    pub(crate) fn said(&self, text: &str) -> Value {
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
        self.answered(call, &format!("{REFUSED} {WHAT} {how}\n{words}"), true)
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
    use nudge_core::event::SpeechKind;
    use nudge_harness::Harness;
    use nudge_harness::transcript::speech;

    use super::*;

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
            pen.said("done"),
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
