//! Claude Code's transcripts: one line per message, `<session>.jsonl`, and `<session>/subagents/agent-<id>.jsonl` beside it. What
//! `claude -p` prints as a stream of JSON is read in the same way: its lines have fewer fields, and nobody watches it.

mod known;
mod prompt;
mod queue;
mod result;
mod speech;
mod tail;

use nudge_core::event::{EventKind, HookEvent, Manner, Speech, ToolCall};
use serde_json::Value;

use self::known::Known;
use self::prompt::Text;
use self::queue::{Message, Queue};
use crate::payload::Fields;
use crate::transcript::calls::Calls;
use crate::transcript::line::word;
use crate::transcript::{Beginning, Follow, Format, Item, Place, Skip, TailFormat, Told, ToolEnd};

pub(super) const FORMAT: Format = Format {
    place: Some(Place { variable: Some("CLAUDE_CONFIG_DIR"), in_home: ".claude", inside: "projects" }),
    follow: Some(|path| Box::new(Session::new(path))),
    beginning: Beginning { line: is_line, head: |_| false },
    tail: Some(TailFormat {
        words: &["\"thinking\"", "\"tool_result\""],
        has_answers: false,
        take: tail::take,
    }),
    ..Format::NONE
};

/// Whether a line is a message.
fn is_line(line: &Value) -> bool {
    let is_message = matches!(line["type"].as_str(), Some("user" | "assistant" | "system"));
    is_message && (line["message"].is_object() || !line["session_id"].is_null())
}

/// Kinds of lines that hold what the program needs for itself.
const BOOKKEEPING: &[&str] = &[
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

/// The model of answers that no model gave.
const SYNTHETIC: &str = "<synthetic>";

/// How a text begins that the program makes of a plan that was approved.
const APPROVED: &str = "Implement the following plan:";

/// One transcript, as far as it was read.
#[derive(Debug)]
struct Session {
    known: Known,
    queue: Queue,
    calls: Calls,
}

impl Follow for Session {
    fn line(&mut self, mut line: Fields, told: &mut Told) {
        let kind = line.text(&["type"]).unwrap_or_default();
        self.known.learn(&mut line);
        match kind.as_str() {
            "user" | "assistant" | "system" | "attachment" => self.known.start(&line, told),
            _ => {}
        }
        match kind.as_str() {
            "user" => self.user(line, told),
            "assistant" => self.assistant(line, told),
            "system" => self.system(line, told),
            "attachment" => self.attachment(line, told),
            "queue-operation" => self.queued(&line, told),
            "summary" => told.skip(Skip::Summary),
            kind if BOOKKEEPING.contains(&kind) || kind.starts_with("api-") => told.skip(Skip::Bookkeeping),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn finish(self: Box<Self>) -> Vec<Item> {
        self.calls.rest()
    }
}

impl Session {
    fn new(path: &str) -> Self {
        Self { known: Known::of_path(path), queue: Queue::default(), calls: Calls::default() }
    }

    fn user(&mut self, mut line: Fields, told: &mut Told) {
        let content = match line.take(&["message"]) {
            Some(Value::Object(mut message)) => message.remove("content").unwrap_or(Value::Null),
            Some(whole) => whole,
            None => Value::Null,
        };
        let results = result::all(&content);
        let beside = results.first().map(|result| {
            let call = self.calls.get(&result.id).and_then(|event| event.tool.as_ref());
            speech::beside(&result.id, call)
        });
        if beside.is_some() {
            let whole = line.take(&["toolUseResult"]);
            self.results(&line, results, whole, told);
        }
        if line.flag("isCompactSummary") {
            return told.skip(Skip::Summary);
        }
        let typed = self.typed(&content, &line, told).join("\n");
        if typed.trim().is_empty() {
            if told.items.is_empty() {
                told.skip(Skip::ProgramText);
            }
            return;
        }
        if let Some(speech) = beside {
            return self.known.said(&typed, speech, &line, told);
        }
        let from_queue = line.text(&["promptSource"]).as_deref() == Some("queued");
        if self.queue.prompted(&typed, from_queue) {
            return told.skip(Skip::Repeated);
        }
        told.event(self.known.prompt(typed, &line));
    }

    /// The texts that the person typed; what is said in other ways is told here.
    fn typed(&self, content: &Value, line: &Fields, told: &mut Told) -> Vec<String> {
        let is_hidden = prompt::is_marked(line) || self.known.agent(line).is_some();
        let of_program = line.get("planContent").is_some() || prompt::is_sent(line.get("origin"));
        let of = |manner, about| Speech { manner, about, call: None };
        let mut typed = Vec::new();
        for text in texts(content) {
            // Said by the person at the end of a text that the program made of the agent's plan.
            let feedback = speech::feedback(text).filter(|_| text.starts_with(APPROVED));
            if let Some(words) = feedback {
                self.known.said(words, of(Manner::Plan, None), line, told);
            }
            let read = if is_hidden { Text::Program } else { prompt::read(text) };
            match if of_program { read.of_program() } else { read } {
                Text::Told(text) => told.event(self.known.told(text, line)),
                Text::Typed(words) => typed.push(words),
                Text::Command { name, arguments } if !arguments.is_empty() => {
                    let words = format!("{name} {arguments}");
                    self.known.said(words.trim(), of(Manner::Command, Some(name)), line, told);
                }
                Text::Shell(words) => self.known.said(&words, of(Manner::Shell, None), line, told),
                Text::Note(words) => self.known.said(&words, of(Manner::Note, None), line, told),
                Text::Program | Text::Command { .. } => {}
            }
        }
        typed
    }

    fn queued(&mut self, line: &Fields, told: &mut Told) {
        match self.queue.operation(line) {
            Some(message) => self.said_meanwhile(&message, line, told),
            None => told.skip(Skip::Bookkeeping),
        }
    }

    fn attachment(&mut self, mut line: Fields, told: &mut Told) {
        let attachment = line.take(&["attachment"]).unwrap_or(Value::Null);
        let kind = word(&attachment, "type").unwrap_or_default();
        if kind.starts_with("hook_") {
            return told.skip(Skip::Injected);
        }
        let at = line.moment("timestamp");
        let shown = if kind == "queued_command" { self.queue.shown(&attachment, at) } else { None };
        match shown.filter(|_| self.known.agent(&line).is_none()) {
            Some(message) => self.said_meanwhile(&message, &line, told),
            None => told.skip(Skip::Bookkeeping),
        }
    }

    /// It was said when it was typed, which is when a hook tells of it, where one does.
    fn said_meanwhile(&self, message: &Message, line: &Fields, told: &mut Told) {
        let words = match prompt::read(&message.words) {
            Text::Typed(words) | Text::Shell(words) | Text::Note(words) => words,
            Text::Command { name, arguments } => format!("{name} {arguments}"),
            Text::Told(_) | Text::Program => return told.skip(Skip::ProgramText),
        };
        let speech = Speech { manner: Manner::Queued, about: None, call: None };
        let event = self.known.prompt(words.trim().to_owned(), line);
        told.event(HookEvent { speech: Some(speech), agent: None, at: message.at.or(event.at), ..event });
    }

    fn results(
        &mut self,
        line: &Fields,
        results: Vec<result::ToolResult>,
        mut whole: Option<Value>,
        told: &mut Told,
    ) {
        let only = results.len() == 1;
        for result in results {
            let begun = self.calls.end(&result.id);
            if result.was_cancelled() {
                told.skip(Skip::Cancelled);
                continue;
            }
            let call = begun.as_ref().and_then(|event| event.tool.as_ref());
            let said = if result.was_declined() {
                speech::refused(&result, call)
            } else {
                let whole = whole.as_ref().filter(|_| only);
                call.map_or_else(Vec::new, |call| speech::answered(&result, call, whole))
            };
            // A call that was refused never ran, so no hook would have told of it; a plan is worth keeping all the same.
            let plans = call.is_some_and(speech::is_plan);
            if result.was_declined() && !plans {
                if said.is_empty() {
                    told.skip(Skip::Declined);
                }
            } else if let Some(mut event) = begun {
                event.at = line.moment("timestamp").or(event.at);
                event.prompt_id = self.known.turn.clone().or(event.prompt_id);
                result.into_event(&mut event, whole.take().filter(|_| only));
                told.event(event);
            } else {
                told.items.push(Item::ToolEnd(ToolEnd {
                    id: result.id.clone(),
                    outcome: result.outcome(),
                    output: None,
                }));
            }
            for (words, speech) in said {
                self.known.said(&words, speech, line, told);
            }
        }
    }

    fn assistant(&mut self, mut line: Fields, told: &mut Told) {
        let mut message = line.take_object(&["message"]);
        let model = message.text(&["model"]);
        let Some(Value::Array(blocks)) = message.take(&["content"]) else {
            return told.skip(Skip::Answer);
        };
        let mut took = false;
        let mut answer = String::new();
        for mut block in blocks {
            match word(&block, "type") {
                Some("thinking") => {
                    if let Some(text) = word(&block, "thinking") {
                        took = true;
                        told.items.push(Item::Thinking(self.known.thinking(text, &line)));
                    }
                }
                Some("tool_use") => {
                    let (Some(id), Some(name)) = (word(&block, "id"), word(&block, "name")) else { continue };
                    took = true;
                    told.works();
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
        // What the program says in the place of a model is no answer.
        let by_model = model.as_deref() != Some(SYNTHETIC) && !line.flag("isApiErrorMessage");
        if !answer.is_empty() && by_model {
            told.answer(&answer, self.known.event("Stop", EventKind::Stop, &line));
        } else if !took {
            told.skip(Skip::Answer);
        }
    }

    fn system(&self, mut line: Fields, told: &mut Told) {
        // Commands that need no model stand in lines of the program.
        let content = line.text(&["content"]).unwrap_or_default();
        if let Text::Command { name, arguments } = prompt::read(&content)
            && !arguments.is_empty()
        {
            let speech = Speech { manner: Manner::Command, about: Some(name.clone()), call: None };
            return self.known.said(&format!("{name} {arguments}"), speech, &line, told);
        }
        if line.text(&["subtype"]).as_deref() != Some("compact_boundary") {
            return told.skip(Skip::Bookkeeping);
        }
        let trigger = line.take_object(&["compactMetadata"]).text(&["trigger"]);
        told.event(self.known.event("PostCompact", EventKind::PostCompact { trigger }, &line));
    }
}

/// The texts of a message, apart from results and pictures.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block.as_str().or_else(|| word(block, "text"))).collect()
        }
        _ => Vec::new(),
    }
}
