//! Search: what was captured, by its words.

use nudge_core::tokens::{self, Tokens};
use nudge_core::{EntryId, Fault, FaultKind, Tier};
use nudge_index::{Filters, Hit, Hits, Index, IndexError, Order, Page, Query, QueryError, SourceError};
use nudge_store::{DocumentSort, FoundRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keep::LONG_TAIL;
use super::kind_filter::Sort;
use super::observation::{Shelf, one_line};
use super::place::{Asked, ProjectParam};
use super::preview::preview;
use super::session_trace::session_called;
use super::source::Snapshot;
use super::unix_time::seconds;
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many results are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// Nobody turns so many pages; every one of them costs what those before it cost.
const FURTHEST: i64 = 10_000;

/// How far what is withheld is counted: beyond that it is "many", and counting takes longer than searching.
const COUNTED: usize = 100;

/// What to search for, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// Words, "phrases", prefix*, AND, OR, NOT.
    pub query: String,
    /// A name; "*": all. Default: this one.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// E.g. command_error, user_prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub obs_type: Option<String>,
    /// 1-100 (20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub offset: Option<i64>,
    /// blended: with recency.
    #[serde(default, rename = "orderBy", alias = "order_by", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OrderBy")]
    pub order_by: Option<OrderBy>,
    /// Its path or end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
    /// Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub since: Option<i64>,
    /// Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub until: Option<i64>,
    /// text: plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode")]
    pub mode: Option<Mode>,
}

/// In which order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderBy {
    /// The best answer first.
    Relevance,
    /// 0.7 of that and 0.3 of how new it is.
    Blended,
}

/// How the words are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As a query.
    Query,
    /// As text.
    Text,
    /// As a query whose words must all be there.
    All,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAnswer {
    /// The best first.
    pub results: Vec<SearchRow>,
    /// What matches in other projects, and is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Withheld")]
    pub withheld: Option<Withheld>,
    /// Whether nothing has all the words, and these have some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
    /// Whether there are more of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// What was not shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withheld {
    /// How many match in other projects.
    pub count: i64,
    /// Whether there are more: they were counted no further.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRow {
    /// For get_observations and timeline.
    pub id: i64,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// Its type.
    pub obs_type: String,
    /// The first 120 characters.
    pub content_preview: String,
    /// The file it is about.
    pub file_path: Option<String>,
    /// The session it is of.
    pub session_id: Option<String>,
    /// Its project, where several were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub project: Option<String>,
    /// Of a note or a memory: who stated it, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stated_by: Option<String>,
    /// The words of the query it has; `title:` for those in its first line.
    pub why: String,
    /// What its whole text costs.
    pub tokens: i64,
}

/// Searches.
pub struct Search;

impl Op for Search {
    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &["nudge.search"];
    const TITLE: &'static str = "Search memory";
    const DOC: &'static str = "Search what agents did and people asked here: commands, errors, edits, prompts, commits, notes. \
         get_observations gives the whole.";
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
        let search = Looking { ctx, index, query, filters, source: Snapshot::new(ctx.store())? };
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
}

impl Looking<'_> {
    fn answer(&self, asked: &Asked, order: Order, page: Page) -> Result<SearchAnswer, Fault> {
        let scopes = match asked {
            Asked::In(place) => place.scopes.clone(),
            Asked::All | Asked::Nowhere => Vec::new(),
        };
        let is_somewhere = *asked == Asked::All || !scopes.is_empty();
        let walls = self.ctx.walls()?;
        let closed: Vec<i64> = walls.scopes().filter(|scope| !scopes.contains(scope)).collect();
        let filters =
            Filters { projects: scopes.clone(), other_than: closed.clone(), ..self.filters.clone() };
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
        let results = self.rows(&hits.hits, *asked == Asked::All)?;
        Ok(SearchAnswer { results, withheld, relaxed: hits.is_relaxed, more })
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

    /// Hits as they are in the store now, in their order.
    fn rows(&self, hits: &[Hit], names_project: bool) -> Result<Vec<SearchRow>, Fault> {
        let ids: Vec<EntryId> = hits.iter().map(|hit| EntryId(hit.id)).collect();
        let mut found = self.ctx.store().found_rows(&ids)?.into_iter().peekable();
        let (names, walls) = (Shelf::of(self.ctx)?, self.ctx.walls()?);
        let mut rows = Vec::with_capacity(hits.len());
        for hit in hits {
            let Some(found) = found.next_if(|found| found.id.0 == hit.id) else { continue };
            if walls.hide_entry(self.ctx.store(), found.id)? {
                continue;
            }
            let project = if names_project { names.project(found.scope)? } else { None };
            let stated_by = names.stated_by(found.id, found.sort)?;
            // Of a prompt its kind says that the person spoke, unless somebody else said so.
            let is_plain = matches!(found.sort, DocumentSort::Prompt(_));
            let stated_by = stated_by.filter(|by| !(is_plain && by.starts_with("the person")));
            rows.push(row(&found, project, stated_by, hit));
        }
        Ok(rows)
    }
}

fn row(found: &FoundRow, project: Option<String>, stated_by: Option<String>, hit: &Hit) -> SearchRow {
    let Tokens(tokens) = tokens::estimate(&found.body);
    SearchRow {
        id: found.id.0,
        timestamp: seconds(found.at),
        obs_type: Sort::of(found.sort).name.to_owned(),
        content_preview: preview(&found.body),
        file_path: found.file.as_deref().map(one_line),
        session_id: found.session.as_deref().map(one_line),
        project,
        stated_by,
        why: preview(&hit.matched.join(", ")),
        tokens: i64::from(tokens),
    }
}

fn nothing() -> SearchAnswer {
    SearchAnswer { results: Vec::new(), withheld: None, relaxed: false, more: false }
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
        Mode::Query => Query::parse(&params.query).map(Some).map_err(|error| malformed(&error)),
        Mode::All => Query::parse_strictly(&params.query).map(Some).map_err(|error| malformed(&error)),
    }
}

/// The conditions beside words and project; `None` for a type that nothing is of.
fn filters(ctx: &OpContext<'_>, params: &SearchParams) -> Result<Option<Filters>, Fault> {
    let kinds = match params.obs_type.as_deref().map(Sort::named) {
        Some(None) => return Ok(None),
        Some(Some(sort)) => vec![sort.number],
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
fn failed(error: IndexError) -> Fault {
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
