//! A change as the lines that came and went.

/// How many lines are collected; the rest is only counted.
pub const LINES_MOST: usize = 40;

/// A change of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange<'a> {
    /// The whole content after the change, where it is told.
    pub content: Option<&'a str>,
    /// The first of the lines that came and went, in the order they are told.
    pub lines: Vec<Line<'a>>,
    /// How many lines came.
    pub added: u64,
    /// How many went; `None` when a file was overwritten and nothing tells what it held.
    pub removed: Option<u64>,
    /// Whether an edit had no text to replace, which makes its new text the file.
    pub replaces_nothing: bool,
    /// The files that a patch of several makes.
    pub new_files: Vec<&'a str>,
}

/// One line of a change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The lines that follow are of this file.
    File(&'a str),
    /// It went.
    Removed(&'a str),
    /// It came.
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
