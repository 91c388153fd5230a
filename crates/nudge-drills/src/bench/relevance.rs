//! Does Nudge inject when it should, and stay silent when it should?
//!
//! Memories are imported with `nudge import memories`. Each prompt goes through the real prompt
//! hook, in a new session and in the directory of its project, and is then purged, so that no
//! prompt finds another. Prompts that nothing in the memory helps with must get nothing. No model
//! is used.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::Context;
use nudge_core::{EntryId, EntryPath, tokens};
use nudge_store::Store;
use serde::Deserialize;
use serde_json::{Value, json};

use super::recall::PromptSet;
use super::sessions::data::lines;
use crate::bench::table::verdict;
use crate::stage::{Home, Programs, free_port};

/// How many of the worst misses are explained.
const MISSES_SHOWN: usize = 10;

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
pub(super) fn run(options: &PromptSet) -> anyhow::Result<bool> {
    let memory_file = options.memory()?;
    let home = Home::of(Programs::product()?)?;
    let prompts = prepare(&home, &memory_file, options)?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let asked = Bench::new(&home, &memory_file)?.ask_all(&prompts);
    let worst = asked.as_ref().map_or_else(|_| Ok(Vec::new()), |asked| explain(&home, &prompts, asked));
    home.run(&["stop"])?;
    let score = Score::of(&asked?);
    print!("{score}");
    println!("\nThe worst misses:\n{}", worst?.join("\n"));
    Ok(score.meets_aims() || !options.is_strict)
}

/// Imports the memories and makes the directory of each project; returns the prompts.
fn prepare(home: &Home, memory_file: &Path, options: &PromptSet) -> anyhow::Result<Vec<Prompt>> {
    let memory = memory_file.to_string_lossy().into_owned();
    let imported = home.run_json(&["import", "memories", &memory])?;
    eprintln!("{} memories imported from {memory}", imported["imported"]);
    let prompts: Vec<Prompt> = lines(&options.prompts()?)?;
    let projects: HashSet<&str> = prompts.iter().map(|prompt| prompt.project.as_str()).collect();
    for project in projects {
        let git = home.path().join(project).join(".git");
        std::fs::create_dir_all(&git)?;
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    }
    Ok(prompts)
}

/// The setting for the prompts.
struct Bench<'h> {
    home: &'h Home,
    store: Store,
    /// The memory's own id of each entry, by the entry's path.
    ids: HashMap<String, String>,
}

impl<'h> Bench<'h> {
    fn new(home: &'h Home, memory_file: &Path) -> anyhow::Result<Self> {
        let memories: Vec<Remembered> = lines(memory_file)?;
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
        let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        // A question for a rule is no answer.
        let text = if entries(text).is_empty() { String::new() } else { text.to_owned() };
        self.home.run(&["purge", "--session", &session, "--confirm"])?;
        let right = self.right(prompt, &text)?;
        Ok(Asked { project: prompt.project.clone(), has_gold: !prompt.gold.is_empty(), right, text })
    }

    /// The position of the first right entry among those given.
    fn right(&self, prompt: &Prompt, text: &str) -> anyhow::Result<Option<usize>> {
        for (place, id) in entries(text).into_iter().enumerate() {
            if self.right_id(prompt, id)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Whether an entry is a right one.
    fn right_id(&self, prompt: &Prompt, id: i64) -> anyhow::Result<bool> {
        let entry = self.store.read(|reader| reader.entry_by_id(EntryId(id)))?;
        let id = entry.and_then(|entry| self.ids.get(&entry.path.to_string()));
        Ok(id.is_some_and(|id| prompt.gold.contains(id)))
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
    Ok(explained.into_iter().take(MISSES_SHOWN).map(|(_, line)| line).collect())
}

// Helped prompts, false injections, precision, and cost.

/// The aims: the share of prompts with an answer that get it, the share of prompts without one that
/// get something, and the share of given entries that are right.
const MIN_HELPED: f64 = 0.75;

const MAX_FALSE: f64 = 0.02;

const MIN_PRECISION: f64 = 0.80;

/// A prompt and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    project: String,
    /// Whether anything in the memory helps with it.
    has_gold: bool,
    /// The position of the first right entry among those it got.
    right: Option<usize>,
    /// What it got; empty for nothing.
    text: String,
}

impl Asked {
    const fn was_given(&self) -> bool {
        !self.text.is_empty()
    }

    const fn is_false(&self) -> bool {
        !self.has_gold && self.was_given()
    }

    const fn is_missed(&self) -> bool {
        self.has_gold && self.right.is_none()
    }
}

/// The numbers of the entries that a block names, in order.
fn entries(text: &str) -> Vec<i64> {
    let lines = text.lines().filter(|line| line.starts_with("- "));
    lines.filter_map(|line| line.rsplit_once('#')?.1.trim().parse().ok()).collect()
}

/// The figures over some prompts.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    helped: f64,
    false_ones: f64,
    precise: f64,
    tokens: f64,
}

impl Figures {
    fn of<'a>(asked: impl Iterator<Item = &'a Asked> + Clone) -> Self {
        let share = |some: usize, all: usize| if all == 0 { 0.0 } else { some as f64 / all as f64 };
        let with = asked.clone().filter(|asked| asked.has_gold).count();
        let without = asked.clone().filter(|asked| !asked.has_gold).count();
        let given = asked.clone().filter(|asked| asked.was_given()).count();
        let right = asked.clone().filter(|asked| asked.right.is_some()).count();
        let tokens: u32 = asked.clone().map(|asked| tokens::estimate(&asked.text).0).sum();
        Self {
            helped: share(right, with),
            false_ones: share(asked.filter(|asked| asked.is_false()).count(), without),
            precise: share(right, given),
            tokens: if given == 0 { 0.0 } else { f64::from(tokens) / given as f64 },
        }
    }
}

/// The result.
struct Score {
    rows: Vec<(String, Figures)>,
}

impl Score {
    fn of(asked: &[Asked]) -> Self {
        let mut projects: Vec<&str> = asked.iter().map(|asked| asked.project.as_str()).collect();
        projects.sort_unstable();
        projects.dedup();
        let mut rows = vec![("all".to_owned(), Figures::of(asked.iter()))];
        rows.extend(projects.into_iter().map(|project| {
            (project.to_owned(), Figures::of(asked.iter().filter(move |asked| asked.project == project)))
        }));
        Self { rows }
    }

    fn meets_aims(&self) -> bool {
        self.rows.first().is_some_and(|(_, all)| {
            all.helped >= MIN_HELPED && all.false_ones <= MAX_FALSE && all.precise >= MIN_PRECISION
        })
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| prompts | helped | false | precision | tokens per injection |\n|---|---|---|---|---|"
        )?;
        for (name, figures) in &self.rows {
            let Figures { helped, false_ones, precise, tokens } = figures;
            writeln!(f, "| {name} | {helped:.3} | {false_ones:.3} | {precise:.3} | {tokens:.0} |")?;
        }
        writeln!(
            f,
            "\naims: helped ≥ {MIN_HELPED:.2}, false ≤ {MAX_FALSE:.2}, precision ≥ {MIN_PRECISION:.2}: {}",
            verdict(self.meets_aims())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(has_gold: bool, right: Option<usize>, text: &str) -> Asked {
        Asked { project: "p".to_owned(), has_gold, right, text: text.to_owned() }
    }

    #[test]
    fn shares_are_of_what_they_say() {
        let asked = [
            asked(true, Some(1), "- one #1"),
            asked(true, None, "- two #2"),
            asked(true, None, ""),
            asked(false, None, "- three #3"),
            asked(false, None, ""),
        ];
        let figures = Figures::of(asked.iter());
        assert!((figures.helped - 1.0 / 3.0).abs() < 1e-9 && (figures.false_ones - 0.5).abs() < 1e-9);
        assert!((figures.precise - 1.0 / 3.0).abs() < 1e-9);
        assert!(!Score::of(&asked).meets_aims());
    }

    #[test]
    fn entries_are_read_from_the_ends_of_lines() {
        let text = "# nudge context\n## Earlier work\n- [2d ago] stated: \"fixes #12\" (shares: a) #34\nThe whole of a #number: x";
        assert_eq!(entries(text), [34]);
    }
}
