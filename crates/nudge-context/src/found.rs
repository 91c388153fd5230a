//! What a search for a prompt's words found, and what decided whether to say so.

use nudge_core::text::age;
use nudge_core::{EntryId, Timestamp};

use crate::clean::{clean, quoted};
use crate::fragment::Where;
use crate::naming::path_named;

/// How much of an entry is shown, and of a path, in characters.
const TEXT: usize = 330;
const PATH: usize = 60;

/// How many of the shared words are named, and how long one may be.
const SHARED: usize = 4;
const WORD: usize = 30;

/// An entry that has words of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The entry.
    pub entry: EntryId,
    /// When it happened.
    pub at: Timestamp,
    /// What it is, in words: `asked`, `the agent concluded`, `ran`.
    pub what: &'static str,
    /// Who said so, where somebody did.
    pub by: Option<&'static str>,
    /// The piece of it that has most of the words.
    pub text: String,
    /// The file it is about.
    pub file: Option<String>,
    /// Where it happened.
    pub place: Where,
    /// The rarest words that it shares with the prompt.
    pub shared: Vec<String>,
    /// Why it must not be shown now.
    pub withheld: Option<&'static str>,
}

impl Found {
    /// `- [3d ago] asked: "…" (shares: a, b) #12`
    pub(crate) fn line(&self, now: Timestamp) -> String {
        let file = self.file.as_deref().map(|file| format!(" in {}", path_named(file, PATH)));
        let shared: Vec<String> = self.shared.iter().take(SHARED).map(|word| clean(word, WORD)).collect();
        format!(
            "- [{}]{} {}{}{}: \"{}\" (shares: {}) #{}\n",
            age(self.at, now),
            self.place.label(),
            self.what,
            self.by.map_or_else(String::new, |by| format!(" by {by}")),
            file.unwrap_or_default(),
            quoted(&self.text, TEXT),
            shared.join(", "),
            self.entry.0
        )
    }
}

/// Whether what was found is worth saying, and what that was decided by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Whether it is.
    pub speaks: bool,
    /// How sure that is, from 0 to 1.
    pub score: f32,
    /// From which score on something is said.
    pub least: f32,
    /// What the score was made of, each with its name and its value.
    pub features: Vec<(&'static str, f32)>,
}
