//! Is the right session found for a question about a long conversation?
//!
//! Each session of the ten conversations of LoCoMo becomes one memory. Each question is searched
//! for as it stands, among the sessions of its conversation. A session is right if it has a turn
//! that the question's label names. No model is used. The texts may be measured with, not shipped.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::recall::{self, PromptSet};

/// The default file, relative to the repository.
const DATA_FILE: &str = "../shared/bench/data/locomo/locomo10.json";

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The conversations.
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Talk {
    sample_id: String,
    conversation: Map<String, Value>,
    qa: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
}

/// Converts the conversations, searches, and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let file = options.data.clone().unwrap_or_else(|| crate::repository::root().join(DATA_FILE));
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let talks: Vec<Talk> = serde_json::from_str(&text)?;
    let dir = tempfile::tempdir()?;
    let (memory, prompts) = (dir.path().join("memory.jsonl"), dir.path().join("prompts.jsonl"));
    write(&memory, talks.iter().flat_map(memories))?;
    write(&prompts, talks.iter().flat_map(questions))?;
    recall::run(&PromptSet { memory_file: Some(memory), prompts_file: Some(prompts), is_strict: false })?;
    println!("\ndeja-vu, as published: 0.697 at 1, 0.856 at 5");
    Ok(true)
}

/// The sessions of a conversation.
fn memories(talk: &Talk) -> Vec<Value> {
    let sessions = talk.conversation.iter().filter(|(name, turns)| is_session(name) && turns.is_array());
    let text = |turns: &Value| {
        let turns = turns.as_array().into_iter().flatten();
        let said = |turn: &Value| {
            let part = |name: &str| turn[name].as_str().unwrap_or_default().to_owned();
            format!("{}: {} {}", part("speaker"), part("text"), part("blip_caption"))
        };
        turns.map(said).collect::<Vec<_>>().join("\n")
    };
    let memory = |(name, turns): (&String, &Value)| {
        let date = talk.conversation.get(&format!("{name}_date_time")).and_then(Value::as_str);
        let text = format!("{}\n{}", date.unwrap_or_default(), text(turns));
        json!({"id": name, "project": talk.sample_id, "date": "2023-01-01", "text": text, "files": []})
    };
    sessions.map(memory).collect()
}

/// `session_12`, not `session_12_date_time`.
fn is_session(name: &str) -> bool {
    name.strip_prefix("session_").is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

/// Its questions with the sessions that answer them. A label such as `D12:3` names turn 3 of
/// session 12.
fn questions(talk: &Talk) -> Vec<Value> {
    let session = |label: &str| {
        let number = label.trim().strip_prefix('D')?.split(':').next()?;
        Some(format!("session_{number}"))
    };
    let question = |(number, one): (usize, &Question)| {
        let gold: BTreeSet<String> =
            one.evidence.iter().flat_map(|labels| labels.split([';', ' '])).filter_map(session).collect();
        let id = format!("{}-{number}", talk.sample_id);
        json!({"id": id, "project": talk.sample_id, "prompt": one.question, "gold": gold})
    };
    talk.qa.iter().enumerate().map(question).collect()
}

fn write(file: &Path, rows: impl Iterator<Item = Value>) -> anyhow::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(file)?);
    for row in rows {
        writeln!(file, "{row}")?;
    }
    Ok(file.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_its_session() {
        let talk: Talk = serde_json::from_value(json!({
            "sample_id": "c",
            "conversation": {
                "session_1": [{"speaker": "Ann", "text": "I got a dog"}],
                "session_1_date_time": "8 May",
            },
            "qa": [{"question": "what did Ann get", "evidence": ["D1:1", "D2:3; D4:1"]}],
        }))
        .expect("well formed");
        let memories = memories(&talk);
        assert_eq!((memories.len(), &memories[0]["text"]), (1, &json!("8 May\nAnn: I got a dog ")));
        assert_eq!(questions(&talk)[0]["gold"], json!(["session_1", "session_2", "session_4"]));
    }
}
