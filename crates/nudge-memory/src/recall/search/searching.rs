//! Searches by other operations: the best entries of some kinds, and the words they share with a
//! text.

use std::collections::HashMap;

use nudge_core::Fault;
use nudge_index::{Filters, Finder, Hit, HitRequest, Order, Page, Query};

use super::{FAINT, SearchRun, failed, own_session};
use crate::operation::OpContext;
use crate::recall::kind_filter::{EntryKind, HINT, STATEMENT};
use crate::recall::observation::{EntryLookup, Observation};
use crate::recall::place::{Asked, ProjectParam};
use crate::recall::snippet::{SnippetSource, snippet};
use crate::recall::source::Snapshot;
use crate::recall::unindexed;

/// An entry that shares words with the text.
pub(crate) struct Match {
    /// The entry.
    pub(crate) entry: Observation,
    /// The part of it with most of the words.
    pub(crate) text: String,
    /// The shared words, rarest first.
    pub(crate) shared: Vec<String>,
    /// The share of the text's words, weighted by rarity, that it contains.
    pub(crate) covered: f32,
}

/// One text, searched in one kind of entry after another.
pub(crate) struct Searching<'d> {
    looking: SearchRun<'d>,
    asked: Asked,
}

impl<'d> Searching<'d> {
    /// Starts a search for a text's words in the project asked about; `None` for a text without
    /// words.
    pub(crate) fn begin(
        ctx: &'d OpContext<'d>,
        project: &ProjectParam,
        text: &str,
    ) -> Result<Option<Self>, Fault> {
        // Pin the index before the store is read: an index that is ahead of the store could not be
        // used.
        let index = ctx.index().pinned();
        let Some(query) = Query::of_prompt(text) else { return Ok(None) };
        let asked = Asked::for_list(ctx, project)?;
        let asides = unindexed::found(ctx, &asked, project.is_here())?;
        let documents = asides.iter().map(|aside| aside.document.clone()).collect();
        let source = Snapshot::new(ctx.store(), documents)?;
        let own = own_session(ctx, None)?;
        let filters = Filters { faint: FAINT.to_vec(), ..Filters::default() };
        let looking = SearchRun { ctx, index, query, filters, source, asides, own };
        Ok(Some(Self { looking, asked }))
    }

    /// The best entries of these kinds, with this many characters of each.
    pub(crate) fn best(&self, sorts: &[&str], limit: usize, room: usize) -> Result<Vec<Match>, Fault> {
        if self.asked == Asked::Nowhere {
            return Ok(Vec::new());
        }
        let looking = &self.looking;
        let (scopes, closed) = looking.allowed_scopes(&self.asked)?;
        let kinds = sorts.iter().filter_map(|name| EntryKind::named(name)).map(|sort| sort.number).collect();
        let filters = Filters { kinds, ..looking.filters_in(&scopes, &closed) };
        let page = Page { limit, offset: 0 };
        let now = looking.ctx.now().as_millis();
        let hits = looking
            .index
            .search(&looking.source, &looking.query, &filters, Order::Relevance, page, now)
            .map_err(failed)?;
        let asides: HashMap<i64, &Observation> =
            looking.asides.iter().map(|aside| (aside.entry.id, &aside.entry)).collect();
        let lookup = EntryLookup::of(looking.ctx)?;
        let mut finder = Finder::of(&looking.query);
        let mut best = Vec::new();
        for hit in &hits.hits {
            let entry = match asides.get(&hit.id) {
                Some(aside) => Some((*aside).clone()),
                None => looking.stored(&lookup, hit)?,
            };
            let Some(entry) = entry else { continue };
            let is_failure = entry.obs_type == "command_error";
            let source = SnippetSource { text: &entry.content, facts: &entry.metadata, is_failure };
            let text = snippet(source, room, &mut finder).text;
            best.push(Match { text, shared: shared(hit, &hits.sought), covered: hit.covered, entry });
        }
        Ok(best)
    }
}

/// The statements and hints that apply in the project asked about, newest first.
pub(crate) fn stated(ctx: &OpContext<'_>, project: &ProjectParam) -> Result<Vec<Observation>, Fault> {
    let asked = Asked::for_list(ctx, project)?;
    let mut found: Vec<Observation> =
        unindexed::found(ctx, &asked, project.is_here())?.into_iter().map(|aside| aside.entry).collect();
    debug_assert!(found.iter().all(|entry| [HINT.name, STATEMENT.name].contains(&entry.obs_type.as_str())));
    found.sort_by_key(|entry| std::cmp::Reverse((entry.timestamp, entry.id)));
    Ok(found)
}

/// The words that an entry shares with a text, rarest first.
pub(crate) fn shared(hit: &Hit, sought: &[HitRequest]) -> Vec<String> {
    let mut shared: Vec<&HitRequest> = hit.has.iter().filter_map(|place| sought.get(*place)).collect();
    shared.sort_by(|a, b| b.rarity.total_cmp(&a.rarity));
    shared.into_iter().map(|word| word.label.clone()).collect()
}
