//! Search: finds captured text by its words.

mod wire;

use std::collections::{BTreeMap, HashMap, HashSet};

use nudge_context::FoundResult;
use nudge_core::tokens::{self, Tokens};
use nudge_core::{EntryId, Fault, FaultKind};
use nudge_index::{
    Filters, Finder, Hit, HitRequest, Hits, Index, IndexError, Order, Page, Query, QueryError, SourceError,
};
use nudge_store::DocumentKind;
use serde::Serialize;

use super::place::{Asked, ProjectParam};
use super::session_trace::session_called;
use super::source::{EntryKind, FAINT_KINDS, Snapshot};
use super::unindexed::{self, UnindexedMatch};
use super::update_index::LONG_TAIL;
use crate::caller::Surface;
use crate::failures;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::observation::{EntryLookup, Observation, preview};
use crate::recall::snippet::{ROW_CHARS, Snippet, SnippetSource, part_of_result, snippet};
use crate::recall::source::{HINT, PROMPT, STATEMENT, SUMMARY};
use crate::sessions::call_session;
use crate::sessions::turns;

pub use wire::{Mode, OrderBy, RowAnswer, SearchAnswer, SearchParams, SearchRow, Withheld};

/// How many results are returned by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;

const MAX_LIMIT: i64 = 100;

/// The most tokens of an answer to an agent that sets no limit.
const MAX_TOKENS: u32 = 1_500;

/// The largest offset. Nobody reads that far, and every page costs as much as all pages before it.
const MAX_OFFSET: i64 = 10_000;

/// An unreadable query of at most this many words is a syntax error; a longer one is treated as
/// plain text.
const MAX_WORDS_TO_REJECT: usize = 2;

/// The limit for counting withheld hits: beyond it they are "many", because counting would take
/// longer than searching.
const MAX_COUNTED_WITHHELD: usize = 100;

/// The `search` operation.
pub struct Search;

impl Op for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search memory";
    const DOC: &'static str = "Search what was done and stated before: commands, errors, edits, prompts, \
        commits, statements, hints.";
    const REFERENCE: &'static str = "Search captured work, statements and hints in the current project. \
        Rows are short; `get_observations` returns the whole entries.";
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Default;
    type Params = SearchParams;
    type Answer = SearchAnswer;

    fn run(ctx: &OpContext<'_>, params: SearchParams) -> Result<SearchAnswer, Fault> {
        // Pin the index before the store is read: an index that is ahead of the store could not be
        // used.
        let index = ctx.index().pinned();
        let order = match params.order_by {
            None | Some(OrderBy::Relevance) => Order::Relevance,
            Some(OrderBy::Blended) => Order::Blended,
        };
        let page = page(&params)?;
        let Some(query) = read(&params)? else { return Ok(nothing()) };
        let asked = Asked::for_list(ctx, &params.project)?;
        let Some(filters) = filters(ctx, &params)? else { return Ok(nothing()) };
        let unindexed = unindexed::found(ctx, &asked, params.project == ProjectParam::Here)?;
        let documents = unindexed.iter().map(|found| found.document.clone()).collect();
        let source = Snapshot::new(ctx.store(), documents)?;
        let own = own_session(ctx, params.session.as_deref())?;
        let search = SearchRun { ctx, index, query, filters, source, unindexed, own };
        let answer = search.answer(&asked, order, page)?;
        let is_short = ctx.caller.surface == Surface::Mcp && params.limit.is_none();
        if is_short { search.shortened(answer, &asked, order, page) } else { Ok(answer) }
    }
}

/// One search in progress.
struct SearchRun<'d> {
    ctx: &'d OpContext<'d>,
    index: Index,
    query: Query,
    filters: Filters,
    source: Snapshot<'d>,
    unindexed: Vec<UnindexedMatch>,
    /// The asking agent's own session, which is left out.
    own: Option<i64>,
}

impl SearchRun<'_> {
    fn answer(&self, asked: &Asked, order: Order, page: Page) -> Result<SearchAnswer, Fault> {
        let (scopes, closed) = self.allowed_scopes(asked)?;
        let is_somewhere = *asked == Asked::All || !scopes.is_empty();
        let filters = self.filters_in(&scopes, &closed);
        // A place without entries has no results; those of other places are still counted.
        let page = if is_somewhere { page } else { Page { limit: 0, offset: 0 } };
        let now = self.ctx.now().as_millis();
        // One more than asked for shows whether there are more.
        let further = Page { limit: page.limit + usize::from(is_somewhere), ..page };
        let mut hits =
            self.index.search(&self.source, &self.query, &filters, order, further, now).map_err(failed)?;
        let more = hits.hits.len() > page.limit;
        hits.hits.truncate(page.limit);
        self.ctx.saw_tail(hits.scanned);
        let elsewhere = scopes.into_iter().chain(closed).collect();
        let withheld = if *asked == Asked::All { None } else { self.withheld(&hits, elsewhere)? };
        let own_session = self.left_out(&hits, &filters)?;
        let did_you_mean = if is_somewhere && (hits.is_relaxed || hits.hits.is_empty()) {
            self.nearest(&filters)?
        } else {
            BTreeMap::new()
        };
        let results = self.rows(&hits, *asked == Asked::All)?;
        Ok(SearchAnswer {
            results,
            withheld,
            own_session,
            did_you_mean,
            relaxed: hits.is_relaxed,
            more,
            ..nothing()
        })
    }

    /// As many rows as an agent should pay for without asking, and how to get the others. Rows
    /// change places within a page, so a shorter page is searched for instead of cutting this one.
    fn shortened(
        &self,
        whole: SearchAnswer,
        asked: &Asked,
        order: Order,
        mut page: Page,
    ) -> Result<SearchAnswer, Fault> {
        let (found, at_least) = (whole.results.len(), whole.more);
        page.limit = page.limit.min(found);
        let mut answer = whole;
        loop {
            let Tokens(cost) = estimate(&answer);
            if cost <= MAX_TOKENS || page.limit <= 1 {
                return Ok(answer);
            }
            let fitting = page.limit * MAX_TOKENS as usize / cost as usize;
            page.limit = fitting.clamp(1, page.limit - 1);
            answer = self.answer(asked, order, page)?;
            let count = found.saturating_sub(answer.results.len()) as i64;
            answer.left_out = Some(Withheld { count, at_least });
            answer.next = Some(format!("call search again with offset {}", page.offset + page.limit));
        }
    }

    /// The scopes to search, where empty means all, and those closed to the caller.
    fn allowed_scopes(&self, asked: &Asked) -> Result<(Vec<i64>, Vec<i64>), Fault> {
        let scopes = match asked {
            Asked::In(place) => place.scopes.clone(),
            Asked::All | Asked::Nowhere => Vec::new(),
        };
        let closed = self.ctx.hidden()?.scopes().filter(|scope| !scopes.contains(scope)).collect();
        Ok((scopes, closed))
    }

    /// The filters, within these scopes and outside the asking session.
    fn filters_in(&self, scopes: &[i64], closed: &[i64]) -> Filters {
        Filters {
            projects: scopes.to_vec(),
            other_than: closed.to_vec(),
            other_session: self.own,
            ..self.filters.clone()
        }
    }

    /// The hits of the asking session itself.
    fn left_out(&self, hits: &Hits, filters: &Filters) -> Result<Option<Withheld>, Fault> {
        let Some(own) = self.own else { return Ok(None) };
        let filters = Filters { session: Some(own), other_session: None, ..filters.clone() };
        let count = self
            .index
            .count_like(hits, &self.source, &self.query, &filters, MAX_COUNTED_WITHHELD)
            .map_err(failed)?;
        Ok((count > 0).then_some(Withheld { count: count as i64, at_least: count >= MAX_COUNTED_WITHHELD }))
    }

    /// The closest matches of words that no entry contains.
    fn nearest(&self, filters: &Filters) -> Result<BTreeMap<String, String>, Fault> {
        let near = self.index.nearest(&self.source, &self.query, filters).map_err(failed)?;
        let cleaned = |text: &str| super::observation::preview(text);
        Ok(near.iter().map(|near| (cleaned(&near.typed), cleaned(&near.meant))).collect())
    }

    /// The hits of other projects. They are not counted while there is much to scan, because that
    /// would double the cost.
    fn withheld(&self, hits: &Hits, other_than: Vec<i64>) -> Result<Option<Withheld>, Fault> {
        if hits.scanned > LONG_TAIL {
            return Ok(None);
        }
        let elsewhere = Filters { other_than, ..self.filters.clone() };
        let count = self
            .index
            .count_like(hits, &self.source, &self.query, &elsewhere, MAX_COUNTED_WITHHELD)
            .map_err(failed)?;
        Ok((count > 0).then_some(Withheld { count: count as i64, at_least: count >= MAX_COUNTED_WITHHELD }))
    }
}

fn nothing() -> SearchAnswer {
    SearchAnswer {
        results: Vec::new(),
        withheld: None,
        own_session: None,
        did_you_mean: BTreeMap::new(),
        relaxed: false,
        more: false,
        left_out: None,
        next: None,
    }
}

/// The page asked for. An offset beyond the limit is rejected: returning another page instead would
/// make a caller loop forever.
fn page(params: &SearchParams) -> Result<Page, Fault> {
    let offset = params.offset.unwrap_or(0).max(0);
    if offset > MAX_OFFSET {
        return Err(Fault::invalid("offset", format!("search returns at most {MAX_OFFSET} results"))
            .with("field", "offset")
            .next("narrow the search with more words, a file, a type or a time"));
    }
    Ok(Page {
        limit: params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize,
        offset: offset as usize,
    })
}

/// The query; `None` if it contains no word, so that nothing matches.
fn read(params: &SearchParams) -> Result<Option<Query>, Fault> {
    match params.mode.unwrap_or(Mode::Query) {
        Mode::Text => Ok(Query::of_prompt(&params.query)),
        // Punctuation alone matches nothing; an empty query is an error.
        Mode::Query if !params.query.trim().is_empty() && Query::of_prompt(&params.query).is_none() => {
            Ok(None)
        }
        Mode::Query => match Query::parse(&params.query) {
            // An unreadable query of more than a word or two is treated as plain text.
            Err(_) if params.query.split_whitespace().nth(MAX_WORDS_TO_REJECT).is_some() => {
                Ok(Query::of_prompt(&params.query))
            }
            read => read.map(Some).map_err(|error| malformed(&error)),
        },
        Mode::All => Query::parse_strictly(&params.query).map(Some).map_err(|error| malformed(&error)),
    }
}

/// The asking agent's session: its events are already in the agent's context. A session that was
/// asked for is searched all the same.
fn own_session(ctx: &OpContext<'_>, asked_for: Option<&str>) -> Result<Option<i64>, Fault> {
    if ctx.caller.surface.is_user() || asked_for.is_some() {
        return Ok(None);
    }
    Ok(call_session::stated(ctx)?.and_then(|stated| stated.row).map(|row| row.id.0))
}

/// The filters other than words and project; `None` for a type that does not exist.
fn filters(ctx: &OpContext<'_>, params: &SearchParams) -> Result<Option<Filters>, Fault> {
    let kinds = match params.obs_type.as_deref().map(EntryKind::named) {
        Some(None) => return Ok(None),
        Some(Some(kind)) => kind.numbers(),
        None => Vec::new(),
    };
    let session = match &params.session {
        Some(name) => Some(session_called(ctx, name)?.id.0),
        None => None,
    };
    let millis = |time: Option<i64>| time.map(|seconds| seconds.saturating_mul(1_000));
    Ok(Some(Filters {
        kinds,
        session,
        file: params.file.clone(),
        since: millis(params.since),
        until: millis(params.until),
        faint: FAINT_KINDS.to_vec(),
        ..Filters::default()
    }))
}

fn malformed(error: &QueryError) -> Fault {
    Fault::invalid(Fault::QUERY, format!("cannot read the query: {error}"))
        .with("field", "query")
        .with("at", error.at as i64)
        .next("quote literal text, such as \"a b\"; the operators are AND, OR, NOT")
}

/// The fault says what is wrong with the store, but not what is in it or where it is.
pub(crate) fn failed(error: IndexError) -> Fault {
    match error {
        IndexError::Source(SourceError::Store(error)) => match error.downcast::<nudge_store::StoreError>() {
            Ok(error) => Fault::from(*error),
            Err(error) => internal().because(error),
        },
        error => internal().because(error),
    }
}

fn internal() -> Fault {
    Fault::new(FaultKind::Internal, "search_failed", "the search failed").next("run `nudge doctor`")
}

// Searches by other operations: the best entries of some kinds, and the words they share with a
// text.

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
    /// For a request: what came of it.
    pub(crate) result: Option<FoundResult>,
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
        let unindexed = unindexed::found(ctx, &asked, project.is_here())?;
        let documents = unindexed.iter().map(|found| found.document.clone()).collect();
        let source = Snapshot::new(ctx.store(), documents)?;
        let own = own_session(ctx, None)?;
        let filters = Filters { faint: FAINT_KINDS.to_vec(), ..Filters::default() };
        let looking = SearchRun { ctx, index, query, filters, source, unindexed, own };
        Ok(Some(Self { looking, asked }))
    }

    /// The best entries of these kinds, with this many characters of each.
    pub(crate) fn best(&self, names: &[&str], limit: usize, room: usize) -> Result<Vec<Match>, Fault> {
        if self.asked == Asked::Nowhere {
            return Ok(Vec::new());
        }
        let looking = &self.looking;
        let (scopes, closed) = looking.allowed_scopes(&self.asked)?;
        let kinds = names.iter().filter_map(|name| EntryKind::named(name)).map(|kind| kind.number).collect();
        let filters = Filters { kinds, ..looking.filters_in(&scopes, &closed) };
        let page = Page { limit, offset: 0 };
        let now = looking.ctx.now().as_millis();
        let hits = looking
            .index
            .search(&looking.source, &looking.query, &filters, Order::Relevance, page, now)
            .map_err(failed)?;
        let unindexed: HashMap<i64, &Observation> =
            looking.unindexed.iter().map(|found| (found.entry.id, &found.entry)).collect();
        let lookup = EntryLookup::of(looking.ctx)?;
        let mut finder = Finder::of(&looking.query);
        let mut best = Vec::new();
        for hit in &hits.hits {
            let entry = match unindexed.get(&hit.id) {
                Some(found) => Some((*found).clone()),
                None => looking.stored(&lookup, hit)?,
            };
            let Some(entry) = entry else { continue };
            let is_failure = entry.obs_type == "command_error";
            let source = SnippetSource { text: &entry.content, facts: &entry.metadata, is_failure };
            let text = snippet(source, room, &mut finder).text;
            let result = match entry.obs_type == PROMPT.name {
                true => turns::conclusion_about(looking.ctx.store(), EntryId(entry.id), room)?,
                false => None,
            };
            let shared = shared_words(hit, &hits.sought);
            best.push(Match { text, shared, covered: hit.covered, result, entry });
        }
        Ok(best)
    }
}

/// The statements and hints that apply in the project asked about, newest first.
pub(crate) fn stated_entries(ctx: &OpContext<'_>, project: &ProjectParam) -> Result<Vec<Observation>, Fault> {
    let asked = Asked::for_list(ctx, project)?;
    let mut found: Vec<Observation> =
        unindexed::found(ctx, &asked, project.is_here())?.into_iter().map(|found| found.entry).collect();
    debug_assert!(found.iter().all(|entry| [HINT.name, STATEMENT.name].contains(&entry.obs_type.as_str())));
    found.sort_by_key(|entry| std::cmp::Reverse((entry.timestamp, entry.id)));
    Ok(found)
}

/// The words that an entry shares with a text, rarest first.
pub(crate) fn shared_words(hit: &Hit, sought: &[HitRequest]) -> Vec<String> {
    let mut shared: Vec<&HitRequest> = hit.has.iter().filter_map(|place| sought.get(*place)).collect();
    shared.sort_by(|a, b| b.rarity.total_cmp(&a.rarity));
    shared.into_iter().map(|word| word.label.clone()).collect()
}

// Turns hits into rows: entries as they are in the store now, with the text around the words.

/// How much of what came of a request is shown, in characters.
const MAX_ANSWER_CHARS: usize = 240;

/// What is left of the score of a request that nothing is known to have come of: it only repeats
/// the question.
const UNANSWERED: f64 = 0.6;

/// For how many failed commands the next steps are looked up.
const MAX_FOLLOWED: usize = 5;

impl SearchRun<'_> {
    /// The rows of hits, in order; hits that are gone or closed are left out.
    pub(super) fn rows(&self, hits: &Hits, names_project: bool) -> Result<Vec<SearchRow>, Fault> {
        let unindexed: HashMap<i64, &Observation> =
            self.unindexed.iter().map(|found| (found.entry.id, &found.entry)).collect();
        let lookup = EntryLookup::of(self.ctx)?;
        let mut finder = Finder::of(&self.query);
        // A sentence need not match with every word.
        let has_few_words = hits.hits.iter().any(|hit| hit.has_all) && self.query.expects_all();
        let mut failed = 0;
        let mut rows: Vec<(f64, SearchRow)> = Vec::with_capacity(hits.hits.len());
        // The place of each among the other rows, and its score.
        let mut unanswered: Vec<(usize, f64, SearchRow)> = Vec::new();
        for hit in &hits.hits {
            let entry = match unindexed.get(&hit.id) {
                Some(found) => Some((*found).clone()),
                None => self.stored(&lookup, hit)?,
            };
            let Some(mut entry) = entry else { continue };
            let source = SnippetSource {
                text: &entry.content,
                facts: &entry.metadata,
                is_failure: entry.obs_type == "command_error",
            };
            let Snippet { text, line } = snippet(source, ROW_CHARS, &mut finder);
            let tokens = cost(&entry);
            let is_asked = source.is_failure && failed < MAX_FOLLOWED;
            let followed = if is_asked { self.followed(entry.id)? } else { None };
            failed += usize::from(source.is_failure);
            entry.project = entry.project.filter(|_| names_project);
            let is_request = entry.obs_type == PROMPT.name;
            let answer = if is_request { self.answer_of(entry.id, &mut finder)? } else { None };
            let is_unanswered = is_request && answer.is_none();
            let row = SearchRow {
                answer,
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
            };
            if is_unanswered {
                unanswered.push((rows.len(), hit.score, row))
            } else {
                rows.push((hit.score, row))
            }
        }
        for (least, score, row) in unanswered {
            let is_after = |(other, one): &(f64, SearchRow)| {
                one.partial && !row.partial || one.partial == row.partial && *other < score * UNANSWERED
            };
            let after = rows.iter().position(is_after).unwrap_or(rows.len());
            rows.insert(after.max(least).min(rows.len()), (score * UNANSWERED, row));
        }
        Ok(one_row_per_turn(rows.into_iter().map(|(_, row)| row).collect()))
    }

    /// What came of a request: the part of it that the query is about.
    fn answer_of(&self, prompt: i64, finder: &mut Finder<'_>) -> Result<Option<RowAnswer>, Fault> {
        let result = turns::result_of(self.ctx.store(), EntryId(prompt))?;
        Ok(result.map(|whole| {
            let text = part_of_result(&whole, MAX_ANSWER_CHARS, finder).text;
            RowAnswer { id: whole.entry.0, text: preview(&text) }
        }))
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

/// Leaves out what an earlier row shows: the conclusion beside its request, or the request of a
/// conclusion, and the summary of a session with a request or a conclusion among the rows.
fn one_row_per_turn(rows: Vec<SearchRow>) -> Vec<SearchRow> {
    let is_of_turn = |row: &SearchRow| {
        row.answer.is_some() || row.obs_type == nudge_core::ObservationKind::Conclusion.name()
    };
    let covered: HashSet<String> =
        rows.iter().filter(|row| is_of_turn(row)).filter_map(|row| row.session_id.clone()).collect();
    let mut shown = HashSet::new();
    rows.into_iter()
        .filter(|row| {
            let is_summary = row.obs_type == SUMMARY.name;
            let is_covered = row.session_id.as_ref().is_some_and(|session| covered.contains(session));
            let own = row.answer.as_ref().map_or(row.id, |answer| answer.id);
            !(is_summary && is_covered) && shown.insert(own)
        })
        .collect()
}

/// The cost of the entry in `get_observations`.
fn cost(entry: &Observation) -> i64 {
    let Tokens(tokens) = estimate(entry);
    i64::from(tokens)
}

/// The cost of a value as JSON.
fn estimate<T: Serialize>(value: &T) -> Tokens {
    tokens::estimate(&serde_json::to_string(value).unwrap_or_default())
}
