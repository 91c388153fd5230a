//! The block at the start of a session. After its context was emptied, what it lost comes first.

use std::collections::HashSet;

use nudge_core::{EntryId, Timestamp};

use crate::assemble::{Block, Excluded, LeftOut, Line, Records, SectionLines, Share, assemble};
use crate::budget::Budget;
use crate::clean::clean;
use crate::found::{Decision, Found};
use crate::fragment::{Command, Failure, Intent, Note, RelativePlace, Row};
use crate::frame::Delimiter;
use crate::living::{Hypothesis, HypothesisReason, Marked};
use crate::naming::{named, path_named};
use crate::pick;
use crate::section::Section;
use crate::stated::{STATED_TURN, Stated, TURN_OF_AGENTS, interleave_kinds};
use crate::stopped::{Stopped, Turn, open_todos};
use crate::trigger::Trigger;

/// The most intents at a start, and after the context was emptied. At a start, the section on where
/// the work stopped already shows the newest.
const MAX_INTENTS: usize = 4;

const INTENTS_RECOVERED: usize = 10;

/// The most notes.
const MAX_NOTES: usize = 5;

/// The most rows of this project and of others, at a start and after the context was emptied.
const MAX_ROWS: (usize, usize) = (20, 10);

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
    /// The last requests of this session with their conclusions, newest first.
    pub requests: Vec<(Timestamp, Turn)>,
    /// The files this session was changing, the last first, each with its newest observation.
    pub files: Vec<(EntryId, String)>,
    /// The last command of this session.
    pub command: Option<Command>,
    /// The last command of this session that failed; `None` if that is the last command.
    pub failure: Option<Failure>,
    /// Its open to-dos, when its agent last wrote the list.
    pub todos: Option<(EntryId, Vec<String>)>,
    /// Entries with words of the prompt, the best first.
    pub found: Vec<Found>,
    /// Whether they are worth showing; `None` if there was no prompt to search for.
    pub decision: Option<Decision>,
    /// The prompt about which the agent is asked whether it states a rule.
    pub asks_about: Option<EntryId>,
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
        let lost = !self.requests.is_empty() || !self.files.is_empty() || self.command.is_some();
        (trigger.is_recovery() && lost)
            || !self.stated.is_empty()
            || !self.stopped.is_empty()
            || self.marked.is_some()
            || !self.hypotheses.is_empty()
            || !self.notes.is_empty()
            || self.intents.iter().any(|intent| intent.actions > 0 && intent.withheld.is_none())
            || (self.rows.iter().chain(self.elsewhere.iter().filter(|row| !row.pinned)))
                .any(|row| row.withheld.is_none() && row.is_more_than_reading())
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
    }
    sections.extend(living(&facts, now));
    sections.push(stopped(&facts.stopped, now));
    sections.push(notes(&facts, now, &mut left_out));
    for section in &mut sections {
        section.lines.retain(|(entry, _)| entry.is_none_or(|entry| injected.insert(entry)));
        injected.extend(section.beside.iter().map(|(_, other)| *other));
    }
    let most = if recovers { INTENTS_RECOVERED } else { MAX_INTENTS };
    sections.push(intents(facts.intents, &injected, most, now, &mut left_out));
    let (here, elsewhere) = if recovers { ROWS_RECOVERED } else { MAX_ROWS };
    // A file already named as being changed needs no row.
    let is_named = |row: &Row| row.file.as_ref().is_some_and(|file| in_flight.contains(file));
    let anew = |rows: Vec<Row>| {
        rows.into_iter()
            .filter(|row| !injected.contains(&row.entry) && (row.pinned || !is_named(row)))
            .collect()
    };
    let heading = format!("## {}\n{TABLE_HEAD}", named(&facts.project));
    sections.push(table(Section::Project, heading, anew(facts.rows), here, now, &mut left_out));
    let heading = format!("## Other projects\n{TABLE_HEAD}");
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

const TABLE_HEAD: &str = "| ID | Time | Type | Summary |\n|---|---|---|---|\n";

fn notes(facts: &BlockFacts, now: Timestamp, left_out: &mut Vec<Excluded>) -> SectionLines {
    let lines = facts.notes.iter().map(|note| (note.entry, note.line(now))).collect();
    let lines = capped(lines, MAX_NOTES, left_out);
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
    let shown = |(place, one): (usize, &'_ Stopped)| -> Vec<(EntryId, EntryId)> {
        let turns = one.turns().take(if place == whole { 2 } else { 1 });
        turns.filter_map(Turn::both).collect()
    };
    let beside = sessions.iter().enumerate().flat_map(shown).collect();
    let heading = "## Where the work stopped\n".to_owned();
    SectionLines { beside, in_order: true, ..SectionLines::new(Section::Stopped, heading, lines) }
}

// What a session was doing before its context was emptied.

/// How many of the last requests are repeated.
const MAX_REQUESTS: usize = 5;

/// How many of the files it was changing are named, and how many open to-dos.
const MAX_FILES: usize = 10;
const MAX_TODOS: usize = 6;

/// How much of a request and of its conclusion is shown, in characters.
const MAX_REQUEST_CHARS: (usize, usize) = (300, 240);

/// How much of a to-do is shown, in characters.
const MAX_TODO_CHARS: usize = 80;

/// The section about what this session was doing when it lost its context.
fn last_known(facts: &BlockFacts, now: Timestamp) -> SectionLines {
    let requests = facts.requests.iter().take(MAX_REQUESTS);
    let beside = requests.clone().filter_map(|(_, turn)| turn.both()).collect();
    let requests = requests.filter_map(|(at, turn)| turn.repeated(*at, MAX_REQUEST_CHARS, now));
    let files = facts.files.iter().take(MAX_FILES);
    let files =
        files.map(|(entry, path)| (Some(*entry), format!("- was changing {}\n", path_named(path, 120))));
    let command = facts.command.iter().map(|command| (Some(command.entry), command.line(now)));
    let failure = facts.failure.iter().map(|failure| (Some(failure.command.entry), failure.line(now)));
    let todos = facts.todos.iter().map(|(entry, todos)| {
        (Some(*entry), format!("- {}\n", open_todos(todos, MAX_TODOS, MAX_TODO_CHARS)))
    });
    let heading = "## This session before its context was emptied\n".to_owned();
    let lines = requests.chain(files).chain(failure).chain(command).chain(todos).collect();
    SectionLines { beside, ..SectionLines::new(Section::Recovery, heading, lines) }
}

// The sections about the current session: what it marked as relevant, and its hypotheses.

/// How much of each part of a hypothesis is shown, in characters.
const MAX_PART_CHARS: usize = 160;

/// The sections for marked context and for hypotheses.
pub(super) fn living(facts: &BlockFacts, now: Timestamp) -> Vec<SectionLines> {
    let (left, others): (Vec<_>, Vec<_>) =
        facts.hypotheses.iter().partition(|one| one.why == HypothesisReason::Orphan);
    // The orphaned hypothesis has a heading of its own.
    let lines = |some: Vec<&crate::living::Hypothesis>| {
        some.into_iter().map(|one| (Some(one.entry), one.lines(MAX_PART_CHARS, now))).collect::<Vec<_>>()
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

/// The most that agents' statements take of the budget.
const PERCENT_OF_AGENTS: u32 = 15;

/// The sections of the user's and of agents' statements. The user's may take the whole budget.
pub(super) fn stated(stated: Vec<Stated>) -> [SectionLines; 2] {
    let (person, agents): (Vec<Stated>, Vec<Stated>) = stated.into_iter().partition(|one| one.by_person);
    let person = interleave_kinds(person, STATED_TURN);
    let short = person.iter().map(Stated::short_line).collect();
    let more = |count: usize| {
        format!("- {count} more of the person's: `nudge knows`; `inject.start_tokens` sets the limit\n")
    };
    let mut of_person =
        section(Section::Stated, "## Stated by the person\n", &person, Share { percent: 100, more });
    of_person.short = short;
    let more = |count: usize| format!("- {count} more: `nudge knows`\n");
    let agents = interleave_kinds(agents, TURN_OF_AGENTS);
    let share = Share { percent: PERCENT_OF_AGENTS, more };
    [of_person, section(Section::StatedByAgents, "## Stated by agents\n", &agents, share)]
}

fn section(section: Section, heading: &str, stated: &[Stated], share: Share) -> SectionLines {
    let lines = stated.iter().map(|one| (Some(one.entry), one.line())).collect();
    SectionLines { share: Some(share), ..SectionLines::new(section, heading.to_owned(), lines) }
}

#[cfg(test)]
mod tests;
