//! Hostile texts from real sessions, in the requests that the next model received.
//!
//! File names and command outputs come in through Claude Code, prompts and commit messages through
//! Codex, each in a separate project. Shows @injection_frame, @injection_elsewhere and
//! @recall_harmless_text.

mod payload;

use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use self::payload::Payload;
pub(super) use self::payload::Route;
use super::agent::{Agent, Step, Workspace};
use super::injected::{around, only, violation};
use super::model;
use super::requests::{Request, texts};

/// The user's prompt in the session under test.
const PROMPT: &str = "What is there to do?";

/// Brings the texts in and checks what comes out; returns what went wrong.
pub(super) fn walk(nudge: &Path, agent: &dyn Agent, ways: &[Route]) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut workspace = Workspace::new(nudge, "elsewhere")?;
    agent.take_up(&workspace)?;
    workspace.configure("inject.headless = true")?;
    let mut wrong = Vec::new();
    let mut texts = 0;
    for (way, payloads) in payload::chosen()? {
        if ways.contains(&way) {
            workspace.switch_project(way.name())?;
            texts += payloads.len();
            wrong.extend(Visit { workspace: &workspace, agent, payloads: &payloads }.violations(way)?);
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{}, {texts} hostile texts: {} violations, {seconds:.1} s", agent.name(), wrong.len());
    Ok(wrong.into_iter().map(|violation| format!("{}: {violation}", agent.name())).collect())
}

struct Visit<'a> {
    workspace: &'a Workspace,
    agent: &'a dyn Agent,
    payloads: &'a [Payload],
}

impl Visit<'_> {
    fn violations(&self, way: Route) -> anyhow::Result<Vec<String>> {
        match way {
            Route::Prompt => self.in_prompts(),
            Route::FileName => self.in_file_names(),
            Route::Commit => self.in_commits(),
            Route::Output => self.in_outputs(),
        }
    }

    fn in_prompts(&self) -> anyhow::Result<Vec<String>> {
        for payload in self.payloads {
            self.agent.once(self.workspace, &self.prompt(&payload.marked(), &[Step::Run("true")]))?;
        }
        self.seen_at_the_next_start()
    }

    fn in_file_names(&self) -> anyhow::Result<Vec<String>> {
        let names: Vec<String> = self.payloads.iter().map(Payload::marked).collect();
        let steps: Vec<Step<'_>> = names.iter().map(|name| Step::Write(name, "x")).collect();
        self.agent.once(self.workspace, &self.prompt("Make some files.", &steps))?;
        let mut wrong = self.seen_at_the_next_start()?;
        wrong.extend(self.seen_in_answers()?);
        Ok(wrong)
    }

    fn in_commits(&self) -> anyhow::Result<Vec<String>> {
        let commit = |payload: &Payload| {
            let message = payload.marked().replace('\'', r"'\''");
            format!("git commit --allow-empty -m '{message}'")
        };
        let commands: Vec<String> = self.payloads.iter().map(commit).collect();
        let steps: Vec<Step<'_>> = commands.iter().map(|command| Step::Run(command)).collect();
        self.agent.once(self.workspace, &self.prompt("Commit it all.", &steps))?;
        self.seen_at_the_next_start()
    }

    /// The output of a command is injected if it was the last command before the context was
    /// compacted.
    fn in_outputs(&self) -> anyhow::Result<Vec<String>> {
        let mut wrong = Vec::new();
        let mut talk = self.agent.open(self.workspace)?;
        for payload in self.payloads {
            // In the place where a stranger's repository would have it.
            let file = format!("{}.txt", payload.number);
            std::fs::write(self.workspace.file(&file), payload.marked() + "\n")?;
            talk.ask(&self.prompt("Test it.", &[Step::Run(&format!("cat {file}; exit 1"))]))?;
            talk.compact()?;
            let before = self.workspace.model.requests().count()?;
            talk.ask(&self.prompt(PROMPT, &[]))?;
            let requests = self.workspace.model.requests().since(before)?;
            wrong.extend(
                requests.iter().flat_map(|request| violations(request, std::slice::from_ref(payload))),
            );
        }
        talk.close()?;
        Ok(wrong)
    }

    fn prompt(&self, words: &str, steps: &[Step<'_>]) -> String {
        self.workspace.prompt(self.agent, words, steps)
    }

    /// The answers that the model gets when it searches for these texts itself.
    fn seen_in_answers(&self) -> anyhow::Result<Vec<String>> {
        let marks: Vec<String> = self.payloads.iter().map(Payload::mark).collect();
        let calls: Vec<Value> = marks.iter().filter_map(|mark| self.agent.search(mark)).collect();
        self.agent.once(self.workspace, &model::prompt("Look around.", &calls))?;
        let requests = self.workspace.model.requests();
        let last = requests.since(requests.count()?.saturating_sub(1))?;
        let sent = last.first().map(Request::texts).unwrap_or_default();
        let mut wrong = Vec::new();
        for mark in &marks[..calls.len()] {
            let is_answer = |text: &&&str| text.contains("obs_type") && text.contains(mark.as_str());
            let Some(answer) = sent.iter().find(is_answer) else {
                wrong.push(format!("the model searched for {mark} in vain"));
                continue;
            };
            wrong.extend(obeyed(answer).iter().map(|what| format!("the answer to {mark} has {what}")));
        }
        Ok(wrong)
    }

    fn seen_at_the_next_start(&self) -> anyhow::Result<Vec<String>> {
        let before = self.workspace.model.requests().count()?;
        self.agent.once(self.workspace, &self.prompt(PROMPT, &[]))?;
        let requests = self.workspace.model.requests().since(before)?;
        anyhow::ensure!(!requests.is_empty(), "the model was not asked");
        Ok(requests.iter().flat_map(|request| violations(request, self.payloads)).collect())
    }
}

/// The parts of an answer that an agent or a terminal would obey. Answers are JSON: hidden
/// characters only show once it is decoded.
fn obeyed(answer: &str) -> Vec<String> {
    let read = serde_json::from_str::<Value>(answer).unwrap_or_else(|_| answer.into());
    texts(&read).into_iter().filter_map(violation).collect()
}

/// Checks that the one block of a request has exactly these texts, that nothing of them is outside
/// it, and that every line of it begins like a line of Nudge.
fn violations(request: &Request, payloads: &[Payload]) -> Vec<String> {
    let families: Vec<&str> = payloads.iter().map(|payload| payload.family.as_str()).collect();
    let block = match only(request) {
        Ok(block) => block,
        Err(why) => return vec![format!("{families:?}: {why}")],
    };
    let around = around(request);
    let mut wrong = Vec::new();
    for payload in payloads {
        let mark = payload.mark();
        let family = &payload.family;
        if !block.inside.contains(&mark) {
            wrong.push(format!("{family}: {mark} did not come to the model: {}", block.inside));
        }
        if around.contains(&mark) {
            wrong.push(format!("{family}: {mark} stands outside the frame"));
        }
    }
    for found in payload::MARKED.find_iter(&block.inside) {
        if !payloads.iter().any(|payload| payload.mark() == found.as_str()) {
            wrong.push(format!("{families:?}: {} of another project is injected", found.as_str()));
        }
    }
    for line in block.inside.lines().filter(|line| !is_of_nudge(line)) {
        wrong.push(format!("{families:?}: a line of somebody else's: {line:?}"));
    }
    wrong
}

/// The beginnings of Nudge's lines: headings, table rows, list items and their continuations, and
/// the sentences that introduce the block and say how to read more.
const BEGINNINGS: [&str; 13] = [
    "# nudge context",
    "## ",
    "| ",
    "|---",
    "- ",
    "  on ",
    "  committed ",
    "  changed and not committed: ",
    "  still failed: ",
    "  open to-dos: ",
    "  the agent concluded: ",
    "What Nudge remembers ",
    "The whole of a #number: ",
];

fn is_of_nudge(line: &str) -> bool {
    line.is_empty() || BEGINNINGS.iter().any(|start| line.starts_with(start))
}
