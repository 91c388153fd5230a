//! A rule that the user states to one agent and accepts is given to the other at its next start.
//!
//! Both run in a terminal, in one home. First Claude Code gets a rule from the user and Codex is
//! given it, then the other way round in another project. A prompt that a script passes to `codex
//! exec` is nobody's rule. Shows @statements_said, @statements_review and @injection_stated with
//! the requests that the model received.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::agent::{self, Agent, Step, Workspace, part};
use super::claude::Claude;
use super::codex::Codex;
use super::injected::{InjectedEntry, Request, injected, only};
use super::terminal::{self, Terminal};

/// The user's words to Claude Code, the user's words to Codex, and a script's prompt to Codex.
const TO_CLAUDE: &str = "we use pnpm in this repo, never npm";

const TO_CODEX: &str = "always indent with tabs here, never with spaces";

const BY_SCRIPT: &str = "we use yarn here, never bun";

/// The user's prompt in the session that should be given the rule. A question mark would be a
/// separate key in Codex.
const NEXT: &str = "Go on with it.";

/// The heading that a rule must be under.
const HEADING: &str = "## Stated by the person\n";

/// Tests both directions; returns what went wrong.
pub(super) fn check(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    part("claude and codex, a rule", || {
        let mut workspace = Workspace::new(nudge, "greeter")?;
        claude.install_nudge(&workspace)?;
        codex.install_nudge(&workspace)?;
        let mut violations = pass_on(&workspace, claude, codex, TO_CLAUDE)?;
        workspace.switch_project("singer")?;
        violations.extend(pass_on(&workspace, codex, claude, TO_CODEX)?);
        violations.extend(by_script(&workspace, codex)?);
        violations.extend(workspace.left_behind());
        Ok(violations)
    })
}

/// The user states a rule to one agent and accepts it; the other is given it.
fn pass_on(
    workspace: &Workspace,
    hears: &dyn Attended,
    gets: &dyn Attended,
    rule: &str,
) -> anyhow::Result<Vec<String>> {
    hears.settle(workspace)?;
    gets.settle(workspace)?;
    say(hears, workspace, rule)?;
    let waiting = waiting(workspace)?;
    let [proposal] = &waiting[..] else {
        return Ok(vec![format!("said to {}, {} proposals wait: {waiting:?}", hears.name(), waiting.len())]);
    };
    let mut violations = Vec::new();
    if !is_quoted(proposal, rule, hears.name()) {
        violations.push(format!("stated to {}, the proposal is {proposal}", hears.name()));
    }
    let id = proposal["id"].as_i64().context("a proposal has a number")?;
    as_person(workspace, &["review", "accept", &id.to_string()])?;
    let before = workspace.model.requests().count()?;
    say(gets, workspace, NEXT)?;
    let requests = workspace.model.requests().since(before)?;
    violations.extend(not_given(&requests, rule).map(|why| format!("{}: {why}", gets.name())));
    Ok(violations)
}

/// A text that nobody said is no rule, even if two sessions ask for it.
fn by_script(workspace: &Workspace, codex: &Codex) -> anyhow::Result<Vec<String>> {
    for _ in 0..2 {
        codex.once(workspace, &agent::prompt(BY_SCRIPT, &[]))?;
    }
    let waiting = waiting(workspace)?;
    Ok(if waiting.is_empty() { vec![] } else { vec![format!("a script's words are proposed: {waiting:?}")] })
}

/// Whether the proposal has the user's own words, with their session and agent.
fn is_quoted(proposal: &Value, rule: &str, agent: &str) -> bool {
    let said = proposal["said"].as_array().map_or(&[][..], Vec::as_slice);
    proposal["kind"] == "statement"
        && proposal["text"] == rule
        && proposal["client"] == agent
        && matches!(said, [one] if one["how"] == "prompt" && one["session"] == proposal["session"])
}

/// Why the rule was not given to the model as the user's.
fn not_given(requests: &[Request], rule: &str) -> Option<String> {
    let asked = requests.iter().find(|request| request.texts().iter().any(|text| text.contains(NEXT)));
    let block = match asked.map(only) {
        Some(Ok(block)) => block.inside,
        Some(Err(why)) => return Some(why),
        None => return Some("the model was not asked".to_owned()),
    };
    let stated = block.split_once(HEADING).map(|(_, rest)| rest.split("\n## ").next().unwrap_or(rest));
    let given = stated.is_some_and(|stated| stated.contains(rule));
    (!given).then(|| format!("{rule:?} is not stated in: {block}"))
}

/// The proposals that wait for the user.
pub(super) fn waiting(workspace: &Workspace) -> anyhow::Result<Vec<Value>> {
    let said = as_person(workspace, &["review", "--list", "--json"])?;
    let answer: Value = serde_json::from_str(&said).with_context(|| said.clone())?;
    answer["proposals"].as_array().cloned().with_context(|| said.clone())
}

/// What Nudge prints to the user in a separate terminal: this program may be run by an agent, which
/// may not decide.
fn as_person(workspace: &Workspace, args: &[&str]) -> anyhow::Result<String> {
    let mut command = workspace.home.nudge(args);
    command.current_dir(&workspace.project);
    terminal::run_in_terminal(&command)
}

// Agents as a user runs them: in a terminal, with all of their startup questions answered.

/// The scripted model's answer to a prompt without a script.
const ANSWER: &str = "ok";

/// The text that both show when they accept input.
pub(super) const READY: &str = "? for shortcuts";

/// An agent that can be run in a terminal.
pub(super) trait Attended: Agent {
    /// Answers in advance what it would ask in this project.
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()>;

    /// The command with which a user starts it.
    fn in_terminal(&self, workspace: &Workspace) -> Command;

    /// The sign in front of the model's messages.
    fn bullet(&self) -> char;
}

/// Runs a session of one prompt that the user types, without a script.
pub(super) fn say(agent: &dyn Attended, workspace: &Workspace, words: &str) -> anyhow::Result<()> {
    let terminal = Terminal::start(&agent.in_terminal(workspace))?;
    terminal.wait_for(READY)?;
    terminal.enter(words)?;
    terminal.wait_for(&format!("{} {ANSWER}", agent.bullet()))?;
    leave(&terminal)
}

/// Ends the program in a terminal as a user does.
pub(super) fn leave(terminal: &Terminal) -> anyhow::Result<()> {
    // Time for the hooks of the turn.
    std::thread::sleep(Duration::from_millis(500));
    terminal.enter("/exit")?;
    terminal.wait_for_end()
}

impl Attended for Claude {
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let file = workspace.home.path().join(".claude.json");
        let state = std::fs::read(&file).unwrap_or_else(|_| b"{}".to_vec());
        let mut state: Value = serde_json::from_slice(&state)?;
        state["hasCompletedOnboarding"] = json!(true);
        state["theme"] = json!("dark");
        state["customApiKeyResponses"] = json!({"approved": ["dummy"], "rejected": []});
        state["projects"][workspace.project.to_string_lossy().as_ref()] =
            json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        Ok(std::fs::write(file, state.to_string())?)
    }

    fn in_terminal(&self, workspace: &Workspace) -> Command {
        self.watched(workspace, "default")
    }

    fn bullet(&self) -> char {
        '●'
    }
}

impl Attended for Codex {
    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let mut file =
            OpenOptions::new().append(true).open(workspace.home.path().join(".codex/config.toml"))?;
        Ok(writeln!(file, "\n[projects.\"{}\"]\ntrust_level = \"trusted\"", workspace.project.display())?)
    }

    fn in_terminal(&self, workspace: &Workspace) -> Command {
        self.watched(workspace)
    }

    fn bullet(&self) -> char {
        '•'
    }
}

// One agent remembers a fact; a question about it in the other agent is answered at the prompt. A
// different question is not.
//
// The other agent's session is open in a terminal before the fact is remembered, so only the
// prompt can bring it. Shows @prompt_found and @prompt_decision with the requests that the model
// received.

/// The fact that one agent remembers. The animals occur in no other text.
const FACT: &str =
    "The quokka parser reads an umlaut as two bytes, so the wombat dialect loses its trailing vowel";

/// The user's question about the fact, and one about something else. A question mark would be a
/// separate key in Codex.
const ABOUT_IT: &str =
    "tell me why the wombat dialect loses its trailing vowel when the quokka parser reads an umlaut";

const OTHER_FACT: &str = "add a dark theme to the settings page and let people choose it from the menu";

/// The number of other facts in the project: a word is only rare among others that are not.
const OTHER_FACTS: usize = 40;

/// How long an agent may take to ask its model.
const ASKED_WITHIN: Duration = Duration::from_secs(30);

/// Tests both directions; returns what went wrong.
pub(super) fn check_fact(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    part("claude and codex, a fact", || {
        let mut workspace = Workspace::new(nudge, "greeter")?;
        claude.install_nudge(&workspace)?;
        codex.install_nudge(&workspace)?;
        let mut violations = pass_fact_on(&workspace, nudge, claude, codex)?;
        workspace.switch_project("singer")?;
        violations.extend(pass_fact_on(&workspace, nudge, codex, claude)?);
        violations.extend(workspace.left_behind());
        Ok(violations)
    })
}

/// One agent remembers the fact, and the user asks the other.
fn pass_fact_on(
    workspace: &Workspace,
    nudge: &Path,
    remembers: &dyn Attended,
    asked: &dyn Attended,
) -> anyhow::Result<Vec<String>> {
    for number in 0..OTHER_FACTS {
        workspace.nudge_json(&["mark", &format!("bug {number} was fixed in release {}", number % 7)])?;
    }
    remembers.settle(workspace)?;
    asked.settle(workspace)?;
    let terminal = Terminal::start(&asked.in_terminal(workspace))?;
    terminal.wait_for(READY)?;
    let remember = format!("{} remember '{FACT}'", nudge.display());
    remembers.once(
        workspace,
        &workspace.prompt(remembers, "Keep in mind what you found.", &[Step::Run(&remember)]),
    )?;
    let mut violations = Vec::new();
    let answered = ask(workspace, &terminal, ABOUT_IT)?;
    if !answered
        .iter()
        .any(|block| block.inside.contains("## Earlier work on this") && block.inside.contains(FACT))
    {
        violations.push(format!("{}, asked about the fact, was given {answered:?}", asked.name()));
    }
    // The text injected earlier is still in its context.
    let after = ask(workspace, &terminal, OTHER_FACT)?;
    if after.len() != answered.len() {
        violations.push(format!(
            "{}, asked about something else, was given {:?}",
            asked.name(),
            after.last()
        ));
    }
    leave(&terminal)?;
    Ok(violations)
}

/// The blocks that the model gets from Nudge with this prompt.
pub(super) fn ask(
    workspace: &Workspace,
    terminal: &Terminal,
    words: &str,
) -> anyhow::Result<Vec<InjectedEntry>> {
    let before = workspace.model.requests().count()?;
    terminal.enter(words)?;
    let began = Instant::now();
    loop {
        let requests = workspace.model.requests().since(before)?;
        let is_asked = |request: &&Request| request.texts().iter().any(|text| text.contains(words));
        if let Some(request) = requests.iter().find(is_asked) {
            let blocks = injected(request).map_err(|why| anyhow::anyhow!(why))?;
            // Time for the answer and for the hooks of the turn.
            std::thread::sleep(Duration::from_secs(2));
            return Ok(blocks);
        }
        anyhow::ensure!(began.elapsed() < ASKED_WITHIN, "the model was not asked: {words}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(block: &str) -> Vec<Request> {
        let framed = format!("<nudge-memory id=\"0123456789ab\">{block}</nudge-memory id=\"0123456789ab\">");
        vec![Request::of(json!({"input": [{"content": framed}, {"content": NEXT}]}))]
    }

    #[test]
    fn a_rule_is_given_only_under_its_heading() {
        assert_eq!(
            not_given(&request(&format!("\n{HEADING}- \"a rule\"\n\n## Recent\n- x")), "a rule"),
            None
        );
        assert!(not_given(&request(&format!("\n{HEADING}- x\n\n## Recent\n- a rule")), "a rule").is_some());
        assert!(not_given(&request("\n## Recent\n- a rule"), "a rule").is_some());
        assert!(not_given(&[], "a rule").is_some());
    }

    #[test]
    fn a_proposal_names_its_source() {
        let proposal = json!({"kind": "statement", "text": "a rule", "client": "codex", "session": "s",
            "said": [{"session": "s", "how": "prompt"}]});
        assert!(is_quoted(&proposal, "a rule", "codex"));
        assert!(!is_quoted(&proposal, "a rule", "claude"));
        assert!(!is_quoted(&json!({"kind": "statement", "text": "a rule"}), "a rule", "codex"));
    }
}
