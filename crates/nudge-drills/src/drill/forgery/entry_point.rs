//! The entry points that are not the user's own.

use serde_json::{Value, json};

use super::Scene;
use crate::bench::sessions::payload::Workspace;
use crate::bench::sessions::transcript::TranscriptWriter;

/// One entry point, and how to send texts through it.
pub(super) struct EntryPoint {
    pub(super) name: &'static str,
    pub(super) enter: fn(&Scene, &[&str]) -> anyhow::Result<()>,
}

pub(super) const DOORS: [EntryPoint; 6] = [
    EntryPoint { name: "`nudge record`", enter: recorded },
    EntryPoint { name: "a run that nobody watches", enter: headless },
    EntryPoint { name: "a subagent", enter: subagent },
    EntryPoint { name: "a tool's result", enter: tool_result },
    EntryPoint { name: "a project's file", enter: project_file },
    EntryPoint { name: "a hook's payload that the transcript does not have", enter: unconfirmed },
];

/// Prompts in the format of a hook, from any caller of the command. The second time they name a
/// transcript that the caller wrote and that contains them.
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
    let workspace = Workspace { session: "recorded", cwd: &cwd };
    let mut lines = String::new();
    for (number, text) in (1..).zip(texts) {
        let (turn, at) = (format!("turn-{number}"), scene.desktop.now()?);
        let named = json!({"prompt": text, "prompt_id": turn, "transcript_path": forged});
        scene.desktop.record(&event("UserPromptSubmit", named))?;
        let line = TranscriptWriter { workspace: &workspace, turn: &turn, at, number }.prompt(text, false);
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

/// `claude -p`: prompts from a program, in hooks and transcript alike.
fn headless(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("headless")?.unwatched();
    session.start()?;
    for text in texts {
        session.prompt(text)?;
        session.stop("Done.")?;
    }
    session.end()
}

/// An agent's message to a subagent is in the transcript as a user's line, on a side chain.
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

/// The output of a command.
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

/// The contents of the files that agents read by themselves.
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

/// A prompt that was never typed is sent to the hook: the session's transcript continues without
/// it.
fn unconfirmed(scene: &Scene, texts: &[&str]) -> anyhow::Result<()> {
    let mut session = scene.session("attended")?;
    session.start()?;
    for text in texts {
        session.prompt_unwritten(text)?;
        session.stop("Done.")?;
    }
    session.end()
}
