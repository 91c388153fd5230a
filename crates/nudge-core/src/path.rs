//! Paths of entries: `scheme://…`, or a bare file path; paths of actions and of what they print.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::text::slug;

/// The longest path an entry may have, in characters.
pub const MAX_PATH_CHARS: usize = 2048;

/// The characters that stay readable inside one part of a path: everything that people type in
/// names, but none of the characters that separate parts.
const ENCODED_IN_PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@')
    .remove(b':')
    .remove(b'+');

/// Why a path was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is empty.
    #[error("a path cannot be empty")]
    Empty,
    /// Longer than [`MAX_PATH_CHARS`].
    #[error("the path has {0} characters; the limit is {MAX_PATH_CHARS}")]
    TooLong(usize),
    /// It contains a control character.
    #[error("a path cannot contain control characters")]
    Control,
    /// The part before `://` is not a lowercase word.
    #[error("`{0}` is not a scheme: use lowercase letters, digits, `+`, `-` and `.`")]
    Scheme(String),
}

/// The name of an entry within its scope.
///
/// Invariant: not empty, at most [`MAX_PATH_CHARS`] characters, no control characters, and the part
/// before `://` is a scheme. A path without `://` names a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryPath(String);

impl EntryPath {
    /// Validates and wraps a path.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        let chars = text.chars().count();
        if chars > MAX_PATH_CHARS {
            return Err(PathError::TooLong(chars));
        }
        if text.chars().any(char::is_control) {
            return Err(PathError::Control);
        }
        if let Some((scheme, _)) = text.split_once("://")
            && !is_scheme(scheme)
        {
            return Err(PathError::Scheme(scheme.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Builds `scheme://a/b?if=condition`, each part percent-encoded.
    pub fn from_parts(scheme: &str, parts: &[&str], condition: Option<&str>) -> Result<Self, PathError> {
        let mut text = format!("{scheme}://");
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push('/');
            }
            text.extend(utf8_percent_encode(part, ENCODED_IN_PART));
        }
        if let Some(condition) = condition {
            text.push_str("?if=");
            text.extend(utf8_percent_encode(condition, ENCODED_IN_PART));
        }
        Self::parse(&text)
    }

    /// The scheme, or `file` for a bare path.
    pub fn scheme(&self) -> &str {
        self.0.split_once("://").map_or("file", |(scheme, _)| scheme)
    }

    /// The decoded parts after the scheme, without the condition; a bare path is one part.
    pub fn parts(&self) -> Vec<String> {
        let Some((_, rest)) = self.0.split_once("://") else {
            return vec![self.0.clone()];
        };
        let rest = rest.split_once("?if=").map_or(rest, |(before, _)| before);
        rest.split('/').map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'_'))
}

// An action is recorded under `log://turn_N/<action>/<slug>`. What it prints goes to channels of
// its own, `<action>://turn_N/<slug>_1` and on: records and data never share a scheme.

/// The path of the record of an action.
pub fn action_path(turn: u32, action: &str, target: &str) -> Result<EntryPath, PathError> {
    EntryPath::parse(&format!("log://turn_{turn}/{action}/{}", slug(target)))
}

/// Whether a path is one of those under which the actions of a turn are recorded.
pub fn is_of_turn(path: &EntryPath) -> bool {
    let turn = path.as_str().strip_prefix("log://turn_").and_then(|rest| rest.split('/').next());
    turn.is_some_and(|turn| !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The path of a channel of an action: 1 is the main output, 2 is errors, further ones are free.
/// `None` if the path is not the record of an action.
pub fn channel_path(record: &EntryPath, channel: u32) -> Option<EntryPath> {
    let rest = record.as_str().strip_prefix("log://")?;
    let (turn, rest) = rest.split_once('/')?;
    let (action, slug) = rest.split_once('/')?;
    turn.strip_prefix("turn_")?.parse::<u32>().ok()?;
    EntryPath::parse(&format!("{action}://{turn}/{slug}_{channel}")).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hint_path_keeps_its_parts() {
        let path =
            EntryPath::from_parts("hint", &["http proxy", "env/FEATURE?X"], Some("ab12")).expect("valid");
        assert_eq!(path.as_str(), "hint://http%20proxy/env%2FFEATURE%3FX?if=ab12");
        assert_eq!(path.scheme(), "hint");
        assert_eq!(path.parts(), ["http proxy", "env/FEATURE?X"]);
    }

    #[test]
    fn a_bare_path_is_a_file() {
        assert_eq!(EntryPath::parse("src/main.rs").expect("valid").scheme(), "file");
    }

    #[test]
    fn refuses_what_no_entry_can_be_called() {
        assert_eq!(EntryPath::parse(""), Err(PathError::Empty));
        assert_eq!(EntryPath::parse("a\nb"), Err(PathError::Control));
        assert!(matches!(EntryPath::parse("Hint://a"), Err(PathError::Scheme(_))));
        assert!(matches!(EntryPath::parse(&"x".repeat(2049)), Err(PathError::TooLong(2049))));
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in ".{0,200}") {
            let _ = EntryPath::parse(&text);
        }

        #[test]
        fn parts_survive_encoding(component in "[^\\p{C}]{1,40}", key in "[^\\p{C}]{1,40}") {
            let path = EntryPath::from_parts("hint", &[&component, &key], None).expect("printable parts are valid");
            prop_assert_eq!(path.parts(), vec![component, key]);
        }
    }

    #[test]
    fn records_of_turns_are_known_by_their_paths() {
        let is = |path: &str| is_of_turn(&EntryPath::parse(path).expect("a path"));
        assert!(is("log://turn_1/set/a") && is("log://turn_99999999999/a") && is("log://turn_0"));
        assert!(!is("log://turn_/a") && !is("log://turn_x/a") && !is("log://notes") && !is("sh://turn_1/a"));
    }

    #[test]
    fn channels_follow_from_the_record() {
        let record = action_path(3, "sh", "cargo test --all").expect("a path");
        assert_eq!(record.as_str(), "log://turn_3/sh/cargo_test_--all");
        let channel = |number| channel_path(&record, number).expect("a channel");
        assert_eq!(channel(1).as_str(), "sh://turn_3/cargo_test_--all_1");
        assert_eq!(channel(2).scheme(), "sh");
        assert_eq!(channel_path(&EntryPath::parse("known://a/b").expect("a path"), 1), None);
    }
}
