//! Search: what was captured, by its words.

mod rows;
mod searching;
mod wire;

use std::collections::BTreeMap;

use nudge_core::{Fault, FaultKind, Tier};
use nudge_index::{Filters, Hits, Index, IndexError, Order, Page, Query, QueryError, SourceError};

use super::beside::{self, Aside};
use super::keep::LONG_TAIL;
use super::kind_filter::{FAINT, Sort};
use super::place::{Asked, ProjectParam};
use super::session_trace::session_called;
use super::source::Snapshot;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::sessions::call_session;
pub(crate) use searching::{Match, Searching, shared, stated};
pub use wire::{Mode, OrderBy, SearchAnswer, SearchParams, SearchRow, Withheld};

/// How many results are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// Nobody turns so many pages; every one of them costs what those before it cost.
const FURTHEST: i64 = 10_000;

/// So few words that cannot be read are a slip in a query; more are a text.
const FEW_WORDS: usize = 2;

/// How far what is withheld is counted: beyond that it is "many", and counting takes longer than searching.
const COUNTED: usize = 100;

/// Searches.
pub struct Search;

impl Op for Search {
    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &["nudge.search"];
    const TITLE: &'static str = "Search memory";
    const DOC: &'static str = "Search commands, errors, edits, prompts, commits, statements, hints. get_observations gives the whole.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Default;
    type Params = SearchParams;
    type Answer = SearchAnswer;

    fn run(ctx: &OpContext<'_>, params: SearchParams) -> Result<SearchAnswer, Fault> {
        // Before the store is looked at: an index that is ahead of what is read could not be used.
        let index = ctx.index().pinned();
        let order = match params.order_by {
            None | Some(OrderBy::Relevance) => Order::Relevance,
            Some(OrderBy::Blended) => Order::Blended,
        };
        let page = page(&params)?;
        let Some(query) = read(&params)? else { return Ok(nothing()) };
        let asked = Asked::for_list(ctx, &params.project)?;
        let Some(filters) = filters(ctx, &params)? else { return Ok(nothing()) };
        let asides = beside::found(ctx, &asked, params.project == ProjectParam::Here)?;
        let documents = asides.iter().map(|aside| aside.document.clone()).collect();
        let source = Snapshot::new(ctx.store(), documents)?;
        let own = own_session(ctx, params.session.as_deref())?;
        let search = Looking { ctx, index, query, filters, source, asides, own };
        search.answer(&asked, order, page)
    }
}

/// One search under way.
struct Looking<'d> {
    ctx: &'d OpContext<'d>,
    index: Index,
    query: Query,
    filters: Filters,
    source: Snapshot<'d>,
    asides: Vec<Aside>,
    /// The asking agent's own session, which is left out.
    own: Option<i64>,
}

impl Looking<'_> {
    fn answer(&self, asked: &Asked, order: Order, page: Page) -> Result<SearchAnswer, Fault> {
        let (scopes, closed) = self.walled(asked)?;
        let is_somewhere = *asked == Asked::All || !scopes.is_empty();
        let filters = self.filters_in(&scopes, &closed);
        // Where nothing was ever kept there is nothing to be found; what other places have is still counted.
        let page = if is_somewhere { page } else { Page { limit: 0, offset: 0 } };
        let now = self.ctx.now().as_millis();
        // One more than asked for tells whether there are more.
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
        Ok(SearchAnswer { results, withheld, own_session, did_you_mean, relaxed: hits.is_relaxed, more })
    }

    /// The scopes to look in, all where there are none, and those that are closed to the caller.
    fn walled(&self, asked: &Asked) -> Result<(Vec<i64>, Vec<i64>), Fault> {
        let scopes = match asked {
            Asked::In(place) => place.scopes.clone(),
            Asked::All | Asked::Nowhere => Vec::new(),
        };
        let closed = self.ctx.walls()?.scopes().filter(|scope| !scopes.contains(scope)).collect();
        Ok((scopes, closed))
    }

    /// The conditions, within these scopes and outside the asking session.
    fn filters_in(&self, scopes: &[i64], closed: &[i64]) -> Filters {
        Filters {
            projects: scopes.to_vec(),
            other_than: closed.to_vec(),
            other_session: self.own,
            ..self.filters.clone()
        }
    }

    /// What the asking session itself has.
    fn left_out(&self, hits: &Hits, filters: &Filters) -> Result<Option<Withheld>, Fault> {
        let Some(own) = self.own else { return Ok(None) };
        let filters = Filters { session: Some(own), other_session: None, ..filters.clone() };
        let count =
            self.index.count_like(hits, &self.source, &self.query, &filters, COUNTED).map_err(failed)?;
        Ok((count > 0).then_some(Withheld { count: count as i64, at_least: count >= COUNTED }))
    }

    /// What was probably meant by words that nothing has.
    fn nearest(&self, filters: &Filters) -> Result<BTreeMap<String, String>, Fault> {
        let near = self.index.nearest(&self.source, &self.query, filters).map_err(failed)?;
        let cleaned = |text: &str| super::preview::preview(text);
        Ok(near.iter().map(|near| (cleaned(&near.typed), cleaned(&near.meant))).collect())
    }

    /// What other projects have. While much has to be scanned that is not counted: it would cost as much again.
    fn withheld(&self, hits: &Hits, other_than: Vec<i64>) -> Result<Option<Withheld>, Fault> {
        if hits.scanned > LONG_TAIL {
            return Ok(None);
        }
        let elsewhere = Filters { other_than, ..self.filters.clone() };
        let count =
            self.index.count_like(hits, &self.source, &self.query, &elsewhere, COUNTED).map_err(failed)?;
        Ok((count > 0).then_some(Withheld { count: count as i64, at_least: count >= COUNTED }))
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
    }
}

/// The page that is asked for. One that nobody reaches is refused: another in its place would never end.
fn page(params: &SearchParams) -> Result<Page, Fault> {
    let offset = params.offset.unwrap_or(0).max(0);
    if offset > FURTHEST {
        return Err(Fault::invalid("offset", format!("results are given up to the {FURTHEST}th"))
            .with("field", "offset")
            .next("narrow the search: by more words, a file, a type or a time"));
    }
    Ok(Page { limit: params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize, offset: offset as usize })
}

/// The query; `None` when there is no word in it, which nothing has.
fn read(params: &SearchParams) -> Result<Option<Query>, Fault> {
    match params.mode.unwrap_or(Mode::Query) {
        Mode::Text => Ok(Query::of_prompt(&params.query)),
        // Signs alone are what nobody wrote about; no text at all is a mistake.
        Mode::Query if !params.query.trim().is_empty() && Query::of_prompt(&params.query).is_none() => {
            Ok(None)
        }
        Mode::Query => match Query::parse(&params.query) {
            // What is no query is what somebody wrote, if it is more than a word or two.
            Err(_) if params.query.split_whitespace().nth(FEW_WORDS).is_some() => {
                Ok(Query::of_prompt(&params.query))
            }
            read => read.map(Some).map_err(|error| malformed(&error)),
        },
        Mode::All => Query::parse_strictly(&params.query).map(Some).map_err(|error| malformed(&error)),
    }
}

/// The session of an agent that asks: what happened in it is in its context. One that was asked for is searched.
fn own_session(ctx: &OpContext<'_>, asked_for: Option<&str>) -> Result<Option<i64>, Fault> {
    if ctx.caller.surface.is_the_persons() || asked_for.is_some() {
        return Ok(None);
    }
    Ok(call_session::stated(ctx)?.and_then(|stated| stated.row).map(|row| row.id.0))
}

/// The conditions beside words and project; `None` for a type that nothing is of.
fn filters(ctx: &OpContext<'_>, params: &SearchParams) -> Result<Option<Filters>, Fault> {
    let kinds = match params.obs_type.as_deref().map(Sort::named) {
        Some(None) => return Ok(None),
        Some(Some(sort)) => sort.numbers(),
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
        faint: FAINT.to_vec(),
        ..Filters::default()
    }))
}

fn malformed(error: &QueryError) -> Fault {
    Fault::invalid(Fault::QUERY, format!("the query cannot be read: {error}"))
        .with("field", "query")
        .with("at", error.at as i64)
        .next("quote what is to be taken as it is, such as \"a b\"; operators are AND, OR, NOT")
}

/// What is wrong with the store is said, what is in it and where it lies is not.
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
