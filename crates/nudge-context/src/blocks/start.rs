//! The block at the start of a session. After its context was emptied, what it lost comes first.

use std::collections::HashSet;

use nudge_core::{EntryId, Timestamp};

use crate::assemble::{Block, Excluded, LeftOut, Line, Records, SectionLines, Share, assemble};
use crate::budget::Budget;
use crate::clean::clean;
use crate::found::{Decision, Found};
use crate::fragment::{Command, Intent, Note, RelativePlace, Row};
use crate::frame::Delimiter;
use crate::living::{Hypothesis, HypothesisReason, Marked};
use crate::naming::{named, path_named};
use crate::pick;
use crate::section::Section;
use crate::stated::{Stated, TURN, TURN_OF_AGENTS, Turn, interleave_kinds};
use crate::stopped::Stopped;
use crate::trigger::Trigger;

/// The most intents at a start, and after the context was emptied. At a start, the section on where
/// the work stopped already shows the newest.
const INTENTS: usize = 4;

const INTENTS_RECOVERED: usize = 10;

/// The most notes.
const NOTES: usize = 5;

/// The most rows of this project and of others, at a start and after the context was emptied.
const ROWS: (usize, usize) = (20, 10);

const ROWS_RECOVERED: (usize, usize) = (30, 15);

/// Records fill the block of a start to 85 % of its budget, or to 50 % more than the statements
/// take: an agent reads it before anybody has asked for anything. A small budget may be filled.
/// Tokens are counted high: a budget of 500 comes to some 350.
const RECORDS: Records = Records { fill: 85, beyond: 50, least: 250 };

/// All candidates for a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockFacts {
    /// The project's name.
    pub project: String,
    /// Statements, pins, and the hints that apply, the newest of each kind first.
    pub stated: Vec<Stated>,
    /// Where the newest sessions stopped, newest first.
    pub stopped: Vec<Stopped>,
    /// What memory has learned about this project, the most useful first.
    pub notes: Vec<Note>,
    /// What the user asked for and an agent acted on, newest first.
    pub intents: Vec<Intent>,
    /// What was done in this project.
    pub rows: Vec<Row>,
    /// What was done elsewhere and may be shown here.
    pub elsewhere: Vec<Row>,
    /// The last prompts of this session, newest first.
    pub prompts: Vec<Intent>,
    /// The files this session was changing, the last first, each with its newest observation.
    pub files: Vec<(EntryId, String)>,
    /// The last command of this session.
    pub command: Option<Command>,
    /// Entries with words of the prompt, the best first.
    pub found: Vec<Found>,
    /// Whether they are worth showing; `None` if there was no prompt to search for.
    pub decision: Option<Decision>,
    /// What a session marked as relevant.
    pub marked: Option<Marked>,
    /// Current and past hypotheses.
    pub hypotheses: Vec<Hypothesis>,
    /// Entries that were found and must not be shown, with the reason.
    pub withheld: Vec<(EntryId, &'static str)>,
}

impl BlockFacts {
    /// Whether anything here is worth showing: something asked for and acted on, something more
    /// than a look at a file, something learned, or, for an agent that has lost it, what it was
    /// doing. Mere looks at files are not, nor are pins of another project: they are shown together
    /// with what belongs here, never instead of it.
    fn is_worth_showing(&self, trigger: Trigger) -> bool {
        let lost = !self.prompts.is_empty() || !self.files.is_empty() || self.command.is_some();
        (trigger.is_recovery() && lost)
            || !self.stated.is_empty()
            || !self.stopped.is_empty()
            || self.marked.is_some()
            || !self.hypotheses.is_empty()
            || !self.notes.is_empty()
            || self.intents.iter().any(|intent| intent.actions > 0 && intent.withheld.is_none())
            || (self.rows.iter().chain(self.elsewhere.iter().filter(|row| !row.pinned)))
                .any(|row| row.withheld.is_none() && row.is_more_than_a_look())
    }
}

/// Builds the block; `None` if there is nothing to show.
pub(super) fn start(
    mut facts: BlockFacts,
    trigger: Trigger,
    budget: Budget,
    delimiter: &Delimiter,
    now: Timestamp,
) -> Option<Block> {
    if !facts.is_worth_showing(trigger) {
        return None;
    }
    // Notes already show what keeps failing, with its count.
    let noted: HashSet<EntryId> = facts.notes.iter().filter_map(|note| note.entry).collect();
    for one in &mut facts.stopped {
        one.failing.take_if(|command| noted.contains(&command.entry));
    }
    let mut left_out = Vec::new();
    withhold(facts.withheld.iter().map(|(entry, why)| (*entry, Some(*why))), &mut left_out);
    let mut sections = Vec::new();
    let mut injected = HashSet::new();
    let recovers = trigger.is_recovery();
    let in_flight: HashSet<String> =
        facts.files.iter().filter(|_| recovers).map(|(_, file)| file.clone()).collect();
    sections.extend(stated(facts.stated.clone()));
    if recovers {
        sections.push(last_known(&facts, now));
        sections.extend(living(&facts, now));
    }
    sections.push(stopped(&facts.stopped, now));
    if !recovers {
        sections.extend(living(&facts, now));
    }
    sections.push(notes(&facts, now, &mut left_out));
    for section in &mut sections {
        section.lines.retain(|(entry, _)| entry.is_none_or(|entry| injected.insert(entry)));
    }
    let most = if recovers { INTENTS_RECOVERED } else { INTENTS };
    sections.push(intents(facts.intents, &injected, most, now, &mut left_out));
    let (here, elsewhere) = if recovers { ROWS_RECOVERED } else { ROWS };
    // A file already named as being changed needs no row.
    let is_named = |row: &Row| row.file.as_ref().is_some_and(|file| in_flight.contains(file));
    let anew = |rows: Vec<Row>| {
        rows.into_iter()
            .filter(|row| !injected.contains(&row.entry) && (row.pinned || !is_named(row)))
            .collect()
    };
    let heading = format!("## {}\n{TABLE}", named(&facts.project));
    sections.push(table(Section::Project, heading, anew(facts.rows), here, now, &mut left_out));
    let heading = format!("## Other projects\n{TABLE}");
    sections.push(table(Section::Elsewhere, heading, anew(facts.elsewhere), elsewhere, now, &mut left_out));
    let records = if recovers { Records::ALL } else { RECORDS };
    assemble("# nudge context\n", sections, left_out, (budget, records), delimiter)
}

/// The block of a subagent: statements and nothing else. The agent that started it passes on the
/// rest.
pub(super) fn subagent(facts: BlockFacts, budget: Budget, delimiter: &Delimiter) -> Option<Block> {
    let stated = Vec::from(stated(facts.stated));
    assemble("# nudge context\n", stated, Vec::new(), (budget, Records::ALL), delimiter)
}

const TABLE: &str = "| ID | Time | Type | Summary |\n|---|---|---|---|\n";

fn notes(facts: &BlockFacts, now: Timestamp, left_out: &mut Vec<Excluded>) -> SectionLines {
    let lines = facts.notes.iter().map(|note| (note.entry, note.line(now))).collect();
    let lines = capped(lines, NOTES, left_out);
    SectionLines::new(Section::Notes, "## Seen here before\n".to_owned(), lines)
}

/// What the user asked for and an agent acted on. A turn without actions says nothing.
fn intents(
    intents: Vec<Intent>,
    injected: &HashSet<EntryId>,
    most: usize,
    now: Timestamp,
    left_out: &mut Vec<Excluded>,
) -> SectionLines {
    let acted = intents.into_iter().filter(|intent| intent.actions > 0 && !injected.contains(&intent.entry));
    let (held, mut free): (Vec<Intent>, Vec<Intent>) = acted.partition(|intent| intent.withheld.is_some());
    // Requests made elsewhere come after those made here, each newest first as before.
    free.sort_by_key(|intent| intent.place != RelativePlace::Here);
    withhold(held.iter().map(|intent| (intent.entry, intent.withheld)), left_out);
    let mut said = HashSet::new();
    let (free, again): (Vec<Intent>, Vec<Intent>) =
        free.into_iter().partition(|intent| said.insert(clean(&intent.text, 300).to_lowercase()));
    left_out.extend(again.iter().map(|intent| Excluded { entry: intent.entry, why: LeftOut::Same }));
    let lines = free.iter().map(|intent| (Some(intent.entry), intent.line(now))).collect();
    SectionLines::new(Section::Intents, "## Recent Intents\n".to_owned(), capped(lines, most, left_out))
}

fn table(
    section: Section,
    heading: String,
    rows: Vec<Row>,
    most: usize,
    now: Timestamp,
    left_out: &mut Vec<Excluded>,
) -> SectionLines {
    let telling = rows.into_iter().filter(Row::says_something);
    let (held, rows): (Vec<Row>, Vec<Row>) = telling.partition(|row| row.withheld.is_some());
    withhold(held.iter().map(|row| (row.entry, row.withheld)), left_out);
    let (best, stood_for) = pick::ranked(rows, now);
    left_out.extend(stood_for);
    let lines = best.iter().map(|row| (Some(row.entry), row.line(now))).collect();
    SectionLines::new(section, heading, capped(lines, most, left_out))
}

fn withhold(held: impl Iterator<Item = (EntryId, Option<&'static str>)>, left_out: &mut Vec<Excluded>) {
    left_out.extend(held.filter_map(|(entry, why)| Some(Excluded { entry, why: LeftOut::Withheld(why?) })));
}

fn capped(mut lines: Vec<Line>, most: usize, left_out: &mut Vec<Excluded>) -> Vec<Line> {
    let rest = lines.split_off(lines.len().min(most));
    let rest =
        rest.into_iter().filter_map(|(entry, _)| Some(Excluded { entry: entry?, why: LeftOut::Enough }));
    left_out.extend(rest);
    lines
}

// Where the work stopped: the topics and results of the newest sessions.

/// The section of the sessions that are over, newest first. The newest one that left something is
/// shown in full.
pub(super) fn stopped(sessions: &[Stopped], now: Timestamp) -> SectionLines {
    let whole = sessions.iter().position(Stopped::left_something).unwrap_or(0);
    let lines = sessions.iter().enumerate().flat_map(|(place, one)| one.lines(place == whole, now)).collect();
    SectionLines::new(Section::Stopped, "## Where the work stopped\n".to_owned(), lines)
}

// What a session was doing before its context was emptied.

/// How many of the last prompts are repeated.
const PROMPTS: usize = 5;

/// How many of the files it was changing are named.
const FILES: usize = 10;

/// The section about what this session was doing when it lost its context.
fn last_known(facts: &BlockFacts, now: Timestamp) -> SectionLines {
    let prompts = facts.prompts.iter().take(PROMPTS).map(|prompt| (Some(prompt.entry), prompt.prompt(now)));
    let files = facts.files.iter().take(FILES);
    let files =
        files.map(|(entry, path)| (Some(*entry), format!("- was changing {}\n", path_named(path, 120))));
    let command = facts.command.iter().map(|command| (Some(command.entry), command.line(now)));
    let heading = "## This session before its context was emptied\n".to_owned();
    SectionLines::new(Section::Recovery, heading, prompts.chain(files).chain(command).collect())
}

// The sections about the current session: what it marked as relevant, and its hypotheses.

/// How much of each part of a hypothesis is shown, in characters.
const PART: usize = 160;

/// The sections for marked context and for hypotheses.
pub(super) fn living(facts: &BlockFacts, now: Timestamp) -> Vec<SectionLines> {
    let (left, others): (Vec<_>, Vec<_>) =
        facts.hypotheses.iter().partition(|one| one.why == HypothesisReason::Orphan);
    // The orphaned hypothesis has a heading of its own.
    let lines = |some: Vec<&crate::living::Hypothesis>| {
        some.into_iter().map(|one| (Some(one.entry), one.lines(PART, now))).collect::<Vec<_>>()
    };
    let heading = if others.is_empty() { String::new() } else { "## Hypotheses\n".to_owned() };
    let mut sections = vec![
        SectionLines::new(Section::Hypothesis, heading, lines(others)),
        SectionLines::new(Section::Hypothesis, String::new(), lines(left)),
    ];
    if let Some(marked) = &facts.marked {
        let parts = marked.parts.iter().enumerate().map(|(number, (entry, part))| {
            // A blank line before each part but the first.
            let gap = if number == 0 { "" } else { "\n" };
            (*entry, format!("{gap}{part}\n"))
        });
        sections.push(SectionLines::new(Section::Context, marked.heading(now), parts.collect()));
    }
    sections
}

// Statements: the user's first, then those of agents.

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

#[cfg(test)]
mod tests;
