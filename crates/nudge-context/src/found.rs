//! What a search for the words of a prompt found, and whether it is worth showing.

use nudge_core::text::age;
use nudge_core::{EntryId, Timestamp};

use crate::clean::{clean, quoted};
use crate::fragment::RelativePlace;
use crate::naming::path_named;

/// How much of an entry and of a path is shown, in characters.
const MAX_TEXT_CHARS: usize = 330;
const MAX_PATH_CHARS: usize = 60;

/// How much of a request is shown beside what came of it, in characters.
const MAX_REQUEST_CHARS: usize = 240;

/// How many shared words are named, and how long one may be.
const MAX_SHARED_WORDS: usize = 4;
const MAX_WORD_CHARS: usize = 30;

/// An entry with words of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The entry.
    pub entry: EntryId,
    /// When it happened.
    pub at: Timestamp,
    /// Its kind in words: `asked`, `the agent concluded`, `ran`.
    pub what: &'static str,
    /// Who said it; `None` if nobody did.
    pub by: Option<&'static str>,
    /// The part of it with most of the words.
    pub text: String,
    /// For a request, what came of it.
    pub result: Option<FoundResult>,
    /// What has changed since of what it is about, or of what its result is about.
    pub drift: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
    /// Where it happened.
    pub place: RelativePlace,
    /// The rarest words that it shares with the prompt.
    pub shared: Vec<String>,
    /// Why it must not be shown now; `None` if it may be.
    pub withheld: Option<&'static str>,
    /// The chance that it helps, as a multiple of the least one that is enough to inject something.
    pub margin: f32,
    /// The inputs of the chance, each with its name and its value.
    pub features: Vec<(&'static str, f32)>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundResult {
    /// The entry.
    pub entry: EntryId,
    /// Its kind in words: `the agent concluded`, `committed`.
    pub what: &'static str,
    /// The text.
    pub text: String,
}

impl Found {
    /// `- [3d ago] ran: "…" (shares: a, b) #12`; of a request, what came of it first:
    /// `- [3d ago] the agent concluded: "…" (a.rs changed since) #14; asked: "…" (shares: a) #12`
    pub fn line(&self, now: Timestamp) -> String {
        let drift = self.drift.as_deref().map_or_else(String::new, |drift| {
            format!(" ({})", quoted(drift, MAX_PATH_CHARS + 20).replace(['(', ')'], ""))
        });
        let result = self.result.as_ref().map_or_else(String::new, |result| {
            let text = quoted(&result.text, MAX_TEXT_CHARS);
            format!("{}: \"{text}\"{drift} #{}; ", result.what, result.entry.0)
        });
        let drift = if self.result.is_some() { "" } else { &drift };
        let most = if self.result.is_some() { MAX_REQUEST_CHARS } else { MAX_TEXT_CHARS };
        let file = self.file.as_deref().map(|file| format!(" in {}", path_named(file, MAX_PATH_CHARS)));
        let shared: Vec<String> =
            self.shared.iter().take(MAX_SHARED_WORDS).map(|word| clean(word, MAX_WORD_CHARS)).collect();
        format!(
            "- [{}]{} {result}{}{}{}: \"{}\"{drift} (shares: {}) #{}\n",
            age(self.at, now),
            self.place.label(),
            self.what,
            self.by.map_or_else(String::new, |by| format!(" by {by}")),
            file.unwrap_or_default(),
            quoted(&self.text, most),
            shared.join(", "),
            self.entry.0
        )
    }
}

/// Whether the search results are worth showing, and the basis of that decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Whether they are.
    pub speaks: bool,
    /// The chance that the best of them helps, from 0 to 1.
    pub score: f32,
    /// The least chance at which something is shown.
    pub least: f32,
    /// The inputs of the score, each with its name and its value.
    pub features: Vec<(&'static str, f32)>,
}
