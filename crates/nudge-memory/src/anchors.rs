//! Anchors: the places in files that a statement, a hint or a conclusion is about, and whether
//! those places have changed since.
//!
//! An anchor is made when the text is stored and checked when the text is read. Files are read,
//! never watched, and only hashes of their content are stored.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use nudge_core::Timestamp;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The entry attribute that stores its anchors.
pub(crate) const ATTRIBUTE: &str = "anchors";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The file, relative to the root of the checkout.
    pub path: String,
    /// The lines the anchor covers; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The size of the file, in bytes, when the anchor was made.
    pub size: u64,
    /// When the file was last modified, in nanoseconds since the epoch.
    pub written: i64,
    /// When the anchor was made, in milliseconds since the epoch.
    pub made: i64,
    /// The commit that was checked out when the anchor was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A range of lines in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first line, counted from 1.
    pub line: usize,
    /// The number of lines.
    pub lines: usize,
    /// A hash of the lines, ignoring indentation.
    pub hash: i64,
    /// A hash of the first line alone. A moved span is searched for by it.
    pub first: i64,
}

/// Whether the place of an anchor has changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Freshness {
    /// Unchanged, though it may have moved within the file.
    Fresh,
    /// Changed.
    Drifted,
    /// The file no longer exists.
    Gone,
}

/// Only the metadata of a file larger than this is checked; the file is not read.
const MAX_READ_BYTES: u64 = 256 * 1024;

/// The hash of some lines. Indentation and trailing whitespace are ignored.
fn hash(lines: &[&str]) -> i64 {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    nudge_outcomes::fingerprint(&trimmed)
}

// The files and names that a text mentions.

/// How many words of a text are examined.
const MAX_WORDS: usize = 400;

/// A file that a text mentions, with its line numbers if the text gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileMention<'t> {
    path: &'t str,
    lines: Option<(usize, usize)>,
}

/// The words of a text that may be files: `src/a.rs`, `a.rs:12`, `a.rs:12-20`, `a.rs#L12-L20`.
fn mentioned_files(text: &str) -> impl Iterator<Item = FileMention<'_>> {
    words(text).filter_map(|word| {
        let (path, place) = match word.split_once("#L").or_else(|| word.split_once(':')) {
            Some((path, place)) => (path, Some(place)),
            None => (word, None),
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        let has_ending =
            name.split_once('.').is_some_and(|(stem, ending)| !(stem.is_empty() && ending.is_empty()));
        let is_path = (path.contains('/') || has_ending) && !path.contains("..") && !path.starts_with('/');
        is_path.then(|| FileMention { path, lines: place.and_then(line_range) })
    })
}

fn line_range(place: &str) -> Option<(usize, usize)> {
    let (first, last) = place.split_once('-').unwrap_or((place, place));
    let number = |text: &str| {
        let digits: String = text.trim_start_matches('L').chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok().filter(|line| *line > 0)
    };
    let first = number(first)?;
    Some((first, number(last).filter(|last| *last >= first).unwrap_or(first)))
}

/// The words of a text that name something in code: `parse_line`, `ParseError`, `run()`.
fn mentioned_names(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter_map(|word| {
        let name = word.trim_end_matches("()").trim_end_matches(':');
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let capital_inside =
            name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
        let is_name = name.contains('_') || capital_inside || word.ends_with("()");
        (is_word && is_name && name.len() > 2).then_some(name)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| {
        matches!(c, '`' | '"' | '\'' | ',' | ';' | '!' | '?' | '[' | ']' | '{' | '}' | '<' | '>' | '*' | '(')
    };
    text.split_whitespace().take(MAX_WORDS).map(move |word| {
        let word = word.trim_matches(edge).trim_end_matches('.');
        // A closing bracket is only part of the word in `run()`.
        if word.ends_with("()") { word } else { word.trim_end_matches(')').trim_matches(edge) }
    })
}

// Makes anchors for the files and names that a text mentions.

/// How many anchors a text gets, and how many mentions are followed up.
const MAX_ANCHORS: usize = 5;

const MAX_MENTIONS: usize = 40;

/// How many names from the text are searched for in each file.
const MAX_NAMES: usize = 12;

/// The maximum number of lines in a span.
const MAX_SPAN_LINES: usize = 50;

/// Keywords that begin a line that defines something.
const DEFINING_KEYWORDS: [&str; 14] = [
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
pub(crate) fn make_anchors(text: &str, root: &Path, now: Timestamp) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = Vec::new();
    if root.as_os_str().is_empty() {
        return found;
    }
    let commit = nudge_home::git::head_commit(root);
    for mention in mentioned_files(text).take(MAX_MENTIONS) {
        if found.len() >= MAX_ANCHORS {
            break;
        }
        if found.iter().any(|anchor| anchor.path == mention.path) {
            continue;
        }
        let Some(file) = open_file(root, mention.path) else { continue };
        let room = MAX_ANCHORS - found.len();
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
    let root = nudge_home::git::checkout(dir).map_or_else(|| dir.to_owned(), |place| place.root);
    make_anchors(text, &root, now).iter().map(|anchor| serde_json::json!(anchor)).collect()
}

fn spans(file: &File, mention: &FileMention<'_>, text: &str, room: usize) -> Vec<Span> {
    let Some(content) = &file.content else { return Vec::new() };
    let lines: Vec<&str> = content.lines().collect();
    if let Some((first, last)) = mention.lines {
        return span(&lines, first, last).into_iter().collect();
    }
    let mut found: Vec<Span> = Vec::new();
    let mut known = HashSet::new();
    let names = mentioned_names(text).filter(|name| known.insert(*name)).take(MAX_NAMES);
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
    let last = last.min(first.saturating_add(MAX_SPAN_LINES - 1)).min(lines.len());
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
    let defines = |line: &str| DEFINING_KEYWORDS.iter().any(|word| line.contains(word)) && has(line);
    let found =
        lines.iter().position(|line| defines(line)).or_else(|| lines.iter().position(|line| has(line)));
    found.map(|at| at + 1)
}

/// A file, with as much of it as is read.
struct File {
    size: u64,
    written: i64,
    content: Option<String>,
}

/// Opens a regular file inside a checkout; `None` if it does not exist or is outside.
fn open_file(root: &Path, path: &str) -> Option<File> {
    let (file, facts) = find_file(root, path)?;
    if !is_inside(root, &file) {
        return None;
    }
    Some(File { size: facts.len(), written: modified_ns(&facts), content: read_file(&file) })
}

/// Whether a file is in the checkout: a directory in its path may be a symlink.
fn is_inside(root: &Path, file: &Path) -> bool {
    let really = |path: &Path| fs::canonicalize(path).ok();
    really(file).zip(really(root)).is_some_and(|(file, root)| file.starts_with(root))
}

/// The text of a regular file that is not too large. What is read is bounded whatever its size is
/// said to be, and never waited for.
fn read_file(file: &Path) -> Option<String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = fs::File::options().read(true).custom_flags(flags.bits().cast_signed()).open(file).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_READ_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_READ_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// The file's path and metadata; `None` if the path leaves the checkout by its components, or the
/// file is a symlink.
fn find_file(root: &Path, path: &str) -> Option<(PathBuf, fs::Metadata)> {
    let relative = Path::new(path);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = root.join(relative);
    let facts = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
    Some((file, facts))
}

/// When the file was last modified, in nanoseconds since the epoch.
fn modified_ns(facts: &fs::Metadata) -> i64 {
    let since = facts.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

// Checks whether anchored places have changed.

/// A file modified this shortly before its anchor was made may have been modified again within the
/// same tick of the file system's clock. It is read even when its times match.
const SAME_TICK_MS: i64 = 2_000;

/// How many places with a matching first line are tried when searching for a span.
const MAX_PLACES_TRIED: usize = 100;

/// Describes how the places an entry is about have changed; `None` when all are unchanged.
pub(crate) fn drift_of(attributes: &Map<String, Value>, root: &Path) -> Option<String> {
    drift(attributes.get(ATTRIBUTE)?.as_array()?, root)
}

/// Like [`drift_of`], for a list of anchors. When several places changed, the worst is named.
pub(crate) fn drift(anchors: &[Value], root: &Path) -> Option<String> {
    let anchors = anchors.iter().filter_map(|anchor| serde_json::from_value::<Anchor>(anchor.clone()).ok());
    let (worst, anchor) = anchors
        .map(|anchor| (check_anchor(&anchor, root), anchor))
        .max_by_key(|(freshness, _)| *freshness)?;
    match worst {
        Freshness::Fresh => None,
        Freshness::Drifted => Some(format!("{} changed since", anchor.path)),
        Freshness::Gone => Some(format!("{} is gone", anchor.path)),
    }
}

/// Checks one anchor: by the file's metadata if that is unchanged, otherwise by reading the file.
fn check_anchor(anchor: &Anchor, root: &Path) -> Freshness {
    let Some((file, facts)) = find_file(root, &anchor.path) else { return Freshness::Gone };
    let Some(span) = &anchor.span else { return Freshness::Fresh };
    let is_same = facts.len() == anchor.size && modified_ns(&facts) == anchor.written;
    if is_same && anchor.made - anchor.written / 1_000_000 > SAME_TICK_MS {
        return Freshness::Fresh;
    }
    if facts.len() > MAX_READ_BYTES {
        return Freshness::Drifted;
    }
    if !is_inside(root, &file) {
        return Freshness::Gone;
    }
    match read_file(&file) {
        Some(content) if holds(&content, span) => Freshness::Fresh,
        _ => Freshness::Drifted,
    }
}

/// Whether the text contains the lines of a span, at their old position or anywhere else.
fn holds(content: &str, span: &Span) -> bool {
    let lines: Vec<&str> = content.lines().collect();
    let at = |first: usize| {
        lines.get(first..first.saturating_add(span.lines)).is_some_and(|those| hash(those) == span.hash)
    };
    let begins = |first: &usize| hash(&lines[*first..=*first]) == span.first;
    at(span.line.saturating_sub(1)) || (0..lines.len()).filter(begins).take(MAX_PLACES_TRIED).any(at)
}

#[cfg(test)]
mod tests;
