//! The user's answers to questions that Codex asked.

use nudge_core::event::{HookEvent, Speech, SpeechKind};
use serde_json::Value;

use crate::transcript::line::{text_of, word};

/// The tool that asks.
const ASKS: &str = "request_user_input";

/// Precedes text that the user typed in addition to the options.
const NOTE: &str = "user_note: ";

/// The answers in the output of a call that asked, each with its question.
pub(super) fn all(event: &HookEvent, output: &Value) -> Vec<(String, Speech)> {
    let Some(call) = event.tool.as_ref().filter(|call| call.name == ASKS) else { return Vec::new() };
    let out = text_of(output).and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
    let mut said = Vec::new();
    for (id, answer) in out["answers"].as_object().into_iter().flatten() {
        let mut questions = call.input["questions"].as_array().into_iter().flatten();
        let question = questions.find(|question| question["id"] == id.as_str());
        let about = question.and_then(|question| word(question, "question")).map(str::to_owned);
        for words in answer["answers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let speech = Speech { manner: SpeechKind::Answer, about: about.clone(), call: call.id.clone() };
            said.push((words.trim_start_matches(NOTE).to_owned(), speech));
        }
    }
    said
}
