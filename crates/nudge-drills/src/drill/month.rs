//! A month of work in three repositories, then a long series of sessions in which nothing happens.
//! Every line that is injected in the month is compared with what happened in it; the user's
//! statements are in every start, a corrected statement never comes back, and empty sessions change
//! nothing. Shows @injection_stated and @injection_stopped. Then 38 questions are asked about the
//! month, as @recall_search says.
//!
//! The product runs as in Claude Code's hooks, a process for each event, under a fake clock. What
//! each session of the month got at its start is compared with `snapshots/month.md`, which people
//! can read; `UPDATE=1` writes it anew.

mod questions;
mod starts;
mod truth;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::Timestamp;
use starts::SessionStart;
use truth::Truth;

use super::desktop::{ClaudeSession, Desktop};
use crate::args::Target;
use crate::stage::Violations;

/// What happens in the month, a step in each line; see `data/month/README.md`.
const STEPS: &str = include_str!("../../data/month/steps.txt");

/// Monday, 2 March 2026, 9:00.
const BEGINS_AT: Timestamp = Timestamp::from_millis(1_772_442_000_000);

const MINUTE: Duration = Duration::from_secs(60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many sessions begin on a working day, and in a week of five such days.
const SESSIONS_A_DAY: u32 = 3;

const SESSIONS_A_WEEK: u32 = 15;

/// The repositories, each with the files that it begins with.
const REPOSITORIES: [(&str, [(&str, &str); 2]); 3] = [
    (
        "shop",
        [
            ("src/basket.ts", "export type Item = { cents: number; count: number };\n"),
            ("CHANGELOG.md", "# Changelog\n"),
        ],
    ),
    ("parcel", [("src/track.rs", "pub struct Status;\n"), ("src/main.rs", "fn main() {}\n")]),
    ("ledger", [("ledger/accounts.py", "accounts = []\n"), ("pyproject.toml", "[tool.mypy]\n")]),
];

/// How many idle sessions follow each other in one repository, and how many such series there are.
const IN_A_ROW: usize = 5;

const ROWS: usize = 52;

const SHORT_ROWS: usize = 4;

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    let nudge = target.product.path()?;
    let began = Instant::now();
    let desktop = Desktop::with_false_clock(&nudge, BEGINS_AT)?;
    let mut month = Month::new(&desktop)?;
    for (number, line) in STEPS.lines().enumerate() {
        month.step(line).with_context(|| format!("step {}: {line}", number + 1))?;
    }
    let worked = month.begun.len();
    let rows = target.size.pick((ROWS, SHORT_ROWS));
    month.idle(rows)?;
    let mut violations = Violations::default();
    month.truth.print(&mut violations);
    starts::check(&month.begun, worked, &mut violations);
    starts::compare(&month.begun[..worked], &desktop, &mut violations)?;
    questions::ask(&desktop, &month.roots, &mut violations)?;
    println!(
        "{worked} sessions of work and {} without, in {:.0} s",
        rows * IN_A_ROW,
        began.elapsed().as_secs_f64()
    );
    Ok(violations.close("injected lines are true, empty sessions change nothing, and questions are answered"))
}

/// The month in progress.
struct Month<'d> {
    desktop: &'d Desktop,
    roots: BTreeMap<&'static str, PathBuf>,
    /// The sessions so far, the one that acts, and those that have a name.
    sessions: Vec<ClaudeSession<'d>>,
    acting: usize,
    named: BTreeMap<&'static str, usize>,
    /// How many sessions did not begin beside another one.
    slots: u32,
    /// The numbers of the user's statements.
    stated: BTreeMap<&'static str, i64>,
    truth: Truth,
    begun: Vec<SessionStart>,
}

impl<'d> Month<'d> {
    fn new(desktop: &'d Desktop) -> anyhow::Result<Self> {
        let mut roots = BTreeMap::new();
        for (name, files) in &REPOSITORIES {
            roots.insert(*name, desktop.repository(name, files)?);
        }
        Ok(Self {
            desktop,
            roots,
            sessions: Vec::new(),
            acting: 0,
            named: BTreeMap::new(),
            slots: 0,
            stated: BTreeMap::new(),
            truth: Truth::default(),
            begun: Vec::new(),
        })
    }

    /// Does what a line says.
    fn step(&mut self, line: &'static str) -> anyhow::Result<()> {
        let Some((verb, rest)) = line.split_once(' ').or((line == "end").then_some((line, ""))) else {
            return Ok(());
        };
        let parts: Vec<&'static str> = rest.split(" | ").collect();
        match (verb, &parts[..]) {
            ("#", _) => Ok(()),
            ("remember" | "pin" | "hint" | "correct" | "agent" | "hand", [repository, rest @ ..]) => {
                self.beside_the_work(verb, repository, rest)
            }
            ("start" | "beside", [place]) => {
                let (repository, name) = place.split_once(' ').unwrap_or((place, ""));
                self.start(verb == "beside", repository, name)
            }
            ("on", [name]) => {
                self.acting = *self.named.get(name).context("no session has this name")?;
                Ok(())
            }
            _ => self.act(verb, &parts),
        }
    }

    /// What the user and an agent do outside of sessions.
    fn beside_the_work(
        &mut self,
        verb: &str,
        repository: &'static str,
        rest: &[&'static str],
    ) -> anyhow::Result<()> {
        let (desktop, root) = (self.desktop, &self.roots[repository]);
        let number = |answer: &serde_json::Value| answer["id"].as_i64().context("an entry has a number");
        self.desktop.pass(MINUTE);
        match (verb, rest) {
            ("remember", [text]) => {
                let answer = desktop.person(root, &["remember", text])?;
                self.stated.insert(text, number(&answer["statement"])?);
                self.truth.states(repository, text);
            }
            ("correct", [wrong, right]) => {
                let wrong_number = self.stated.get(wrong).context("it was not remembered")?.to_string();
                desktop.person(root, &["correct", &wrong_number, right])?;
                self.truth.corrects(repository, wrong, right);
            }
            ("pin", [text]) => {
                let note = number(&desktop.person(root, &["mark", text])?)?.to_string();
                desktop.person(root, &["pin", &note])?;
                self.truth.states(repository, text);
            }
            ("hint", [text]) => {
                let set = ["set", "tests", "run", text, "--repo", ".", "--ttl", "forever"];
                desktop.person(root, &set)?;
                self.truth.states(repository, text);
            }
            ("agent", [text]) => drop(desktop.agent(root, &["remember", text])?),
            ("hand", [message, files @ ..]) => {
                let files = if files.is_empty() { &["--all"] } else { files };
                desktop.git(root, &[&["add"], files].concat())?;
                desktop.git(root, &["commit", "--quiet", "-m", message])?;
            }
            _ => anyhow::bail!("no such step"),
        }
        Ok(())
    }

    /// A session begins: at its time of the day, or a minute after the last step.
    fn start(&mut self, beside: bool, repository: &'static str, name: &'static str) -> anyhow::Result<()> {
        let desktop = self.desktop;
        desktop.pass(MINUTE);
        if !beside {
            let now = Timestamp::from_millis(desktop.now()?);
            desktop.set_clock(when(self.slots).max(now));
            self.slots += 1;
        }
        let number = self.sessions.len();
        let id = format!("month-{number:02}");
        let mut session = ClaudeSession::new(desktop, &id, &self.roots[repository])?.announcing();
        self.acting = number;
        if !name.is_empty() {
            self.named.insert(name, number);
        }
        let text = session.start()?.unwrap_or_default();
        session.take_injected();
        self.truth.begins(repository, desktop.now()?);
        let dirty = self.dirty(repository)?;
        self.truth.check_start(repository, &text, &dirty, desktop.now()?)?;
        self.begun.push(SessionStart::new(desktop.now()?, repository, text));
        self.sessions.push(session);
        Ok(())
    }

    /// The acting session does something.
    fn act(&mut self, verb: &str, parts: &[&'static str]) -> anyhow::Result<()> {
        let session = self.sessions.get_mut(self.acting).context("no session began")?;
        let done = self.truth.session(self.acting);
        self.desktop.pass(MINUTE);
        match (verb, parts) {
            ("ask", [words]) => {
                done.asks(words, false);
                session.prompt(words)?;
            }
            ("go", [words]) => {
                done.asks(words, true);
                session.prompt(words)?;
            }
            ("read", [file]) => session.read(file)?,
            ("edit", [file, line]) => session.edit(file, line)?,
            ("pass", [command, output]) => session.run(command, Ok(output))?,
            ("fail", [command, error]) => session.run(command, Err(&format!("Exit code 1\n{error}")))?,
            ("look", [command, error]) => session.run(command, Err(&format!("Exit code 255\n{error}")))?,
            ("commit", [message]) => {
                done.commits(message);
                session.commit(message)?;
            }
            ("nothing", [message]) => {
                let said = "Exit code 1\nOn branch main\nnothing to commit, working tree clean";
                session.run(&format!("git commit -am \"{message}\""), Err(said))?;
            }
            ("say", [words]) => {
                done.concludes(words);
                session.stop(words)?;
            }
            ("end", _) => {
                done.ends();
                session.end()?;
            }
            _ => anyhow::bail!("no such step"),
        }
        let now = self.desktop.now()?;
        for text in session.take_injected() {
            let repository = self.truth.session(self.acting).repository;
            let dirty = self.dirty(repository)?;
            self.truth.check(repository, &text, &dirty, now)?;
            self.begun[self.acting].later.push(text);
        }
        match (verb, parts) {
            ("pass", [command, _]) => self.truth.passes(self.acting, command),
            ("fail", [command, error]) => self.truth.fails(self.acting, command, error),
            _ => {}
        }
        self.truth.session(self.acting).last_at = now;
        Ok(())
    }

    /// The files of a repository that are not committed.
    fn dirty(&self, repository: &str) -> anyhow::Result<Vec<String>> {
        let status = self.desktop.git(&self.roots[repository], &["status", "--porcelain", "-uall"])?;
        Ok(status.lines().filter_map(|line| line.get(3..)).map(str::to_owned).collect())
    }

    /// Sessions that begin and end, an hour apart, five in a row in each repository.
    fn idle(&mut self, rows: usize) -> anyhow::Result<()> {
        self.desktop.pass(DAY);
        for number in 0..rows * IN_A_ROW {
            let repository = REPOSITORIES[number / IN_A_ROW % REPOSITORIES.len()].0;
            let id = format!("empty-{number:03}");
            let mut session = ClaudeSession::new(self.desktop, &id, &self.roots[repository])?;
            let text = session.start()?.unwrap_or_default();
            self.truth.check_stated(repository, &text);
            self.begun.push(SessionStart::new(self.desktop.now()?, repository, text));
            self.desktop.pass(MINUTE);
            session.end()?;
            self.desktop.pass(MINUTE * 59);
        }
        Ok(())
    }
}

/// When a session of the month begins: three on each working day, at different hours.
fn when(number: u32) -> Timestamp {
    let day = number / SESSIONS_A_DAY + 2 * (number / SESSIONS_A_WEEK);
    BEGINS_AT.plus(DAY * day + MINUTE * (number % SESSIONS_A_DAY * 150 + number * 17 % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_in_three_repositories() {
        let begin = |line: &&str| line.starts_with("start ") || line.starts_with("beside ");
        assert!(STEPS.lines().filter(begin).count() > 60);
        for (repository, _) in REPOSITORIES {
            let here = |line: &&str| line.split(' ').nth(1) == Some(repository);
            assert!(STEPS.lines().filter(begin).filter(here).count() > 15, "{repository}");
        }
    }
}
