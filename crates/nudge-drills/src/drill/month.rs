//! A month of work in two repositories, then a long series of sessions in which nothing happens.
//! The user's statements are in every session, a corrected statement never comes back, and the
//! state of the work stays the same. Shows @injection_stated and @injection_stopped. Then eighteen
//! questions are asked about the month, as @recall_search says.
//!
//! The product runs as in Claude Code's hooks, a process for each event, under a fake clock. What
//! each session of the month got at its start is compared with `snapshots/month.md`, which people
//! can read; `UPDATE=1` writes it anew.

mod rules;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::Timestamp;
use rules::{Rules, SessionStart, WRONG};

use super::desktop::{ClaudeSession, Desktop};
use crate::args::Target;
use crate::stage::Verdict;

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

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    let nudge = target.product.path()?;
    let began = Instant::now();
    let desktop = Desktop::with_false_clock(&nudge, BEGINS)?;
    let mut month = Month::new(&desktop)?;
    month.work()?;
    let worked = month.begun.len();
    let rows = target.size.pick((ROWS, SHORT_ROWS));
    month.idle(rows)?;
    let mut verdict = Verdict::default();
    rules::check(&month.begun, &month.rules, worked, &mut verdict);
    rules::compare(&month.begun[..worked], &desktop, &mut verdict)?;
    ask_questions(&desktop, &month.roots, &mut verdict)?;
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

// The work of one session: a line of `tasks.txt`.

const TASKS: &str = include_str!("../../data/month/tasks.txt");

/// One session's work.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    /// The repository of the work.
    repository: &'static str,
    /// The user's prompt.
    prompt: &'static str,
    /// The changed file, and the line that is added to it.
    file: &'static str,
    line: &'static str,
    /// The command, and its output if it fails.
    command: &'static str,
    error: Option<&'static str>,
    /// The commit message; `None` if the work stays uncommitted.
    commit: Option<&'static str>,
    /// The agent's last message.
    conclusion: &'static str,
}

/// The tasks of the month, in order.
fn tasks() -> anyhow::Result<Vec<Task>> {
    TASKS.lines().map(read_task).collect()
}

fn read_task(line: &'static str) -> anyhow::Result<Task> {
    let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [repository, prompt, file, line, command, error, commit, conclusion] = parts[..] else {
        anyhow::bail!("a task has eight parts, not {}: {line}", parts.len());
    };
    let said = |part: &'static str| Some(part).filter(|part| !part.is_empty());
    said(conclusion).context("a task ends with what the agent says")?;
    Ok(Task { repository, prompt, file, line, command, error: said(error), commit: said(commit), conclusion })
}

// Questions that a user would ask about the month weeks later, and the rank of each answer.

const QUESTIONS: &str = include_str!("../../data/month/questions.txt");

/// How many answers must be the first row, and the rank that every answer must reach.
const ON_TOP: usize = 15;

const AMONG: usize = 3;

struct Question {
    repository: &'static str,
    asked: &'static str,
    answer: &'static str,
}

fn read_questions() -> anyhow::Result<Vec<Question>> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = |line: &'static str| {
        let mut parts = line.splitn(3, " | ");
        let question = Question { repository: parts.next()?, asked: parts.next()?, answer: parts.next()? };
        Some(question)
    };
    lines.map(|line| read(line).with_context(|| format!("not a question: {line}"))).collect()
}

/// Asks all questions, and prints the rank of each answer.
fn ask_questions(
    desktop: &Desktop,
    roots: &BTreeMap<&'static str, PathBuf>,
    verdict: &mut Verdict,
) -> anyhow::Result<()> {
    let read_questions = read_questions()?;
    let (mut on_top, mut missed) = (0, Vec::new());
    for question in &read_questions {
        let found = desktop.person(&roots[question.repository], &["search", question.asked])?;
        let rows = found.as_array().context("a search answers with rows")?;
        let shows = |row: &&serde_json::Value| {
            let text = row["content_preview"].as_str().unwrap_or_default().to_lowercase();
            text.contains(&question.answer.to_lowercase())
        };
        let place = rows.iter().position(|row| shows(&row)).map(|place| place + 1);
        on_top += usize::from(place == Some(1));
        let shown = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
        println!("{shown:>4}  {}: {}", question.repository, question.asked);
        if place.is_none_or(|place| place > AMONG) {
            missed.push(question.asked);
        }
    }
    println!(
        "{on_top} of {} answers on top, {} not among the first {AMONG}",
        read_questions.len(),
        missed.len()
    );
    verdict.demand(on_top >= ON_TOP, format!("{on_top} answers on top, at least {ON_TOP} were to be"));
    verdict.demand(missed.is_empty(), format!("not among the first {AMONG}: {missed:?}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_forty_in_two_repositories() {
        let tasks = tasks().expect("they can be read");
        let in_shop = tasks.iter().filter(|read_task| read_task.repository == "shop").count();
        assert_eq!((tasks.len(), in_shop), (40, 21));
        assert!(tasks.iter().all(|read_task| matches!(read_task.repository, "shop" | "parcel")));
        assert!(
            tasks.iter().any(|read_task| read_task.commit.is_none())
                && tasks.iter().any(|read_task| read_task.error.is_some())
        );
    }
}
