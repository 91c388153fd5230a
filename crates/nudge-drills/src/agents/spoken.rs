//! What a user says to Claude Code in a terminal, other than with a prompt.
//!
//! The user rejects a call with a comment, allows one with a comment, types a message while the
//! agent works, answers a question, gives a command arguments, and sends a plan back with a
//! comment. Each sentence must be in the memory as the user's, once, whether a hook reports it or
//! only the transcript has it. Shows @capture_speech.

use std::path::Path;

use anyhow::Context;
use nudge_core::Speaker;
use nudge_store::{PromptRow, SessionId, Store, StoreError};
use serde_json::{Value, json};

use super::agent::{Agent, Workspace, part};
use super::claude::Claude;
use super::stated::{Attended, READY, leave};
use super::terminal::Terminal;

/// The sentences, and how each is said. Hooks report queued messages and commands in the same way
/// as prompts.
const SENTENCES: [(&str, &[&str]); 6] = [
    ("never push before the tests ran", &["refusal"]),
    ("and say which file it was", &["beside_result"]),
    ("use tabs in the meantime", &["queued", ""]),
    ("a file of its own, with DuckDB", &["answer"]),
    ("at the greeting file", &["command", ""]),
    ("greet in French instead", &["plan_comment"]),
];

/// Runs both sessions; returns what went wrong.
pub(super) fn check(nudge: &Path, claude: &Claude) -> anyhow::Result<Vec<String>> {
    part("claude, in a terminal", || {
        let workspace = Workspace::new(nudge, "greeter")?;
        claude.install_nudge(&workspace)?;
        claude.settle(&workspace)?;
        add_command(&workspace)?;
        work(&workspace, claude)?;
        plan(&workspace, claude)?;
        let left = workspace.left_behind();
        let mut violations = check_prompts(&workspace)?;
        violations.extend(left);
        Ok(violations)
    })
}

/// Adds a custom command to the project.
fn add_command(workspace: &Workspace) -> anyhow::Result<()> {
    let commands = workspace.project.join(".claude/commands");
    std::fs::create_dir_all(&commands)?;
    Ok(std::fs::write(commands.join("look.md"), "Look at what is named: $ARGUMENTS\n")?)
}

fn work(workspace: &Workspace, claude: &Claude) -> anyhow::Result<()> {
    let terminal = Terminal::start(&claude.watched(workspace, "default"))?;
    terminal.wait_for(READY)?;
    let bash =
        |command: &str| json!({"tool": "^Bash$", "args": {"command": command, "description": "do it"}});

    terminal.enter(&scripted("Push it.", &[bash("touch pushed")], "Turn one is over."))?;
    terminal.wait_for("Do you want to proceed?")?;
    terminal.choose("No")?;
    terminal.press(&["Tab"])?;
    terminal.wait_for("tell Claude what to do differently")?;
    terminal.enter(SENTENCES[0].0)?;
    terminal.wait_for("● Turn one is over.")?;

    terminal.enter(&scripted("Make a file.", &[bash("touch made")], "Turn two is over."))?;
    terminal.wait_for("Do you want to proceed?")?;
    terminal.press(&["Tab"])?;
    terminal.wait_for("and tell Claude what to do next")?;
    terminal.enter(SENTENCES[1].0)?;
    terminal.wait_for("● Turn two is over.")?;

    let read = json!({"tool": "^Read$", "args": {"file_path": workspace.file("greeting.txt")}});
    terminal.enter(&scripted("Wait.", &[bash("sleep 4"), read], "Turn three is over."))?;
    terminal.wait_for("$ sleep 4")?;
    terminal.enter(SENTENCES[2].0)?;
    terminal.wait_for("● Turn three is over.")?;

    let options = json!([{"label": "Postgres", "description": "a server"}, {"label": "SQLite", "description": "a file"}]);
    let question =
        json!({"question": "Which store?", "header": "Store", "multiSelect": false, "options": options});
    let asks = json!({"tool": "^AskUserQuestion$", "args": {"questions": [question]}});
    terminal.enter(&scripted("Ask me.", &[asks], "Turn four is over."))?;
    terminal.wait_for("Type something")?;
    terminal.choose("Type something")?;
    terminal.enter(SENTENCES[3].0)?;
    terminal.wait_for("● Turn four is over.")?;

    terminal.enter(&scripted(&format!("/look {}", SENTENCES[4].0), &[], "Turn five is over."))?;
    terminal.wait_for("● Turn five is over.")?;
    leave(&terminal)
}

fn plan(workspace: &Workspace, claude: &Claude) -> anyhow::Result<()> {
    let before = workspace.model.requests().count()?;
    let terminal = Terminal::start(&claude.watched(workspace, "plan"))?;
    terminal.wait_for("plan mode on")?;
    terminal.enter(&scripted("Hello.", &[], "Turn six is over."))?;
    terminal.wait_for("● Turn six is over.")?;
    // Claude gives its model the path for the plan, with a made-up file name.
    let requests = workspace.model.requests().since(before)?;
    let pattern = regex::Regex::new(r"/[^\s`']+/plans/[A-Za-z0-9-]+\.md")?;
    let mut texts = requests.iter().flat_map(super::injected::Request::texts);
    let file = texts.find_map(|text| pattern.find(text)).context("no request names a plan file")?.as_str();
    let write =
        json!({"tool": "^Write$", "args": {"file_path": file, "content": "# Plan: greet in German\n"}});
    let shows = json!({"tool": "^ExitPlanMode$", "args": {}});
    terminal.enter(&scripted("Plan it.", &[write, shows], "Turn seven is over."))?;
    terminal.wait_for("Tell Claude what to change")?;
    terminal.choose("Tell Claude what to change")?;
    terminal.enter(SENTENCES[5].0)?;
    terminal.wait_for("● Turn seven is over.")?;
    leave(&terminal)
}

/// A prompt that makes the model call these tools and then say `last`.
fn scripted(words: &str, calls: &[Value], last: &str) -> String {
    let mut script = calls.to_vec();
    script.push(json!({"text": last}));
    format!("{words} <<SCRIPT {} SCRIPT>>", Value::from(script))
}

fn check_prompts(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    workspace.home.run(&["status"])?;
    let store = Store::open(&workspace.home.read_options())?;
    let prompts: Vec<PromptRow> = store.read(|reader| {
        let mut prompts = Vec::new();
        for session in reader.agent_sessions_after(SessionId(0), 100)? {
            prompts.extend(reader.prompts_of_session(session.id, 100)?);
        }
        Ok::<_, StoreError>(prompts)
    })?;
    let mut violations = Vec::new();
    for (sentence, ways) in SENTENCES {
        let found: Vec<_> = prompts.iter().filter(|prompt| prompt.body.contains(sentence)).collect();
        let [prompt] = found[..] else {
            violations.push(format!("{sentence:?} is there {} times", found.len()));
            continue;
        };
        let way = prompt.attributes.get("said").and_then(Value::as_str).unwrap_or_default();
        if prompt.speaker != Speaker::Person || !ways.contains(&way) {
            violations.push(format!("{sentence:?} is stored as {way:?} of {:?}", prompt.speaker));
        }
    }
    Ok(violations)
}
