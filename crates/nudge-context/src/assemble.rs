//! Fits the content of a block into a budget, and records what was included and what was not.

use nudge_core::EntryId;
use nudge_core::tokens::{self, Tokens};

use crate::budget::Budget;
use crate::frame::{Delimiter, Lead};
use crate::section::Section;

/// The text that goes into an agent's context, with an account of its content.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The text, including its frame.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// Its lines, in order.
    pub included: Vec<Included>,
    /// The candidates that are not in it.
    pub left_out: Vec<Excluded>,
}

impl Block {
    /// How many lines it has. An entry without tokens shares the line of another.
    pub fn lines(&self) -> u32 {
        self.included.iter().filter(|line| line.tokens.0 > 0).count() as u32
    }
}

/// A line of the block, and the entry it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// The entry; `None` for a line that is about none.
    pub entry: Option<EntryId>,
    /// Its section.
    pub section: Section,
    /// The cost of its line.
    pub tokens: Tokens,
}

/// An entry that is not in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// The entry.
    pub entry: EntryId,
    /// Why.
    pub why: LeftOut,
}

/// Why an entry was left out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Entries that rank above it used up the budget.
    Budget,
    /// Its part of the budget, for everything that nobody stated, was used up.
    Records,
    /// The block has enough of its kind already.
    Enough,
    /// A better row is about the same file.
    SameFile,
    /// Another line already says the same.
    Same,
    /// It must not be shown now, for this reason.
    Withheld(&'static str),
}

impl LeftOut {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Budget => "the budget was used up by what ranks above it",
            Self::Records => {
                "the part of the budget for what nobody stated was used up by what ranks above it"
            }
            Self::Enough => "its section has as many lines as it may",
            Self::SameFile => "a better row is about the same file",
            Self::Same => "a line that says the same is there already",
            Self::Withheld(why) => why,
        }
    }
}

/// A line, and the entry it is about.
pub(crate) type Line = (Option<EntryId>, String);

/// The begin of a line that continues the one before: without that one it is left out too.
pub(crate) const CONTINUED: &str = "  ";

/// Lines under one heading.
pub(crate) struct SectionLines {
    pub(crate) section: Section,
    pub(crate) heading: String,
    pub(crate) lines: Vec<Line>,
    /// A short form of each line, for the case that not all of them fit; empty if there are none.
    pub(crate) short: Vec<String>,
    /// Whether a later item must not take the place of an earlier one that did not fit.
    pub(crate) in_order: bool,
    /// Further entries that the line of an entry is about.
    pub(crate) beside: Vec<(EntryId, EntryId)>,
    pub(crate) share: Option<Share>,
}

impl SectionLines {
    /// Lines that may take the rest of the budget.
    pub(crate) const fn new(section: Section, heading: String, lines: Vec<Line>) -> Self {
        Self { section, heading, lines, short: Vec::new(), in_order: false, beside: Vec::new(), share: None }
    }
}

/// How much of the budget a section may take, and the line that replaces what does not fit.
#[derive(Copy, Clone)]
pub(crate) struct Share {
    pub(crate) percent: u32,
    pub(crate) more: fn(usize) -> String,
}

/// How far records (everything that nobody stated) may fill the budget: up to `fill` percent of it,
/// `beyond` percent more than the statements take, or `least` tokens, whichever is most.
#[derive(Copy, Clone)]
pub(crate) struct Records {
    pub(crate) fill: u32,
    pub(crate) beyond: u32,
    pub(crate) least: u32,
}

impl Records {
    /// No limit for records.
    pub(crate) const ALL: Self = Self { fill: 100, beyond: 100, least: 0 };
}

/// Explains how to read the full text behind a line.
const FETCH_NOTE: &str = "The whole of a #number: get_observations, or `nudge show NUMBER`.\n";

/// Writes sections in their order while they fit; a section without lines has no heading. `None`
/// when no line is left.
pub(crate) fn assemble(
    title: &str,
    sections: Vec<SectionLines>,
    left_out: Vec<Excluded>,
    (budget, records): (Budget, Records),
    delimiter: &Delimiter,
) -> Option<Block> {
    let has = |is_so: fn(Section) -> bool| {
        sections.iter().any(|lines| is_so(lines.section) && !lines.lines.is_empty())
    };
    let lead = match (has(|one| one == Section::Ask), has(|one| one != Section::Ask)) {
        (true, false) => Lead::Ask,
        (true, true) => Lead::AskAndRecords,
        (false, _) if has(|one| one == Section::Stated) => Lead::PersonAndRecords,
        (false, _) => Lead::Records,
    };
    let mut sheet = BlockWriter {
        text: title.to_owned(),
        lead,
        included: Vec::new(),
        left_out,
        budget,
        whole: budget.tokens,
        delimiter,
    };
    let is_record =
        |lines: &SectionLines| !matches!(lines.section, Section::Stated | Section::StatedByAgents);
    for section in sections {
        sheet.budget = if is_record(&section) { sheet.for_records(budget, records) } else { budget };
        sheet.section(section);
    }
    sheet.block()
}

/// The text so far.
struct BlockWriter<'s> {
    text: String,
    lead: Lead,
    included: Vec<Included>,
    left_out: Vec<Excluded>,
    /// The limit of the text including the current section, and of the whole text.
    budget: Budget,
    whole: Tokens,
    delimiter: &'s Delimiter,
}

/// The text of a section with so many whole lines and the others short.
fn text_of(lines: &SectionLines, whole: usize) -> String {
    let short = lines.short.iter().skip(whole).map(String::as_str);
    let whole = lines.lines.iter().take(whole).map(|(_, line)| line.as_str());
    std::iter::once(lines.heading.as_str()).chain(whole).chain(short).collect()
}

impl BlockWriter<'_> {
    /// The limit of the whole text when it includes records.
    fn for_records(&self, budget: Budget, records: Records) -> Budget {
        let is_stated = |line: &&Included| matches!(line.section, Section::Stated | Section::StatedByAgents);
        let stated: u32 = self.included.iter().filter(is_stated).map(|line| line.tokens.0).sum();
        let fill = budget.tokens.0 * records.fill / 100;
        let beyond = stated + budget.tokens.0 * records.beyond / 100;
        budget.at_most(Tokens(fill.max(beyond).max(records.least)))
    }

    fn section(&mut self, mut lines: SectionLines) {
        self.shorten(&mut lines);
        // If all of them fit, no room is needed to say how many are left out.
        let whole = text_of(&lines, lines.lines.len());
        let fits_whole =
            self.fits_share(self.text.len(), lines.share, Some(&whole)) && self.fits(Some(&whole));
        let share = lines.share.filter(|_| !fits_whole);
        let SectionLines { section, heading, lines, in_order, beside, .. } = lines;
        let begin = self.text.len();
        let (mut rest, mut over) = (lines.len(), 0);
        // Whether the item of a line has its first line in the text, and whether no item may
        // follow.
        let (mut has_first, mut is_closed) = (true, false);
        for (entry, line) in lines {
            rest -= 1;
            let before = self.text.len();
            if before == begin {
                self.text.push_str(&heading);
            }
            self.text.push_str(&line);
            let more = share.filter(|_| rest + over > 0).map(|share| (share.more)(rest + over));
            let is_first = !line.starts_with(CONTINUED);
            let may_stand = if is_first { !is_closed } else { has_first };
            let fits =
                may_stand && self.fits_share(begin, share, more.as_deref()) && self.fits(more.as_deref());
            let others = beside.iter().filter(|(of, _)| Some(*of) == entry).map(|(_, other)| *other);
            if is_first {
                has_first = fits;
            }
            if fits {
                self.included.push(Included { entry, section, tokens: tokens::estimate(&line) });
                let nothing = Tokens(0);
                self.included.extend(others.map(|other| Included {
                    entry: Some(other),
                    section,
                    tokens: nothing,
                }));
            } else {
                self.text.truncate(before);
                is_closed |= is_first && in_order && before > begin;
                over += 1;
                let why = if self.budget.tokens < self.whole { LeftOut::Records } else { LeftOut::Budget };
                self.left_out.extend(entry.into_iter().chain(others).map(|entry| Excluded { entry, why }));
            }
        }
        if let (Some(share), true) = (share, over > 0) {
            self.add_overflow_line(section, begin, &heading, &(share.more)(over));
        }
    }

    /// Replaces as many lines as necessary by their short form, the last first, so that all fit. If
    /// they do not even then, all are short.
    fn shorten(&self, lines: &mut SectionLines) {
        if lines.short.is_empty() {
            return;
        }
        let fits = |whole: &usize| self.fits(Some(&text_of(lines, *whole)));
        let whole = (0..=lines.lines.len()).rev().find(fits).unwrap_or(0);
        for ((_, line), short) in lines.lines.iter_mut().zip(&lines.short).skip(whole) {
            line.clone_from(short);
        }
    }

    /// Adds the line that replaces what a section left out.
    fn add_overflow_line(&mut self, section: Section, begin: usize, heading: &str, line: &str) {
        let before = self.text.len();
        if before == begin {
            self.text.push_str(heading);
        }
        self.text.push_str(line);
        if self.fits(None) {
            self.included.push(Included { entry: None, section, tokens: tokens::estimate(line) });
        } else {
            self.text.truncate(before);
        }
    }

    fn fits_share(&self, begin: usize, share: Option<Share>, more: Option<&str>) -> bool {
        let Some(share) = share else { return true };
        let taken = tokens::estimate(&self.text[begin..]).0 + more.map_or(0, |more| tokens::estimate(more).0);
        taken <= self.budget.tokens.0 * share.percent / 100
    }

    fn fits(&self, more: Option<&str>) -> bool {
        let whole = [&self.text, more.unwrap_or_default(), FETCH_NOTE].concat();
        self.budget.fits(&self.delimiter.frame(self.lead, &whole))
    }

    fn block(mut self) -> Option<Block> {
        if self.included.is_empty() {
            return None;
        }
        if self.text.contains(" #") && self.included.iter().any(|line| line.entry.is_some()) {
            self.text.push_str(FETCH_NOTE);
        }
        let text = self.delimiter.frame(self.lead, &self.text);
        Some(Block {
            tokens: tokens::estimate(&text),
            text,
            included: self.included,
            left_out: self.left_out,
        })
    }
}
