//! Is a decision given when a later bug report depends on it?
//!
//! The chats in which decisions were made are stored as sessions of one project, among 140 chats
//! about other things; decisions in commits are stored as commits. Each bug report then goes
//! through the prompt hook in a new session. Counts how much of the decision is among the injected
//! lines, whether an amended decision comes first, and how often a store with the other chats alone
//! stays silent. No model is used. The other half of the benchmark, an agent that repairs the code,
//! is not run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::sessions::data::{Event, EventRef, Project, lines};
use super::sessions::replay_output::ReplayOutput;
use super::sessions::{AS_IT_IS, Stage, words};
use crate::bench::table::verdict;
use crate::stage::Programs;

/// The default directory of the files, relative to the repository.
const DATA_DIR: &str = "../shared/bench/data/sde";

/// The least share of a decision's own words, and of silence, over all tasks.
const MIN_SAID: f64 = 0.80;
const MIN_SILENT: f64 = 0.95;

/// The time of the first chat, and between two chats and two turns, in milliseconds.
const FIRST_MS: i64 = 1_790_000_000_000;
const CHAT_MS: i64 = 6 * 60 * 60 * 1000;
const TURN_MS: i64 = 90 * 1000;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The directory of the files.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Prints what each bug report was given.
    #[arg(long)]
    show: bool,
}

#[derive(Deserialize)]
struct Task {
    task_id: String,
    source: String,
    policy: String,
    bug_report: String,
    module: String,
    #[serde(default)]
    conversations: Vec<Value>,
    #[serde(default)]
    decision_subject: String,
    #[serde(default)]
    decision_rationale: String,
}

#[derive(Clone, Deserialize)]
struct Turn {
    role: String,
    text: String,
}

#[derive(Deserialize)]
struct Decoy {
    turns: Vec<Turn>,
}

/// Replays, counts and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let data = options.data.clone().unwrap_or_else(|| crate::repository::root().join(DATA_DIR));
    let tasks: Vec<Task> = lines(&data.join("tasks-dev.jsonl"))?;
    let decoys: Vec<Decoy> = lines(&data.join("decoys.jsonl"))?;
    let replay = Programs::baselines()?.bare();
    let dir = tempfile::tempdir()?;
    let play = |name: &str, stored: &[&Task], asked: &[&Task]| -> anyhow::Result<ReplayOutput> {
        let project = project(name, &decoys, stored, asked)?;
        Stage::make(&project, &dir.path().join(name))?.play(AS_IT_IS, &replay)
    };
    let all: Vec<&Task> = tasks.iter().collect();
    let silent = play("sde-decoys", &[], &all)?;
    let sources: BTreeSet<&str> = tasks.iter().map(|task| task.source.as_str()).collect();
    let mut results = Vec::new();
    for source in sources {
        let of: Vec<&Task> = tasks.iter().filter(|task| task.source == source).collect();
        let replay = play(&format!("sde-{source}"), &of, &of)?;
        results.extend(of.into_iter().map(|task| TaskResult::of(task, &replay)));
    }
    if options.show {
        for one in &results {
            println!("==== {}: {:.2}\n{}\n{}\n", one.task.task_id, one.said, one.task.policy, one.text);
        }
    }
    let kept_silent = tasks.iter().filter(|task| silent.at_prompt(&asked_at(task)).is_none()).count();
    print(&results, kept_silent, tasks.len());
    Ok(true)
}

/// What one bug report was given.
struct TaskResult<'t> {
    task: &'t Task,
    /// The injected text; empty if nothing was.
    text: String,
    /// The share of the decision's own words in it.
    said: f64,
    /// Of an amended decision: whether the newer words come before the older ones.
    newer_first: Option<bool>,
}

impl<'t> TaskResult<'t> {
    fn of(task: &'t Task, replay: &ReplayOutput) -> Self {
        let text = replay.at_prompt(&asked_at(task)).unwrap_or_default().to_owned();
        let own = own_words(task);
        let given = words::words(&text);
        let said = own.intersection(&given).count() as f64 / own.len().max(1) as f64;
        let is_amended = task.conversations.first().is_some_and(Value::is_array);
        let newer_first = is_amended.then(|| {
            let has_own = |line: &&str| words::words(line).intersection(&own).count() > 0;
            let chat = |line: &str| task.conversations.iter().position(|chat| quotes(line, chat));
            let first = text.lines().filter(has_own).find_map(chat);
            first.is_some_and(|chat| chat + 1 == task.conversations.len())
        });
        Self { task, text, said, newer_first }
    }
}

/// The words of a decision that the bug report does not have: numbers, units and names first of
/// all.
fn own_words(task: &Task) -> BTreeSet<String> {
    words::words(&task.policy).difference(&words::words(&task.bug_report)).cloned().collect()
}

/// Whether a line quotes a chat: most of its words stand in one turn of it.
fn quotes(line: &str, chat: &Value) -> bool {
    let line = words::words(line.split_once(": \"").map_or(line, |(_, quote)| quote));
    turns(chat).iter().any(|turn| words::contains_statement(&line, &words::words(&turn.text)))
}

fn turns(chat: &Value) -> Vec<Turn> {
    serde_json::from_value(chat.clone()).unwrap_or_default()
}

/// The chats of a task: one, or one and those that amend it.
fn chats(task: &Task) -> Vec<Vec<Turn>> {
    match task.conversations.first() {
        Some(Value::Array(_)) => task.conversations.iter().map(turns).collect(),
        Some(_) => vec![turns(&Value::Array(task.conversations.clone()))],
        None => Vec::new(),
    }
}

fn asked_at(task: &Task) -> EventRef {
    EventRef { session: format!("report-{}", task.task_id), seq: 0 }
}

/// A project with the other chats, the decisions of some tasks among them, and then the bug reports
/// of others.
fn project(name: &str, decoys: &[Decoy], stored: &[&Task], asked: &[&Task]) -> anyhow::Result<Project> {
    let mut sessions: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let talk = |turns: &[Turn]| -> Vec<(String, String)> {
        let kind = |turn: &Turn| if turn.role == "user" { "prompt" } else { "assistant" };
        turns.iter().map(|turn| (kind(turn).to_owned(), turn.text.clone())).collect()
    };
    // An amendment is later than what it amends, with other chats between.
    let rounds = stored.iter().map(|task| chats(task).len().max(1)).max().unwrap_or(1);
    for (number, decoy) in decoys.iter().enumerate() {
        sessions.push((format!("other-{number}"), talk(&decoy.turns)));
    }
    for round in 0..rounds {
        let mut at = (round + 1) * sessions.len() / (rounds + 1);
        for task in stored {
            let events = match chats(task).get(round) {
                Some(chat) => talk(chat),
                None if task.source == "history" && round == 0 => committed(task),
                None => continue,
            };
            sessions.insert(at.min(sessions.len()), (format!("{}-{round}", task.task_id), events));
            at += 2;
        }
    }
    for task in asked {
        sessions.push((asked_at(task).session, vec![("prompt".to_owned(), task.bug_report.clone())]));
    }
    let mut events = Vec::new();
    for (number, (session, said)) in sessions.into_iter().enumerate() {
        for (seq, (kind, text)) in said.into_iter().enumerate() {
            let at = FIRST_MS + number as i64 * CHAT_MS + seq as i64 * TURN_MS;
            let at = nudge_core::Timestamp::from_millis(at).to_string();
            let tool = (kind == "command").then(|| "Bash".to_owned());
            let (session, seq) = (session.clone(), seq as u64);
            events.push(Event { session, seq, at: Some(at), kind, text, files: Vec::new(), tool });
        }
    }
    anyhow::ensure!(!events.is_empty(), "there is nothing to replay");
    Ok(Project::of_events(name, events))
}

/// The commit that has the decision, as an agent makes it.
fn committed(task: &Task) -> Vec<(String, String)> {
    let message = format!("{}\n\n{}", task.decision_subject, task.decision_rationale);
    let command = format!("git add {} && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\"", task.module);
    let said = format!("[main 1a2b3c4] {}\n 1 file changed, 9 insertions(+)", task.decision_subject);
    vec![("command".to_owned(), command), ("command_result".to_owned(), said)]
}

fn print(results: &[TaskResult<'_>], silent: usize, tasks: usize) {
    let mean = |of: &[&TaskResult<'_>]| of.iter().map(|one| one.said).sum::<f64>() / of.len().max(1) as f64;
    let tokens = |of: &[&TaskResult<'_>]| {
        let sum: u32 = of.iter().map(|one| nudge_core::tokens::estimate(&one.text).0).sum();
        f64::from(sum) / of.len().max(1) as f64
    };
    println!("| tasks | of the decision's own words | answered | tokens |\n|---|---|---|---|");
    let sources: BTreeSet<&str> = results.iter().map(|one| one.task.source.as_str()).collect();
    let all = std::iter::once(None).chain(sources.into_iter().map(Some));
    for source in all {
        let is_of = |one: &&TaskResult<'_>| source.is_none_or(|source| one.task.source == source);
        let of: Vec<&TaskResult<'_>> = results.iter().filter(is_of).collect();
        let answered = of.iter().filter(|one| !one.text.is_empty()).count();
        let name = source.unwrap_or("all");
        println!("| {name}, {} | {:.2} | {answered} | {:.0} |", of.len(), mean(&of), tokens(&of));
    }
    let all: Vec<&TaskResult<'_>> = results.iter().collect();
    println!("\nown words: {:.2}, aim {MIN_SAID}: {}", mean(&all), verdict(mean(&all) >= MIN_SAID));
    let amended: Vec<bool> = results.iter().filter_map(|one| one.newer_first).collect();
    let first = amended.iter().filter(|first| **first).count();
    println!("the newer decision first: {first} of {}", amended.len());
    let share = silent as f64 / tasks.max(1) as f64;
    println!(
        "silent without the decision: {silent} of {tasks}, aim {MIN_SILENT}: {}",
        verdict(share >= MIN_SILENT)
    );
    println!("the other half of the benchmark, an agent that repairs the code, is not run");
}
