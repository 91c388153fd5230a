//! The two commands that programs run thousands of times a day: `nudge hook` and `nudge record`.
//!
//! They are detected before the whole command line is parsed, because parsing costs more than all
//! of their work. Any other form goes through the parser like every other command, and ends in the
//! same code.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use crate::exit::Exit;
use crate::{hook, record};

/// A command that runs without the parser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FastPath {
    /// `nudge hook <harness>`. The name may be anything, or missing.
    Hook {
        /// The name of the agent.
        harness: String,
        /// `--home`.
        home: Option<PathBuf>,
    },
    /// `nudge record`.
    Record {
        /// Whether `--format typed` was given.
        typed: bool,
        /// `--home`.
        home: Option<PathBuf>,
    },
}

impl FastPath {
    /// The command in these words; `None` if the parser must decide.
    pub(crate) fn asked(words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut home = None;
        let mut plain: Vec<String> = Vec::with_capacity(4);
        let mut words = words;
        while let Some(word) = words.next() {
            if word == "--home" {
                // A hook does not report a missing value, because an error would stop its agent.
                match words.next() {
                    Some(path) => home = Some(PathBuf::from(path)),
                    None if plain.first().is_some_and(|first| first == "hook") => {}
                    None => return None,
                }
                continue;
            }
            // Our own words are valid UTF-8, so a lossy conversion does no harm.
            let word = word.to_string_lossy().into_owned();
            match word.strip_prefix("--home=") {
                Some(path) => home = Some(PathBuf::from(path)),
                None => plain.push(word),
            }
            if plain.first().is_some_and(|first| first != "hook" && first != "record") {
                return None;
            }
        }
        if plain.iter().any(|word| word == "--help" || word == "-h") {
            return None;
        }
        let mut plain = plain.into_iter();
        match plain.next()?.as_str() {
            "hook" => Some(Self::Hook {
                harness: plain.find(|word| !word.starts_with('-')).unwrap_or_default(),
                home,
            }),
            "record" => Some(Self::Record { typed: typed(&plain.collect::<Vec<_>>())?, home }),
            _ => None,
        }
    }

    /// Runs the command; `None` if the parser must handle it.
    pub(crate) fn run(self, began: Instant) -> Option<Exit> {
        match self {
            // A user who types `nudge hook` alone wants to see the arguments.
            Self::Hook { harness, .. } if harness.is_empty() && std::io::stdin().is_terminal() => None,
            Self::Hook { harness, home } => Some(hook::run(&harness, home.as_deref(), began)),
            Self::Record { typed, home } => Some(record::run(typed, home.as_deref(), began)),
        }
    }
}

/// Whether the answer is in typed format; `None` if only the parser can decide.
fn typed(words: &[String]) -> Option<bool> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["--format", "plain"] | ["--format=plain"] => Some(false),
        ["--format", "typed"] | ["--format=typed"] => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Option<FastPath> {
        FastPath::asked(words.split_whitespace().map(OsString::from))
    }

    fn hook(harness: &str, home: Option<&str>) -> Option<FastPath> {
        Some(FastPath::Hook { harness: harness.to_owned(), home: home.map(PathBuf::from) })
    }

    #[test]
    fn plain_words_take_the_fast_path() {
        assert_eq!(asked("hook claude"), hook("claude", None));
        assert_eq!(asked("--home /m hook codex"), hook("codex", Some("/m")));
        assert_eq!(asked("hook codex --home=/m"), hook("codex", Some("/m")));
        assert_eq!(asked("hook --unheard-of codex"), hook("codex", None));
        assert_eq!(asked("hook"), hook("", None));
        assert_eq!(asked("hook claude --home"), hook("claude", None));
        assert_eq!(asked("record"), Some(FastPath::Record { typed: false, home: None }));
        assert_eq!(
            asked("--home /m record --format typed"),
            Some(FastPath::Record { typed: true, home: Some("/m".into()) })
        );
    }

    #[test]
    fn everything_else_goes_the_usual_way() {
        for words in [
            "",
            "get a b",
            "hook claude --help",
            "record -h",
            "record --format xml",
            "--json hook claude",
            "--home",
        ] {
            assert_eq!(asked(words), None, "{words}");
        }
    }
}
