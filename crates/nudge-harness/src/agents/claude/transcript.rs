//! Claude Code's transcripts: one line per message in `<session>.jsonl`, and
//! `<session>/subagents/agent-<id>.jsonl` next to it. The JSON stream that `claude -p` prints is
//! read the same way: its lines have fewer fields, and it runs unattended.

mod known;
mod prompt;
mod speech;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, Speech, SpeechKind, ToolCall};
use serde_json::Value;

use self::known::TranscriptState;
use self::prompt::{Message, Queue, Text};
use crate::payload::Fields;
use crate::transcript::item::{Calls, word};
use crate::transcript::{
    Follow, Format, FormatMarkers, Item, LineItems, Skip, Tail, TailFormat, Thinking, ToolEnd, TranscriptDir,
};

pub(super) const FORMAT: Format = Format {
    dir: Some(TranscriptDir { variable: Some("CLAUDE_CONFIG_DIR"), in_home: ".claude", inside: "projects" }),
    follow: Some(|path| Box::new(Session::new(path))),
    beginning: FormatMarkers { line: is_line, head: |_| false },
    tail: Some(TailFormat { words: &["\"thinking\"", "\"tool_result\""], has_answers: false, take }),
    ..Format::NONE
};

/// Whether a line is a message.
fn is_line(line: &Value) -> bool {
    let is_message = matches!(line["type"].as_str(), Some("user" | "assistant" | "system"));
    is_message && (line["message"].is_object() || !line["session_id"].is_null())
}

/// Kinds of lines that only the program itself needs.
const BOOKKEEPING_KINDS: &[&str] = &[
    "prompt_snapshot",
    "last-prompt",
    "cost-state",
    "tools-used",
    "file-history-snapshot",
    "progress",
    "mode",
    "permission-mode",
    "ai-title",
    "custom-title",
    "agent-name",
    "pr-link",
    "turn_duration",
    "result",
    "stream_event",
    "rate_limit_event",
    "tool_progress",
    "auth_status",
];

/// The model name on answers that no model gave.
const SYNTHETIC_MODEL: &str = "<synthetic>";

/// The beginning of a prompt that the program makes from an approved plan.
const APPROVED_PLAN: &str = "Implement the following plan:";

/// The state of reading one transcript.
#[derive(Debug)]
struct Session {
    known: TranscriptState,
    queue: Queue,
    calls: Calls,
}

impl Follow for Session {
    fn line(&mut self, mut line: Fields, out: &mut LineItems) {
        let kind = line.text(&["type"]).unwrap_or_default();
        self.known.remember_fields(&mut line);
        match kind.as_str() {
            "user" | "assistant" | "system" | "attachment" => self.known.start(&line, out),
            _ => {}
        }
        match kind.as_str() {
            "user" => self.user(line, out),
            "assistant" => self.assistant(line, out),
            "system" => self.system(line, out),
            "attachment" => self.attachment(line, out),
            "queue-operation" => self.queued(&line, out),
            "summary" => out.skip(Skip::Summary),
            kind if BOOKKEEPING_KINDS.contains(&kind) || kind.starts_with("api-") => {
                out.skip(Skip::Bookkeeping)
            }
            _ => out.skip(Skip::Unknown),
        }
    }

    fn finish(self: Box<Self>) -> Vec<Item> {
        self.calls.rest()
    }
}

impl Session {
    fn new(path: &str) -> Self {
        Self { known: TranscriptState::of_path(path), queue: Queue::default(), calls: Calls::default() }
    }

    fn user(&mut self, mut line: Fields, out: &mut LineItems) {
        let content = match line.take(&["message"]) {
            Some(Value::Object(mut message)) => message.remove("content").unwrap_or(Value::Null),
            Some(whole) => whole,
            None => Value::Null,
        };
        let results = speech::all(&content);
        let beside = results.first().map(|result| {
            let call = self.calls.get(&result.id).and_then(|event| event.tool.as_ref());
            speech::speech_with_result(&result.id, call)
        });
        if beside.is_some() {
            let whole = line.take(&["toolUseResult"]);
            self.results(&line, results, whole, out);
        }
        if line.flag("isCompactSummary") {
            return out.skip(Skip::Summary);
        }
        let typed = self.typed_texts(&content, &line, out).join("\n");
        if typed.trim().is_empty() {
            if out.items.is_empty() {
                out.skip(Skip::ProgramText);
            }
            return;
        }
        if let Some(speech) = beside {
            return self.known.add_speech(&typed, speech, &line, out);
        }
        let from_queue = line.text(&["promptSource"]).as_deref() == Some("queued");
        if self.queue.take_prompt(&typed, from_queue) {
            return out.skip(Skip::Repeated);
        }
        out.event(self.known.prompt(typed, &line));
    }

    /// The texts that the user typed. Words that the user said in another way are added to `out`
    /// here.
    fn typed_texts(&self, content: &Value, line: &Fields, out: &mut LineItems) -> Vec<String> {
        let is_hidden = prompt::is_flagged_as_program_text(line) || self.known.agent(line).is_some();
        let of_program = line.get("planContent").is_some() || prompt::is_sent_by_program(line.get("origin"));
        let of = |manner, about| Speech { manner, about, call: None };
        let mut typed = Vec::new();
        for text in texts(content) {
            // The user said it; the program put it at the end of the text it made from the agent's
            // plan.
            let feedback = speech::feedback(text).filter(|_| text.starts_with(APPROVED_PLAN));
            if let Some(words) = feedback {
                self.known.add_speech(words, of(SpeechKind::Plan, None), line, out);
            }
            let read = if is_hidden { Text::Program } else { prompt::read(text) };
            match if of_program { read.into_program_text() } else { read } {
                Text::ProgramMessage(text) => out.event(self.known.program_prompt(text, line)),
                Text::Typed(words) => typed.push(words),
                Text::Command { name, arguments } if !arguments.is_empty() => {
                    let words = format!("{name} {arguments}");
                    self.known.add_speech(words.trim(), of(SpeechKind::Command, Some(name)), line, out);
                }
                Text::Shell(words) => self.known.add_speech(&words, of(SpeechKind::Shell, None), line, out),
                Text::Note(words) => self.known.add_speech(&words, of(SpeechKind::Note, None), line, out),
                Text::Program | Text::Command { .. } => {}
            }
        }
        typed
    }

    fn queued(&mut self, line: &Fields, out: &mut LineItems) {
        match self.queue.apply_operation(line) {
            Some(message) => self.add_queued_message(&message, line, out),
            None => out.skip(Skip::Bookkeeping),
        }
    }

    fn attachment(&mut self, mut line: Fields, out: &mut LineItems) {
        let attachment = line.take(&["attachment"]).unwrap_or(Value::Null);
        let kind = word(&attachment, "type").unwrap_or_default();
        if kind.starts_with("hook_") {
            return out.skip(Skip::Injected);
        }
        let at = line.point("timestamp");
        let shown = if kind == "queued_command" { self.queue.read_attachment(&attachment, at) } else { None };
        match shown.filter(|_| self.known.agent(&line).is_none()) {
            Some(message) => self.add_queued_message(&message, &line, out),
            None => out.skip(Skip::Bookkeeping),
        }
    }

    /// The time is when the message was typed, which is also when a hook reports it, if one does.
    fn add_queued_message(&self, message: &Message, line: &Fields, out: &mut LineItems) {
        let words = match prompt::read(&message.words) {
            Text::Typed(words) | Text::Shell(words) | Text::Note(words) => words,
            Text::Command { name, arguments } => format!("{name} {arguments}"),
            Text::ProgramMessage(_) | Text::Program => return out.skip(Skip::ProgramText),
        };
        let speech = Speech { manner: SpeechKind::Queued, about: None, call: None };
        let event = self.known.prompt(words.trim().to_owned(), line);
        out.event(HookEvent { speech: Some(speech), agent: None, at: message.at.or(event.at), ..event });
    }

    fn results(
        &mut self,
        line: &Fields,
        results: Vec<speech::ToolResult>,
        mut whole: Option<Value>,
        out: &mut LineItems,
    ) {
        let only = results.len() == 1;
        for result in results {
            let begun = self.calls.end(&result.id);
            if result.was_cancelled() {
                out.skip(Skip::Cancelled);
                continue;
            }
            let call = begun.as_ref().and_then(|event| event.tool.as_ref());
            let said = if result.was_declined() {
                speech::speech_in_refusal(&result, call)
            } else {
                let whole = whole.as_ref().filter(|_| only);
                call.map_or_else(Vec::new, |call| speech::speech_in_result(&result, call, whole))
            };
            // A declined call never ran, so no hook would have reported it; a plan is worth keeping
            // anyway.
            let plans = call.is_some_and(speech::is_plan);
            if result.was_declined() && !plans {
                if said.is_empty() {
                    out.skip(Skip::Declined);
                }
            } else if let Some(mut event) = begun {
                event.at = line.point("timestamp").or(event.at);
                event.prompt_id = self.known.turn.clone().or(event.prompt_id);
                result.into_event(&mut event, whole.take().filter(|_| only));
                out.event(event);
            } else {
                out.items.push(Item::ToolEnd(ToolEnd {
                    id: result.id.clone(),
                    outcome: result.outcome(),
                    output: None,
                }));
            }
            for (words, speech) in said {
                self.known.add_speech(&words, speech, line, out);
            }
        }
    }

    fn assistant(&mut self, mut line: Fields, out: &mut LineItems) {
        let mut message = line.take_object(&["message"]);
        let model = message.text(&["model"]);
        let Some(Value::Array(blocks)) = message.take(&["content"]) else {
            return out.skip(Skip::Answer);
        };
        let mut took = false;
        let mut answer = String::new();
        for mut block in blocks {
            match word(&block, "type") {
                Some("thinking") => {
                    if let Some(text) = word(&block, "thinking") {
                        took = true;
                        out.items.push(Item::Thinking(self.known.thinking(text, &line)));
                    }
                }
                Some("tool_use") => {
                    let (Some(id), Some(name)) = (word(&block, "id"), word(&block, "name")) else { continue };
                    took = true;
                    out.note_action();
                    let (id, mut tool) = (id.to_owned(), ToolCall::new(name));
                    tool.id = Some(id.clone());
                    tool.input = block.get_mut("input").map_or(Value::Null, Value::take);
                    let event = self.known.event("PostToolUse", EventKind::PostTool, &line);
                    self.calls.begin(&id, HookEvent { tool: Some(tool), model: model.clone(), ..event });
                }
                Some("text") => word(&block, "text").unwrap_or_default().clone_into(&mut answer),
                _ => {}
            }
        }
        // Text that the program writes in place of a model is not an answer.
        let by_model = model.as_deref() != Some(SYNTHETIC_MODEL) && !line.flag("isApiErrorMessage");
        if !answer.is_empty() && by_model {
            out.answer(&answer, self.known.event("Stop", EventKind::Stop, &line));
        } else if !took {
            out.skip(Skip::Answer);
        }
    }

    fn system(&self, mut line: Fields, out: &mut LineItems) {
        // Commands that need no model are in system lines.
        let content = line.text(&["content"]).unwrap_or_default();
        if let Text::Command { name, arguments } = prompt::read(&content)
            && !arguments.is_empty()
        {
            let speech = Speech { manner: SpeechKind::Command, about: Some(name.clone()), call: None };
            return self.known.add_speech(&format!("{name} {arguments}"), speech, &line, out);
        }
        if line.text(&["subtype"]).as_deref() != Some("compact_boundary") {
            return out.skip(Skip::Bookkeeping);
        }
        let trigger = line.take_object(&["compactMetadata"]).text(&["trigger"]);
        out.event(self.known.event("PostCompact", EventKind::PostCompact { trigger }, &line));
    }
}

/// The texts of a message, without results and images.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block.as_str().or_else(|| word(block, "text"))).collect()
        }
        _ => Vec::new(),
    }
}

// Reads from a piece of a transcript what hooks leave out.

/// Adds what hooks leave out in one line: thinking, and failed calls.
fn take(mut line: Fields, tail: &mut Tail) {
    let at: Option<Timestamp> = line.point("timestamp");
    let content = line.take_object(&["message"]).take(&["content"]).unwrap_or(Value::Null);
    let ends = speech::all(&content)
        .into_iter()
        .filter(|result| result.failed && !result.was_declined() && !result.was_cancelled());
    tail.ends.extend(ends.map(|result| ToolEnd { outcome: result.outcome(), id: result.id, output: None }));
    let agent = line.text(&["agentId"]).map(|id| AgentLabel {
        id,
        kind: line.text(&["attributionAgent"]),
        parent: None,
    });
    let blocks = content.as_array().into_iter().flatten();
    let texts =
        blocks.filter(|block| block["type"] == "thinking").filter_map(|block| word(block, "thinking"));
    tail.thinking.extend(texts.map(|text| Thinking {
        text: text.to_owned(),
        at,
        session: line.text(&["sessionId"]),
        turn: line.text(&["promptId"]),
        agent: agent.clone(),
    }));
}
