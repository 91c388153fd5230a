//! The sections about the current session: what it marked as relevant, and its hypotheses.

use nudge_core::Timestamp;

use super::BlockFacts;
use crate::assemble::SectionLines;
use crate::living::HypothesisReason;
use crate::section::Section;

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
