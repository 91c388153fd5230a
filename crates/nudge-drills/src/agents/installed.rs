//! A session of Claude Code in a home where Nudge was just installed.
//!
//! Runs once in an empty home, and once in a home where Claude already has the user's settings,
//! hooks and servers. Shows @install_agents and @uninstall_restores.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::{Agent, Workspace};
use super::claude::Claude;
use super::files::{HomeSnapshots, look};
use super::{kept, model};

/// After the agent exits, its MCP server reads the end of its input and exits too.
pub(super) const QUIET_WITHIN: Duration = Duration::from_secs(10);

/// The user's words, before the script.
pub(super) const WORDS: &str = "Greet the world in another tongue.";

/// The settings of a user who has used Claude before.
const SETTINGS: &str = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"echo rang >> \\\"$HOME/bell\\\"\"}]}\n        ]\n    },\n    \"env\": { \"GREETING\": \"hello\" }\n}";

/// Claude's own state file.
const STATE: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"absent\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/false\",\n      \"args\": [],\n      \"env\": {}\n    }\n  }\n}";

/// Runs in both homes; returns what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Claude) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (name, lived_in) in [("empty home", false), ("lived-in home", true)] {
        let began = Instant::now();
        let workspace = Workspace::new(nudge, "greeter")?;
        if lived_in {
            let home = workspace.home.path();
            std::fs::create_dir(home.join(".claude"))?;
            std::fs::write(home.join(".claude/settings.json"), SETTINGS)?;
            std::fs::write(home.join(".claude.json"), STATE)?;
        }
        let found = violations(&workspace, claude, lived_in)?;
        println!("claude, {name}: {} violations, {:.1} s", found.len(), began.elapsed().as_secs_f64());
        wrong.extend(found.into_iter().map(|violation| format!("{name}: {violation}")));
    }
    Ok(wrong)
}

fn violations(workspace: &Workspace, claude: &Claude, lived_in: bool) -> anyhow::Result<Vec<String>> {
    let home = &workspace.home;
    let fresh = look(home.path())?;
    home.run(&["install", "claude", "--yes"])?;
    let installed = look(home.path())?;
    let session = claude.once(workspace, &model::prompt(WORDS, &calls(&workspace.project)))?;
    let left = home.wait_until_empty(QUIET_WITHIN);
    let used = look(home.path())?;
    let mut wrong = kept::violations(home, &session, &workspace.project)?;
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    if lived_in && !used.contains_key("bell") {
        wrong.push("the person's own hook no longer runs".to_owned());
    }
    home.run(&["uninstall", "claude", "--yes"])?;
    let uninstalled = look(home.path())?;
    wrong.extend(HomeSnapshots { fresh, installed, used, uninstalled }.violations());
    Ok(wrong)
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
        bash(kept::SUCCEEDS),
        bash(kept::FAILS),
        bash(kept::COMMITS),
        json!({"tool": "^mcp__nudge__set_hint$", "args": {"component": kept::HINT.0, "key": kept::HINT.1, "value": {"type": "command", "cmd": kept::HINT.2}}}),
    ]
}
