//! A made-up history of prose: rows of 8 to 47 words, in sessions of two hundred rows, in fifty
//! projects of very different sizes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{Action, CapturedEvent, EventBody};
use nudge_testkit::EventBuilder;
use serde_json::Map;

use crate::random::Random;
use crate::vocabulary::Vocabulary;

/// Rows of one session.
const SESSION_ROWS: u64 = 200;

/// The number of projects. The largest has 18 % of all rows, the smallest 0.5 %.
pub const PROJECTS: u64 = 50;

/// The number of words in the first line.
const TITLE_WORDS: usize = 8;

/// The whole history falls within this time, so that no row is too old for anything.
const SPAN: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The longest time from one row to the next, in milliseconds.
const STEP_MOST: u64 = 2_000;

/// One row, in the forms for Nudge and for a bare engine. Both index the same words.
#[derive(Clone, Debug)]
pub struct ProseRow {
    /// The event as Nudge gets it.
    pub captured: CapturedEvent,
    /// The number of its project.
    pub project: u64,
    /// Its first line.
    pub title: String,
    /// The whole text: the first line, the rest, and the file.
    pub text: String,
}

/// Makes rows by number; the same number gives the same row, except for its time.
#[derive(Debug)]
pub struct Prose<'v> {
    words: &'v Vocabulary,
    /// The directory that contains the projects.
    projects: PathBuf,
    begins: i64,
    step: u64,
}

impl<'v> Prose<'v> {
    /// Makes this many rows up to now, in projects below this directory.
    pub fn new(words: &'v Vocabulary, rows: u64, projects: &Path) -> anyhow::Result<Self> {
        let step = (SPAN.as_millis() as u64 / rows.max(1)).clamp(1, STEP_MOST);
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let begins = i64::try_from(now.as_millis())? - (rows * step).cast_signed();
        Ok(Self { words, projects: projects.to_owned(), begins, step })
    }

    /// The row with this number.
    pub fn row(&self, number: u64) -> ProseRow {
        let mut random = Random::of(number);
        let count = 8 + random.below(40) as usize;
        let words: Vec<&str> = (0..count).map(|_| self.words.draw(&mut random)).collect();
        let (title, rest) = words.split_at(count.min(TITLE_WORDS));
        let (title, rest) = (title.join(" "), rest.join(" "));
        let file = format!("src/m{:x}.rs", random.next() & 0xff_ffff);
        let session = number / SESSION_ROWS;
        let project = project_of(session);
        let root = project_root(&self.projects, project);
        let text = format!("{title}\n{rest} {file}");
        let what = match random.below(100) {
            0..8 => EventBody::Prompt { text: text.clone(), by: Speaker::Person },
            roll => EventBody::Action(action(roll, format!("{title}\n{rest}"), file)),
        };
        let root = root.to_string_lossy().into_owned();
        let is_prompt = matches!(what, EventBody::Prompt { .. });
        let event = EventBuilder::new(what)
            .harness_version("2.1.325")
            .named(if is_prompt { "UserPromptSubmit" } else { "PostToolUse" })
            .session(&format!("5e551011-0000-4000-8000-{session:012}"))
            .repository(&root)
            .at(self.begins + (number * self.step).cast_signed())
            .number(random.next().cast_signed())
            .turn(&format!("turn-{session}-{}", number / 20))
            .headless(false);
        ProseRow { captured: event.build(), project, title, text }
    }
}

/// The directory of a project.
pub fn project_root(projects: &Path, project: u64) -> PathBuf {
    projects.join(format!("project-{project}"))
}

/// The project of a session: a few projects have most of the sessions.
fn project_of(session: u64) -> u64 {
    let share = (session.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64;
    (PROJECTS as f64).powf(share) as u64 - 1
}

fn action(roll: u64, body: String, file: String) -> Action {
    let (kind, tool, outcome) = match roll {
        8..50 => (ObservationKind::Command, "Bash", Outcome::Success),
        50..54 => (ObservationKind::CommandError, "Bash", Outcome::Failed { exit: Some(1) }),
        54..80 => (ObservationKind::FileEdit, "Edit", Outcome::Success),
        _ => (ObservationKind::McpCall, "mcp__tracker__search_issues", Outcome::Success),
    };
    Action {
        kind,
        tool: Some(tool.to_owned()),
        call: None,
        body,
        files: vec![file],
        outcome,
        metadata: Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_project_has_a_fifth_of_the_sessions() {
        let sessions = 10_000;
        let of = |project| (0..sessions).filter(|&session| project_of(session) == project).count();
        assert!((1_600..2_000).contains(&of(0)), "{}", of(0));
        assert!((30..100).contains(&of(PROJECTS - 2)), "{}", of(PROJECTS - 2));
        assert!((0..sessions).all(|session| project_of(session) < PROJECTS));
    }
}
