//! Files that are written whole: of those never all lines are kept.

use nudge_core::ObservationKind;
use nudge_harness::tool::{FileChange, Line};

/// Which files of a change are written whole.
pub(super) struct Whole<'a> {
    made: &'a FileChange<'a>,
    all: bool,
}

impl<'a> Whole<'a> {
    pub(super) fn of(kind: ObservationKind, made: &'a FileChange<'a>) -> Self {
        let all = kind == ObservationKind::FileWrite || is_all_new(made) || made.replaces_nothing;
        Self { made, all }
    }

    /// How many lines may be kept of those that came to one file, and of those that went: half of what it holds now, if it was
    /// written whole. `section` are its lines, behind its name where there are several.
    pub(super) fn most(&self, section: &[Line<'_>]) -> Option<u64> {
        let named = match section.first() {
            Some(Line::File(file)) => Some(*file),
            _ => None,
        };
        let whole = self.all || named.is_some_and(|file| self.made.new_files.contains(&file));
        whole.then(|| self.held(section, named.is_some()) / 2)
    }

    /// How many lines the file holds now. Blank ones do not count: without them there would be as much to read.
    fn held(&self, section: &[Line<'_>], several: bool) -> u64 {
        if let Some(content) = self.made.content {
            return content.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        }
        let came = section.iter().filter(|line| matches!(line, Line::Added(_))).count() as u64;
        let told = |line: &&Line<'_>| matches!(line, Line::Added(line) if !line.trim().is_empty());
        // Not all lines of a long file were collected; where there are several, nobody knows whose the others are.
        let others = if several { 0 } else { self.made.added - came };
        section.iter().filter(told).count() as u64 + others
    }
}

/// Whether nothing went and every line of the file came.
fn is_all_new(made: &FileChange<'_>) -> bool {
    let held = made.content.map(|content| content.lines().count() as u64);
    made.removed == Some(0) && made.added > 0 && held == Some(made.added)
}
