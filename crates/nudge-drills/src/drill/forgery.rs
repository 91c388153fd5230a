//! Texts that look like standing instructions come in by every door that is not the person's own: none becomes a statement or a
//! proposal that is said to be the person's. Shows
//! @statements_said and @statements_agents.
//!
//! The same texts, typed by a person in a session whose transcript has them, do become proposals: a door that was left open
//! would show.

mod door;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;

use super::desktop::{Desktop, Sitting};
use super::verdict::Verdict;
use crate::stage::Programs;
use door::DOORS;

const TEXTS: &str = include_str!("../../data/forgery/texts.txt");

/// What a new session gets under this heading has the person's authority.
const STATED: &str = "## Stated by the person";

/// Plays it with the product, or with a binary that is already built.
pub(super) fn run(built: Option<&str>) -> anyhow::Result<bool> {
    let nudge = built.map_or_else(Programs::product, |built| Ok(std::fs::canonicalize(built)?))?;
    let texts: Vec<&str> = TEXTS.lines().collect();
    let began = Instant::now();
    let mut verdict = Verdict::default();
    for door in DOORS {
        let scene = Scene::new(&nudge)?;
        (door.enter)(&scene, &texts).with_context(|| door.name.to_owned())?;
        let planted = scene.planted(&texts)?;
        println!("{:<52} {} of {} planted", door.name, planted.len(), texts.len());
        for (text, how) in planted {
            verdict.demand(false, format!("{}: {text:?} {how}", door.name));
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

    fn session(&self, name: &str) -> anyhow::Result<Sitting<'_>> {
        Sitting::new(&self.desktop, name, &self.root)
    }

    /// The texts that are a statement, a proposal, or in what a new session gets as the person's; each with how.
    fn planted<'t>(&self, texts: &[&'t str]) -> anyhow::Result<Vec<(&'t str, &'static str)>> {
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

    /// The words of what a command lists, a line each.
    fn listed(&self, args: &[&str], list: &str) -> anyhow::Result<String> {
        let answer = self.desktop.person(&self.root, args)?;
        let rows = answer.pointer(list).and_then(Value::as_array).with_context(|| format!("no {list}"))?;
        Ok(rows.iter().filter_map(|row| row["text"].as_str()).collect::<Vec<_>>().join("\n"))
    }
}

/// What an agent itself remembers is shown as the agent's, and never under the person's heading.
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
    let planted = scene.planted(texts)?;
    for (text, how) in planted.into_iter().filter(|(_, how)| *how != "is a statement") {
        verdict.demand(false, format!("an agent's own `nudge remember`: {text:?} {how}"));
    }
    Ok(())
}

/// What the person types becomes a proposal, and says that it is the person's.
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

/// What a proposal has of a text: not the mark at its end, nor the word that only says that it is to be remembered.
fn words_of(text: &str) -> &str {
    text.trim_start_matches("Remember, ").trim_end_matches('.')
}
