//! Files that are written whole: never all of their lines are kept.

use nudge_core::ObservationKind;
use nudge_harness::tool::{FileChange, Line};

/// Which files of a change are written whole.
pub(super) struct WholeFileWrites<'a> {
    made: &'a FileChange<'a>,
    all: bool,
}

impl<'a> WholeFileWrites<'a> {
    pub(super) fn of(kind: ObservationKind, made: &'a FileChange<'a>) -> Self {
        let all = kind == ObservationKind::FileWrite || is_all_new(made) || made.replaces_nothing;
        Self { made, all }
    }

    /// How many added and how many removed lines of one file may be kept: half of its current lines
    /// if it was written whole. `section` is the file's lines, preceded by its name if there are
    /// several files.
    pub(super) fn most(&self, section: &[Line<'_>]) -> Option<u64> {
        let named = match section.first() {
            Some(Line::File(file)) => Some(*file),
            _ => None,
        };
        let whole = self.all || named.is_some_and(|file| self.made.new_files.contains(&file));
        whole.then(|| self.current_line_count(section, named.is_some()) / 2)
    }

    /// How many lines the file has now, not counting blank lines: the text is as readable without
    /// them.
    fn current_line_count(&self, section: &[Line<'_>], several: bool) -> u64 {
        if let Some(content) = self.made.content {
            return content.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        }
        let came = section.iter().filter(|line| matches!(line, Line::Added(_))).count() as u64;
        let reported = |line: &&Line<'_>| matches!(line, Line::Added(line) if !line.trim().is_empty());
        // Not all lines of a long file were collected. With several files, it is unknown which file
        // the others belong to.
        let others = if several { 0 } else { self.made.added - came };
        section.iter().filter(reported).count() as u64 + others
    }
}

/// Whether nothing was removed and every line of the file was added.
fn is_all_new(made: &FileChange<'_>) -> bool {
    let held = made.content.map(|content| content.lines().count() as u64);
    made.removed == Some(0) && made.added > 0 && held == Some(made.added)
}
