//! What a person says with the result of a call: why it was refused, what the answer is, how a plan should change.

use nudge_core::event::{Manner, Speech, ToolCall};
use nudge_core::text::first_chars;
use serde_json::Value;

use super::result::ToolResult;
use crate::transcript::line::word;

/// After one of these come the person's words.
const SAID: [&str; 2] = ["To tell you how to proceed, the user said:\n", "The user said:\n"];

/// What the program adds to them.
const ADDED: &str = "\n\nNote: The user's next message may contain a correction";

/// The person would rather talk about the questions; what they answered so far follows.
const CLARIFY: &str = "The user wants to clarify these questions.";

/// After this come the person's words on a plan that they approved.
const FEEDBACK: &str = "\nUser feedback on this plan: ";

/// How much is told of the call that was refused.
const ABOUT_MOST: usize = 300;

const ASKS: &str = "AskUserQuestion";
const PLANS: &str = "ExitPlanMode";
const PLANNED: &str = "exit_plan_mode";

/// Whether a call shows a plan.
pub(super) fn is_plan(call: &ToolCall) -> bool {
    [PLANS, PLANNED].contains(&call.name.as_str())
}

/// What a person said, and how.
pub(super) type Said = (String, Speech);

/// The words of a person who did not let a call happen.
pub(super) fn refused(result: &ToolResult, call: Option<&ToolCall>) -> Vec<Said> {
    let text = result.text();
    let words = SAID.iter().find_map(|mark| text.split_once(mark)).map_or("", |(_, words)| words);
    let words = words.split(ADDED).next().unwrap_or_default().trim();
    if words.starts_with(CLARIFY) {
        return clarified(words, &result.id);
    }
    if words.is_empty() {
        return Vec::new();
    }
    let manner = if call.is_some_and(is_plan) { Manner::Plan } else { Manner::Refusal };
    let about = call.map(described);
    vec![(words.to_owned(), Speech { manner, about, call: Some(result.id.clone()) })]
}

/// How words are said that were sent along with the result of a call.
pub(super) fn beside(id: &str, call: Option<&ToolCall>) -> Speech {
    let manner = if call.is_some_and(is_plan) { Manner::Plan } else { Manner::Beside };
    speech(manner, call.map(described), id)
}

/// What a person said with a call that did happen.
pub(super) fn answered(result: &ToolResult, call: &ToolCall, whole: Option<&Value>) -> Vec<Said> {
    match call.name.as_str() {
        ASKS if whole.is_some_and(|whole| whole["answers"].is_object()) => {
            answers(whole.unwrap_or(&Value::Null), &result.id)
        }
        ASKS => in_text(&result.text(), call, &result.id),
        PLANS | PLANNED => {
            let words = feedback(&result.text()).map(str::to_owned);
            let of = |words| (words, speech(Manner::Plan, Some(described(call)), &result.id));
            words.map(of).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The person's words on a plan at the end of a text of the program.
pub(super) fn feedback(text: &str) -> Option<&str> {
    text.rsplit_once(FEEDBACK).map(|(_, words)| words.trim()).filter(|words| !words.is_empty())
}

fn speech(manner: Manner, about: Option<String>, call: &str) -> Speech {
    Speech { manner, about, call: Some(call.to_owned()) }
}

fn answers(whole: &Value, call: &str) -> Vec<Said> {
    let mut said = Vec::new();
    for (question, answer) in whole["answers"].as_object().into_iter().flatten() {
        let chosen = match answer {
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            one => one.as_str().unwrap_or_default().to_owned(),
        };
        let notes = word(&whole["annotations"][question], "notes").map(str::to_owned);
        for words in [Some(chosen), notes].into_iter().flatten().filter(|words| !words.trim().is_empty()) {
            said.push((words, speech(Manner::Answer, Some(question.clone()), call)));
        }
    }
    if let Some(words) = word(whole, "response") {
        said.push((words.to_owned(), speech(Manner::Answer, None, call)));
    }
    said
}

/// The answers in the sentence that the model is given: `"question"="answer", …`.
fn in_text(text: &str, call: &ToolCall, id: &str) -> Vec<Said> {
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
            said.push((words.to_owned(), speech(Manner::Answer, Some((*question).to_owned()), id)));
        }
    }
    said
}

/// The answers and notes in a list of questions, each on a line of its own below its question.
fn clarified(text: &str, call: &str) -> Vec<Said> {
    let mut question = None;
    let mut said = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(asked) = line.strip_prefix("- \"") {
            question = Some(asked.trim_end_matches('"').to_owned());
        }
        let words = line.strip_prefix("Answer: ").or_else(|| line.strip_prefix("User notes: "));
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            said.push((words.to_owned(), speech(Manner::Answer, question.clone(), call)));
        }
    }
    said
}

/// A call in a line: the tool, and what it was to act on.
fn described(call: &ToolCall) -> String {
    const TELLING: [&str; 9] =
        ["command", "file_path", "notebook_path", "path", "plan", "url", "query", "pattern", "description"];
    let telling = TELLING.iter().find_map(|key| word(&call.input, key));
    let telling = telling.map(|text| text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
    let told =
        telling.map_or_else(|| call.name.clone(), |telling| format!("{}: {}", call.name, telling.trim()));
    first_chars(&told, ABOUT_MOST).to_owned()
}
