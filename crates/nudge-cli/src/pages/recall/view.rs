//! From where and when a person looks: ages and paths are told from there.

use std::borrow::Cow;

use nudge_client::clock::now;
use nudge_core::Timestamp;

use super::age;
use crate::context_args::working_directory;

/// Where somebody stands, and when.
pub(crate) struct View {
    /// When.
    pub(crate) now: Timestamp,
    /// How wide the columns of a list are.
    pub(crate) columns: Columns,
    here: String,
    home: Option<String>,
}

/// The widths of what stands before the text of a line: no wider than what stands in them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Of ids.
    pub(crate) id: usize,
    /// Of ages.
    pub(crate) age: usize,
    /// Of kinds.
    pub(crate) kind: usize,
}

impl View {
    /// That of this process.
    pub(crate) fn own() -> Self {
        let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
        Self::of(now(), &working_directory().to_string_lossy(), home.as_deref())
    }

    /// From that directory.
    pub(crate) fn of(now: Timestamp, here: &str, home: Option<&str>) -> Self {
        let within = |dir: &str| format!("{}/", dir.trim_end_matches('/'));
        Self {
            now,
            columns: Columns::default(),
            here: within(here),
            home: home.filter(|home| home.len() > 1).map(within),
        }
    }

    /// The same, with columns for these rows: their ids, times and kinds.
    #[must_use]
    pub(crate) fn for_rows<'r>(mut self, rows: impl Iterator<Item = (i64, i64, &'r str)>) -> Self {
        for (id, at, kind) in rows {
            let columns = &mut self.columns;
            columns.id = columns.id.max(id.to_string().len());
            columns.age = columns.age.max(age(at, self.now).len());
            columns.kind = columns.kind.max(kind.len());
        }
        self
    }

    /// A text that begins with a path, the path as seen from here: the end of it tells more than the beginning.
    pub(crate) fn near<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.here.len() > 1
            && let Some(rest) = text.strip_prefix(&self.here)
        {
            return Cow::Borrowed(rest);
        }
        match self.home.as_deref().and_then(|home| text.strip_prefix(home)) {
            Some(rest) => Cow::Owned(format!("~/{rest}")),
            None => Cow::Borrowed(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_here() {
        let view = View::of(Timestamp::from_millis(0), "/home/ada/shop", Some("/home/ada"));
        assert_eq!(view.near("/home/ada/shop/src/a.rs"), "src/a.rs");
        assert_eq!(view.near("/home/ada/till/b.rs 3 lines"), "~/till/b.rs 3 lines");
        assert_eq!(view.near("/home/adam/c.rs"), "/home/adam/c.rs");
        assert_eq!(view.near("cargo test"), "cargo test");
        assert_eq!(View::of(Timestamp::from_millis(0), "/", None).near("/etc/hosts"), "/etc/hosts");
    }
}
