//! Where the work stopped: the topics and results of the newest sessions.

use nudge_core::Timestamp;

use crate::assemble::SectionLines;
use crate::section::Section;
use crate::stopped::Stopped;

/// The section of the sessions that are over, newest first. The newest one that left something is
/// shown in full.
pub(super) fn stopped(sessions: &[Stopped], now: Timestamp) -> SectionLines {
    let whole = sessions.iter().position(Stopped::left_something).unwrap_or(0);
    let lines = sessions.iter().enumerate().flat_map(|(place, one)| one.lines(place == whole, now)).collect();
    SectionLines::new(Section::Stopped, "## Where the work stopped\n".to_owned(), lines)
}
