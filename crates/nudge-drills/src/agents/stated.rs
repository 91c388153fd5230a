//! A rule that the person states once to one agent, and accepts, is given to the other at its next start.
//!
//! Both run in a terminal, in one home: first Claude Code hears a rule and Codex is given it, then the other way round in
//! another project. What `codex exec` is asked by a script is nobody's rule. Shows @statements_said, @statements_review and
//! @injection_stated with what the model really received.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;

use super::agent::{Agent, Desk};
use super::attended::{Attended, say};
use super::claude::Claude;
use super::codex::Codex;
use super::installed::QUIET_WITHIN;
use super::model;
use super::requests::Request;
use super::terminal;
use super::told::only;

/// What the person says to Claude Code, what to Codex, and what a script asks of Codex.
const TO_CLAUDE: &str = "we use pnpm in this repo, never npm";
const TO_CODEX: &str = "always indent with tabs here, never with spaces";
const BY_SCRIPT: &str = "we use yarn here, never bun";

/// What the person says when the rule is to be given. A question mark would be a key of its own in Codex.
const NEXT: &str = "Go on with it.";

/// Where a rule has to stand.
const HEADING: &str = "## Stated by the person\n";

/// Walks both ways; what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut desk = Desk::new(nudge, "greeter")?;
    claude.take_up(&desk)?;
    codex.take_up(&desk)?;
    let mut wrong = pass_on(&desk, claude, codex, TO_CLAUDE)?;
    desk.turn_to("singer")?;
    wrong.extend(pass_on(&desk, codex, claude, TO_CODEX)?);
    wrong.extend(by_script(&desk, codex)?);
    let left = desk.home.wait_until_empty(QUIET_WITHIN);
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    println!("claude and codex, a rule: {} violations, {:.1} s", wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("a rule: {violation}")).collect())
}

/// One agent hears a rule, the person accepts it, and the other is given it.
fn pass_on(
    desk: &Desk,
    hears: &dyn Attended,
    gets: &dyn Attended,
    rule: &str,
) -> anyhow::Result<Vec<String>> {
    hears.settle(desk)?;
    gets.settle(desk)?;
    say(hears, desk, rule)?;
    let waiting = waiting(desk)?;
    let [proposal] = &waiting[..] else {
        return Ok(vec![format!("said to {}, {} proposals wait: {waiting:?}", hears.name(), waiting.len())]);
    };
    let mut wrong = Vec::new();
    if !is_quoted(proposal, rule, hears.name()) {
        wrong.push(format!("said to {}, the proposal is {proposal}", hears.name()));
    }
    let id = proposal["id"].as_i64().context("a proposal has a number")?;
    as_person(desk, &["review", "accept", &id.to_string()])?;
    let before = desk.model.requests().count()?;
    say(gets, desk, NEXT)?;
    let requests = desk.model.requests().since(before)?;
    wrong.extend(not_given(&requests, rule).map(|why| format!("{}: {why}", gets.name())));
    Ok(wrong)
}

/// What nobody said is no rule, also when it is asked for in two sessions.
fn by_script(desk: &Desk, codex: &Codex) -> anyhow::Result<Vec<String>> {
    for _ in 0..2 {
        codex.once(desk, &model::prompt(BY_SCRIPT, &[]))?;
    }
    let waiting = waiting(desk)?;
    Ok(if waiting.is_empty() { vec![] } else { vec![format!("a script's words are proposed: {waiting:?}")] })
}

/// The person's own words, with the session and the agent they were said to.
fn is_quoted(proposal: &Value, rule: &str, agent: &str) -> bool {
    let said = proposal["said"].as_array().map_or(&[][..], Vec::as_slice);
    proposal["kind"] == "statement"
        && proposal["text"] == rule
        && proposal["client"] == agent
        && matches!(said, [one] if one["how"] == "prompt" && one["session"] == proposal["session"])
}

/// Why the rule was not given to the model as the person's.
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

/// What waits for the person.
fn waiting(desk: &Desk) -> anyhow::Result<Vec<Value>> {
    let said = as_person(desk, &["review", "--list", "--json"])?;
    let answer: Value = serde_json::from_str(&said).with_context(|| said.clone())?;
    answer["proposals"].as_array().cloned().with_context(|| said.clone())
}

/// What Nudge prints to the person in a terminal of their own: whoever runs this may be an agent, which may not decide.
fn as_person(desk: &Desk, args: &[&str]) -> anyhow::Result<String> {
    let mut command = desk.home.nudge(args);
    command.current_dir(&desk.project);
    terminal::printed(&command)
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
