//! A session of Claude Code in a home where Nudge was just installed.
//!
//! Runs once in an empty home, and once in a home where Claude already has the user's settings,
//! hooks and servers. Shows @install_agents and @uninstall_restores.

use std::path::Path;

use anyhow::Context;
use nudge_core::{ObservationKind, Outcome};
use nudge_store::{ObservationRow, PromptRow, Reader, SessionRow, Store, StoreError};
use serde_json::{Value, json};

use super::agent::{self, Agent, Workspace};
use super::claude::Claude;
use super::files::{HomeSnapshots, snapshot};
use crate::stage::Home;

/// The user's words, before the script.
pub(super) const WORDS: &str = "Greet the world in another tongue.";

/// The settings of a user who has used Claude before.
const SETTINGS: &str = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"echo rang >> \\\"$HOME/bell\\\"\"}]}\n        ]\n    },\n    \"env\": { \"GREETING\": \"hello\" }\n}";

/// Claude's own state file.
const STATE: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"absent\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/false\",\n      \"args\": [],\n      \"env\": {}\n    }\n  }\n}";

/// Runs in both homes; returns what went wrong.
pub(super) fn check(nudge: &Path, claude: &Claude) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    for (name, lived_in) in [("empty home", false), ("lived-in home", true)] {
        violations.extend(agent::part(&format!("claude, {name}"), || {
            let workspace = Workspace::new(nudge, "greeter")?;
            if lived_in {
                let home = workspace.home.path();
                std::fs::create_dir(home.join(".claude"))?;
                std::fs::write(home.join(".claude/settings.json"), SETTINGS)?;
                std::fs::write(home.join(".claude.json"), STATE)?;
            }
            check_home(&workspace, claude, lived_in)
        })?);
    }
    Ok(violations)
}

fn check_home(workspace: &Workspace, claude: &Claude, lived_in: bool) -> anyhow::Result<Vec<String>> {
    let home = &workspace.home;
    let fresh = snapshot(home.path())?;
    home.run(&["install", "claude", "--yes"])?;
    let installed = snapshot(home.path())?;
    let session = claude.once(workspace, &agent::prompt(WORDS, &calls(&workspace.project)))?;
    let left = workspace.left_behind();
    let used = snapshot(home.path())?;
    let mut violations = check_stored(home, &session, &workspace.project)?;
    violations.extend(left);
    if lived_in && !used.contains_key("bell") {
        violations.push("the person's own hook no longer runs".to_owned());
    }
    home.run(&["uninstall", "claude", "--yes"])?;
    let uninstalled = snapshot(home.path())?;
    violations.extend(HomeSnapshots { fresh, installed, used, uninstalled }.violations());
    Ok(violations)
}

/// Reads, writes, edits, a command that succeeds, one that fails, a commit, and a call of a Nudge
/// tool.
fn calls(project: &Path) -> Vec<Value> {
    let path = |name: &str| project.join(name);
    let bash =
        |command: &str| json!({"tool": "^Bash$", "args": {"command": command, "description": "run it"}});
    vec![
        json!({"tool": "^Read$", "args": {"file_path": path("greeting.txt")}}),
        json!({"tool": "^Write$", "args": {"file_path": path("names.txt"), "content": "Ada\nGrace\n"}}),
        json!({"tool": "^Edit$", "args": {"file_path": path("greeting.txt"), "old_string": "hello", "new_string": "hallo"}}),
        bash(SUCCEEDS),
        bash(FAILS),
        bash(COMMITS),
        json!({"tool": "^mcp__nudge__set_hint$", "args": {"component": HINT.0, "key": HINT.1, "value": {"type": "command", "cmd": HINT.2}}}),
    ]
}

// Checks what the memory stored of a session: prompts, calls, files and outcomes, under the
// agent's own session id.

const SUCCEEDS: &str = "cat names.txt";

pub(super) const FAILS: &str = "echo 'no such tongue' >&2; exit 3";

const COMMITS: &str =
    "git add -A && git -c user.name=Ada -c user.email=ada@example.org commit -qm 'greet in German'";

/// Component, key and command of the hint that the agent sets through our server.
const HINT: (&str, &str, &str) = ("greeting", "show", "cat greeting.txt");

/// More rows than the session can have.
const MAX_ROWS: u32 = 100;

/// The differences between the stored session and what happened.
fn check_stored(home: &Home, session: &str, project: &Path) -> anyhow::Result<Vec<String>> {
    // The next process that opens the memory imports whatever a hook could not store in time.
    home.run(&["status"])?;
    let store = Store::open(&home.read_options())?;
    let wanted = Wanted { session, project };
    let mut violations = store.read(|reader| wanted.compare(reader)).context("the memory cannot be read")?;
    let hint = &home.run_json(&["get", HINT.0, HINT.1])?["hint"];
    if hint["value"]["cmd"] != HINT.2 || hint["meta"]["ttl"] != "forever" {
        violations.push(format!("the hint that the agent left is {hint}"));
    }
    Ok(violations)
}

struct Wanted<'a> {
    session: &'a str,
    project: &'a Path,
}

impl Wanted<'_> {
    fn compare(&self, reader: &Reader<'_>) -> Result<Vec<String>, StoreError> {
        let Some(session) = reader.agent_session_by_name(self.session)? else {
            return Ok(vec![format!("no session {} in the memory", self.session)]);
        };
        let root = reader.project(session.project)?.map(|project| project.root);
        let mut violations = self.of_session(&session, root.as_deref());
        let prompts = reader.prompts_of_session(session.id, MAX_ROWS)?;
        violations.extend(of_prompts(&prompts));
        let observations = reader.observations_of_session(session.id, MAX_ROWS)?;
        violations.extend(self.of_observations(&observations, &prompts));
        Ok(violations)
    }

    fn of_session(&self, session: &SessionRow, root: Option<&str>) -> Vec<String> {
        let mut violations = Vec::new();
        if session.harness != "claude" {
            violations.push(format!("the session is one of {}", session.harness));
        }
        if root != self.project.to_str() {
            violations.push(format!("the project is {root:?}"));
        }
        if session.ended_at.is_none() {
            violations.push("the session has no end".to_owned());
        }
        violations
    }

    /// Each call is stored once, in order and as the right kind. Calls of our own server are not
    /// stored: their effects are in the memory already.
    fn of_observations(&self, found: &[ObservationRow], prompts: &[PromptRow]) -> Vec<String> {
        let file = |name: &str| Some(self.project.join(name).to_string_lossy().into_owned());
        let ok = Outcome::Success;
        let wanted = [
            (ObservationKind::FileRead, file("greeting.txt"), ok, "greeting.txt"),
            (ObservationKind::FileWrite, file("names.txt"), ok, "names.txt"),
            (ObservationKind::FileEdit, file("greeting.txt"), ok, "greeting.txt"),
            (ObservationKind::Command, None, ok, SUCCEEDS),
            (ObservationKind::CommandError, None, Outcome::Failed { exit: Some(3) }, FAILS),
            (ObservationKind::GitCommit, None, ok, "greet in German"),
        ];
        let calls: Vec<&ObservationRow> = found.iter().filter(|row| row.kind.is_action()).collect();
        let names = |rows: &mut dyn Iterator<Item = ObservationKind>| {
            rows.map(ObservationKind::name).collect::<Vec<_>>().join(" ")
        };
        let (got, want) =
            (names(&mut calls.iter().map(|row| row.kind)), names(&mut wanted.iter().map(|row| row.0)));
        if got != want {
            return vec![format!("kept were: {got}; not: {want}")];
        }
        let mut violations = Vec::new();
        for (row, (kind, file, outcome, text)) in calls.iter().zip(&wanted) {
            let name = kind.name();
            if file.is_some() && row.files.first() != file.as_ref() {
                violations.push(format!("{name} is of {:?}", row.files));
            }
            if row.outcome != *outcome {
                violations.push(format!("{name} ended in {:?}", row.outcome));
            }
            if !row.body.contains(text) {
                violations.push(format!("{name} says {:?}, not {text:?}", row.body));
            }
            if row.prompt != prompts.first().map(|prompt| prompt.id) {
                violations.push(format!("{name} belongs to prompt {:?}", row.prompt));
            }
        }
        for kind in [ObservationKind::SessionStart, ObservationKind::SessionEnd] {
            let times = found.iter().filter(|row| row.kind == kind).count();
            if times != 1 {
                violations.push(format!("{} is there {times} times", kind.name()));
            }
        }
        violations
    }
}

fn of_prompts(found: &[PromptRow]) -> Vec<String> {
    match found {
        [prompt] if prompt.body.starts_with(WORDS) => Vec::new(),
        [prompt] => vec![format!("the prompt is {:?}", prompt.body)],
        _ => vec![format!("{} prompts were kept, not one", found.len())],
    }
}
