//! A block of lines between two markers, in a file that otherwise belongs to others or that we
//! created.

use super::registration::Registration;

/// The content between the markers.
#[derive(Debug)]
pub(crate) struct Block {
    /// The start of a comment.
    pub(crate) comment: &'static str,
    /// If this word occurs elsewhere in the file, the user has already decided and we add nothing.
    pub(crate) skip_if_present: Option<&'static str>,
    /// The lines for a registration.
    pub(crate) lines: fn(&Registration<'_>) -> String,
    /// The program that such lines start.
    pub(crate) program: fn(&str) -> Option<String>,
}

const BEGIN: &str = " Written by `nudge install`. `nudge uninstall` removes it.\n";
const END: &str = " End of what `nudge install` wrote.\n";

impl Block {
    pub(super) fn with(&self, text: Option<&str>, who: &Registration<'_>) -> String {
        let mark = self.comment;
        let ours = format!("{mark}{BEGIN}{}{mark}{END}", (self.lines)(who));
        let Some(text) = text else { return ours };
        let others = self.without(text);
        if text.contains(&ours) || self.skip_if_present.is_some_and(|word| others.contains(word)) {
            return text.to_owned();
        }
        format!("{ours}{others}")
    }

    pub(super) fn without(&self, text: &str) -> String {
        match self.split(text) {
            Some((before, _, after)) => format!("{before}{after}"),
            None => text.to_owned(),
        }
    }

    pub(super) fn programs(&self, text: &str) -> Vec<String> {
        self.split(text).and_then(|(_, ours, _)| (self.program)(ours)).into_iter().collect()
    }

    /// The text before, between and after the markers.
    fn split<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        let (before, rest) = text.split_once(&format!("{}{BEGIN}", self.comment))?;
        let (ours, after) = rest.split_once(&format!("{}{END}", self.comment))?;
        Some((before, ours, after))
    }
}
