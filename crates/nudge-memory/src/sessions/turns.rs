//! What came of a request: the conclusion that answers it, or the commit that was made for it.

use nudge_context::FoundResult;
use nudge_core::text::gist;
use nudge_core::{EntryId, Fault};
use nudge_store::{Conclusion, Reader, RecentPrompt};
use serde_json::{Map, Value};

use super::summary::keywords;

/// How many further prompts of the same request are followed: "yes", "go on".
const MAX_FOLLOWED: u32 = 4;

/// How much of a conclusion is checked for content, in characters.
const CHECKED_CHARS: usize = 240;

/// Scripts without spaces have few words, so for them this many characters say what is wanted.
const MIN_CHARS_WITHOUT_SPACES: usize = 6;

/// Begins of prompts that only let the agent continue, in lower case.
const CONTINUES: [&str; 6] = ["go on", "go ahead", "carry on", "continue", "keep going", "proceed"];

/// Whether a prompt says what is wanted: "yes" and "go on" do not.
pub(crate) fn is_request(text: &str) -> bool {
    let begin = text.trim_start().to_lowercase();
    !CONTINUES.iter().any(|word| begin.starts_with(word)) && has_content(text)
}

fn has_content(text: &str) -> bool {
    keywords(text).len() > 1
        || text.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).count() > MIN_CHARS_WITHOUT_SPACES
}

/// Whether a conclusion says anything.
pub(crate) fn says_something(conclusion: &str) -> bool {
    !gist(conclusion, CHECKED_CHARS).is_empty()
}

/// What the agent concluded about a request: the last conclusion before the user asked for
/// something else. `None` if the agent came to none.
pub(crate) fn answer_to(reader: &Reader<'_>, request: &RecentPrompt) -> Result<Option<Conclusion>, Fault> {
    let mut answer = conclusion(reader, request)?;
    for next in reader.prompts_after(request, MAX_FOLLOWED)? {
        if is_request(&next.text) || next.project != request.project {
            break;
        }
        answer = conclusion(reader, &next)?.or(answer);
    }
    Ok(answer)
}

fn conclusion(reader: &Reader<'_>, prompt: &RecentPrompt) -> Result<Option<Conclusion>, Fault> {
    Ok(reader.conclusion_of(prompt.entry)?.filter(|conclusion| says_something(&conclusion.text)))
}

/// What the agent concluded about a request, in at most `most` characters.
pub(crate) fn conclusion_about(
    reader: &Reader<'_>,
    prompt: EntryId,
    most: usize,
) -> Result<Option<FoundResult>, Fault> {
    Ok(whole_conclusion(reader, prompt)?.map(|whole| whole.gist(most)))
}

fn whole_conclusion(reader: &Reader<'_>, prompt: EntryId) -> Result<Option<WholeResult>, Fault> {
    let Some(prompt) = reader.recent_prompt(prompt)? else { return Ok(None) };
    let answer = answer_to(reader, &prompt)?;
    Ok(answer.map(|conclusion| WholeResult {
        entry: conclusion.entry,
        what: CONCLUDED,
        text: conclusion.text,
        attributes: conclusion.attributes,
    }))
}

/// What came of a request, in full.
pub(crate) struct WholeResult {
    pub(crate) entry: EntryId,
    pub(crate) what: &'static str,
    pub(crate) text: String,
    /// Its attributes; none for a commit, which does not become untrue.
    pub(crate) attributes: Map<String, Value>,
}

impl WholeResult {
    /// Of a conclusion what it says, in at most `most` characters; a commit's message as it is.
    pub(crate) fn gist(&self, most: usize) -> FoundResult {
        let text = if self.what == CONCLUDED { gist(&self.text, most) } else { self.text.clone() };
        FoundResult { entry: self.entry, what: self.what, text }
    }
}

const CONCLUDED: &str = "the agent concluded";

/// What came of a request: a conclusion, else the last commit.
pub(crate) fn result_of(reader: &Reader<'_>, prompt: EntryId) -> Result<Option<WholeResult>, Fault> {
    let concluded = whole_conclusion(reader, prompt)?;
    if concluded.is_some() {
        return Ok(concluded);
    }
    let commit = reader.commit_of(prompt)?;
    Ok(commit.map(|commit| WholeResult {
        entry: commit.entry,
        what: "committed",
        text: commit.text,
        attributes: Map::new(),
    }))
}
