//! The recording of calls: every call of an answer gets its path, and a rejected one its reason.
//!
//! Filters decide, in the order of their priorities. A rejected call is recorded as failed under
//! its own path, so the model reads the reason where it looks for the result.

mod checks;

use std::collections::BTreeSet;

use nudge_context::Filters;
use nudge_core::EntryPath;
use nudge_core::path::action_path;
use nudge_core::run::Mode;
use nudge_grammar::{Call, Parsed, Tool, WarningKind};

use crate::limits::Limits;
use crate::tools::Flags;

/// Why a call is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The outcome of its record: `invalid` or `permission`; other filters may have other words.
    pub outcome: String,
    /// What the model reads: why, and what to do instead.
    pub why: String,
}

/// How the tag of a call ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TagEnd {
    /// It is whole.
    Closed,
    /// It has no end; the parser found one.
    Unclosed,
    /// It has no end, because the answer reached the limit of its length in it.
    Cut,
}

/// A call under its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Which tool.
    pub tool: Tool,
    /// The call.
    pub call: Call,
    /// The path of its record, unique within the turn.
    pub path: EntryPath,
    /// How its tag ended.
    pub end: TagEnd,
    /// Why it is not carried out.
    pub rejection: Option<Rejection>,
}

impl Recorded {
    /// The same call, rejected. The first rejection stays.
    #[must_use]
    pub fn rejected(mut self, outcome: &str, why: impl Into<String>) -> Self {
        self.rejection.get_or_insert_with(|| Rejection { outcome: outcome.to_owned(), why: why.into() });
        self
    }
}

/// The chain of filters that every call passes before it is recorded.
#[derive(Debug)]
pub struct Policy<'f> {
    chain: Filters<'f, Recorded>,
}

impl<'f> Policy<'f> {
    /// The checks of every loop.
    pub fn new(mode: Mode, flags: Flags, limits: Limits) -> Self {
        let mut chain = Filters::new();
        checks::add(&mut chain, mode, flags, limits);
        Self { chain }
    }

    /// Adds a filter. A lower priority runs first; the checks have 10 to 50.
    #[must_use]
    pub fn with(
        mut self,
        priority: u16,
        name: &'static str,
        filter: impl Fn(Recorded) -> Recorded + Send + Sync + 'f,
    ) -> Self {
        self.chain.add(priority, name, filter);
        self
    }

    /// Priority and name of each filter, in the order in which they run.
    pub fn order(&self) -> impl Iterator<Item = (u16, &'static str)> {
        self.chain.order()
    }

    /// The calls of an answer as they are recorded, in their order. `was_cut`: the answer reached
    /// the limit of its length.
    pub fn record(&self, turn: u32, parsed: &Parsed, was_cut: bool) -> Vec<Recorded> {
        let mut taken = BTreeSet::new();
        let last = parsed.calls.len().saturating_sub(1);
        let calls = parsed.calls.iter().enumerate();
        calls
            .map(|(index, call)| {
                let end = tag_end(call, parsed, was_cut && index == last);
                let path = free_path(turn, call, &mut taken);
                self.chain.apply(Recorded { tool: call.tool, call: call.clone(), path, end, rejection: None })
            })
            .collect()
    }
}

fn tag_end(call: &Call, parsed: &Parsed, is_cut: bool) -> TagEnd {
    let is_unclosed = |kind, at| kind == WarningKind::UnclosedTag && call.span.contains(&at);
    match parsed.warnings.iter().any(|warning| is_unclosed(warning.kind, warning.at)) {
        true if is_cut => TagEnd::Cut,
        true => TagEnd::Unclosed,
        false => TagEnd::Closed,
    }
}

/// The path of a record. The second one of the same name ends in `_2`.
fn free_path(turn: u32, call: &Call, taken: &mut BTreeSet<String>) -> EntryPath {
    let label = match call.tool {
        Tool::Update => call.status.unwrap_or_default().to_string(),
        Tool::Think => "note".to_owned(),
        _ => call.target.clone(),
    };
    let first = action_path(turn, call.tool.name(), &label).expect("a slug is a part of a path");
    if taken.insert(first.as_str().to_owned()) {
        return first;
    }
    let names = (2_u32..).map(|number| format!("{}_{number}", first.as_str()));
    let free = names.into_iter().find(|name| taken.insert(name.clone())).expect("numbers do not end here");
    EntryPath::parse(&free).expect("a path and a number are a path")
}

#[cfg(test)]
mod tests;
