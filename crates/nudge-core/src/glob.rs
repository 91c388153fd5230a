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

/// The longest glob, in characters. Longer ones are generated, not written.
pub const MAX_GLOB_CHARS: usize = 500;

/// How many compiled globs a thread caches. A user's memory has a few dozen different ones.
const MAX_COMPILED: usize = 256;

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
        if known.len() >= MAX_COMPILED {
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

// The normal form of directories and of globs over them.

/// The form in which directories are compared: forward slashes for Windows forms, no empty and no
/// `.` segments, no trailing slash, an upper-case drive letter. Nothing is resolved against a disk.
pub fn normalise_path(path: &str) -> String {
    until_stable(path, |path| if is_windows(path) { windows(path) } else { clean(path) })
}

/// The form in which globs over directories are compared and matched.
///
/// A backslash is a separator in a glob that begins like a Windows path. Elsewhere it is an escape
/// before a special character and a separator before anything else, so that `**\api` works too.
pub fn normalise_glob(glob: &str) -> String {
    until_stable(glob, |glob| if is_windows(glob) { windows(glob) } else { clean(&separators(glob)) })
}

/// Repeats a step until nothing changes: dropping a leading `./` may bring a drive letter to the
/// front. Every step that changes something shortens the text, turns a backslash into a slash or
/// capitalises a letter, so it terminates.
fn until_stable(text: &str, step: fn(&str) -> String) -> String {
    let mut settled = text.to_owned();
    loop {
        let next = step(&settled);
        if next == settled {
            return settled;
        }
        settled = next;
    }
}

/// Whether this begins like a Windows path: `C:\`, `C:/` or `\\server`.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|b| matches!(b, b'/' | b'\\'));
    drive || path.starts_with("\\\\") || is_share(path)
}

/// Whether this is `//server…`: the normal form of `\\server…`.
fn is_share(path: &str) -> bool {
    path.starts_with("//") && !path.starts_with("///")
}

/// Drops empty segments, `.` segments and a trailing slash.
fn clean(path: &str) -> String {
    let head = if path.starts_with('/') { "/" } else { "" };
    format!("{head}{}", segments(path))
}

/// A Windows path with forward slashes and an upper-case drive letter.
fn windows(path: &str) -> String {
    let slashed = path.replace('\\', "/");
    if slashed.starts_with('/') {
        return format!("//{}", segments(&slashed));
    }
    let (drive, rest) = slashed.split_at(2);
    let root = if rest.is_empty() { "" } else { "/" };
    format!("{}{root}{}", drive.to_ascii_uppercase(), segments(rest))
}

fn segments(path: &str) -> String {
    let kept: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    kept.join("/")
}

/// Turns backslashes that escape nothing into slashes.
fn separators(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    let mut chars = glob.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next_if(|next| "*?[]{}\\,!()".contains(*next)) {
            Some(special) => out.extend(['\\', special]),
            None => out.push('/'),
        }
    }
    out
}

// Path values: absolute on some system, in normal form.

/// The longest path value, in characters: `PATH_MAX` of Linux.
pub const MAX_ABSOLUTE_CHARS: usize = 4096;

/// Validates a path value and normalises it.
///
/// `/x`, `C:\x` and `\\server\share` are absolute on every system: a hint for one system may be
/// written on another. Windows forms keep their backslashes, because the path is returned for use
/// there.
pub fn check_absolute(path: &str) -> Result<String, Fault> {
    let chars = path.chars().count();
    if chars > MAX_ABSOLUTE_CHARS {
        let why = format!("the path has {chars} characters; the limit is {MAX_ABSOLUTE_CHARS}");
        return Err(Fault::invalid("path_too_long", why).with("limit", MAX_ABSOLUTE_CHARS));
    }
    if path.chars().any(char::is_control) {
        return Err(Fault::invalid("path_control_character", "a path cannot contain control characters"));
    }
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        let why = format!("path `{path}` contains `..`");
        return Err(Fault::new(FaultKind::ScopeInvalid, "path_traversal", why).next("write the path in full"));
    }
    if !is_absolute(path) {
        return Err(Fault::invalid("path_not_absolute", format!("path `{path}` is not absolute"))
            .next("write it in full, such as /work/api, C:\\work\\api or \\\\server\\share"));
    }
    if path.starts_with('/') {
        return Ok(format!("/{}", segments(path)));
    }
    // The drive letter stays as the user wrote it.
    let normal = normalise_path(path).replace('/', "\\");
    Ok(if path.starts_with('\\') { normal } else { format!("{}{}", &path[..1], &normal[1..]) })
}

fn is_absolute(path: &str) -> bool {
    if path.starts_with('/') {
        return true;
    }
    if path.starts_with("\\\\") {
        // A server alone is not a path: its share is the root.
        return path.split(['/', '\\']).filter(|segment| !segment.is_empty()).count() >= 2;
    }
    // `C:` alone means the current directory of that drive.
    is_windows(path) && path.len() > 2
}

#[cfg(test)]
mod tests;
