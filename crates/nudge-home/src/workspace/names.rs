//! Names of files that some file system takes for another name.

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
pub(super) fn windows_problem(part: &str) -> Option<&'static str> {
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
