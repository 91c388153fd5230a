//! Fitting what is worth telling into a budget, and keeping the books on it.

use nudge_core::EntryId;
use nudge_core::tokens::{self, Tokens};

use crate::budget::Budget;
use crate::frame::Delimiter;
use crate::section::Section;

/// The text that goes into an agent's context, with its account.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The text, frame and all.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// What it holds, in its order.
    pub included: Vec<Included>,
    /// What was considered and is not in it.
    pub left_out: Vec<Excluded>,
}

/// A line of the block, and the entry it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Which; `None` for a line that is about none.
    pub entry: Option<EntryId>,
    /// The section it stands in.
    pub section: Section,
    /// What its line costs.
    pub tokens: Tokens,
}

/// An entry that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Which.
    pub entry: EntryId,
    /// Why.
    pub why: LeftOut,
}

/// Why something was left out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The budget was used up by what ranks above it.
    Budget,
    /// Enough of its sort are there already.
    Enough,
    /// A better row is about the same file.
    SameFile,
    /// A line that says the same is there already.
    Same,
    /// It must not be told now.
    Withheld(&'static str),
}

impl LeftOut {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Budget => "the budget was used up by what ranks above it",
            Self::Enough => "enough of its sort are there already",
            Self::SameFile => "a better row is about the same file",
            Self::Same => "a line that says the same is there already",
            Self::Withheld(why) => why,
        }
    }
}

/// A line, and the entry it is about.
pub(crate) type Line = (Option<EntryId>, String);

/// Lines under one heading.
pub(crate) struct SectionLines {
    pub(crate) section: Section,
    pub(crate) heading: String,
    pub(crate) lines: Vec<Line>,
}

/// Writes sections in their order while they fit; a section without a line has no heading. `None` when nothing is left to say.
pub(crate) fn assemble(
    title: &str,
    sections: Vec<SectionLines>,
    mut left_out: Vec<Excluded>,
    budget: Budget,
    delimiter: &Delimiter,
) -> Option<Block> {
    let mut text = title.to_owned();
    let mut included = Vec::new();
    for section in sections {
        let mut open = false;
        for (entry, line) in section.lines {
            let before = text.len();
            if !open {
                text.push_str(&section.heading);
            }
            text.push_str(&line);
            if budget.fits(&delimiter.frame(&text)) {
                open = true;
                included.push(Included { entry, section: section.section, tokens: tokens::estimate(&line) });
            } else {
                text.truncate(before);
                left_out.extend(entry.map(|entry| Excluded { entry, why: LeftOut::Budget }));
            }
        }
    }
    if included.is_empty() {
        return None;
    }
    let text = delimiter.frame(&text);
    Some(Block { tokens: tokens::estimate(&text), text, included, left_out })
}
