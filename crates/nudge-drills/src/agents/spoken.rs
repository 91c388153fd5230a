//! What a person says to Claude Code in a terminal, other than by a prompt.
//!
//! A call is refused with words, one is let happen with words, a message is typed while the agent works, a question is answered, a
//! command is given arguments, a plan is sent back with a comment. Each sentence must be in the memory as the person's,
//! once, whether a hook tells of it or only the transcript does. Shows @capture_speech.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use nudge_store::{PromptRow, SessionId, Store, StoreError, Voice};
use serde_json::{Value, json};

use super::agent::{Agent, Desk};
use super::attended::{Attended, READY, leave};
use super::claude::Claude;
use super::installed::QUIET_WITHIN;
use super::terminal::Terminal;

/// The sentences, and how each is said. Of a message that waited and of a command hooks tell, as of prompts.
const SENTENCES: [(&str, &[&str]); 6] = [
    ("never push before the tests ran", &["refusal"]),
    ("and say which file it was", &["beside_result"]),
    ("use tabs in the meantime", &["queued", ""]),
    ("a file of its own, with DuckDB", &["answer"]),
    ("at the greeting file", &["command", ""]),
    ("greet in French instead", &["plan_comment"]),
];

/// Walks through both sessions; what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Claude) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let desk = Desk::new(nudge, "greeter")?;
    claude.take_up(&desk)?;
    claude.settle(&desk)?;
    add_command(&desk)?;
    work(&desk, claude)?;
    plan(&desk, claude)?;
    let left = desk.home.wait_until_empty(QUIET_WITHIN);
    let mut wrong = violations(&desk)?;
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    println!("claude, in a terminal: {} violations, {:.1} s", wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("in a terminal: {violation}")).collect())
}

/// A command of the project.
fn add_command(desk: &Desk) -> anyhow::Result<()> {
    let commands = desk.project.join(".claude/commands");
    std::fs::create_dir_all(&commands)?;
    Ok(std::fs::write(commands.join("look.md"), "Look at what is named: $ARGUMENTS\n")?)
}

fn work(desk: &Desk, claude: &Claude) -> anyhow::Result<()> {
    let terminal = Terminal::start(&claude.watched(desk, "default"))?;
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

    let read = json!({"tool": "^Read$", "args": {"file_path": desk.file("greeting.txt")}});
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

fn plan(desk: &Desk, claude: &Claude) -> anyhow::Result<()> {
    let before = desk.model.requests().count()?;
    let terminal = Terminal::start(&claude.watched(desk, "plan"))?;
    terminal.wait_for("plan mode on")?;
    terminal.enter(&scripted("Hello.", &[], "Turn six is over."))?;
    terminal.wait_for("● Turn six is over.")?;
    // Claude tells its model where the plan is to be written, by a name that it makes up.
    let requests = desk.model.requests().since(before)?;
    let pattern = regex::Regex::new(r"/[^\s`']+/plans/[A-Za-z0-9-]+\.md")?;
    let mut texts = requests.iter().flat_map(super::requests::Request::texts);
    let file = texts.find_map(|text| pattern.find(text)).context("no place for a plan was told")?.as_str();
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

/// A prompt that makes the model call these tools and then say this.
fn scripted(words: &str, calls: &[Value], last: &str) -> String {
    let mut script = calls.to_vec();
    script.push(json!({"text": last}));
    format!("{words} <<SCRIPT {} SCRIPT>>", Value::from(script))
}

fn violations(desk: &Desk) -> anyhow::Result<Vec<String>> {
    desk.home.run(&["status"])?;
    let store = Store::open(&desk.home.to_read())?;
    let prompts: Vec<PromptRow> = store.read(|reader| {
        let mut prompts = Vec::new();
        for session in reader.agent_sessions_after(SessionId(0), 100)? {
            prompts.extend(reader.prompts_of_session(session.id, 100)?);
        }
        Ok::<_, StoreError>(prompts)
    })?;
    let mut wrong = Vec::new();
    for (sentence, ways) in SENTENCES {
        let found: Vec<_> = prompts.iter().filter(|prompt| prompt.body.contains(sentence)).collect();
        let [prompt] = found[..] else {
            wrong.push(format!("{sentence:?} is there {} times", found.len()));
            continue;
        };
        let way = prompt.attributes.get("said").and_then(Value::as_str).unwrap_or_default();
        if prompt.voice != Voice::Person || !ways.contains(&way) {
            wrong.push(format!("{sentence:?} is kept as {way:?} of {:?}", prompt.voice));
        }
    }
    Ok(wrong)
}
