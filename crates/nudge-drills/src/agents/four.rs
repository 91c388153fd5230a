//! All agents in one home and one repository; `nudge install --yes` is the only setup of Nudge.
//!
//! Each agent's session is stored, each is given what the previous one learned, each calls a Nudge
//! tool, and at the end the home is as it was. Shows @install_agents, @install_http and
//! @uninstall_restores with real agents.

use anyhow::Context;
use nudge_store::{Reader, Store, StoreError};
use serde_json::json;

use super::agent::{self, Workspace, part};
use super::injected::Request;
use super::injected::injected;
use super::installed::{HomeSnapshots, snapshot};
use super::one_shot::{FinishedSession, OneShot, run};

/// The user's note: it is given with a prompt about it, and not at a start.
const NOTE: &str =
    "the quokka parser reads an umlaut as two bytes, so the wombat dialect loses its trailing vowel";

/// The user's prompt to each agent.
const ABOUT_IT: &str =
    "Find out why the wombat dialect loses its trailing vowel when the quokka parser reads an umlaut.";

/// The number of other facts in the project: a word is only rare among others that are not.
const OTHER_FACTS: usize = 40;

/// More rows than a session here can have.
const MAX_ROWS: u32 = 200;

/// Runs the agents one after the other; returns what went wrong.
pub(super) fn check(workspace: &Workspace, agents: &[&dyn OneShot]) -> anyhow::Result<Vec<String>> {
    part(&format!("{} in one repository", names(agents).join(", ")), || check_all(workspace, agents))
}

fn names(agents: &[&dyn OneShot]) -> Vec<&'static str> {
    agents.iter().map(|agent| agent.name()).collect()
}

fn check_all(workspace: &Workspace, agents: &[&dyn OneShot]) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    for agent in agents {
        agent.settle(workspace)?;
    }
    workspace.configure("inject.headless = true")?;
    let home = &workspace.home;
    let fresh = snapshot(home.path())?;
    let names = names(agents);
    home.run(&["install", "--yes"])?;
    let found = home.run_json(&["install", "--dry-run"])?;
    let installed: Vec<&str> =
        found["agents"].as_array().into_iter().flatten().filter_map(|agent| agent["name"].as_str()).collect();
    if names.iter().any(|name| !installed.contains(name)) {
        violations.push(format!("installed into {installed:?}, not {names:?}"));
    }
    let after_install = snapshot(home.path())?;
    note(workspace)?;
    let mut learned = None;
    for agent in agents {
        let found = session(workspace, *agent, learned.as_deref())?;
        violations.extend(found.into_iter().map(|why| format!("{}: {why}", agent.name())));
        learned = Some(fact(*agent));
    }
    if let (Some(first), Some(learned)) = (agents.first(), &learned) {
        let found = is_given(workspace, *first, learned)?;
        violations.extend(found.into_iter().map(|why| format!("{}, again: {why}", first.name())));
    }
    violations.extend(over_http(workspace, agents)?);
    violations.extend(workspace.left_behind());
    let used = snapshot(home.path())?;
    home.run(&["uninstall", "--yes", "--purge"])?;
    let uninstalled = snapshot(home.path())?;
    violations.extend(HomeSnapshots { fresh, installed: after_install, used, uninstalled }.violations());
    if home.memory().exists() {
        violations.push("the memory is still there after --purge".to_owned());
    }
    Ok(violations)
}

/// The user's notes: first the one that is asked about later, then those that fill the start of a
/// session.
fn note(workspace: &Workspace) -> anyhow::Result<()> {
    workspace.nudge_json(&["mark", NOTE])?;
    for number in 0..OTHER_FACTS {
        workspace
            .nudge_json(&["mark", &format!("task {number} in bed {} of the garden is done", number % 7)])?;
    }
    Ok(())
}

/// The fact that an agent learns and saves with a Nudge tool.
fn fact(agent: &dyn OneShot) -> String {
    format!("Releases of the {} branch are cut from the numbat tag", agent.name())
}

/// One session: its events are stored, it gets what the previous agent learned, and it gets the
/// note with its prompt.
fn session(workspace: &Workspace, agent: &dyn OneShot, learned: Option<&str>) -> anyhow::Result<Vec<String>> {
    let calls = [
        agent.command_line("cat greeting.txt"),
        agent.command_line(&fails(agent)),
        agent.tool("remember", &json!({"text": fact(agent)})),
    ];
    let before = workspace.model.requests().count()?;
    let ran = run(agent, workspace, &agent::prompt_of_user(ABOUT_IT, &calls))?;
    let mut violations = Vec::new();
    ended_well(&ran, &mut violations);
    let requests = workspace.model.requests().since(before)?;
    let given = given(&requests)?;
    if let Some(learned) = learned
        && !given.iter().any(|text| text.contains(learned))
    {
        violations.push(format!("not given at its start: {learned:?}; given: {given:?}"));
    }
    if !given.iter().any(|text| text.contains("## Earlier work on this") && text.contains("as two bytes")) {
        violations.push(format!("the note was not given with the prompt; given: {given:?}"));
    }
    // The next process that opens the memory imports whatever a hook could not store in time.
    workspace.home.run(&["status"])?;
    let store = Store::open(&workspace.home.read_options())?;
    let missing = store
        .read(|reader| missing_from_memory(reader, workspace, agent))
        .context("the memory cannot be read")?;
    violations.extend(missing);
    let knows = workspace.nudge_json(&["knows"])?.to_string();
    if !knows.contains(&fact(agent)) {
        violations.push(format!("what it remembered with our tool is not known: {knows}"));
    }
    Ok(violations)
}

fn fails(agent: &dyn OneShot) -> String {
    format!("echo 'no {} in the list' >&2; exit 3", agent.name())
}

/// A short session that only checks what it is given.
fn is_given(workspace: &Workspace, agent: &dyn OneShot, learned: &str) -> anyhow::Result<Vec<String>> {
    let before = workspace.model.requests().count()?;
    let ran = run(agent, workspace, &agent::prompt("And now?", &[]))?;
    let mut violations = Vec::new();
    ended_well(&ran, &mut violations);
    let given = given(&workspace.model.requests().since(before)?)?;
    if !given.iter().any(|text| text.contains(learned)) {
        violations.push(format!("not given: {learned:?}; given: {given:?}"));
    }
    Ok(violations)
}

fn ended_well(ran: &FinishedSession, violations: &mut Vec<String>) {
    if !ran.is_done() {
        violations.push(format!("it did not finish the script: {}", ran.all_output()));
    }
    violations.extend(ran.hook_errors().into_iter().map(|line| format!("a hook error is shown: {line}")));
}

/// The blocks that Nudge injected into these requests.
fn given(requests: &[Request]) -> anyhow::Result<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    for request in requests {
        for block in injected(request).map_err(|why| anyhow::anyhow!(why))? {
            if !texts.contains(&block.inside) {
                texts.push(block.inside);
            }
        }
    }
    Ok(texts)
}

/// What the memory lacks of the session: its start, prompt, commands and conclusion, under the
/// right agent and project.
fn missing_from_memory(
    reader: &Reader<'_>,
    workspace: &Workspace,
    agent: &dyn OneShot,
) -> Result<Vec<String>, StoreError> {
    let Some(session) = reader.newest_sessions_by(agent.name(), 1)?.into_iter().next() else {
        return Ok(vec!["none of its sessions is stored".to_owned()]);
    };
    let mut violations = Vec::new();
    let root = reader.project(session.project)?.map(|project| project.root);
    if root.as_deref() != workspace.project.to_str() {
        violations.push(format!("its project is {root:?}"));
    }
    let prompts = reader.prompts_of_session(session.id, MAX_ROWS)?;
    if !prompts.iter().any(|prompt| prompt.body.starts_with(ABOUT_IT)) {
        violations.push(format!("its prompt is not stored: {prompts:?}"));
    }
    let rows = reader.observations_of_session(session.id, MAX_ROWS)?;
    let fails = fails(agent);
    for (kind, text) in
        [("session_start", ""), ("command", "cat greeting.txt"), ("conclusion", agent::FINAL_MESSAGE)]
    {
        if !rows.iter().any(|row| row.kind.name() == kind && row.body.contains(text)) {
            let names: Vec<(&str, &str)> =
                rows.iter().map(|row| (row.kind.name(), row.body.as_str())).collect();
            violations.push(format!("no {kind} with {text:?} is stored: {names:?}"));
        }
    }
    if !rows.iter().any(|row| row.body.contains(&fails)) {
        violations.push("the command that failed is not stored".to_owned());
    }
    Ok(violations)
}

/// The same server over HTTP, in the agents that support it, and back to stdio.
fn over_http(workspace: &Workspace, agents: &[&dyn OneShot]) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    let able: Vec<&&dyn OneShot> = agents.iter().filter(|agent| agent.takes_http()).collect();
    let mut words = vec!["install"];
    words.extend(able.iter().map(|agent| agent.name()));
    words.extend(["--http", "--yes", "--port", "0"]);
    let port = crate::stage::free_port()?.to_string();
    *words.last_mut().context("words")? = &port;
    workspace.home.run(&words)?;
    for agent in able {
        let before = workspace.model.requests().count()?;
        let calls = [agent.tool("search", &json!({"query": "numbat"}))];
        let ran = run(*agent, workspace, &agent::prompt("Look it up.", &calls))?;
        let mut found = Vec::new();
        ended_well(&ran, &mut found);
        let requests = workspace.model.requests().since(before)?;
        let answered = requests.iter().any(|request| {
            request.texts().iter().any(|text| text.contains("numbat tag") && text.contains("tokens"))
        });
        if !answered {
            found.push("the tool was not answered over HTTP".to_owned());
        }
        violations.extend(found.into_iter().map(|why| format!("{} over HTTP: {why}", agent.name())));
    }
    workspace.home.run(&["stop"])?;
    workspace.home.run(&["install", "--yes"])?;
    Ok(violations)
}
