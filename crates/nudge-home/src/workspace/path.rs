//! Paths of files below a project root, as entries write them: `src/main.rs`; which of them are
//! reserved or kept out.
//!
//! The rules look at text only. That no step follows a link is the job of the directory handles.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use nudge_core::path::MAX_PATH_CHARS;

/// Why a path names no file that may be touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutsideRoot {
    /// It is empty.
    #[error("a file path cannot be empty")]
    Empty,
    /// Longer than any entry's path.
    #[error("the path has {0} characters; the limit is {MAX_PATH_CHARS}")]
    TooLong(usize),
    /// It begins with a slash, a drive or a server.
    #[error("`{0}` is absolute; file paths are relative to the project root")]
    Absolute(String),
    /// A part is `..`.
    #[error("`{0}` contains `..`")]
    Climbs(String),
    /// A part is empty or `.`.
    #[error("`{0}` has an empty part or a `.`; write it in its shortest form")]
    NotPlain(String),
    /// It contains NUL or another control character.
    #[error("a file path cannot contain control characters")]
    Control,
    /// A part is `.git`, or a spelling that a file system may take for it.
    #[error("`{0}` leads into `.git`, which belongs to git")]
    Git(String),
    /// It leads into the directory of this memory.
    #[error("`{0}` leads into Nudge's own directory")]
    Home(String),
    /// Windows gives a part another meaning.
    #[error("`{path}` is not a file name on Windows: {why}")]
    Windows {
        /// The whole path.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl OutsideRoot {
    /// A short code for programs.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Empty => "path_empty",
            Self::TooLong(_) => "path_too_long",
            Self::Absolute(_) => "path_absolute",
            Self::Climbs(_) => "path_traversal",
            Self::NotPlain(_) => "path_not_plain",
            Self::Control => "path_control",
            Self::Git(_) => "path_in_git",
            Self::Home(_) => "path_in_home",
            Self::Windows { .. } => "path_windows",
        }
    }
}

/// Whose rules a file name must follow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum System {
    Unix,
    Windows,
}

impl System {
    /// The system that this program runs on.
    pub(super) const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };
}

/// A validated path of a file below a root.
///
/// Invariant: at least one part; no part is empty, `.`, `..` or a spelling of `.git`; no control
/// characters; on Windows only names that mean one file. Separated by `/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelativePath(String);

impl RelativePath {
    /// Validates a path by the rules of a system.
    pub(super) fn parse(text: &str, system: System) -> Result<Self, OutsideRoot> {
        check_whole(text, system)?;
        for part in text.split('/') {
            check_part(text, part, system)?;
        }
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the file, without its directories.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.as_str(), |(_, name)| name)
    }

    /// The directories from the root down to the file.
    pub(super) fn dirs(&self) -> Vec<&str> {
        self.0.rsplit_once('/').map_or_else(Vec::new, |(dirs, _)| dirs.split('/').collect())
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_whole(text: &str, system: System) -> Result<(), OutsideRoot> {
    if text.is_empty() {
        return Err(OutsideRoot::Empty);
    }
    let chars = text.chars().count();
    if chars > MAX_PATH_CHARS {
        return Err(OutsideRoot::TooLong(chars));
    }
    if text.chars().any(char::is_control) {
        return Err(OutsideRoot::Control);
    }
    let has_drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    if text.starts_with('/') || system == System::Windows && (text.starts_with('\\') || has_drive) {
        return Err(OutsideRoot::Absolute(text.to_owned()));
    }
    Ok(())
}

fn check_part(text: &str, part: &str, system: System) -> Result<(), OutsideRoot> {
    match part {
        ".." => return Err(OutsideRoot::Climbs(text.to_owned())),
        "" | "." => return Err(OutsideRoot::NotPlain(text.to_owned())),
        _ => {}
    }
    if is_git(part) {
        return Err(OutsideRoot::Git(text.to_owned()));
    }
    match windows_problem(part) {
        Some(why) if system == System::Windows => Err(OutsideRoot::Windows { path: text.to_owned(), why }),
        _ => Ok(()),
    }
}

// Names of files that some file system takes for another name.

/// Whether a file system may take a name for `.git`.
///
/// Covers other cases, the short name of Windows (`git~1`), trailing dots and spaces, streams
/// (`.git::$INDEX_ALLOCATION`), backslashes, and the characters that HFS+ does not see. The rule is
/// the same on every system: a repository is shared between them.
pub(super) fn is_git(part: &str) -> bool {
    part.split('\\').any(|piece| {
        let name = folded(piece);
        let short = name.strip_prefix("git~");
        name == ".git" || short.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The form in which two names are compared if they could mean the same file.
pub(super) fn folded(name: &str) -> String {
    let visible: String = name.chars().filter(|c| !is_unseen(*c)).flat_map(lower).collect();
    let name = visible.split_once(':').map_or(visible.as_str(), |(name, _)| name);
    name.trim_end_matches([' ', '.']).to_owned()
}

/// Why Windows takes a name for something else, if it does.
fn windows_problem(part: &str) -> Option<&'static str> {
    if part.contains('\\') {
        return Some("a backslash separates directories");
    }
    if part.contains(':') {
        return Some("a colon names a drive or a stream");
    }
    if part.contains(['<', '>', '"', '|', '?', '*']) {
        return Some("it contains one of < > \" | ? *");
    }
    if part.ends_with(['.', ' ']) {
        return Some("trailing dots and spaces are dropped");
    }
    if is_device(part) {
        return Some("it is the name of a device");
    }
    is_short_name(part).then_some("it may be the short name of another file")
}

/// The characters that HFS+ ignores in names, as git lists them.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Lower case. The two Turkish letters become `i`: some systems upper-case them to the same `I`.
fn lower(c: char) -> impl Iterator<Item = char> {
    let c = if matches!(c, '\u{130}' | '\u{131}') { 'i' } else { c };
    c.to_lowercase()
}

/// `nul`, `COM1`, also with an extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") {
        return true;
    }
    let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let mut digits = number.unwrap_or_default().chars();
    let is_port = |c: char| c.is_ascii_digit() || matches!(c, '\u{b9}' | '\u{b2}' | '\u{b3}');
    digits.next().is_some_and(is_port) && digits.next().is_none()
}

/// `PROGRA~1`, `LONGNA~2.TXT`: at most eight characters that end in `~` and digits.
fn is_short_name(part: &str) -> bool {
    let stem = part.split_once('.').map_or(part, |(stem, _)| stem);
    stem.rsplit_once('~').is_some_and(|(name, number)| {
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        !name.is_empty() && is_number && stem.chars().count() <= 8
    })
}

// Directories inside a root that are not part of the project.

/// Directories below a root, each as the names that lead to it.
#[derive(Debug, Default)]
pub(super) struct ExcludedDirs(Vec<Vec<String>>);

impl ExcludedDirs {
    /// Keeps a directory out if it is inside the root. Fails if the root is inside the directory.
    pub(super) fn add(&mut self, root: &Path, dir: &Path) -> io::Result<()> {
        // As it is written too: a link on the way may be replaced by a directory later.
        for dir in [real(dir), dir.to_owned()] {
            if root.starts_with(&dir) {
                let why = format!("{} is inside Nudge's own directory", root.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
            if let Ok(inside) = dir.strip_prefix(root) {
                self.0.push(inside.iter().map(|part| folded(&part.to_string_lossy())).collect());
            }
        }
        Ok(())
    }

    /// Fails for a path into one of the directories, also in other letters that a file system may
    /// take for the same.
    pub(super) fn check(&self, path: &RelativePath) -> Result<(), OutsideRoot> {
        let leads_into = |dir: &Vec<String>| {
            let mut parts = path.as_str().split('/');
            dir.iter().all(|name| parts.next().is_some_and(|part| folded(part) == *name))
        };
        if self.0.iter().any(leads_into) { Err(OutsideRoot::Home(path.to_string())) } else { Ok(()) }
    }
}

/// The real path of a directory that may not exist yet.
fn real(dir: &Path) -> PathBuf {
    dir.ancestors()
        .find_map(|above| Some(fs::canonicalize(above).ok()?.join(dir.strip_prefix(above).ok()?)))
        .unwrap_or_else(|| dir.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reason(text: &str, system: System) -> &'static str {
        RelativePath::parse(text, system).map_or_else(|error| error.reason(), |_| "ok")
    }

    #[test]
    fn plain_paths_are_accepted() {
        for text in ["a", "src/main.rs", ".gitignore", ".github/x.yml", "a b/ü.txt", "...", "git", "x.git"] {
            assert_eq!(reason(text, System::Unix), "ok", "{text}");
        }
        assert_eq!(reason("src/.env.local", System::Windows), "ok");
    }

    #[test]
    fn what_leaves_the_root_is_refused() {
        let cases = [
            ("", "path_empty"),
            ("/etc/passwd", "path_absolute"),
            ("//server/share", "path_absolute"),
            ("..", "path_traversal"),
            ("a/../../b", "path_traversal"),
            ("a/..", "path_traversal"),
            (".", "path_not_plain"),
            ("./a", "path_not_plain"),
            ("a//b", "path_not_plain"),
            ("a/", "path_not_plain"),
            ("a\0b", "path_control"),
            ("a\nb", "path_control"),
            ("a\u{9b}b", "path_control"),
        ];
        for (text, expected) in cases {
            assert_eq!(reason(text, System::Unix), expected, "{text:?}");
            assert_eq!(reason(text, System::Windows), expected, "{text:?}");
        }
        assert_eq!(reason("hint://a", System::Unix), "path_not_plain");
        assert_eq!(reason(&"x".repeat(2049), System::Unix), "path_too_long");
    }

    #[test]
    fn every_spelling_of_git_is_refused_on_every_system() {
        let spellings = [
            ".git",
            ".GIT/hooks/pre-commit",
            "a/.Git/config",
            "git~1/config",
            "GIT~1",
            "GIT~12",
            ".git ",
            ".git.",
            ".git. . /x",
            ".git::$INDEX_ALLOCATION/x",
            ".g\u{200c}it/config",
            "\u{feff}.git",
            ".git\u{200d}",
            ".G\u{130}T/x",
            ".g\u{131}t",
            "a\\.git\\config",
            ".git\\config",
            "git~1\\x",
            ".\u{202e}git",
        ];
        for text in spellings {
            assert_eq!(reason(text, System::Unix), "path_in_git", "{text:?}");
            assert_ne!(reason(text, System::Windows), "ok", "{text:?}");
        }
    }

    #[test]
    fn names_with_a_second_meaning_are_refused_on_windows() {
        let names = [
            "a\\b",
            "..\\x",
            "ab:c",
            "a/b:stream",
            "dir./x",
            "x ",
            "nul",
            "NUL.txt",
            "a/con",
            "Com1.log",
            "lpt\u{b9}",
            "conin$",
            "what?",
            "a*b",
            "a<b",
            "LOCAL~1/x",
            "aux .c",
        ];
        for text in names {
            assert_eq!(reason(text, System::Windows), "path_windows", "{text:?}");
            assert_eq!(reason(text, System::Unix), "ok", "{text:?}");
        }
        for text in ["C:x", "c:/x", "\\\\server\\share", "\\x", "\\\\?\\C:\\x"] {
            assert_eq!(reason(text, System::Windows), "path_absolute", "{text:?}");
        }
    }

    #[test]
    fn a_path_knows_its_directories_and_name() {
        let path = RelativePath::parse("a/b/c.rs", System::Unix).expect("valid");
        assert_eq!((path.dirs(), path.name()), (vec!["a", "b"], "c.rs"));
        let path = RelativePath::parse("c.rs", System::Unix).expect("valid");
        assert_eq!((path.dirs(), path.name()), (vec![], "c.rs"));
    }

    proptest! {
        #[test]
        fn an_accepted_path_stays_below_the_root(text in "[a.~:/\\\\gGiItT \u{200c}]{0,12}") {
            for system in [System::Unix, System::Windows] {
                if let Ok(path) = RelativePath::parse(&text, system) {
                    let mut parts = std::path::Path::new(path.as_str()).components();
                    prop_assert!(parts.all(|part| matches!(part, std::path::Component::Normal(_))));
                }
            }
        }
    }
}
