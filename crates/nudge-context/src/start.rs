//! What a session is told at its start, and after its context was emptied.

use nudge_core::{EntryId, Timestamp};

use crate::assemble::{Block, Excluded, LeftOut, Section, assemble};
use crate::budget::Budget;
use crate::clean::clean;
use crate::fragment::{Command, Intent, Row};
use crate::frame::Delimiter;
use crate::pick;

/// Whether the agent begins, or has lost what it knew.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A new session.
    Fresh,
    /// The context was compacted or cleared.
    Recovery,
}

impl Mode {
    /// The budget it has.
    pub const fn budget(self) -> Budget {
        match self {
            Self::Fresh => Budget::START,
            Self::Recovery => Budget::RECOVERY,
        }
    }

    /// How many rows of this project, and of others, at most.
    const fn rows(self) -> (usize, usize) {
        match self {
            Self::Fresh => (20, 10),
            Self::Recovery => (30, 15),
        }
    }
}

/// How many intents are told at most.
const INTENTS: usize = 10;
/// How many of the last prompts are given back.
const PROMPTS: usize = 5;
/// How many files that were being worked on are named.
const FILES: usize = 10;

/// All that may be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartFacts {
    /// The project's name.
    pub project: String,
    /// What was asked for and acted on, newest first.
    pub intents: Vec<Intent>,
    /// What was done in this project.
    pub rows: Vec<Row>,
    /// What was done elsewhere and may be told here.
    pub elsewhere: Vec<Row>,
    /// The last prompts of this very session, newest first.
    pub prompts: Vec<Intent>,
    /// The files this very session was changing, the last first, each with its newest observation.
    pub files: Vec<(EntryId, String)>,
    /// The last command of this very session.
    pub command: Option<Command>,
}

/// Makes the block, or nothing where there is nothing to tell.
pub fn start(
    facts: StartFacts,
    mode: Mode,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
    let mut left_out = Vec::new();
    let mut sections = Vec::new();
    if mode == Mode::Recovery {
        sections.push(last_known(&facts, now));
    }
    let intents = facts.intents.iter().filter(|intent| intent.actions > 0);
    let lines = intents.map(|intent| (intent.entry, intent.line(now))).collect();
    sections.push(Section {
        name: "intents",
        heading: "## Recent Intents\n".to_owned(),
        lines: capped(lines, INTENTS, &mut left_out),
    });
    let (here, elsewhere) = mode.rows();
    let heading = format!("## {}\n{TABLE}", clean(&facts.project, 60));
    sections.push(table("project", heading, facts.rows, here, now, &mut left_out));
    let heading = format!("## Other projects\n{TABLE}");
    sections.push(table("elsewhere", heading, facts.elsewhere, elsewhere, now, &mut left_out));
    assemble("# nudge context\n", sections, left_out, budget, delimiter)
}

const TABLE: &str = "| ID | Time | Type | Summary |\n|---|---|---|---|\n";

/// What this session was doing when its context was lost.
fn last_known(facts: &StartFacts, now: Timestamp) -> Section {
    let prompts = facts.prompts.iter().take(PROMPTS).map(|prompt| (prompt.entry, prompt.prompt(now)));
    let files = facts.files.iter().take(FILES);
    let files = files.map(|(entry, path)| (*entry, format!("- was changing {}\n", clean(path, 120))));
    let command = facts.command.iter().map(|command| (command.entry, command.line(now)));
    Section {
        name: "recovery",
        heading: "## This session before its context was emptied\n".to_owned(),
        lines: prompts.chain(files).chain(command).collect(),
    }
}

fn table(
    name: &'static str,
    heading: String,
    rows: Vec<Row>,
    most: usize,
    now: Timestamp,
    left_out: &mut Vec<Excluded>,
) -> Section {
    let (held, rows): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.withheld.is_some());
    left_out.extend(
        held.iter()
            .filter_map(|row| Some(Excluded { entry: row.entry, why: LeftOut::Withheld(row.withheld?) })),
    );
    let (best, stood_for) = pick::ranked(rows, now);
    left_out.extend(stood_for.iter().map(|row| Excluded { entry: row.entry, why: LeftOut::SameFile }));
    let lines = best.iter().map(|row| (row.entry, row.line(now))).collect();
    Section { name, heading, lines: capped(lines, most, left_out) }
}

fn capped(
    mut lines: Vec<(EntryId, String)>,
    most: usize,
    left_out: &mut Vec<Excluded>,
) -> Vec<(EntryId, String)> {
    let rest = lines.split_off(lines.len().min(most));
    left_out.extend(rest.into_iter().map(|(entry, _)| Excluded { entry, why: LeftOut::Enough }));
    lines
}

#[cfg(test)]
mod tests;
