//! The sections of what goes on in a session: what it marked as relevant, and what it tries.

use nudge_core::Timestamp;

use super::StartFacts;
use crate::assemble::SectionLines;
use crate::living::Why;
use crate::section::Section;

/// How much of each part of a hypothesis is shown, in characters.
const PART: usize = 160;

/// What was marked as relevant, and what is or was tried.
pub(super) fn living(facts: &StartFacts, now: Timestamp) -> Vec<SectionLines> {
    let (left, others): (Vec<_>, Vec<_>) = facts.hypotheses.iter().partition(|one| one.why == Why::Orphan);
    // The orphan has a heading of its own.
    let lines = |some: Vec<&crate::living::Hypothesis>| {
        some.into_iter().map(|one| (Some(one.entry), one.lines(PART, now))).collect::<Vec<_>>()
    };
    let heading = if others.is_empty() { String::new() } else { "## Hypotheses\n".to_owned() };
    let mut sections = vec![
        SectionLines::new(Section::Hypothesis, heading, lines(others)),
        SectionLines::new(Section::Hypothesis, String::new(), lines(left)),
    ];
    if let Some(marked) = &facts.marked {
        let parts = marked.parts.iter().map(|(entry, part)| (*entry, format!("{part}\n")));
        sections.push(SectionLines::new(Section::Context, marked.heading(now), parts.collect()));
    }
    sections
}
