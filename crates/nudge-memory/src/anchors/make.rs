//! Makes anchors for the files and names that a text mentions.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use nudge_core::Timestamp;
use serde_json::Value;

use super::mention::{self, FileMention};
use super::{Anchor, READ_MOST, Span, hash};

/// How many anchors a text gets, and how many mentions are followed up.
const MOST: usize = 5;
const FOLLOWED: usize = 40;

/// How many names from the text are searched for in each file.
const NAMES: usize = 12;

/// The maximum number of lines in a span.
const LINES: usize = 50;

/// Keywords that begin a line that defines something.
const DEFINES: [&str; 14] = [
    "fn ",
    "def ",
    "class ",
    "struct ",
    "enum ",
    "trait ",
    "type ",
    "const ",
    "let ",
    "var ",
    "function ",
    "func ",
    "interface ",
    "impl ",
];

/// The anchors of a text in a checkout, one for each existing file the text mentions. An anchor
/// covers the lines the text gives, otherwise the lines that define what the text names, otherwise
/// the whole file.
pub(crate) fn anchors(text: &str, root: &Path, now: Timestamp) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = Vec::new();
    if root.as_os_str().is_empty() {
        return found;
    }
    let commit = nudge_home::git::head_commit(root);
    for mention in mention::files(text).take(FOLLOWED) {
        if found.len() >= MOST {
            break;
        }
        if found.iter().any(|anchor| anchor.path == mention.path) {
            continue;
        }
        let Some(file) = open(root, mention.path) else { continue };
        let room = MOST - found.len();
        let spans = spans(&file, &mention, text, room);
        let anchor = |span| Anchor {
            path: mention.path.to_owned(),
            span,
            size: file.size,
            written: file.written,
            made: now.as_millis(),
            commit: commit.clone(),
        };
        if spans.is_empty() {
            found.push(anchor(None));
        } else {
            found.extend(spans.into_iter().map(|span| anchor(Some(span))));
        }
    }
    found
}

/// The anchors of a text in the checkout that contains `dir`, in their stored form.
pub(crate) fn around(text: &str, dir: &Path, now: Timestamp) -> Vec<Value> {
    let root = nudge_home::git::place(dir).map_or_else(|| dir.to_owned(), |place| place.root);
    anchors(text, &root, now).iter().map(|anchor| serde_json::json!(anchor)).collect()
}

fn spans(file: &File, mention: &FileMention<'_>, text: &str, room: usize) -> Vec<Span> {
    let Some(content) = &file.content else { return Vec::new() };
    let lines: Vec<&str> = content.lines().collect();
    if let Some((first, last)) = mention.lines {
        return span(&lines, first, last).into_iter().collect();
    }
    let mut found: Vec<Span> = Vec::new();
    let mut known = HashSet::new();
    let names = mention::names(text).filter(|name| known.insert(*name)).take(NAMES);
    for line in names.filter_map(|name| defining(&lines, name)) {
        if found.len() == room {
            break;
        }
        if found.iter().all(|span| span.line != line) {
            found.extend(span(&lines, line, line));
        }
    }
    found
}

/// The span, or `None` if the lines do not exist or contain what looks like a credential: anyone
/// could confirm a guess at the credential against its hash.
fn span(lines: &[&str], first: usize, last: usize) -> Option<Span> {
    let last = last.min(first.saturating_add(LINES - 1)).min(lines.len());
    let those = lines.get(first.checked_sub(1)?..last).filter(|those| !those.is_empty())?;
    let is_secret = those.iter().any(|line| !nudge_secrets::scan(line).is_empty());
    (!is_secret).then(|| Span {
        line: first,
        lines: those.len(),
        hash: hash(those),
        first: hash(&those[..1]),
    })
}

/// The line that defines a name, otherwise the first line that contains it as a word.
fn defining(lines: &[&str], name: &str) -> Option<usize> {
    let has = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !part(line[..at].chars().next_back()) && !part(line[at + name.len()..].chars().next())
        })
    };
    let defines = |line: &str| DEFINES.iter().any(|word| line.contains(word)) && has(line);
    let found =
        lines.iter().position(|line| defines(line)).or_else(|| lines.iter().position(|line| has(line)));
    found.map(|at| at + 1)
}

/// A file, with as much of it as is read.
pub(super) struct File {
    pub(super) size: u64,
    pub(super) written: i64,
    pub(super) content: Option<String>,
}

/// Opens a regular file inside a checkout; `None` if it does not exist or is outside.
fn open(root: &Path, path: &str) -> Option<File> {
    let (file, facts) = find(root, path)?;
    // A directory in the path may be a symlink.
    let is_inside = fs::canonicalize(&file).ok()?.starts_with(fs::canonicalize(root).ok()?);
    if !is_inside {
        return None;
    }
    let content = (facts.len() <= READ_MOST).then(|| fs::read_to_string(&file).ok()).flatten();
    Some(File { size: facts.len(), written: written(&facts), content })
}

/// The file's path and metadata; `None` if the path leaves the checkout, by its components or
/// through a symlink.
pub(super) fn find(root: &Path, path: &str) -> Option<(PathBuf, fs::Metadata)> {
    let relative = Path::new(path);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = root.join(relative);
    let facts = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
    Some((file, facts))
}

/// When the file was last modified, in nanoseconds since the epoch.
pub(super) fn written(facts: &fs::Metadata) -> i64 {
    let since = facts.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
