//! Codex's rollouts: `rollout-<time>-<thread>.jsonl`, each line `{timestamp, type, payload}`.
//!
//! Newer rollouts report actions in `item_completed`, with exit statuses; older ones in
//! `response_item` and in separate events. We read both, and count an action once that is reported
//! in several ways.

mod call;
pub(super) mod item;
mod known;

use std::collections::HashSet;

use nudge_core::event::{EventKind, HookEvent, PromptText, Speaker, Speech, SpeechKind, ToolCall};
use serde_json::Value;

use self::known::RolloutState;
use super::transcript::item::tool_end;
use crate::payload::Fields;
use crate::transcript::item::{Calls, text_of, word};
use crate::transcript::{
    Follow, Format, FormatMarkers, Item, LineItems, Skip, Tail, TailFormat, Thinking, TranscriptDir,
};

pub(super) const FORMAT: Format = Format {
    dir: Some(TranscriptDir { variable: Some("CODEX_HOME"), in_home: ".codex", inside: "sessions" }),
    is_named: |name| name.starts_with("rollout-"),
    follow: Some(|path| Box::new(Rollout::new(path))),
    beginning: FormatMarkers { line: is_line, head: is_head },
    tail: Some(TailFormat { words: &["item_completed", "reasoning"], has_answers: false, take }),
    ..Format::NONE
};

/// Whether a line belongs to a rollout.
fn is_line(line: &Value) -> bool {
    line["payload"].is_object() && line["timestamp"].is_string()
}

fn is_head(head: &str) -> bool {
    head.contains("\"type\":\"session_meta\",\"payload\":{")
}

/// The state of reading one rollout.
#[derive(Debug)]
struct Rollout {
    known: RolloutState,
    calls: Calls,
    /// Ids of the calls that were reported already.
    reported_calls: HashSet<String>,
}

impl Follow for Rollout {
    fn line(&mut self, mut line: Fields, out: &mut LineItems) {
        let kind = line.text(&["type"]).unwrap_or_default();
        let Some(payload) = line.take(&["payload"]) else { return out.skip(Skip::Unknown) };
        self.known.at = line.point("timestamp");
        self.known.remember_fields(&kind, &payload);
        match kind.as_str() {
            "session_meta" => self.known.begin(&payload, out),
            "event_msg" => self.event_msg(payload, out),
            "response_item" => self.response_item(payload, out),
            "compacted" => {
                out.event(self.known.event("PostCompact", EventKind::PostCompact { trigger: None }));
            }
            "turn_context" | "world_state" | "token_usage_record" => out.skip(Skip::Bookkeeping),
            _ => out.skip(Skip::Unknown),
        }
    }

    fn finish(self: Box<Self>) -> Vec<Item> {
        self.calls.rest()
    }
}

impl Rollout {
    fn new(path: &str) -> Self {
        Self { known: RolloutState::of_path(path), calls: Calls::default(), reported_calls: HashSet::new() }
    }

    fn event_msg(&mut self, mut payload: Value, out: &mut LineItems) {
        match word(&payload, "type").unwrap_or_default() {
            "item_completed" => {
                let item = payload.get_mut("item").map_or(Value::Null, Value::take);
                self.item(item, out);
            }
            "user_message" => self.prompt(&payload["message"], out),
            "agent_reasoning" => self.thinking(word(&payload, "text"), out),
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" | "web_search_end" => {
                match call::ended(payload) {
                    Some(call) => self.finish_call(call, out),
                    None => out.skip(Skip::Unknown),
                }
            }
            "agent_message" => self.answer(&payload, &payload["message"], out),
            // The line `compacted` reports it.
            "context_compacted" => out.skip(Skip::Repeated),
            _ => out.skip(Skip::Bookkeeping),
        }
    }

    fn item(&mut self, item: Value, out: &mut LineItems) {
        match word(&item, "type").unwrap_or_default() {
            "UserMessage" => self.prompt(&item["content"], out),
            "AgentMessage" => self.answer(&item, &item["content"], out),
            "Reasoning" => {
                let texts = item["summary_text"].as_array().into_iter().flatten();
                self.thoughts(texts.filter_map(Value::as_str), out);
            }
            "CommandExecution" | "McpToolCall" | "FileChange" | "WebSearch" => match item::call(item) {
                Some(call) => self.finish_call(call, out),
                None => out.skip(Skip::Unknown),
            },
            "ContextCompaction" => out.skip(Skip::Repeated),
            _ => out.skip(Skip::Unknown),
        }
    }

    fn response_item(&mut self, payload: Value, out: &mut LineItems) {
        match word(&payload, "type").unwrap_or_default() {
            "message" if is_injected(&payload) => out.skip(Skip::Injected),
            "message" if payload["role"] == "assistant" => self.answer(&payload, &payload["content"], out),
            // The user's words have a separate event; the rest is what the program sends the model.
            "message" if payload["role"] == "user" => out.skip(Skip::Repeated),
            "message" => out.skip(Skip::ProgramText),
            "reasoning" => {
                let parts = payload["summary"].as_array().into_iter().flatten();
                self.thoughts(parts.filter_map(|part| word(part, "text")), out);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => match call::started_call(payload) {
                Some(call) => {
                    out.note_action();
                    self.begin_call(call);
                }
                None => out.skip(Skip::Bookkeeping),
            },
            "function_call_output" | "custom_tool_call_output" => {
                let Some(mut event) = word(&payload, "call_id").and_then(|id| self.calls.end(id)) else {
                    return out.skip(Skip::Repeated);
                };
                event.at = self.known.at.or(event.at);
                call::answer(&mut event, &payload["output"]);
                self.reported_calls.extend(event.tool.as_ref().and_then(|tool| tool.id.clone()));
                let said = all(&event, &payload["output"]);
                out.event(event);
                for (words, speech) in said {
                    let prompt = Some(PromptText { text: words, by: Speaker::Person });
                    let event = self.known.event("UserPromptSubmit", EventKind::Prompt);
                    out.event(HookEvent { prompt, speech: Some(speech), agent: None, ..event });
                }
            }
            "web_search_call" => out.skip(Skip::Repeated),
            _ => out.skip(Skip::Unknown),
        }
    }

    fn prompt(&mut self, content: &Value, out: &mut LineItems) {
        let prompt = crate::hooks::prompt::classify_prompt(&text_of(content).unwrap_or_default());
        if prompt.by == Speaker::Program || self.known.agent.is_some() {
            return out.skip(Skip::ProgramText);
        }
        out.event(HookEvent {
            prompt: Some(prompt),
            ..self.known.event("UserPromptSubmit", EventKind::Prompt)
        });
    }

    /// An answer of the agent; some are marked as commentary in the middle of a turn.
    fn answer(&self, message: &Value, content: &Value, out: &mut LineItems) {
        if word(message, "phase") == Some("commentary") {
            return out.skip(Skip::Answer);
        }
        out.answer(&text_of(content).unwrap_or_default(), self.known.event("Stop", EventKind::Stop));
    }

    fn thinking(&mut self, text: Option<&str>, out: &mut LineItems) {
        self.thoughts(text.into_iter(), out);
    }

    fn thoughts<'a>(&mut self, texts: impl Iterator<Item = &'a str>, out: &mut LineItems) {
        let before = out.items.len();
        for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
            out.items.extend(self.known.thinking(text).map(Item::Thinking));
        }
        if out.items.len() == before {
            out.skip(Skip::Repeated);
        }
    }

    /// A call began.
    fn begin_call(&mut self, call: ToolCall) {
        let Some(id) = call.id.clone().filter(|id| !self.reported_calls.contains(id)) else { return };
        let event = self.known.event("PostToolUse", EventKind::PostTool);
        self.calls.begin(&id, HookEvent { tool: Some(call), ..event });
    }

    /// A call ended. Its arguments are more complete in the line where it began.
    fn finish_call(&mut self, call: ToolCall, out: &mut LineItems) {
        if let Some(id) = &call.id
            && !self.reported_calls.insert(id.clone())
        {
            return out.skip(Skip::Repeated);
        }
        let begun = call.id.as_ref().and_then(|id| self.calls.end(id)).and_then(|event| event.tool);
        let tool = match begun {
            Some(begun) => {
                ToolCall { name: begun.name, input: begun.input, mcp: begun.mcp.or(call.mcp.clone()), ..call }
            }
            None => call,
        };
        out.event(HookEvent { tool: Some(tool), ..self.known.event("PostToolUse", EventKind::PostTool) });
    }
}

/// Whether hooks injected it.
fn is_injected(message: &Value) -> bool {
    let passed = message.get("internal_chat_message_metadata_passthrough");
    let kinds = passed.and_then(|passed| passed.get("content_item_kinds")).and_then(Value::as_array);
    kinds.into_iter().flatten().any(|kind| kind.as_str().is_some_and(|kind| kind.starts_with("hooks.")))
}

// The user's answers to questions that Codex asked.

/// The tool that asks.
const ASK_TOOL: &str = "request_user_input";

/// Precedes text that the user typed in addition to the options.
const NOTE_PREFIX: &str = "user_note: ";

/// The answers in the output of a call that asked, each with its question.
fn all(event: &HookEvent, output: &Value) -> Vec<(String, Speech)> {
    let Some(call) = event.tool.as_ref().filter(|call| call.name == ASK_TOOL) else { return Vec::new() };
    let out = text_of(output).and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
    let mut said = Vec::new();
    for (id, answer) in out["answers"].as_object().into_iter().flatten() {
        let mut questions = call.input["questions"].as_array().into_iter().flatten();
        let question = questions.find(|question| question["id"] == id.as_str());
        let about = question.and_then(|question| word(question, "question")).map(str::to_owned);
        for words in answer["answers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let speech = Speech { manner: SpeechKind::Answer, about: about.clone(), call: call.id.clone() };
            said.push((words.trim_start_matches(NOTE_PREFIX).to_owned(), speech));
        }
    }
    said
}

// Reads from a piece of a rollout what hooks leave out.

/// Adds what hooks leave out in one line: how calls ended, and reasoning.
fn take(mut line: Fields, tail: &mut Tail) {
    let Some(payload) = line.take(&["payload"]) else { return };
    tail.ends.extend(tool_end(&payload));
    let item = payload.get("item").unwrap_or(&Value::Null);
    let texts = match (word(&payload, "type"), word(item, "type")) {
        (Some("item_completed"), Some("Reasoning")) => &item["summary_text"],
        (Some("reasoning"), _) => &payload["summary"],
        _ => return,
    };
    let text = |part: &Value| part.as_str().or_else(|| word(part, "text")).map(|text| text.trim().to_owned());
    let passed = payload.get("internal_chat_message_metadata_passthrough").unwrap_or(&payload);
    let turn = word(passed, "turn_id").map(String::from);
    let texts = texts.as_array().into_iter().flatten().filter_map(text).filter(|text| !text.is_empty());
    for text in
        texts.filter(|text| tail.thinking.last().is_none_or(|last| last.text != *text)).collect::<Vec<_>>()
    {
        let at = line.point("timestamp");
        tail.thinking.push(Thinking { text, at, session: None, turn: turn.clone(), agent: None });
    }
}
