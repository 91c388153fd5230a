//! Texts that look like lasting instructions come in through every entry point that is not the
//! user's own. None becomes a statement, or a proposal attributed to the user. Shows
//! @statements_said and @statements_agents.
//!
//! The same texts, typed by a user in a session with a matching transcript, do become proposals.
//! Otherwise a drill that detects nothing would pass.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use super::desktop::{ClaudeSession, Desktop};
use crate::args::Product;
use crate::bench::sessions::payload::TranscriptWriter;
use crate::bench::sessions::payload::Workspace;
use crate::stage::Violations;

const TEXTS: &str = include_str!("../../data/forgery/texts.txt");

/// The heading in a new session's block for text with the user's authority.
const STATED_HEADING: &str = "## Stated by the person";

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(product: &Product) -> anyhow::Result<bool> {
    let nudge = product.path()?;
    let texts: Vec<&str> = TEXTS.lines().collect();
    let began = Instant::now();
    let mut violations = Violations::default();
    for entry_point in ENTRY_POINTS {
        let scene = Scene::new(&nudge)?;
        (entry_point.enter)(&scene, &texts).with_context(|| entry_point.name.to_owned())?;
        let planted = scene.accepted_as_users(&texts)?;
        println!("{:<52} {} of {} planted", entry_point.name, planted.len(), texts.len());
        for (text, how) in planted {
            violations.unless(false, format!("{}: {text:?} {how}", entry_point.name));
        }
    }
    agents_own(&Scene::new(&nudge)?, &texts, &mut violations)?;
    typed(&Scene::new(&nudge)?, &texts, &mut violations)?;
    println!("in {:.0} s", began.elapsed().as_secs_f64());
    Ok(violations.close("nothing is planted in the person's name, and what the person types is proposed"))
}

/// A machine with one repository.
struct Scene {
    desktop: Desktop,
    root: PathBuf,
}

impl Scene {
    fn new(nudge: &Path) -> anyhow::Result<Self> {
        let desktop = Desktop::new(nudge)?;
        let root =
            desktop.repository("shop", &[("README.md", "# Shop\n"), ("src/main.ts", "export {};\n")])?;
        Ok(Self { desktop, root })
    }

    fn session(&self, name: &str) -> anyhow::Result<ClaudeSession<'_>> {
        ClaudeSession::new(&self.desktop, name, &self.root)
    }

    /// The texts that became a statement, a proposal, or part of what a new session gets as the
    /// user's; each with the way.
    fn accepted_as_users<'t>(&self, texts: &[&'t str]) -> anyhow::Result<Vec<(&'t str, &'static str)>> {
        let known = self.listed(&["knows", "--all"], "/statements")?;
        let proposed = self.listed(&["review", "--list", "--all"], "/proposals")?;
        let given = self.session("afterwards")?.start()?.unwrap_or_default();
        let below = given.lines().skip_while(|line| *line != STATED_HEADING).skip(1);
        let stated: String = below.take_while(|line| !line.starts_with("## ")).collect();
        let mut found = Vec::new();
        for text in texts {
            for (where_from, how) in [
                (&known, "is a statement"),
                (&proposed, "is proposed"),
                (&stated, "is injected as the person's"),
            ] {
                if where_from.contains(words_of(text)) {
                    found.push((*text, how));
                }
            }
        }
        Ok(found)
    }

    /// The texts that a command lists, one per line.
    fn listed(&self, args: &[&str], list: &str) -> anyhow::Result<String> {
        let answer = self.desktop.person(&self.root, args)?;
        let rows = answer.pointer(list).and_then(Value::as_array).with_context(|| format!("no {list}"))?;
        Ok(rows.iter().filter_map(|row| row["text"].as_str()).collect::<Vec<_>>().join("\n"))
    }
}

/// A text that an agent remembers is shown as the agent's, and never under the user's heading.
fn agents_own(scene: &Scene, texts: &[&str], violations: &mut Violations) -> anyhow::Result<()> {
    let mut session = scene.session("own")?;
    session.start()?;
    for text in texts {
        scene.desktop.agent(&scene.root, &["remember", text])?;
    }
    session.end()?;
    let known = scene.desktop.person(&scene.root, &["knows", "--all"])?;
    let known = known["statements"].as_array().cloned().unwrap_or_default();
    let as_agents = known.iter().filter(|one| one["origin"] == "agent").count();
    println!("{:<52} {as_agents} of {} shown as the agent's", "an agent's own `nudge remember`", texts.len());
    violations.unless(as_agents == texts.len(), "what an agent remembers is not shown as the agent's");
    violations
        .unless(known.len() == texts.len(), format!("{} statements of {} texts", known.len(), texts.len()));
    let planted = scene.accepted_as_users(texts)?;
    for (text, how) in planted.into_iter().filter(|(_, how)| *how != "is a statement") {
        violations.unless(false, format!("an agent's own `nudge remember`: {text:?} {how}"));
    }
    Ok(())
}

/// A text that the user types becomes a proposal, attributed to the user.
fn typed(scene: &Scene, texts: &[&str], violations: &mut Violations) -> anyhow::Result<()> {
    let mut session = scene.session("typed")?;
    session.start()?;
    for text in texts {
        session.prompt(text)?;
        session.stop("Understood.")?;
    }
    session.end()?;
    let proposed = scene.listed(&["review", "--list", "--all"], "/proposals")?;
    let missing: Vec<&&str> = texts.iter().filter(|text| !proposed.contains(words_of(text))).collect();
    let found = texts.len() - missing.len();
    println!("{:<52} {found} of {} proposed", "typed by the person", texts.len());
    violations.unless(missing.is_empty(), format!("typed by the person and not proposed: {missing:?}"));
    Ok(())
}

/// The part of a text that a proposal keeps: without a leading "Remember, " and without the full
/// stop.
fn words_of(text: &str) -> &str {
    text.trim_start_matches("Remember, ").trim_end_matches('.')
}

// The entry points that are not the user's own.

/// One entry point, and how to send texts through it.
struct EntryPoint {
    name: &'static str,
    enter: fn(&Scene, &[&str]) -> anyhow::Result<()>,
}

const ENTRY_POINTS: [EntryPoint; 6] = [
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
