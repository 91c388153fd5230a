//! What a session was doing before its context was emptied.

use nudge_core::Timestamp;

use super::start::BlockFacts;
use crate::assemble::SectionLines;
use crate::naming::path_named;
use crate::section::Section;

/// How many of the last prompts are repeated.
const PROMPTS: usize = 5;
/// How many of the files it was changing are named.
const FILES: usize = 10;

/// The section about what this session was doing when it lost its context.
pub(super) fn last_known(facts: &BlockFacts, now: Timestamp) -> SectionLines {
    let prompts = facts.prompts.iter().take(PROMPTS).map(|prompt| (Some(prompt.entry), prompt.prompt(now)));
    let files = facts.files.iter().take(FILES);
    let files =
        files.map(|(entry, path)| (Some(*entry), format!("- was changing {}\n", path_named(path, 120))));
    let command = facts.command.iter().map(|command| (Some(command.entry), command.line(now)));
    let heading = "## This session before its context was emptied\n".to_owned();
    SectionLines::new(Section::Recovery, heading, prompts.chain(files).chain(command).collect())
}
