//! Codex's rollouts: `rollout-<time>-<thread>.jsonl`, each line `{timestamp, type, payload}`.
//!
//! Newer ones tell what happened in `item_completed`, with exit statuses; older ones in `response_item` and in events of their
//! own. Both are read, and what is told in several ways counts once.

mod answer;
mod call;
pub(super) mod end;
mod item;
mod known;
mod shell;
mod tail;

use std::collections::HashSet;

use nudge_core::event::{EventKind, HookEvent, PromptText, Speaker, ToolCall};
use serde_json::Value;

use self::known::Known;
use crate::payload::Fields;
use crate::transcript::calls::Calls;
use crate::transcript::line::{text_of, word};
use crate::transcript::{Beginning, Follow, Format, Item, Place, Skip, TailFormat, Told};

pub(super) const FORMAT: Format = Format {
    place: Some(Place { variable: Some("CODEX_HOME"), in_home: ".codex", inside: "sessions" }),
    is_named: |name| name.starts_with("rollout-"),
    follow: Some(|path| Box::new(Rollout::new(path))),
    beginning: Beginning { line: is_line, head: is_head },
    tail: Some(TailFormat { words: &["item_completed", "reasoning"], has_answers: false, take: tail::take }),
    ..Format::NONE
};

/// Whether a line is of a rollout.
fn is_line(line: &Value) -> bool {
    line["payload"].is_object() && line["timestamp"].is_string()
}

fn is_head(head: &str) -> bool {
    head.contains("\"type\":\"session_meta\",\"payload\":{")
}

/// One rollout, as far as it was read.
#[derive(Debug)]
struct Rollout {
    known: Known,
    calls: Calls,
    /// The calls that were told, by their ids.
    told: HashSet<String>,
}

impl Follow for Rollout {
    fn line(&mut self, mut line: Fields, told: &mut Told) {
        let kind = line.text(&["type"]).unwrap_or_default();
        let Some(payload) = line.take(&["payload"]) else { return told.skip(Skip::Unknown) };
        self.known.at = line.moment("timestamp");
        self.known.learn(&kind, &payload);
        match kind.as_str() {
            "session_meta" => self.known.begin(&payload, told),
            "event_msg" => self.event_msg(payload, told),
            "response_item" => self.response_item(payload, told),
            "compacted" => {
                told.event(self.known.event("PostCompact", EventKind::PostCompact { trigger: None }));
            }
            "turn_context" | "world_state" | "token_usage_record" => told.skip(Skip::Bookkeeping),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn finish(self: Box<Self>) -> Vec<Item> {
        self.calls.rest()
    }
}

impl Rollout {
    fn new(path: &str) -> Self {
        Self { known: Known::of_path(path), calls: Calls::default(), told: HashSet::new() }
    }

    fn event_msg(&mut self, mut payload: Value, told: &mut Told) {
        match word(&payload, "type").unwrap_or_default() {
            "item_completed" => {
                let item = payload.get_mut("item").map_or(Value::Null, Value::take);
                self.item(item, told);
            }
            "user_message" => self.prompt(&payload["message"], told),
            "agent_reasoning" => self.thinking(word(&payload, "text"), told),
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" | "web_search_end" => {
                match call::ended(payload) {
                    Some(call) => self.tell(call, told),
                    None => told.skip(Skip::Unknown),
                }
            }
            "agent_message" => self.answer(&payload, &payload["message"], told),
            // The line `compacted` tells it.
            "context_compacted" => told.skip(Skip::Repeated),
            _ => told.skip(Skip::Bookkeeping),
        }
    }

    fn item(&mut self, item: Value, told: &mut Told) {
        match word(&item, "type").unwrap_or_default() {
            "UserMessage" => self.prompt(&item["content"], told),
            "AgentMessage" => self.answer(&item, &item["content"], told),
            "Reasoning" => {
                let texts = item["summary_text"].as_array().into_iter().flatten();
                self.thoughts(texts.filter_map(Value::as_str), told);
            }
            "CommandExecution" | "McpToolCall" | "FileChange" | "WebSearch" => match item::call(item) {
                Some(call) => self.tell(call, told),
                None => told.skip(Skip::Unknown),
            },
            "ContextCompaction" => told.skip(Skip::Repeated),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn response_item(&mut self, payload: Value, told: &mut Told) {
        match word(&payload, "type").unwrap_or_default() {
            "message" if is_injected(&payload) => told.skip(Skip::Injected),
            "message" if payload["role"] == "assistant" => self.answer(&payload, &payload["content"], told),
            // The person's words have an event of their own; the rest is what the program tells the model.
            "message" if payload["role"] == "user" => told.skip(Skip::Repeated),
            "message" => told.skip(Skip::ProgramText),
            "reasoning" => {
                let parts = payload["summary"].as_array().into_iter().flatten();
                self.thoughts(parts.filter_map(|part| word(part, "text")), told);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => match call::begun(payload) {
                Some(call) => {
                    told.works();
                    self.wait_for(call);
                }
                None => told.skip(Skip::Bookkeeping),
            },
            "function_call_output" | "custom_tool_call_output" => {
                let Some(mut event) = word(&payload, "call_id").and_then(|id| self.calls.end(id)) else {
                    return told.skip(Skip::Repeated);
                };
                event.at = self.known.at.or(event.at);
                call::answer(&mut event, &payload["output"]);
                self.told.extend(event.tool.as_ref().and_then(|tool| tool.id.clone()));
                let said = answer::all(&event, &payload["output"]);
                told.event(event);
                for (words, speech) in said {
                    let prompt = Some(PromptText { text: words, by: Speaker::Person });
                    let event = self.known.event("UserPromptSubmit", EventKind::Prompt);
                    told.event(HookEvent { prompt, speech: Some(speech), agent: None, ..event });
                }
            }
            "web_search_call" => told.skip(Skip::Repeated),
            _ => told.skip(Skip::Unknown),
        }
    }

    fn prompt(&mut self, content: &Value, told: &mut Told) {
        let prompt = crate::hooks::prompt::written(&text_of(content).unwrap_or_default());
        if prompt.by == Speaker::Program || self.known.agent.is_some() {
            return told.skip(Skip::ProgramText);
        }
        told.event(HookEvent {
            prompt: Some(prompt),
            ..self.known.event("UserPromptSubmit", EventKind::Prompt)
        });
    }

    /// What it answers; some of it is marked as said in between.
    fn answer(&self, message: &Value, content: &Value, told: &mut Told) {
        if word(message, "phase") == Some("commentary") {
            return told.skip(Skip::Answer);
        }
        told.answer(&text_of(content).unwrap_or_default(), self.known.event("Stop", EventKind::Stop));
    }

    fn thinking(&mut self, text: Option<&str>, told: &mut Told) {
        self.thoughts(text.into_iter(), told);
    }

    fn thoughts<'a>(&mut self, texts: impl Iterator<Item = &'a str>, told: &mut Told) {
        let before = told.items.len();
        for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
            told.items.extend(self.known.thinking(text).map(Item::Thinking));
        }
        if told.items.len() == before {
            told.skip(Skip::Repeated);
        }
    }

    /// A call began.
    fn wait_for(&mut self, call: ToolCall) {
        let Some(id) = call.id.clone().filter(|id| !self.told.contains(id)) else { return };
        let event = self.known.event("PostToolUse", EventKind::PostTool);
        self.calls.begin(&id, HookEvent { tool: Some(call), ..event });
    }

    /// A call ended. What it was called with stands more fully where it began.
    fn tell(&mut self, call: ToolCall, told: &mut Told) {
        if let Some(id) = &call.id
            && !self.told.insert(id.clone())
        {
            return told.skip(Skip::Repeated);
        }
        let begun = call.id.as_ref().and_then(|id| self.calls.end(id)).and_then(|event| event.tool);
        let tool = match begun {
            Some(begun) => {
                ToolCall { name: begun.name, input: begun.input, mcp: begun.mcp.or(call.mcp.clone()), ..call }
            }
            None => call,
        };
        told.event(HookEvent { tool: Some(tool), ..self.known.event("PostToolUse", EventKind::PostTool) });
    }
}

/// Whether hooks put it there.
fn is_injected(message: &Value) -> bool {
    let passed = message.get("internal_chat_message_metadata_passthrough");
    let kinds = passed.and_then(|passed| passed.get("content_item_kinds")).and_then(Value::as_array);
    kinds.into_iter().flatten().any(|kind| kind.as_str().is_some_and(|kind| kind.starts_with("hooks.")))
}
