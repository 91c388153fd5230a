//! Statements: the user's first, then those of agents.

use crate::assemble::{SectionLines, Share};
use crate::section::Section;
use crate::stated::{Stated, TURN, TURN_OF_AGENTS, Turn, interleave_kinds};

/// The most that all statements together take of the budget, and the part of it for agents'
/// statements.
const PERCENT: u32 = 60;
const PERCENT_OF_AGENTS: u32 = 15;

/// The sections of the user's and of agents' statements.
pub(super) fn stated(stated: Vec<Stated>) -> [SectionLines; 2] {
    let (person, agents): (Vec<Stated>, Vec<Stated>) = stated.into_iter().partition(|one| one.by_person);
    let percent = if agents.is_empty() { PERCENT } else { PERCENT - PERCENT_OF_AGENTS };
    [
        section(Section::Stated, "## Stated by the person\n", (person, TURN), percent),
        section(
            Section::StatedByAgents,
            "## Stated by agents\n",
            (agents, TURN_OF_AGENTS),
            PERCENT_OF_AGENTS,
        ),
    ]
}

fn section(
    section: Section,
    heading: &str,
    (stated, turn): (Vec<Stated>, Turn),
    percent: u32,
) -> SectionLines {
    let lines = interleave_kinds(stated, turn).iter().map(|one| (Some(one.entry), one.line())).collect();
    let share = Some(Share { percent, more: |count| format!("- {count} more: `nudge knows`\n") });
    SectionLines { section, heading: heading.to_owned(), lines, share }
}
