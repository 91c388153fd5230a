//! `get` reads entries and puts them into the viewer's view; `get_entries` only lists them.

use nudge_context::count_tokens;
use nudge_core::Fault;
use nudge_core::entry_state::Visibility;
use nudge_store::ViewChange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::{self, FoundFile};
use super::outcome::{EntryResult, is_zero};
use super::place::{self, VerbScope};
use super::select::{self, Hit, Query};
use super::shown::{self, EntryView};
use crate::caller::Caller;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};
use crate::{changes, projects};

/// How many entries are returned unless the caller asks for another number.
const MAX_DEFAULT: u32 = 20;

/// How many entries are returned at most.
const MAX_LIMIT: u32 = 1_000;

/// How many tokens of bodies are returned unless the caller asks for another number.
const DEFAULT_BUDGET: u32 = 8_000;

/// Parameters of `get`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetParams {
    /// Path such as `known://auth/plan` or `src/main.rs`, or a pattern such as `known://**`,
    /// `src/*.rs` or `/known:.*auth.*/`, which must match the whole path.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "filter")]
    pub body: Option<String>,
    /// First line to return, from 1; negative counts from the end. The view does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// Number of lines to return; negative takes the last ones. The view does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// True to list the matches with their cost, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "manifest")]
    pub preview: bool,
    /// Visibility to give the entries. Default: visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// Maximum entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
    /// Maximum tokens of bodies to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Only paths after this one: the `next` of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The run whose view changes. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// True to make the files part of the project for good. For the user only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub persist: bool,
    /// With `persist`: true to protect the files from changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// Answer of `get` and `get_entries`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetAnswer {
    /// Number of entries that matched.
    pub matched: u64,
    /// The entries, in the order of paths.
    pub entries: Vec<EntryView>,
    /// Number of matches that are not in this answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Give this as `after` to get the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Number of bodies that were read.
    pub bodies_read: u64,
    /// True if nothing was changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    /// For a preview: number of bodies that the same call without `preview` would read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bodies_to_read: u64,
    /// Present if a single entry could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<EntryResult>,
}

/// The `get` operation.
pub struct GetEntries;

impl Op for GetEntries {
    const NAME: &'static str = "get";
    const ALIASES: &'static [&'static str] = &["entry_get"];
    const TITLE: &'static str = "Get entries";
    const DOC: &'static str = "Read entries of memory or files by path or pattern, with their cost in \
        tokens. `preview` lists matches only; `line` and `limit` read a part.";
    const REFERENCE: &'static str = "Read entries by path or pattern, and put them into view. `preview` \
        lists the matches with their cost and changes nothing; `line` and `limit` read a part.";
    const EFFECT: Effect = Effect::Write;
    type Params = GetParams;
    type Answer = GetAnswer;

    fn reads_only(params: &Value) -> bool {
        let is_given = |name| params.get(name).is_some_and(|value| !value.is_null());
        place::is_preview(params) || is_given("line") || is_given("limit")
    }

    fn answers_without_writing(params: &Value) -> bool {
        ["visibility", "persist"].iter().all(|name| params.get(name).is_none_or(is_unset))
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: GetParams) -> Result<GetAnswer, Fault> {
        let is_part = params.line.is_some() || params.limit.is_some();
        let pattern = place::read_pattern("path", &params.path)?;
        if is_part && (!pattern.is_single() || params.body.is_some()) {
            return Err(Fault::invalid("lines", "line and limit need a single path without a body filter")
                .with("field", "line"));
        }
        let stays = is_part || params.preview || ctx.only_reads();
        let place = VerbScope::of(ctx, params.run.as_deref(), stays)?;
        if params.persist {
            persist(ctx, &place, &params)?;
        }
        let get = Get::new(ctx, &place, &params, stays)?;
        if pattern.is_single() && params.body.is_none() { get.single() } else { get.many() }
    }

    fn for_repeat(answer: GetAnswer) -> GetAnswer {
        let bare = |entry| EntryView { body: None, withheld: Some("repeated call".to_owned()), ..entry };
        GetAnswer { entries: answer.entries.into_iter().map(bare).collect(), ..answer }
    }
}

fn is_unset(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false))
}

/// Makes the files part of the project for good.
fn persist(ctx: &OpContext<'_>, place: &VerbScope, params: &GetParams) -> Result<(), Fault> {
    if !projects::is_person(ctx.caller) {
        return Err(Fault::new(
            nudge_core::FaultKind::Forbidden,
            "persist",
            "only the user decides which files belong to the project",
        )
        .next("leave out `persist`"));
    }
    if params.preview || params.path.contains("://") {
        return Err(Fault::invalid("persist", "persist is for files, and not for a preview"));
    }
    let kind = if params.readonly {
        nudge_home::workspace::ConstraintKind::ReadOnly
    } else {
        nudge_home::workspace::ConstraintKind::Add
    };
    let pattern = params.path.clone();
    changes::set_constraint(ctx, place.project(), &nudge_home::workspace::Constraint { pattern, kind })
}

/// One call of `get`.
struct Get<'a> {
    ctx: &'a OpContext<'a>,
    place: &'a VerbScope,
    params: &'a GetParams,
    /// The change of the viewer's rows; `None` if the view stays as it is.
    change: Option<ViewChange>,
    left: u32,
}

impl<'a> Get<'a> {
    fn new(
        ctx: &'a OpContext<'a>,
        place: &'a VerbScope,
        params: &'a GetParams,
        stays: bool,
    ) -> Result<Self, Fault> {
        let visibility = place::read_visibility(params.visibility.as_deref())?.unwrap_or(Visibility::Visible);
        let change =
            ViewChange { visibility: Some(visibility), turn: ctx.caller.turn, ..ViewChange::default() };
        let left = params.max_tokens.unwrap_or(DEFAULT_BUDGET);
        Ok(Self { ctx, place, params, change: (!stays).then_some(change), left })
    }

    fn single(mut self) -> Result<GetAnswer, Fault> {
        let path = place::read_path("path", &self.params.path)?;
        if path.scheme() == "file" {
            return self.single_file(&path);
        }
        let Some(hit) = select::hit(self.ctx, self.place, path.as_str())? else {
            return Ok(self.not_found());
        };
        let view = self.memory_view(&hit)?;
        let read = u64::from(!self.params.preview);
        Ok(GetAnswer {
            matched: 1,
            entries: view.into_iter().collect(),
            bodies_read: read,
            preview: self.params.preview,
            bodies_to_read: 1 - read,
            ..GetAnswer::default()
        })
    }

    fn single_file(&mut self, path: &nudge_core::EntryPath) -> Result<GetAnswer, Fault> {
        match files::shown(self.ctx, self.place, path, self.change.as_ref())? {
            Ok((view, text)) => {
                let view = if self.params.preview { view } else { self.with_body(view, &text) };
                let preview = self.params.preview;
                Ok(GetAnswer {
                    matched: 1,
                    entries: vec![view],
                    bodies_read: 1,
                    preview,
                    ..GetAnswer::default()
                })
            }
            Err(nudge_home::workspace::FileError::Missing { .. }) => Ok(self.not_found()),
            Err(error) => {
                let failed = EntryResult::failed(&self.params.path, "invalid", error.to_string());
                Ok(GetAnswer { failed: Some(failed), preview: self.params.preview, ..GetAnswer::default() })
            }
        }
    }

    fn not_found(&self) -> GetAnswer {
        let path = &self.params.path;
        let failed = EntryResult::not_found(path).next("run `nudge entry ls` to see what is there");
        GetAnswer { failed: Some(failed), preview: self.params.preview, ..GetAnswer::default() }
    }

    fn many(mut self) -> Result<GetAnswer, Fault> {
        let pattern = place::read_pattern("path", &self.params.path)?;
        if pattern.is_single() && !self.params.path.contains("://") {
            return self.filtered_file();
        }
        let filter = self.params.body.as_deref().map(|body| place::read_pattern("body", body)).transpose()?;
        let max = self.params.max.unwrap_or(MAX_DEFAULT).clamp(1, MAX_LIMIT) as usize;
        let after = self.params.after.as_deref();
        let query = Query { path: &pattern, body: filter.as_ref(), keep: max, after };
        let found = select::select(self.ctx, self.place, &query)?;
        let mut answer = GetAnswer {
            matched: found.matched,
            bodies_read: found.bodies_read,
            preview: self.params.preview,
            ..GetAnswer::default()
        };
        for hit in &found.hits {
            answer.bodies_read += u64::from(!self.params.preview);
            answer.entries.extend(self.memory_view(hit)?);
        }
        self.add_files(&mut answer, filter.as_ref(), max)?;
        answer.left_out = answer.matched.saturating_sub(answer.entries.len() as u64);
        if answer.left_out > 0 {
            answer.next = answer.entries.last().map(|entry| entry.path.clone());
        }
        if self.params.preview {
            answer.bodies_to_read = if filter.is_some() { answer.bodies_read } else { answer.matched };
        }
        Ok(answer)
    }

    /// One file, if its text passes the filter.
    fn filtered_file(&mut self) -> Result<GetAnswer, Fault> {
        let body = self.params.body.as_deref();
        let found = select::find_targets(self.ctx, self.place, &self.params.path, body, None)?;
        if found.matched > 0 {
            return self.single_file(&place::read_path("path", &self.params.path)?);
        }
        let preview = self.params.preview;
        Ok(GetAnswer { bodies_read: found.bodies_read, preview, ..GetAnswer::default() })
    }

    /// Adds the files that the pattern matches.
    fn add_files(
        &mut self,
        answer: &mut GetAnswer,
        filter: Option<&nudge_grammar::Pattern>,
        max: usize,
    ) -> Result<(), Fault> {
        for file in self.params.files.as_deref().unwrap_or_default() {
            if self.params.after.as_deref().is_some_and(|after| !select::is_after(&file.path, after)) {
                continue;
            }
            if let Some(filter) = filter {
                answer.bodies_read += 1;
                if !select::file_has(self.place, &file.path, filter)? {
                    continue;
                }
            }
            answer.matched += 1;
            if answer.entries.len() >= max {
                continue;
            }
            if self.params.preview {
                answer.entries.push(files::listed(self.ctx, self.place, file)?);
                continue;
            }
            let path = place::read_path("path", &file.path)?;
            answer.bodies_read += 1;
            match files::shown(self.ctx, self.place, &path, self.change.as_ref())? {
                Ok((view, text)) => {
                    let view = self.with_body(view, &text);
                    answer.entries.push(view);
                }
                Err(error) => {
                    let view = files::listed(self.ctx, self.place, file)?;
                    answer.entries.push(EntryView { withheld: Some(error.to_string()), ..view });
                }
            }
        }
        Ok(())
    }

    /// One entry of memory, with its body unless this is a preview.
    fn memory_view(&mut self, hit: &Hit) -> Result<Option<EntryView>, Fault> {
        let (ctx, place) = (self.ctx, self.place);
        if self.params.preview {
            let Some(entry) = ctx.store().entry_head(hit.id)? else { return Ok(None) };
            let row = ctx.store().view(place.viewer(), hit.id)?;
            let bytes = ctx.store().body_bytes(hit.id)?.unwrap_or_default();
            let view = shown::view(ctx, place, &entry, row.as_ref())?;
            if view.withheld.is_some() {
                return Ok(Some(view));
            }
            return Ok(Some(EntryView {
                tokens: shown::cost_of_size(&hit.path, bytes, view.summary.as_deref()),
                ..view
            }));
        }
        let Some(entry) = ctx.store().whole_entry(hit.id)? else { return Ok(None) };
        let row = match &self.change {
            Some(change) => Some(ctx.writer()?.change_view(place.viewer(), hit.id, change, ctx.now())?),
            None => ctx.store().view(place.viewer(), hit.id)?,
        };
        let view = shown::view(ctx, place, &entry, row.as_ref())?;
        if view.withheld.is_some() {
            return Ok(Some(view));
        }
        Ok(Some(self.with_body(view, &entry.body)))
    }

    /// Adds the body, or the lines asked for, as far as the budget goes.
    fn with_body(&mut self, view: EntryView, body: &str) -> EntryView {
        let (line, limit) = (self.params.line, self.params.limit);
        let (text, lines) = if line.is_some() || limit.is_some() {
            let (text, lines) = shown::lines(body, line, limit);
            (text, Some(lines))
        } else {
            (body.to_owned(), None)
        };
        let price = count_tokens(&text);
        if price > self.left {
            let why = format!("its {price} tokens are over the budget; read a part with `line` and `limit`");
            return EntryView { withheld: Some(why), ..view };
        }
        self.left -= price;
        EntryView { body: Some(text), lines, ..view }
    }
}

// `get_entries`: lists entries and changes nothing.

/// The pattern of everything in memory; files have no scheme.
const ALL_IN_MEMORY: &str = "*://**";

/// Parameters of `get_entries`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEntriesParams {
    /// Path pattern. Default: everything in memory.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "path")]
    pub pattern: Option<String>,
    /// Only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The run whose view is shown. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Maximum entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only paths after this one: the `next` of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// The `get_entries` operation.
pub struct ListEntries;

impl Op for ListEntries {
    const NAME: &'static str = "get_entries";
    const ALIASES: &'static [&'static str] = &["getEntries"];
    const TITLE: &'static str = "List entries";
    const DOC: &'static str = "List entries by pattern with state, visibility and cost; changes nothing.";
    const REFERENCE: &'static str = "List entries by pattern with their state, visibility and cost. Nothing \
        changes, and no body is returned.";
    const EFFECT: Effect = Effect::Read;
    type Params = ListEntriesParams;
    type Answer = GetAnswer;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        if let Some(fields) = params.as_object_mut()
            && let Some(pattern) = fields.remove("pattern")
        {
            fields.entry("path").or_insert(pattern);
        }
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: ListEntriesParams) -> Result<GetAnswer, Fault> {
        GetEntries::run(
            ctx,
            GetParams {
                path: params.pattern.unwrap_or_else(|| ALL_IN_MEMORY.to_owned()),
                body: params.body,
                preview: true,
                max: params.limit,
                after: params.after,
                run: params.run,
                files: params.files,
                ..GetParams::default()
            },
        )
    }
}
