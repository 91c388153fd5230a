//! Context sets: named lists of what an agent or the user marks as relevant to a session.
//!
//! A set is a short list of texts. Some names have a known meaning; any other name is allowed too.

/// The sets with a known form of items: absolute paths; a slug and `key=value` pairs; addresses;
/// port numbers.
pub const KNOWN_SETS: [&str; 4] = [FILES_SET, APPLET_SET, "endpoints", "ports"];

/// The set of files.
pub const FILES_SET: &str = "files";

/// The set of the last applet: its slug, then its parameters.
pub const APPLET_SET: &str = "applet";

/// The most items in one set.
pub const MAX_IN_SET: usize = 10;

/// The most items in all sets of a session together.
pub const MAX_IN_ALL_SETS: usize = 50;

/// How new items change a set.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They replace its items.
    #[default]
    Replace,
    /// They are added, without duplicates.
    Merge,
}

/// Why a set cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// One set has too many items.
    #[error("Set too large ({0} items, max {MAX_IN_SET}). Remove some items first.")]
    Set(usize),
    /// All sets together have too many.
    #[error("Context too large ({0} items, max {MAX_IN_ALL_SETS}). Remove some items first.")]
    All(usize),
}

/// The items of a set after the change: each once, in the order they came.
///
/// A set is never truncated: too many items are rejected, so that the answer matches what is
/// stored.
pub fn merge(existing: &[String], items: &[String], mode: Mode) -> Result<Vec<String>, TooLarge> {
    let before = match mode {
        Mode::Replace => &[],
        Mode::Merge => existing,
    };
    let mut merged: Vec<String> = Vec::new();
    for item in before.iter().chain(items) {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    if merged.len() > MAX_IN_SET { Err(TooLarge::Set(merged.len())) } else { Ok(merged) }
}

/// Rejects more items than all sets may have together.
pub fn check_total<'s>(sets: impl Iterator<Item = &'s Vec<String>>) -> Result<(), TooLarge> {
    let total = sets.map(Vec::len).sum();
    if total > MAX_IN_ALL_SETS { Err(TooLarge::All(total)) } else { Ok(()) }
}

/// The text that reminds a resumed session of its context: environment, files, last applet, other
/// sets, with a blank line between them. Files that no longer exist are only counted.
pub fn resume_text<'s>(
    environment: Option<&str>,
    sets: impl IntoIterator<Item = (&'s str, &'s [String])>,
    exists: &dyn Fn(&str) -> bool,
) -> String {
    let parts = resume_parts(environment, sets, exists);
    parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n")
}

/// The parts of that text, each with the name of its set.
pub fn resume_parts<'s>(
    environment: Option<&str>,
    sets: impl IntoIterator<Item = (&'s str, &'s [String])>,
    exists: &dyn Fn(&str) -> bool,
) -> Vec<(Option<&'s str>, String)> {
    let (mut files, mut applet, mut others) = (None, None, Vec::new());
    for (name, items) in sets.into_iter().filter(|(_, items)| !items.is_empty()) {
        match name {
            FILES_SET => files = Some((Some(name), files_part(items, exists))),
            APPLET_SET => applet = Some((Some(name), applet_part(items))),
            _ => others.push((Some(name), format!("{name}: {}", items.join(", ")))),
        }
    }
    let environment = environment.map(|hint| (None, format!("Environment: {hint}")));
    environment.into_iter().chain(files).chain(applet).chain(others).collect()
}

fn files_part(items: &[String], exists: &dyn Fn(&str) -> bool) -> String {
    let there: Vec<String> =
        items.iter().filter(|file| exists(file)).map(|file| format!("- {file}")).collect();
    let missing = match items.len() - there.len() {
        0 => None,
        1 => Some("(1 file not found)".to_owned()),
        count => Some(format!("({count} files not found)")),
    };
    let listed = (!there.is_empty()).then(|| format!("Relevant files:\n{}", there.join("\n")));
    listed.into_iter().chain(missing).collect::<Vec<_>>().join("\n")
}

fn applet_part(items: &[String]) -> String {
    match items.split_first() {
        Some((slug, [])) => format!("Last applet: {slug}"),
        Some((slug, parameters)) => format!("Last applet: {slug} ({})", parameters.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    #[test]
    fn merging_keeps_the_order_and_each_item_once() {
        let merged = merge(&texts(&["a", "b"]), &texts(&["b", "c", "c"]), Mode::Merge);
        assert_eq!(merged, Ok(texts(&["a", "b", "c"])));
        assert_eq!(merge(&texts(&["a"]), &texts(&["b"]), Mode::Replace), Ok(texts(&["b"])));
        assert_eq!(merge(&texts(&["a"]), &[], Mode::Merge), Ok(texts(&["a"])));
        assert_eq!(merge(&texts(&["a"]), &[], Mode::Replace), Ok(Vec::new()));
    }

    #[test]
    fn too_much_is_refused_and_never_cut() {
        let nine: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        let refused = merge(&nine, &texts(&["a", "b", "c"]), Mode::Merge).expect_err("twelve");
        assert_eq!(refused.to_string(), "Set too large (12 items, max 10). Remove some items first.");
        let sets = vec![nine; 6];
        let refused = check_total(sets.iter()).expect_err("54");
        assert_eq!(refused.to_string(), "Context too large (54 items, max 50). Remove some items first.");
    }

    #[test]
    fn the_resume_text_has_its_order_and_counts_what_is_missing() {
        let files = texts(&["/w/spec.md", "/w/gone.md"]);
        let applet = texts(&["git-diff", "ref=main", "path=src"]);
        let ports = texts(&["5432", "8080"]);
        let sets: [(&str, &[String]); 4] =
            [("ports", &ports), ("applet", &applet), ("files", &files), ("empty", &[])];
        let text = resume_text(Some("python 3.12"), sets, &|file| file == "/w/spec.md");
        assert_eq!(
            text,
            "Environment: python 3.12\n\nRelevant files:\n- /w/spec.md\n(1 file not found)\n\n\
             Last applet: git-diff (ref=main, path=src)\n\nports: 5432, 8080"
        );
    }

    #[test]
    fn files_that_are_all_gone_are_still_counted() {
        let files = texts(&["/a", "/b"]);
        let sets: [(&str, &[String]); 1] = [("files", &files)];
        assert_eq!(resume_text(None, sets, &|_| false), "(2 files not found)");
        assert_eq!(resume_text(None, [], &|_| true), "");
    }
}
