//! Texts that look like lasting instructions come in through every entry point that is not the
//! user's own. None becomes a statement, or a proposal attributed to the user. Shows
//! @statements_said and @statements_agents.
//!
//! The same texts, typed by a user in a session with a matching transcript, do become proposals.
//! Otherwise a drill that detects nothing would pass.

mod entry_point;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;

use super::desktop::{ClaudeSession, Desktop};
use super::verdict::Verdict;
use crate::stage::Programs;
use entry_point::DOORS;

const TEXTS: &str = include_str!("../../data/forgery/texts.txt");

/// The heading in a new session's block for text with the user's authority.
const STATED: &str = "## Stated by the person";

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(built: Option<&str>) -> anyhow::Result<bool> {
    let nudge = built.map_or_else(Programs::product, |built| Ok(std::fs::canonicalize(built)?))?;
    let texts: Vec<&str> = TEXTS.lines().collect();
    let began = Instant::now();
    let mut verdict = Verdict::default();
    for entry_point in DOORS {
        let scene = Scene::new(&nudge)?;
        (entry_point.enter)(&scene, &texts).with_context(|| entry_point.name.to_owned())?;
        let planted = scene.accepted_as_users(&texts)?;
        println!("{:<52} {} of {} planted", entry_point.name, planted.len(), texts.len());
        for (text, how) in planted {
            verdict.demand(false, format!("{}: {text:?} {how}", entry_point.name));
        }
    }
    agents_own(&Scene::new(&nudge)?, &texts, &mut verdict)?;
    typed(&Scene::new(&nudge)?, &texts, &mut verdict)?;
    println!("in {:.0} s", began.elapsed().as_secs_f64());
    Ok(verdict.close("nothing is planted in the person's name, and what the person types is proposed"))
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
        let below = given.lines().skip_while(|line| *line != STATED).skip(1);
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
fn agents_own(scene: &Scene, texts: &[&str], verdict: &mut Verdict) -> anyhow::Result<()> {
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
    verdict.demand(as_agents == texts.len(), "what an agent remembers is not shown as the agent's");
    verdict
        .demand(known.len() == texts.len(), format!("{} statements of {} texts", known.len(), texts.len()));
    let planted = scene.accepted_as_users(texts)?;
    for (text, how) in planted.into_iter().filter(|(_, how)| *how != "is a statement") {
        verdict.demand(false, format!("an agent's own `nudge remember`: {text:?} {how}"));
    }
    Ok(())
}

/// A text that the user types becomes a proposal, attributed to the user.
fn typed(scene: &Scene, texts: &[&str], verdict: &mut Verdict) -> anyhow::Result<()> {
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
    verdict.demand(missing.is_empty(), format!("typed by the person and not proposed: {missing:?}"));
    Ok(())
}

/// The part of a text that a proposal keeps: without a leading "Remember, " and without the full
/// stop.
fn words_of(text: &str) -> &str {
    text.trim_start_matches("Remember, ").trim_end_matches('.')
}
