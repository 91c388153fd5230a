//! A change as added and removed lines.

/// How many lines are collected; further lines are only counted.
pub const LINES_MOST: usize = 40;

/// A change of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange<'a> {
    /// The whole content after the change, where it is known.
    pub content: Option<&'a str>,
    /// The first added and removed lines, in the order they are reported.
    pub lines: Vec<Line<'a>>,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines; `None` when a file was overwritten and its old content is
    /// unknown.
    pub removed: Option<u64>,
    /// Whether an edit had no text to replace, so that its new text is the whole file.
    pub replaces_nothing: bool,
    /// The files that a patch creates.
    pub new_files: Vec<&'a str>,
}

/// One line of a change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The lines that follow belong to this file.
    File(&'a str),
    /// A removed line.
    Removed(&'a str),
    /// An added line.
    Added(&'a str),
}

impl<'a> FileChange<'a> {
    pub(super) fn add(&mut self, line: &'a str) {
        self.added += 1;
        self.collect(Line::Added(line));
    }

    pub(super) fn remove(&mut self, line: &'a str) {
        self.removed = self.removed.map(|count| count + 1);
        self.collect(Line::Removed(line));
    }

    pub(super) fn collect(&mut self, line: Line<'a>) {
        if self.lines.len() < LINES_MOST {
            self.lines.push(line);
        }
    }
}
