//! Does Nudge inject when it should, and stay silent when it should?
//!
//! Memories are imported with `nudge import memories`. Each prompt goes through the real prompt
//! hook, in a new session and in the directory of its project, and is then purged, so that no
//! prompt finds another. Prompts that nothing in the memory helps with must get nothing. No model
//! is used.

mod score;

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::process::Stdio;

use anyhow::Context;
use nudge_core::{EntryId, EntryPath};
use nudge_store::Store;
use serde::Deserialize;
use serde_json::{Value, json};

use super::prompt_set::PromptSet;
use super::sessions::data::lines;
use crate::stage::{Home, Programs, free_port};
use score::{Asked, Score};

/// How many of the worst misses are explained.
const WORST: usize = 10;

#[derive(Deserialize)]
struct Remembered {
    id: String,
    project: String,
}

#[derive(Deserialize)]
struct Prompt {
    id: String,
    project: String,
    prompt: String,
    gold: HashSet<String>,
}

/// Imports, runs the prompts, and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = PromptSet::read("relevance", args)?;
    let home = Home::of(Programs::product()?)?;
    let memory = options.memory.to_string_lossy().into_owned();
    let imported = home.run_json(&["import", "memories", &memory])?;
    eprintln!("{} memories imported from {memory}", imported["imported"]);
    let prompts: Vec<Prompt> = lines(&options.prompts)?;
    let projects: HashSet<&str> = prompts.iter().map(|prompt| prompt.project.as_str()).collect();
    for project in projects {
        let git = home.path().join(project).join(".git");
        std::fs::create_dir_all(&git)?;
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    }
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let asked = Bench::new(&home, &options)?.ask_all(&prompts);
    let worst = asked.as_ref().map_or_else(|_| Ok(Vec::new()), |asked| explain(&home, &prompts, asked));
    home.run(&["stop"])?;
    let score = Score::of(&asked?);
    print!("{score}");
    println!("\nThe worst misses:\n{}", worst?.join("\n"));
    Ok(score.meets_aims() || !options.is_strict)
}

/// The setting for the prompts.
struct Bench<'h> {
    home: &'h Home,
    store: Store,
    /// The memory's own id of each entry, by the entry's path.
    ids: HashMap<String, String>,
}

impl<'h> Bench<'h> {
    fn new(home: &'h Home, options: &PromptSet) -> anyhow::Result<Self> {
        let memories: Vec<Remembered> = lines(&options.memory)?;
        let path = |one: &Remembered| EntryPath::from_parts("known", &[&one.project, &one.id], None);
        let ids = memories.iter().map(|one| Ok((path(one)?.to_string(), one.id.clone())));
        let ids = ids.collect::<anyhow::Result<_>>()?;
        Ok(Self { home, store: Store::open(&home.read_options())?, ids })
    }

    fn ask_all(&self, prompts: &[Prompt]) -> anyhow::Result<Vec<Asked>> {
        let ask = |(number, prompt): (usize, &Prompt)| self.ask(number, prompt).context(prompt.id.clone());
        prompts.iter().enumerate().map(ask).collect()
    }

    /// What a prompt gets from its hook.
    fn ask(&self, number: usize, prompt: &Prompt) -> anyhow::Result<Asked> {
        let session = format!("relevance-{number}");
        let payload = json!({
            "session_id": session,
            "cwd": self.home.path().join(&prompt.project),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt.prompt,
        });
        let mut command = self.home.nudge(&["hook", "claude"]);
        command.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        child.stdin.take().context("standard input is piped")?.write_all(payload.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned();
        self.home.run(&["purge", "--session", &session, "--confirm"])?;
        let right = self.right(prompt, &text)?;
        Ok(Asked { project: prompt.project.clone(), has_gold: !prompt.gold.is_empty(), right, text })
    }

    /// The position of the first right entry among those given.
    fn right(&self, prompt: &Prompt, text: &str) -> anyhow::Result<Option<usize>> {
        for (place, id) in score::entries(text).into_iter().enumerate() {
            let entry = self.store.read(|reader| reader.entry_by_id(EntryId(id)))?;
            let id = entry.and_then(|entry| self.ids.get(&entry.path.to_string()).cloned());
            if id.is_some_and(|id| prompt.gold.contains(&id)) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }
}

/// The wrong decisions, ordered by their confidence: first injections that did not help, then
/// misses.
fn explain(home: &Home, prompts: &[Prompt], asked: &[Asked]) -> anyhow::Result<Vec<String>> {
    let wrong = prompts.iter().zip(asked).filter(|(_, asked)| asked.is_false() || asked.is_missed());
    let mut explained = Vec::new();
    for (prompt, asked) in wrong {
        let directory = home.path().join(&prompt.project);
        let directory = directory.to_string_lossy();
        let args = ["context", "--project", &directory, "--prompt", &prompt.prompt, "--json"];
        let seen: Value = serde_json::from_slice(&home.nudge(&args).output()?.stdout).unwrap_or_default();
        let decision = &seen["decision"];
        let score = decision["score"].as_f64().unwrap_or_default();
        let verdict = if asked.is_false() { "false" } else { "missed" };
        let wrongness = if asked.is_false() { 1.0 + score } else { 1.0 - score };
        let line = format!("- {verdict}: {:?}: score {score:.2}, {}", prompt.prompt, decision["features"]);
        explained.push((wrongness, line));
    }
    explained.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(explained.into_iter().take(WORST).map(|(_, line)| line).collect())
}
