//! The normal form of directories and of globs over them.

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
pub(super) fn is_windows(path: &str) -> bool {
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

pub(super) fn segments(path: &str) -> String {
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
