//! The place and time of the view: ages and paths are relative to them.

use std::borrow::Cow;

use nudge_client::clock::now;
use nudge_core::Timestamp;

use crate::context_args::working_directory;
use crate::pages::time::short_of_seconds;

/// The directory and time of the view.
pub(crate) struct View {
    /// The current time.
    pub(crate) now: Timestamp,
    /// The column widths of a list.
    pub(crate) columns: Columns,
    here: String,
    home: Option<String>,
}

/// The widths of the columns before the text: as wide as their widest value.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The width of ids.
    pub(crate) id: usize,
    /// The width of times.
    pub(crate) time: usize,
    /// The width of kinds.
    pub(crate) kind: usize,
}

impl View {
    /// The view of this process.
    pub(crate) fn own() -> Self {
        let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
        Self::of(now(), &working_directory().to_string_lossy(), home.as_deref())
    }

    /// The view from that directory.
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
            columns.time = columns.time.max(short_of_seconds(at, self.now).len());
            columns.kind = columns.kind.max(kind.len());
        }
        self
    }

    /// Shortens the path at the start of a text, relative to here: the end of a path says more than
    /// its beginning.
    pub(crate) fn shorten_path<'t>(&self, text: &'t str) -> Cow<'t, str> {
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
    fn paths_are_relative_to_here() {
        let view = View::of(Timestamp::from_millis(0), "/home/ada/shop", Some("/home/ada"));
        assert_eq!(view.shorten_path("/home/ada/shop/src/a.rs"), "src/a.rs");
        assert_eq!(view.shorten_path("/home/ada/till/b.rs 3 lines"), "~/till/b.rs 3 lines");
        assert_eq!(view.shorten_path("/home/adam/c.rs"), "/home/adam/c.rs");
        assert_eq!(view.shorten_path("cargo test"), "cargo test");
        assert_eq!(View::of(Timestamp::from_millis(0), "/", None).shorten_path("/etc/hosts"), "/etc/hosts");
    }
}
