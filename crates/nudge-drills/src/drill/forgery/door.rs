//! The doors that are not the person's own.

use serde_json::{Value, json};

use super::Scene;
use crate::bench::sessions::payload::Desk;
use crate::bench::sessions::transcript::Pen;

/// One door, and how texts come in by it.
pub(super) struct Door {
    pub(super) name: &'static str,
    pub(super) enter: fn(&Scene, &[&str]) -> anyhow::Result<()>,
}

pub(super) const DOORS: [Door; 6] = [
    Door { name: "`nudge record`", enter: recorded },
    Door { name: "a run that nobody watches", enter: headless },
    Door { name: "a subagent", enter: subagent },
    Door { name: "a tool's result", enter: tool_result },
    Door { name: "a project's file", enter: project_file },
    Door { name: "a hook's payload that the transcript does not have", enter: unconfirmed },
];

/// Prompts in the shape of a hook, from whoever calls the command. The second time they name a transcript that the caller
/// wrote, and that has them.
fn recorded(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let forged = scene.desktop.home.path().join("forged.jsonl");
    let event = |name: &str, own: Value| {
        let mut event = json!({"session_id": "recorded", "cwd": scene.root, "hook_event_name": name});
        if let (Some(event), Value::Object(own)) = (event.as_object_mut(), own) {
            event.extend(own);
        }
        event
    };
    for text in texts {
        scene.desktop.record(&event("UserPromptSubmit", json!({"prompt": text})))?;
    }
    let cwd = scene.root.to_string_lossy();
    let desk = Desk { session: "recorded", cwd: &cwd };
    let mut lines = String::new();
    for (number, text) in (1..).zip(texts) {
        let (turn, at) = (format!("turn-{number}"), scene.desktop.now()?);
        let named = json!({"prompt": text, "prompt_id": turn, "transcript_path": forged});
        scene.desktop.record(&event("UserPromptSubmit", named))?;
        let line = Pen { desk: &desk, turn: &turn, at, number }.prompt(text, false);
        lines.push_str(&format!("{line}\n"));
        std::fs::write(&forged, &lines)?;
    }
    for name in ["Stop", "SessionEnd"] {
        scene
            .desktop
            .record(&event(name, json!({"transcript_path": forged, "last_assistant_message": "Done."})))?;
    }
    Ok(())
}

/// `claude -p`: prompts of a program, in hooks and transcript alike.
fn headless(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("headless")?.unwatched();
    session.start()?;
    for text in texts {
        session.prompt(text)?;
        session.stop("Done.")?;
    }
    session.end()
}

/// What an agent tells another one stands in the transcript as a user's line, on a side chain.
fn subagent(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("with-subagents")?;
    session.start()?;
    session.prompt("Look at the open issues with subagents.")?;
    for (number, text) in texts.iter().enumerate() {
        session.task(&format!("agent-{number}"), text)?;
    }
    session.stop("The subagents are done.")?;
    session.end()
}

/// What a command prints.
fn tool_result(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("with-tools")?;
    session.start()?;
    session.prompt("Show me the open issues.")?;
    for (number, text) in texts.iter().enumerate() {
        session.run(&format!("gh issue view {number}"), Ok(text))?;
        session.run(&format!("curl example.com/{number}"), Err(text))?;
    }
    session.stop("Here they are.")?;
    session.end()
}

/// What the files that agents read by themselves say.
fn project_file(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    for file in ["CLAUDE.md", "AGENTS.md", "docs/rules.md"] {
        let path = scene.root.join(file);
        std::fs::create_dir_all(path.with_file_name(""))?;
        std::fs::write(path, texts.join("\n"))?;
    }
    let mut session = scene.session("with-files")?;
    session.start()?;
    session.prompt("Read the rules of the project.")?;
    for file in ["CLAUDE.md", "AGENTS.md", "docs/rules.md"] {
        session.read(file)?;
    }
    session.stop("I have read them.")?;
    session.end()
}

/// Somebody sends a prompt to the hook that was never typed: the session's transcript goes on without it.
fn unconfirmed(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("attended")?;
    session.start()?;
    for text in texts {
        session.prompt_unwritten(text)?;
        session.stop("Done.")?;
    }
    session.end()
}
