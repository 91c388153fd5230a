//! A session of Claude Code in a home where Nudge was just installed: what the memory stores of it,
//! and what changes in the home.
//!
//! Runs once in an empty home, and once in a home where Claude already has the user's settings,
//! hooks and servers. Shows @install_agents and @uninstall_restores.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use nudge_core::{ObservationKind, Outcome};
use nudge_store::{ObservationRow, PromptRow, Reader, SessionRow, Store, StoreError};
use serde_json::{Value, json};

use super::agent::{self, Agent, Workspace};
use super::claude::Claude;
use crate::stage::Home;

/// The user's words, before the script.
pub(super) const GREETING_REQUEST: &str = "Greet the world in another tongue.";

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
    let session = claude.once(workspace, &agent::prompt(GREETING_REQUEST, &calls(&workspace.project)))?;
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
        violations.push(format!("the hint that the agent set is {hint}"));
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
            violations.push(format!("the session belongs to {}", session.harness));
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
                violations.push(format!("{name} names the files {:?}", row.files));
            }
            if row.outcome != *outcome {
                violations.push(format!("{name} ended in {:?}", row.outcome));
            }
            if !row.body.contains(text) {
                violations.push(format!("{name} has the text {:?}, not {text:?}", row.body));
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
        [prompt] if prompt.body.starts_with(GREETING_REQUEST) => Vec::new(),
        [prompt] => vec![format!("the prompt is {:?}", prompt.body)],
        _ => vec![format!("{} prompts were kept, not one", found.len())],
    }
}

// The files in a home, and what happened to them.

/// Every file by its path below the home.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The file that Claude rewrites at every start.
const STATE_FILE: &str = ".claude.json";

/// The file in which Codex records which projects are trusted.
const CONFIG_FILE: &str = ".codex/config.toml";

/// All files of a home except the memory itself.
pub(super) fn snapshot(home: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    let mut dirs = vec![home.to_owned()];
    while let Some(dir) = dirs.pop() {
        for item in fs::read_dir(&dir)? {
            let path = item?.path();
            let name = path.strip_prefix(home)?.to_string_lossy().into_owned();
            if path.is_dir() {
                dirs.push(path);
            } else if !is_memory(&name) {
                files.insert(name, fs::read(&path).unwrap_or_default());
            }
        }
    }
    Ok(files)
}

/// Whether this is a file that `install` recorded its changes in.
fn is_ledger(name: &str) -> bool {
    name.starts_with(".local/share/nudge/install/")
}

/// Whether this is part of the memory, which stays. The records of `install` next to it do not.
fn is_memory(name: &str) -> bool {
    name.strip_prefix(".local/share/nudge/").is_some_and(|below| !below.starts_with("install/"))
}

/// The files of the home at four points in time.
pub(super) struct HomeSnapshots {
    pub(super) fresh: Files,
    pub(super) installed: Files,
    pub(super) used: Files,
    pub(super) uninstalled: Files,
}

impl HomeSnapshots {
    /// What uninstalling left wrong.
    pub(super) fn violations(&self) -> Vec<String> {
        let mut violations = Vec::new();
        let all = [&self.fresh, &self.installed, &self.used, &self.uninstalled];
        let mut names: Vec<&String> = all.into_iter().flat_map(BTreeMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let [fresh, installed, used, uninstalled] = all.map(|files| files.get(name));
            if is_ledger(name) {
                if uninstalled.is_some() {
                    violations.push(format!("{name} is still there"));
                }
                continue;
            }
            if installed == used {
                // The agent did not touch it: it must be as it was before Nudge, or absent.
                if uninstalled != fresh {
                    violations.push(format!("{name} is not what it was before Nudge"));
                }
            } else if name == STATE_FILE {
                violations.extend(state_violations(used, uninstalled));
            } else if name == CONFIG_FILE {
                violations.extend(config_violations(used, uninstalled));
            } else if uninstalled != used {
                violations.push(format!("{name} belongs to the agent and was changed"));
            }
        }
        violations
    }
}

/// Nudge's part must be gone from the agent's own file, and nothing else.
fn state_violations(used: Option<&Vec<u8>>, uninstalled: Option<&Vec<u8>>) -> Vec<String> {
    let read = |bytes: Option<&Vec<u8>>| serde_json::from_slice::<Value>(bytes?).ok();
    let (Some(mut used), Some(left)) = (read(used), read(uninstalled)) else {
        return vec![format!("{STATE_FILE} is missing or no JSON")];
    };
    let mut violations = Vec::new();
    if used["mcpServers"]["nudge"].is_null() {
        violations.push(format!("{STATE_FILE}: the agent lost the server while it ran"));
    }
    if let Some(servers) = used["mcpServers"].as_object_mut() {
        servers.shift_remove("nudge");
        if servers.is_empty()
            && let Some(all) = used.as_object_mut()
        {
            all.shift_remove("mcpServers");
        }
    }
    if used != left {
        violations.push(format!("{STATE_FILE} differs in more than our server"));
    }
    violations
}

/// The same check for a TOML file.
fn config_violations(used: Option<&Vec<u8>>, uninstalled: Option<&Vec<u8>>) -> Vec<String> {
    let read = |bytes: Option<&Vec<u8>>| std::str::from_utf8(bytes?).ok()?.parse::<toml::Table>().ok();
    let (Some(mut used), Some(left)) = (read(used), read(uninstalled)) else {
        return vec![format!("{CONFIG_FILE} is missing or no TOML")];
    };
    if let Some(servers) = used.get_mut("mcp_servers").and_then(toml::Value::as_table_mut) {
        servers.remove("nudge");
        if servers.is_empty() {
            used.remove("mcp_servers");
        }
    }
    if used == left { Vec::new() } else { vec![format!("{CONFIG_FILE} differs in more than our server")] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(pairs: &[(&str, &str)]) -> Files {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn check(captured_events: [&[(&str, &str)]; 4], violations: &[&str]) {
        let [fresh, installed, used, uninstalled] = captured_events.map(files);
        assert_eq!(HomeSnapshots { fresh, installed, used, uninstalled }.violations(), violations);
    }

    #[test]
    fn what_is_left_behind_or_lost_is_found() {
        let (with, without) = (r#"{"a":1,"mcpServers":{"nudge":{}}}"#, r#"{"a":1}"#);
        check([&[("s", "x")], &[("s", "y")], &[("s", "y"), ("t", "z")], &[("s", "x"), ("t", "z")]], &[]);
        check([&[], &[("s", "y")], &[("s", "y")], &[("s", "y")]], &["s is not what it was before Nudge"]);
        check([&[], &[], &[("t", "z")], &[]], &["t belongs to the agent and was changed"]);
        check([&[], &[(STATE_FILE, "{}")], &[(STATE_FILE, with)], &[(STATE_FILE, without)]], &[]);
        check(
            [&[], &[(STATE_FILE, "{}")], &[(STATE_FILE, with)], &[(STATE_FILE, "{}")]],
            &[".claude.json differs in more than our server"],
        );
    }
}
