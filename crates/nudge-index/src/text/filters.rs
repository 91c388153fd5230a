//! Which entries may be found at all.

use crate::source::Document;

/// Conditions in addition to the text. An empty one does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Of one of these projects.
    pub projects: Vec<i64>,
    /// Of none of these projects.
    pub other_than: Vec<i64>,
    /// Of one of these kinds.
    pub kinds: Vec<u8>,
    /// Of this scheme.
    pub scheme: Option<String>,
    /// Of this session.
    pub session: Option<i64>,
    /// Not of this session.
    pub other_session: Option<i64>,
    /// About this file: its whole path, or its last segments. Case does not matter.
    pub file: Option<String>,
    /// At this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Before this time.
    pub until: Option<i64>,
    /// Kinds that may be found but rank below others that match equally well.
    pub faint: Vec<u8>,
}

impl Filters {
    /// Whether `document` may be found.
    pub(crate) fn admit(&self, document: &Document) -> bool {
        self.admit_numbers(document.project, document.kind, document.at)
            && self.session.is_none_or(|session| session == document.session)
            && self.other_session.is_none_or(|session| session != document.session)
            && self.scheme.as_ref().is_none_or(|scheme| *scheme == document.scheme)
            && self.file.as_ref().is_none_or(|file| {
                let wanted = reversed(file);
                document.files.iter().any(|file| reversed(file).starts_with(&wanted))
            })
    }

    /// Whether documents of this kind rank below others that match equally well.
    pub(crate) fn is_faint(&self, kind: u8) -> bool {
        self.faint.contains(&kind)
    }

    /// The part of [`Filters::admit`] that the engine checks per document.
    pub(crate) fn admit_numbers(&self, project: i64, kind: u8, at: i64) -> bool {
        (self.projects.is_empty() || self.projects.contains(&project))
            && !self.other_than.contains(&project)
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.since.is_none_or(|since| since <= at)
            && self.until.is_none_or(|until| at < until)
    }
}

/// A path from its last segment to its first, each followed by `/`: paths with the same end get the
/// same beginning.
pub(crate) fn reversed(path: &str) -> String {
    let mut turned = String::with_capacity(path.len() + 1);
    for segment in path.rsplit(['/', '\\']).filter(|segment| !matches!(*segment, "" | ".")) {
        turned.extend(segment.chars().flat_map(char::to_lowercase));
        turned.push('/');
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        let document = Document { files: vec!["/home/me/Proj/src/a.rs".into()], ..Document::default() };
        let by = |file: &str| Filters { file: Some(file.into()), ..Filters::default() }.admit(&document);
        assert!(by("a.rs") && by("src/a.rs") && by("./src/a.rs") && by("/home/me/proj/src/A.rs"));
        assert!(!by(".rs") && !by("c/a.rs") && !by("src"));
    }

    #[test]
    fn times_are_a_half_open_range() {
        let filters = Filters { since: Some(10), until: Some(20), ..Filters::default() };
        let at = |at| filters.admit(&Document { at, ..Document::default() });
        assert!(!at(9) && at(10) && at(19) && !at(20));
    }
}
