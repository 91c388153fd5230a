//! Turns hits into rows: entries as they are in the store now, with the text around the words.

use std::collections::HashMap;

use nudge_core::tokens::{self, Tokens};
use nudge_core::{EntryId, Fault};
use nudge_index::{Finder, Hit, Hits};
use nudge_store::DocumentKind;

use super::SearchRun;
use super::wire::SearchRow;
use crate::failures;
use crate::recall::observation::{EntryLookup, Observation};
use crate::recall::preview::preview;
use crate::recall::snippet::{ROW, Snippet, SnippetSource, snippet};

/// For how many failed commands the next steps are looked up.
const FOLLOWED: usize = 5;

impl SearchRun<'_> {
    /// The rows of hits, in order; hits that are gone or closed are left out.
    pub(super) fn rows(&self, hits: &Hits, names_project: bool) -> Result<Vec<SearchRow>, Fault> {
        let asides: HashMap<i64, &Observation> =
            self.asides.iter().map(|aside| (aside.entry.id, &aside.entry)).collect();
        let lookup = EntryLookup::of(self.ctx)?;
        let mut finder = Finder::of(&self.query);
        // A sentence need not match with every word.
        let has_few_words = hits.hits.iter().any(|hit| hit.has_all) && self.query.expects_all();
        let mut failed = 0;
        let mut rows = Vec::with_capacity(hits.hits.len());
        for hit in &hits.hits {
            let entry = match asides.get(&hit.id) {
                Some(aside) => Some((*aside).clone()),
                None => self.stored(&lookup, hit)?,
            };
            let Some(mut entry) = entry else { continue };
            let source = SnippetSource {
                text: &entry.content,
                facts: &entry.metadata,
                is_failure: entry.obs_type == "command_error",
            };
            let Snippet { text, line } = snippet(source, ROW, &mut finder);
            let tokens = cost(&entry);
            let is_asked = source.is_failure && failed < FOLLOWED;
            let followed = if is_asked { self.followed(entry.id)? } else { None };
            failed += usize::from(source.is_failure);
            entry.project = entry.project.filter(|_| names_project);
            rows.push(SearchRow {
                id: entry.id,
                timestamp: entry.timestamp,
                at: entry.at,
                obs_type: entry.obs_type,
                content_preview: text,
                line: line.and_then(|line| i64::try_from(line).ok()),
                partial: has_few_words && !hit.has_all,
                file_path: entry.file_path,
                session_id: entry.session_id,
                project: entry.project,
                stated_by: entry.stated_by,
                followed,
                why: preview(&hit.matched.join(", ")),
                tokens,
            });
        }
        Ok(rows)
    }

    /// What followed a failed command.
    fn followed(&self, entry: i64) -> Result<Option<String>, Fault> {
        failures::followed(self.ctx.store(), EntryId(entry), self.ctx.now())
    }

    /// The entry as it is now.
    pub(super) fn stored(&self, lookup: &EntryLookup<'_>, hit: &Hit) -> Result<Option<Observation>, Fault> {
        let Some(found) = self.ctx.store().found_rows(&[EntryId(hit.id)])?.pop() else { return Ok(None) };
        let Some(mut entry) = lookup.observation(found.id)? else { return Ok(None) };
        // A prompt's kind already says that the user spoke, unless someone else did.
        let is_plain = matches!(found.kind, DocumentKind::Prompt(_));
        entry.stated_by = entry.stated_by.filter(|by| !(is_plain && by.starts_with("the person")));
        Ok(Some(entry))
    }
}

/// The cost of the entry in `get_observations`.
fn cost(entry: &Observation) -> i64 {
    let given = serde_json::to_string(entry).unwrap_or_default();
    let Tokens(tokens) = tokens::estimate(&given);
    i64::from(tokens)
}
