//! Finds the entries and files that a path, a pattern and a body filter match.

use std::collections::HashSet;
use std::ops::ControlFlow;

use nudge_core::scheme::rules_of;
use nudge_core::{Entry, EntryId, EntryPath, Fault, Scope};
use nudge_grammar::{Pattern, PatternError, PatternKind};
use nudge_home::workspace::FileError;
use nudge_store::{PathHit, RestOfPaths};

use super::files::{self, FoundFile};
use super::place::{self, VerbScope};
use super::shown;
use crate::operation::OpContext;

/// An entry that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) id: EntryId,
    pub(super) path: String,
    pub(super) scope: Scope,
}

/// The entries that matched.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The first ones, in the order of paths.
    pub(super) hits: Vec<Hit>,
    /// How many matched in all.
    pub(super) matched: u64,
    /// How many bodies were read to find out.
    pub(super) bodies_read: u64,
}

/// What to look for.
pub(super) struct Query<'q> {
    pub(super) path: &'q Pattern,
    /// A filter over the bodies.
    pub(super) body: Option<&'q Pattern>,
    /// How many of the matches to return; all are counted.
    pub(super) keep: usize,
    /// Only paths after this one.
    pub(super) after: Option<&'q str>,
}

/// Finds the entries in memory. Files are found on disk instead.
pub(super) fn select(ctx: &OpContext<'_>, place: &VerbScope, query: &Query<'_>) -> Result<Selection, Fault> {
    if query.path.kind() == PatternKind::Glob && !query.path.text().contains("://") {
        // A glob without a scheme is about files.
        return Ok(Selection::default());
    }
    let is_prefix = query.path.is_prefix();
    let mut search = Search {
        ctx,
        place,
        query,
        sees_hidden: place.is_person() && query.path.prefix().contains("://"),
        is_decided: query.path.is_single() || is_prefix,
        may_count: is_prefix
            && !place.is_run()
            && query.body.is_none()
            && query.path.prefix().contains("://"),
        scheme: SchemeGate::default(),
        scope: None,
        over: None,
        found: Selection::default(),
    };
    let reader = ctx.reader();
    let mut failed = None;
    let mut rest = None;
    let mut visit = |hit: PathHit<'_>| match search.visit(&hit) {
        Ok(()) if search.only_counts() => {
            let prefix = query.path.prefix().to_owned();
            rest = Some((RestOfPaths { path: hit.path.to_owned(), prefix }, hit.scope));
            ControlFlow::Break(())
        }
        Ok(()) => ControlFlow::Continue(()),
        Err(fault) => {
            failed = Some(fault);
            ControlFlow::Break(())
        }
    };
    if query.path.is_single() {
        reader.visit_path(query.path.text(), |hit| {
            let _ = visit(hit);
        })?;
    } else {
        reader.visit_paths(query.path.prefix(), visit)?;
    }
    if let Some(fault) = failed {
        return Err(fault);
    }
    if let Some((rest, scope)) = rest {
        search.count(&rest, scope)?;
    }
    Ok(search.found)
}

/// The single entry under a path that the caller may read.
pub(super) fn one(ctx: &OpContext<'_>, place: &VerbScope, path: &str) -> Result<Option<Entry>, Fault> {
    match hit(ctx, place, path)? {
        Some(hit) => Ok(ctx.store().whole_entry(hit.id)?),
        None => Ok(None),
    }
}

/// The same, without its body.
pub(super) fn hit(ctx: &OpContext<'_>, place: &VerbScope, path: &str) -> Result<Option<Hit>, Fault> {
    let pattern = Pattern::literal(path);
    let query = Query { path: &pattern, body: None, keep: usize::MAX, after: None };
    let hits = select(ctx, place, &query)?.hits;
    // The run's own comes first, then the project's.
    let best = hits.into_iter().min_by_key(|hit| match &hit.scope {
        scope if scope == place.viewer() => 0,
        Scope::Run(_) => 1,
        scope if scope == place.project() => 2,
        Scope::Project(_) => 3,
        _ => 4,
    });
    Ok(best)
}

struct Search<'a, 'q> {
    ctx: &'a OpContext<'a>,
    place: &'a VerbScope,
    query: &'q Query<'q>,
    /// Whether the range of paths decides alone, so that no path is matched.
    is_decided: bool,
    /// Whether Nudge's own records are among the matches: the user sees them when the pattern names
    /// their scheme.
    sees_hidden: bool,
    /// Whether neither paths nor bodies decide, in one scheme: then the index can count.
    may_count: bool,
    scheme: SchemeGate,
    /// The scope of the last match. Most rows have the scope of the row before.
    scope: Option<LastScope>,
    /// The statements that no longer apply, once one may be among the matches.
    over: Option<HashSet<EntryId>>,
    found: Selection,
}

/// A scope that was just looked up.
struct LastScope {
    id: i64,
    scope: Scope,
    /// Whether the caller may read everything in it, and not only what it has in view.
    is_open: bool,
}

impl Search<'_, '_> {
    fn visit(&mut self, hit: &PathHit<'_>) -> Result<(), Fault> {
        if self.query.after.is_some_and(|after| !is_after(hit.path, after)) {
            return Ok(());
        }
        if !self.scheme.is_open(hit.path, self.sees_hidden) {
            return Ok(());
        }
        if !self.is_decided && !self.query.path.matches(hit.path).map_err(too_costly)? {
            return Ok(());
        }
        if !self.is_readable(hit)? || self.is_gone(hit)? || self.is_shadowed(hit)? {
            return Ok(());
        }
        if let Some(filter) = self.query.body {
            self.found.bodies_read += 1;
            let Some(entry) = self.ctx.store().whole_entry(hit.id)? else { return Ok(()) };
            if shown::is_secret(&entry) || !holds(filter, &entry.body)? {
                return Ok(());
            }
        }
        self.found.matched += 1;
        if self.found.hits.len() < self.query.keep
            && let Some(last) = &self.scope
        {
            let scope = last.scope.clone();
            self.found.hits.push(Hit { id: hit.id, path: hit.path.to_owned(), scope });
        }
        Ok(())
    }

    /// Whether nothing of the entries to come is needed but their number.
    fn only_counts(&self) -> bool {
        self.may_count
            && !self.found.hits.is_empty()
            && self.found.hits.len() >= self.query.keep
            && !matches!(self.scheme.kind, SchemeKind::Hint)
    }

    /// Counts the rest of a range, after the entry with this path and scope. The index counts one
    /// scope; only entries of others are visited.
    fn count(&mut self, rest: &RestOfPaths, scope: i64) -> Result<(), Fault> {
        let reader = self.ctx.reader();
        let mut same_path = Vec::new();
        reader.visit_path(&rest.path, |hit| {
            if hit.scope > scope {
                same_path.push((hit.scope, hit.id));
            }
        })?;
        let has_over = self.over.as_ref().is_some_and(|over| !over.is_empty());
        let open = self.scope.as_ref().filter(|last| last.is_open && !has_over).map(|last| last.id);
        for (scope, id) in same_path {
            self.count_one(rest, scope, id)?;
        }
        if let Some(scope) = open {
            let (own, all) = reader.count_rest(rest, scope)?;
            self.found.matched += own;
            if own == all {
                return Ok(());
            }
        }
        reader.visit_rest(rest, open, |scope, id| self.count_one(rest, scope, id))
    }

    fn count_one(&mut self, rest: &RestOfPaths, scope: i64, id: EntryId) -> Result<(), Fault> {
        let hit = PathHit { path: &rest.path, scope, id };
        if self.is_readable(&hit)? && !self.is_gone(&hit)? {
            self.found.matched += 1;
        }
        Ok(())
    }

    /// Whether the caller may read an entry: by its scope, or because a fork gave the run a view of
    /// it. The scope is kept.
    fn is_readable(&mut self, hit: &PathHit<'_>) -> Result<bool, Fault> {
        if self.scope.as_ref().is_some_and(|last| last.id == hit.scope && last.is_open) {
            return Ok(true);
        }
        let open = self.place.readable(self.ctx, hit.scope)?;
        let is_open = open.is_some();
        let scope = if is_open { open } else { self.forked(hit)? };
        let is_readable = scope.is_some();
        self.scope = scope.map(|scope| LastScope { id: hit.scope, scope, is_open });
        Ok(is_readable)
    }

    /// The scope of an entry that a fork gave the run a view of.
    fn forked(&self, hit: &PathHit<'_>) -> Result<Option<Scope>, Fault> {
        if !self.place.is_run() || self.ctx.store().view(self.place.viewer(), hit.id)?.is_none() {
            return Ok(None);
        }
        Ok(self.ctx.store().scope_by_id(hit.scope)?)
    }

    /// Whether the run has an entry of its own under the path of this one.
    fn is_shadowed(&self, hit: &PathHit<'_>) -> Result<bool, Fault> {
        let viewer = self.place.viewer();
        let is_own = self.scope.as_ref().is_some_and(|last| last.scope == *viewer);
        if !self.place.is_run() || is_own {
            return Ok(false);
        }
        let Ok(path) = EntryPath::parse(hit.path) else { return Ok(false) };
        let is_of_run = self.scope.as_ref().is_some_and(|last| matches!(last.scope, Scope::Run(_)));
        for (scope, id) in self.ctx.store().scopes_of(&path)? {
            // One that the run got from the run it was forked from counts too.
            let is_inherited = !is_of_run && matches!(scope, Scope::Run(_));
            if scope == *viewer || (is_inherited && self.ctx.store().view(viewer, id)?.is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the entry is stored but no longer there for readers: an expired hint, or a statement
    /// that was corrected or forgotten.
    fn is_gone(&mut self, hit: &PathHit<'_>) -> Result<bool, Fault> {
        match self.scheme.kind {
            SchemeKind::Known => {
                let over = match &mut self.over {
                    Some(over) => over,
                    none => none.insert(self.ctx.reader().statements_over()?.into_iter().collect()),
                };
                Ok(!over.is_empty() && over.contains(&hit.id))
            }
            SchemeKind::Hint => super::kinds::hint_is_gone(self.ctx, hit.path, hit.id),
            SchemeKind::Other => Ok(false),
        }
    }
}

/// Whether a path comes after another one in a list: entries of memory first, then files.
pub(super) fn is_after(path: &str, other: &str) -> bool {
    let place = |path: &str| !path.contains("://");
    other.is_empty() || (place(path), path) > (place(other), other)
}

/// Whether a body passes a filter. One that is too large for the filter does not.
pub(super) fn holds(filter: &Pattern, body: &str) -> Result<bool, Fault> {
    match filter.found_in(body) {
        Err(PatternError::BodyTooLarge { .. }) => Ok(false),
        found => found.map_err(too_costly),
    }
}

fn too_costly(error: PatternError) -> Fault {
    Fault::invalid("pattern", error.to_string()).next("use a narrower pattern")
}

/// Whether a caller sees entries of a scheme. Paths come in order, so one answer serves many.
#[derive(Default)]
struct SchemeGate {
    /// The scheme of the last path, with its `://`.
    start: String,
    is_open: bool,
    kind: SchemeKind,
}

/// The schemes whose entries may be stored and yet be over.
#[derive(Copy, Clone, Default)]
enum SchemeKind {
    Known,
    Hint,
    #[default]
    Other,
}

impl SchemeGate {
    fn is_open(&mut self, path: &str, is_person: bool) -> bool {
        if !self.start.is_empty() && path.starts_with(&self.start) {
            return self.is_open;
        }
        self.start.clear();
        // Files are found on disk; their rows only hold hashes.
        let Some((scheme, _)) = path.split_once("://") else { return false };
        self.start.push_str(scheme);
        self.start.push_str("://");
        self.is_open = scheme != "file" && (is_person || rules_of(scheme).model_visible);
        self.kind = match scheme {
            "known" => SchemeKind::Known,
            "hint" => SchemeKind::Hint,
            _ => SchemeKind::Other,
        };
        self.is_open
    }
}

// What a path or pattern refers to: entries of memory, and files.

/// How many entries one call may change.
pub(super) const MAX_CHANGED_ENTRIES: usize = 1_000;

/// What a path or pattern refers to.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The paths, in order: entries of memory, then files.
    pub(super) targets: Vec<String>,
    /// How many there are in all.
    pub(super) matched: u64,
    /// How many bodies were read to find out.
    pub(super) bodies_read: u64,
}

impl Targets {
    /// Fails if a change would reach too many entries at once.
    pub(super) fn check_most(&self) -> Result<(), Fault> {
        if self.matched <= MAX_CHANGED_ENTRIES as u64 {
            return Ok(());
        }
        let why = format!(
            "the pattern matches {} entries; one call changes at most {MAX_CHANGED_ENTRIES}",
            self.matched
        );
        Err(Fault::invalid("too_many", why).next("use a narrower pattern; `preview` lists the matches"))
    }
}

/// Finds what a path or pattern refers to, in memory and among the files.
pub(super) fn find_targets(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &str,
    filter: Option<&str>,
    found: Option<&[FoundFile]>,
) -> Result<Targets, Fault> {
    let pattern = place::read_pattern("path", path)?;
    let filter = filter.map(|filter| place::read_pattern("filter", filter)).transpose()?;
    if pattern.is_single() && place::read_path("path", path)?.scheme() == "file" {
        return one_file(place, path, filter.as_ref());
    }
    let query = Query { path: &pattern, body: filter.as_ref(), keep: MAX_CHANGED_ENTRIES, after: None };
    let selection = select(ctx, place, &query)?;
    let mut answer = Targets {
        targets: selection.hits.into_iter().map(|hit| hit.path).collect(),
        matched: selection.matched,
        bodies_read: selection.bodies_read,
    };
    for file in found.into_iter().flatten() {
        if let Some(filter) = &filter {
            answer.bodies_read += 1;
            if !file_has(place, &file.path, filter)? {
                continue;
            }
        }
        answer.matched += 1;
        if answer.targets.len() < MAX_CHANGED_ENTRIES {
            answer.targets.push(file.path.clone());
        }
    }
    Ok(answer)
}

fn one_file(place: &VerbScope, path: &str, filter: Option<&Pattern>) -> Result<Targets, Fault> {
    let is_there = match filter {
        Some(filter) => file_has(place, path, filter)?,
        None => files::read(place.workspace()?, path).is_ok(),
    };
    let targets = if is_there { vec![path.to_owned()] } else { Vec::new() };
    Ok(Targets { matched: targets.len() as u64, targets, bodies_read: u64::from(filter.is_some()) })
}

/// Whether the text of a file passes a filter.
pub(super) fn file_has(place: &VerbScope, path: &str, filter: &Pattern) -> Result<bool, Fault> {
    let Ok(file) = files::read(place.workspace()?, path) else { return Ok(false) };
    holds(filter, &file.text)
}

/// The present body under a path: of a file or of an entry.
pub(super) fn current_body(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
) -> Result<Option<String>, Fault> {
    if path.scheme() != "file" {
        return Ok(one(ctx, place, path.as_str())?.map(|entry| entry.body));
    }
    match files::read(place.workspace()?, path.as_str()) {
        Ok(file) => Ok(Some(file.text)),
        Err(FileError::Missing { .. }) => Ok(None),
        Err(error) => Err(Fault::invalid(error.reason(), error.to_string())),
    }
}
