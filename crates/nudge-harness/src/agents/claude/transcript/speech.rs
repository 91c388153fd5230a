//! Results of tool calls, and what the user says in one: why they declined it, their answer, how a
//! plan should change.

use nudge_core::event::{EventKind, HookEvent, Outcome, Speech, SpeechKind, ToolCall};
use nudge_core::text::first_chars;
use serde_json::Value;

use crate::hooks::event;
use crate::tool;
use crate::transcript::item::{text_of, word};

/// The user's words follow one of these.
const SPEECH_MARKS: [&str; 2] = ["To tell you how to proceed, the user said:\n", "The user said:\n"];

/// A note that the program adds after them.
const ADDED_NOTE: &str = "\n\nNote: The user's next message may contain a correction";

/// The user wants to discuss the questions; the answers so far follow.
const CLARIFY_NOTE: &str = "The user wants to clarify these questions.";

/// The user's comment on a plan they approved follows this.
const FEEDBACK_MARK: &str = "\nUser feedback on this plan: ";

/// The most characters kept of the description of a declined call.
const MAX_DESCRIPTION: usize = 300;

const ASK_TOOL: &str = "AskUserQuestion";

const PLAN_TOOL: &str = "ExitPlanMode";

const SNAKE_PLAN_TOOL: &str = "exit_plan_mode";

/// Whether a call shows a plan.
pub(super) fn is_plan(call: &ToolCall) -> bool {
    [PLAN_TOOL, SNAKE_PLAN_TOOL].contains(&call.name.as_str())
}

/// The user's words, and how they were said.
type SpokenWords = (String, Speech);

/// The user's words in declining a call.
pub(super) fn speech_in_refusal(result: &ToolResult, call: Option<&ToolCall>) -> Vec<SpokenWords> {
    let text = result.text();
    let words = SPEECH_MARKS.iter().find_map(|mark| text.split_once(mark)).map_or("", |(_, words)| words);
    let words = words.split(ADDED_NOTE).next().unwrap_or_default().trim();
    if words.starts_with(CLARIFY_NOTE) {
        return answers_before_clarification(words, &result.id);
    }
    if words.is_empty() {
        return Vec::new();
    }
    let manner = if call.is_some_and(is_plan) { SpeechKind::Plan } else { SpeechKind::Refusal };
    let about = call.map(described);
    vec![(words.to_owned(), Speech { manner, about, call: Some(result.id.clone()) })]
}

/// The [`Speech`] of words that came along with the result of a call.
pub(super) fn speech_with_result(id: &str, call: Option<&ToolCall>) -> Speech {
    let manner = if call.is_some_and(is_plan) { SpeechKind::Plan } else { SpeechKind::Beside };
    speech(manner, call.map(described), id)
}

/// What the user said in a call that ran.
pub(super) fn speech_in_result(
    result: &ToolResult,
    call: &ToolCall,
    whole: Option<&Value>,
) -> Vec<SpokenWords> {
    match call.name.as_str() {
        ASK_TOOL if whole.is_some_and(|whole| whole["answers"].is_object()) => {
            answers(whole.unwrap_or(&Value::Null), &result.id)
        }
        ASK_TOOL => answers_in_text(&result.text(), call, &result.id),
        PLAN_TOOL | SNAKE_PLAN_TOOL => {
            let words = feedback(&result.text()).map(str::to_owned);
            let of = |words| (words, speech(SpeechKind::Plan, Some(described(call)), &result.id));
            words.map(of).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The user's comment on a plan, at the end of a text that the program wrote.
pub(super) fn feedback(text: &str) -> Option<&str> {
    text.rsplit_once(FEEDBACK_MARK).map(|(_, words)| words.trim()).filter(|words| !words.is_empty())
}

fn speech(manner: SpeechKind, about: Option<String>, call: &str) -> Speech {
    Speech { manner, about, call: Some(call.to_owned()) }
}

fn answers(whole: &Value, call: &str) -> Vec<SpokenWords> {
    let mut said = Vec::new();
    for (question, answer) in whole["answers"].as_object().into_iter().flatten() {
        let chosen = match answer {
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            one => one.as_str().unwrap_or_default().to_owned(),
        };
        let notes = word(&whole["annotations"][question], "notes").map(str::to_owned);
        for words in [Some(chosen), notes].into_iter().flatten().filter(|words| !words.trim().is_empty()) {
            said.push((words, speech(SpeechKind::Answer, Some(question.clone()), call)));
        }
    }
    if let Some(words) = word(whole, "response") {
        said.push((words.to_owned(), speech(SpeechKind::Answer, None, call)));
    }
    said
}

/// The answers in the sentence that the model gets: `"question"="answer", …`.
fn answers_in_text(text: &str, call: &ToolCall, id: &str) -> Vec<SpokenWords> {
    let asked = call.input["questions"].as_array().into_iter().flatten();
    let questions: Vec<&str> = asked.filter_map(|question| word(question, "question")).collect();
    let mut said = Vec::new();
    for question in &questions {
        let Some((_, rest)) = text.split_once(&format!("\"{question}\"=\"")) else { continue };
        let next = questions.iter().map(|question| format!("\", \"{question}\"="));
        let marks = next.chain(["\". You can now".to_owned(), "\". Read the answers".to_owned()]);
        let end = marks.filter_map(|mark| rest.find(&mark)).min().or_else(|| rest.rfind('"'));
        let words = &rest[..end.unwrap_or(rest.len())];
        if !words.trim().is_empty() {
            said.push((words.to_owned(), speech(SpeechKind::Answer, Some((*question).to_owned()), id)));
        }
    }
    said
}

/// The answers and notes in a list of questions, each on the line below its question.
fn answers_before_clarification(text: &str, call: &str) -> Vec<SpokenWords> {
    let mut question = None;
    let mut said = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(asked) = line.strip_prefix("- \"") {
            question = Some(asked.trim_end_matches('"').to_owned());
        }
        let words = line.strip_prefix("Answer: ").or_else(|| line.strip_prefix("User notes: "));
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            said.push((words.to_owned(), speech(SpeechKind::Answer, question.clone(), call)));
        }
    }
    said
}

/// A call in one line: the tool, and what it acted on.
fn described(call: &ToolCall) -> String {
    const TELLING: [&str; 9] =
        ["command", "file_path", "notebook_path", "path", "plan", "url", "query", "pattern", "description"];
    let telling = TELLING.iter().find_map(|key| word(&call.input, key));
    let telling = telling.map(|text| text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
    let out =
        telling.map_or_else(|| call.name.clone(), |telling| format!("{}: {}", call.name, telling.trim()));
    first_chars(&out, MAX_DESCRIPTION).to_owned()
}

/// The result of one call.
#[derive(Debug)]
pub(super) struct ToolResult {
    pub(super) id: String,
    pub(super) failed: bool,
    content: Value,
}

/// Texts that the program writes for a call that the user declined.
const DECLINED_TEXTS: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission for this tool use was denied",
];

/// The results in a message.
pub(super) fn all(content: &Value) -> Vec<ToolResult> {
    let of = |block: &Value| {
        let id = Some(block)
            .filter(|block| block["type"] == "tool_result")
            .and_then(|block| word(block, "tool_use_id"))?;
        Some(ToolResult {
            id: id.to_owned(),
            failed: block["is_error"].as_bool() == Some(true),
            content: block.get("content").cloned().unwrap_or(Value::Null),
        })
    };
    content.as_array().into_iter().flatten().filter_map(of).collect()
}

impl ToolResult {
    /// Its text.
    pub(super) fn text(&self) -> String {
        error_text(&self.content).unwrap_or_default()
    }

    /// Whether the user declined the call.
    pub(super) fn was_declined(&self) -> bool {
        let text = self.text();
        self.failed && DECLINED_TEXTS.iter().any(|start| text.trim_start().starts_with(start))
    }

    /// Whether the call never began, because a parallel call failed.
    pub(super) fn was_cancelled(&self) -> bool {
        self.failed && tool::was_cancelled(&self.text())
    }

    pub(super) fn outcome(&self) -> Outcome {
        let status = || error_text(&self.content).as_deref().and_then(tool::on_first_line);
        if self.failed { Outcome::Failed { exit: status() } } else { Outcome::Success }
    }

    /// Completes the call's event as its PostToolUse hook would have reported it. `whole` is the
    /// full result that the program stores with the line.
    pub(super) fn into_event(self, event: &mut HookEvent, whole: Option<Value>) {
        let Some(call) = &mut event.tool else { return };
        if !self.failed {
            call.response = Some(whole.unwrap_or(self.content));
            return;
        }
        event.name = "PostToolUseFailure".to_owned();
        event.kind = EventKind::ToolFailure;
        call.interrupted = whole.as_ref().is_some_and(|whole| whole["interrupted"].as_bool() == Some(true));
        call.error = error_text(&self.content);
    }
}

/// An error's text without the prefix that the program adds.
fn error_text(content: &Value) -> Option<String> {
    text_of(content).or_else(|| event::error_text(content.clone()))
}
