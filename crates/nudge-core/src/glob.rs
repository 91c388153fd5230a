//! Globs over working directories and branches, and the normal form of the paths they match.
//!
//! The language is that of micromatch and fast-glob: `*` and `?` stay within a path segment, `**`
//! crosses segments, `[a-z]` is a class, `{a,b}` an alternative, `\*` a literal star. Two choices
//! are ours: directories that begin with a dot match like any other, and `dir/**` matches `dir`
//! itself, because a caller in a project's root is in the project.

use std::cell::RefCell;
use std::collections::HashMap;

use globset::{GlobBuilder, GlobMatcher};

use crate::fault::{Fault, FaultKind};

mod absolute;
mod normal;

pub use absolute::{MAX_ABSOLUTE_CHARS, check_absolute};
use normal::is_windows;
pub use normal::{normalise_glob, normalise_path};

/// The longest glob, in characters. Longer ones are generated, not written.
pub const MAX_GLOB_CHARS: usize = 500;

/// How many compiled globs a thread caches. A user's memory has a few dozen different ones.
const COMPILED: usize = 256;

/// Whether a directory matches one glob. Both are normalised first; an invalid glob matches
/// nothing.
///
/// Windows directories are compared without regard to case.
pub fn matches_path(glob: &str, path: &str) -> bool {
    let path = normalise_path(path);
    let glob = normalise_glob(glob);
    if is_windows(&path) { matches(&glob, &path, Case::Ignored) } else { matches(&glob, &path, Case::Exact) }
}

/// Whether a branch matches one glob; a plain name matches itself, whatever its characters.
pub fn matches_name(glob: &str, name: &str) -> bool {
    glob == name || matches(glob, name, Case::Exact)
}

/// Validates a glob before it is stored. `field` names its field in the message.
pub fn check(field: &str, glob: &str) -> Result<(), Fault> {
    let refuse = |reason: &str, why: String| {
        Fault::new(FaultKind::ScopeInvalid, reason, format!("{field}: {why}")).with("field", field)
    };
    if normalise_glob(glob).is_empty() {
        return Err(refuse("glob_empty", "a glob cannot be empty".into())
            .next("remove the condition, or use `**` for anywhere"));
    }
    let chars = glob.chars().count();
    if chars > MAX_GLOB_CHARS {
        return Err(refuse(
            "glob_too_long",
            format!("the glob has {chars} characters; the limit is {MAX_GLOB_CHARS}"),
        )
        .with("limit", MAX_GLOB_CHARS));
    }
    if glob.starts_with('~') || glob.starts_with("./") {
        return Err(refuse(
            "glob_relative",
            format!("`{glob}` can never match, because directories are absolute"),
        )
        .next("write the directory in full, or begin with `**/`"));
    }
    if climbs(glob) {
        return Err(refuse("path_traversal", format!("`{glob}` contains `..`"))
            .next("write the directory in full, or begin with `**/`"));
    }
    if let Some(why) = unsupported(glob) {
        return Err(refuse("glob_syntax", format!("`{}` is not a glob: {why}", glob.escape_debug()))
            .next("globs take *, **, ?, [a-z] and {a,b}; put a backslash before a literal one"));
    }
    match compile(&normalise_glob(glob), Case::Exact) {
        Ok(_) => Ok(()),
        Err(error) => Err(refuse("glob_syntax", format!("`{glob}` is not a glob: {}", error.kind()))
            .next("globs take *, **, ?, [a-z] and {a,b}; put a backslash before a literal one")),
    }
}

/// Whether matching is case-sensitive.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Case {
    Exact,
    Ignored,
}

fn matches(glob: &str, text: &str, case: Case) -> bool {
    if !glob.contains(['*', '?', '[', ']', '{', '}', '\\']) {
        return match case {
            Case::Exact => glob == text,
            Case::Ignored => glob.to_lowercase() == text.to_lowercase(),
        };
    }
    thread_local! {
        /// Compiling costs forty times as much as matching, and a query meets the same globs
        /// repeatedly.
        static KNOWN: RefCell<HashMap<(String, Case), Option<GlobMatcher>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= COMPILED {
            known.clear();
        }
        let matcher = known.entry((glob.to_owned(), case)).or_insert_with(|| compile(glob, case).ok());
        matcher.as_ref().is_some_and(|matcher| matcher.is_match(text))
    })
}

fn compile(glob: &str, case: Case) -> Result<GlobMatcher, globset::Error> {
    let with_itself = match glob.strip_suffix("/**") {
        Some(dir) if !dir.is_empty() && !dir.ends_with('\\') => format!("{dir}{{,/**}}"),
        _ => glob.to_owned(),
    };
    let glob = GlobBuilder::new(&with_itself)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .case_insensitive(case == Case::Ignored)
        .build()?;
    Ok(glob.compile_matcher())
}

/// Whether a segment is `..`, including an alternative inside braces.
fn climbs(glob: &str) -> bool {
    glob.split(['/', '\\', '{', '}', ',']).any(|segment| segment == "..")
}

/// Syntax that micromatch reads differently from us, so it must not be accepted silently.
fn unsupported(glob: &str) -> Option<&'static str> {
    if glob.chars().any(char::is_control) {
        return Some("it contains control characters");
    }
    if glob.starts_with('!') {
        return Some("a leading `!` (negation) is not supported");
    }
    let extended = ["?(", "*(", "+(", "@(", "!("].iter().any(|opening| glob.contains(opening));
    extended.then_some("extended patterns such as `+(a|b)` are not supported, use {a,b}")
}

#[cfg(test)]
mod tests;
