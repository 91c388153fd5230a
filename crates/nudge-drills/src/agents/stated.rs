//! A rule that the user states to one agent and accepts is given to the other at its next start.
//!
//! Both run in a terminal, in one home. First Claude Code gets a rule from the user and Codex is
//! given it, then the other way round in another project. A prompt that a script passes to `codex
//! exec` is nobody's rule. Shows @statements_said, @statements_review and @injection_stated with
//! the requests that the model received.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;

use super::agent::{Agent, Workspace};
use super::attended::{Attended, say};
use super::claude::Claude;
use super::codex::Codex;
use super::injected::only;
use super::installed::QUIET_WITHIN;
use super::model;
use super::requests::Request;
use super::terminal;

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
pub(super) fn walk(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut workspace = Workspace::new(nudge, "greeter")?;
    claude.take_up(&workspace)?;
    codex.take_up(&workspace)?;
    let mut wrong = pass_on(&workspace, claude, codex, TO_CLAUDE)?;
    workspace.switch_project("singer")?;
    wrong.extend(pass_on(&workspace, codex, claude, TO_CODEX)?);
    wrong.extend(by_script(&workspace, codex)?);
    let left = workspace.home.wait_until_empty(QUIET_WITHIN);
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    println!("claude and codex, a rule: {} violations, {:.1} s", wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("a rule: {violation}")).collect())
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
    let mut wrong = Vec::new();
    if !is_quoted(proposal, rule, hears.name()) {
        wrong.push(format!("said to {}, the proposal is {proposal}", hears.name()));
    }
    let id = proposal["id"].as_i64().context("a proposal has a number")?;
    as_person(workspace, &["review", "accept", &id.to_string()])?;
    let before = workspace.model.requests().count()?;
    say(gets, workspace, NEXT)?;
    let requests = workspace.model.requests().since(before)?;
    wrong.extend(not_given(&requests, rule).map(|why| format!("{}: {why}", gets.name())));
    Ok(wrong)
}

/// A text that nobody said is no rule, even if two sessions ask for it.
fn by_script(workspace: &Workspace, codex: &Codex) -> anyhow::Result<Vec<String>> {
    for _ in 0..2 {
        codex.once(workspace, &model::prompt(BY_SCRIPT, &[]))?;
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
fn waiting(workspace: &Workspace) -> anyhow::Result<Vec<Value>> {
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
