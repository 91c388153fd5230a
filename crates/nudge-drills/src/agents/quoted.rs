//! An agent is asked for a rule, and quotes one that the user typed to it.
//!
//! Claude Code and Codex run in a terminal. A prompt that may state a rule comes with the question.
//! Then the user states a rule that its wording does not give away, and the agent calls `remember`
//! with the sentence as `quote`. The sentence waits for the user, in the user's words. Shows
//! @prompt_ask and @statements_quoted with real agents.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::agent::{self, Agent, FINAL_MESSAGE, Workspace, part};
use super::claude::Claude;
use super::codex::Codex;
use super::one_shot::{MODEL, OneShot};
use super::stated::{Attended, READY, ask, leave, waiting};
use super::terminal::Terminal;

/// A prompt with the wording of a rule. A question mark would be a separate key in Codex.
const MAY_STATE: &str =
    "look at the greeting file of this project and note that it should stay as it is today";

/// The user's rule, and the prompt that states it.
const RULE: &str = "Letters to customers go past Mara first.";
const STATES: &str = "Finish the reminder letter. Letters to customers go past Mara first.";

/// Tests both agents; returns what went wrong.
pub(super) fn check(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    part("claude and codex, a quoted rule", || {
        let mut workspace = Workspace::new(nudge, "greeter")?;
        claude.install_nudge(&workspace)?;
        codex.install_nudge(&workspace)?;
        let mut allowed = claude.in_terminal(&workspace);
        allowed.args(["--allowedTools", "mcp__nudge"]);
        let mut violations = quote(&workspace, claude, &allowed, &remember(claude))?;
        workspace.switch_project("singer")?;
        // Of a model that Codex knows, it hides the tools of MCP servers behind a search.
        let mut command = codex.in_terminal(&workspace);
        command.args(["--model", MODEL]);
        violations.extend(quote(&workspace, codex, &command, &remember(codex))?);
        violations.extend(workspace.left_behind());
        Ok(violations)
    })
}

/// The call with which an agent's model quotes the rule.
fn remember(agent: &dyn OneShot) -> Value {
    agent.tool("remember", &json!({"text": "Mara reads letters to customers first", "quote": RULE}))
}

/// One session: the agent is asked, and then it quotes.
fn quote(
    workspace: &Workspace,
    agent: &dyn Attended,
    command: &Command,
    call: &Value,
) -> anyhow::Result<Vec<String>> {
    agent.settle(workspace)?;
    let terminal = Terminal::start(command)?;
    terminal.wait_for(READY)?;
    let mut violations = Vec::new();
    let given = ask(workspace, &terminal, MAY_STATE)?;
    if !given.iter().any(|block| block.inside.contains("## Nudge asks")) {
        violations.push(format!("{} was not asked: {given:?}", agent.name()));
    }
    terminal.enter(&agent::prompt(STATES, std::slice::from_ref(call)))?;
    terminal.wait_for(&format!("{} {FINAL_MESSAGE}", agent.bullet()))?;
    leave(&terminal)?;
    let waiting = waiting(workspace)?;
    let is_its = |one: &&Value| one["text"] == RULE && one["client"] == agent.name();
    let quoted: Vec<&Value> = waiting.iter().filter(is_its).collect();
    let is_so = |one: &Value| {
        one["kind"] == "statement" && one["sessions"] == 0 && one["said"][0]["how"] == "quoted by the agent"
    };
    if !matches!(quoted[..], [one] if is_so(one)) {
        let knows = workspace.nudge_json(&["knows"])?;
        violations.push(format!("quoted by {}, these proposals wait: {waiting:?}; {knows}", agent.name()));
    }
    Ok(violations)
}
