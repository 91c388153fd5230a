//! A month of work in two repositories, then a long series of sessions in which nothing happens.
//! The user's statements are in every session, a corrected statement never comes back, and the
//! state of the work stays the same. Shows @injection_stated and @injection_stopped. Then eighteen
//! questions are asked about the month, as @recall_search says.
//!
//! The product runs as in Claude Code's hooks, a process for each event, under a fake clock. What
//! each session of the month got at its start is compared with `snapshots/month.md`, which people
//! can read; `UPDATE=1` writes it anew.

mod begun;
mod questions;
mod rules;
mod snapshot;
mod task;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::Timestamp;

use super::desktop::{ClaudeSession, Desktop};
use super::verdict::Verdict;
use crate::stage::Programs;
use begun::SessionStart;
use rules::{Rules, WRONG};
use task::{Task, tasks};

/// Monday, 2 March 2026, 9:00.
const BEGINS: Timestamp = Timestamp::from_millis(1_772_442_000_000);

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The days of the month, and the sessions in them.
const DAYS: u32 = 30;
const SESSIONS: u32 = 40;

/// The session before which a rule is corrected.
const CORRECTED_BEFORE: usize = 20;

/// The sessions with the same request, both in one repository.
const REQUESTED_IN: [usize; 2] = [12, 20];
const REQUEST: &str = "commit and update the changelog";

/// How many idle sessions follow each other in one repository, and how many such series there are.
const IN_A_ROW: usize = 5;
const ROWS: usize = 52;
const SHORT_ROWS: usize = 4;

/// One session in this many breaks off: its end is never reported.
const BREAKS_OFF: usize = 9;

/// How much is played after the month.
#[derive(Copy, Clone, Debug)]
pub(super) enum Size {
    Full,
    Short,
}

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(size: Size, built: Option<&str>) -> anyhow::Result<bool> {
    let nudge = built.map_or_else(Programs::product, |built| Ok(std::fs::canonicalize(built)?))?;
    let began = Instant::now();
    let desktop = Desktop::with_false_clock(&nudge, BEGINS)?;
    let mut month = Month::new(&desktop)?;
    month.work()?;
    let worked = month.begun.len();
    let rows = match size {
        Size::Full => ROWS,
        Size::Short => SHORT_ROWS,
    };
    month.idle(rows)?;
    let mut verdict = Verdict::default();
    rules::check(&month.begun, &month.rules, worked, &mut verdict);
    snapshot::compare(&month.begun[..worked], &desktop, &mut verdict)?;
    questions::ask(&desktop, &month.roots, &mut verdict)?;
    println!(
        "{worked} sessions of work and {} without, in {:.0} s",
        rows * IN_A_ROW,
        began.elapsed().as_secs_f64()
    );
    Ok(verdict.close(
        "what was stated is in every start, what was corrected in none, empty sessions change nothing, and questions are answered",
    ))
}

/// The month in progress.
struct Month<'d> {
    desktop: &'d Desktop,
    roots: BTreeMap<&'static str, PathBuf>,
    rules: Vec<Rules>,
    begun: Vec<SessionStart>,
}

impl<'d> Month<'d> {
    /// Two repositories, each with the statements that the user makes before any work.
    fn new(desktop: &'d Desktop) -> anyhow::Result<Self> {
        let shop = [
            ("src/basket.ts", "export type Item = { cents: number; count: number };\n"),
            ("CHANGELOG.md", "# Changelog\n"),
        ];
        let parcel = [("src/track.rs", "pub struct Status;\n"), ("src/main.rs", "fn main() {}\n")];
        let roots = BTreeMap::from([
            ("shop", desktop.repository("shop", &shop)?),
            ("parcel", desktop.repository("parcel", &parcel)?),
        ]);
        let rules = rules::all();
        for rules in &rules {
            rules.state(desktop, &roots[rules.repository])?;
        }
        Ok(Self { desktop, roots, rules, begun: Vec::new() })
    }

    /// The sessions of the month.
    fn work(&mut self) -> anyhow::Result<()> {
        let wrong = self.desktop.person(&self.roots["shop"], &["remember", WRONG.said])?;
        let wrong = wrong["statement"]["id"].as_i64().context("what is remembered has a number")?;
        for (number, task) in tasks()?.iter().enumerate() {
            self.desktop.set_clock(when(number));
            if number == CORRECTED_BEFORE {
                self.desktop
                    .person(&self.roots["shop"], &["correct", &wrong.to_string(), WRONG.corrected])?;
            }
            self.session(number, task).with_context(|| format!("session {number}"))?;
        }
        Ok(())
    }

    fn session(&mut self, number: usize, task: &Task) -> anyhow::Result<()> {
        let (desktop, root) = (self.desktop, &self.roots[task.repository]);
        let mut session = ClaudeSession::new(desktop, &format!("month-{number:02}"), root)?;
        let text = session.start()?;
        self.begun.push(SessionStart::new(desktop.now()?, task.repository, number >= CORRECTED_BEFORE, text));
        desktop.pass(MINUTE);
        session.prompt(task.prompt)?;
        work_on(desktop, &mut session, task)?;
        session.stop(task.conclusion)?;
        if REQUESTED_IN.contains(&number) {
            desktop.pass(MINUTE);
            session.prompt(REQUEST)?;
            session.edit("CHANGELOG.md", &format!("- {}", task.prompt))?;
            session.commit("Update the changelog")?;
            session.stop("Committed, and the changelog has a line for it.")?;
        }
        desktop.pass(MINUTE);
        if number % BREAKS_OFF == BREAKS_OFF - 1 { Ok(()) } else { session.end() }
    }

    /// Sessions that begin and end, an hour apart, five in a row in each repository.
    fn idle(&mut self, rows: usize) -> anyhow::Result<()> {
        self.desktop.set_clock(BEGINS.plus(DAY * DAYS));
        for number in 0..rows * IN_A_ROW {
            let repository = if (number / IN_A_ROW).is_multiple_of(2) { "shop" } else { "parcel" };
            let mut session =
                ClaudeSession::new(self.desktop, &format!("empty-{number:03}"), &self.roots[repository])?;
            let text = session.start()?;
            self.begun.push(SessionStart::new(self.desktop.now()?, repository, true, text));
            self.desktop.pass(MINUTE);
            session.end()?;
            self.desktop.pass(MINUTE * 59);
        }
        Ok(())
    }
}

/// When a session of the month begins: some on each working day, at different hours.
fn when(number: usize) -> Timestamp {
    let number = number as u32;
    BEGINS.plus(DAY * (number * DAYS / SESSIONS) + MINUTE * (number % 4 * 120 + number * 17 % 60))
}

/// A change, a command, a second change if the command failed, and a commit if the task has one.
fn work_on(desktop: &Desktop, session: &mut ClaudeSession<'_>, task: &Task) -> anyhow::Result<()> {
    desktop.pass(MINUTE);
    session.read(task.file)?;
    session.edit(task.file, task.line)?;
    desktop.pass(MINUTE * 2);
    if let Some(error) = task.error {
        session.run(task.command, Err(&format!("Exit code 1\n{error}")))?;
        desktop.pass(MINUTE * 3);
        session.edit(task.file, "// see the test")?;
    }
    let Some(message) = task.commit else {
        return session.run(task.command, Err(&format!("Exit code 1\n{}", task.error.unwrap_or("failed"))));
    };
    session.run(task.command, Ok("all tests passed"))?;
    desktop.pass(MINUTE);
    session.commit(message)
}
