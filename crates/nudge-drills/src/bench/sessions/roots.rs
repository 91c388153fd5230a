//! Finds where people had the project on their machines, so that its files can be moved to one
//! directory here.
//!
//! Nothing in the data names that directory. If a command names the end of an absolute path as a
//! relative path, the part before it is the directory that the command ran in. The directories that
//! most files support are roots.

use std::collections::{HashMap, HashSet};

use super::data::Event;

/// A directory is a root if at least this share of the files that support any directory in the same
/// home supports it.
const SHARE: f64 = 0.05;

/// The roots of a project on people's machines, the longest first.
#[derive(Debug)]
pub(super) struct Roots(Vec<String>);

impl Roots {
    pub(super) fn of(events: &[Event]) -> Self {
        let named = relative_words(events);
        let mut votes: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
        for file in events.iter().flat_map(|event| &event.files).filter(|file| file.starts_with('/')) {
            if let Some(root) = root(file, &named) {
                *votes.entry(home(file)).or_default().entry(root).or_default() += 1;
            }
        }
        let mut roots: Vec<String> = Vec::new();
        for of_home in votes.values() {
            let all: usize = of_home.values().sum();
            let counts = of_home.iter().filter(|(_, votes)| **votes as f64 >= all as f64 * SHARE);
            roots.extend(counts.map(|(root, _)| (*root).to_owned()));
        }
        roots.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        Self(roots)
    }

    /// The path of a file in the directory that replaces all roots. A file outside the roots keeps
    /// its path.
    pub(super) fn place(&self, file: &str, here: &str) -> String {
        if !file.starts_with('/') {
            return format!("{here}/{file}");
        }
        let under = |root: &String| file.strip_prefix(root.as_str())?.strip_prefix('/');
        self.0.iter().find_map(under).map_or_else(|| file.to_owned(), |inside| format!("{here}/{inside}"))
    }

    /// A text with every root replaced by that directory.
    pub(super) fn replace(&self, text: &str, here: &str) -> String {
        let mut text = text.to_owned();
        for root in self.0.iter().filter(|root| root.len() > 1) {
            if text.contains(root.as_str()) {
                text = text.replace(root.as_str(), here);
            }
        }
        text
    }
}

/// The relative paths in commands.
fn relative_words(events: &[Event]) -> HashSet<&str> {
    let commands = events.iter().filter(|event| event.is("command"));
    let words =
        commands.flat_map(|event| event.text.split(|c: char| c.is_whitespace() || "'\"`;=,()".contains(c)));
    let words = words.map(|word| word.trim_start_matches("./").trim_end_matches([':', '.']));
    words
        .filter(|word| {
            word.contains('/') && !word.starts_with(['/', '~', '.', '-', '$']) && !word.contains("://")
        })
        .collect()
}

/// The part of a path before its longest end that is named.
fn root<'f>(file: &'f str, named: &HashSet<&str>) -> Option<&'f str> {
    let cuts = file.match_indices('/').map(|(at, _)| at).skip(1);
    cuts.into_iter().find(|at| named.contains(&file[at + 1..])).map(|at| &file[..at])
}

/// `/home/ada` for every path below it.
fn home(file: &str) -> &str {
    file.match_indices('/').nth(2).map_or(file, |(at, _)| &file[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_two_people_come_to_the_same_place() {
        let events = [
            Event::made("command", "git add src/a/b.rs && cargo test", &[]),
            Event::made("edit", "", &["/home/ada/shop/src/a/b.rs"]),
            Event::made("edit", "", &["/Users/bob/w/shop/src/a/b.rs"]),
            Event::made("edit", "", &["/home/ada/.claude/plans/x.md"]),
        ];
        let roots = Roots::of(&events);
        let placed = |file| roots.place(file, "/r");
        assert_eq!(placed("/home/ada/shop/src/a/b.rs"), "/r/src/a/b.rs");
        assert_eq!(placed("/Users/bob/w/shop/README.md"), "/r/README.md");
        assert_eq!(placed("docs/x.md"), "/r/docs/x.md");
        assert_eq!(placed("/home/ada/.claude/plans/x.md"), "/home/ada/.claude/plans/x.md");
        assert_eq!(roots.replace("cd /home/ada/shop && ls", "/r"), "cd /r && ls");
    }
}
