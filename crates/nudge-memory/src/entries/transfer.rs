//! `cp` and `mv`: copy and rename entries.

use nudge_core::{Entry, EntryPath, Fault};
use nudge_grammar::{Edit, Pattern, PatternKind};
use nudge_home::workspace::Expected;
use nudge_store::Ending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::{self, Change, FileWanted, Wanted};
use super::files::{self, FoundFile};
use super::kinds::{self, Kind};
use super::outcome::{EntryResult, VerbAnswer};
use super::place::VerbScope;
use super::{place, rm, select, shown, write};
use crate::caller::Caller;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};

/// Parameters of `cp` and `mv`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransferParams {
    /// Path or pattern of what to copy or rename.
    #[schemars(length(min = 1))]
    pub path: String,
    /// The new path. For a pattern: a path with `*` in the place of the part that differs, or one
    /// that ends in `/`.
    #[schemars(length(min = 1))]
    pub to: String,
    /// Only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "body")]
    pub filter: Option<String>,
    /// How much of the new entry is shown: `visible`, `summarized` or `archived`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// True to list what would happen, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "manifest")]
    pub preview: bool,
    /// The run whose view changes. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// The `cp` operation.
pub struct CopyEntries;

/// The `mv` operation.
pub struct MoveEntries;

impl Op for CopyEntries {
    const NAME: &'static str = "cp";
    const ALIASES: &'static [&'static str] = &["entry_cp"];
    const TITLE: &'static str = "Copy entries";
    const DOC: &'static str = "Copy an entry to a new path, or all that a pattern matches.";
    const REFERENCE: &'static str = "Copy an entry to a new path, or all entries that a pattern matches. An \
        entry that exists is never overwritten.";
    const EFFECT: Effect = Effect::Write;
    type Params = TransferParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        place::is_preview(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: TransferParams) -> Result<VerbAnswer, Fault> {
        transfer(ctx, Self::NAME, &params)
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        answer.without_diffs()
    }
}

impl Op for MoveEntries {
    const NAME: &'static str = "mv";
    const ALIASES: &'static [&'static str] = &["entry_mv"];
    const TITLE: &'static str = "Rename entries";
    const DOC: &'static str = "Rename an entry, or all that a pattern matches.";
    const REFERENCE: &'static str = "Rename an entry, or all entries that a pattern matches. An entry that \
        exists is never overwritten.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = TransferParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        place::is_preview(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: TransferParams) -> Result<VerbAnswer, Fault> {
        transfer(ctx, Self::NAME, &params)
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        answer.without_diffs()
    }
}

fn transfer(ctx: &OpContext<'_>, verb: &'static str, params: &TransferParams) -> Result<VerbAnswer, Fault> {
    let pattern = place::read_pattern("path", &params.path)?;
    let visibility = place::read_visibility(params.visibility.as_deref())?;
    let place = VerbScope::of(ctx, params.run.as_deref(), params.preview)?;
    let found =
        select::find_targets(ctx, &place, &params.path, params.filter.as_deref(), params.files.as_deref())?;
    let mut answer = VerbAnswer {
        matched: found.matched,
        bodies_read: found.bodies_read,
        preview: params.preview,
        ..VerbAnswer::default()
    };
    found.check_most()?;
    if found.targets.is_empty() && pattern.is_single() {
        answer.results.push(EntryResult::not_found(&params.path));
    }
    let naming = Naming::of(&pattern, &params.to)?;
    for path in &found.targets {
        let to = place::read_path("to", &naming.name(path))?;
        let result = if params.preview {
            EntryResult::done(path)
        } else {
            Transfer { ctx, place: &place, verb, path, to: &to, visibility }.run()?
        };
        answer.results.push(EntryResult { to: Some(to.as_str().to_owned()), ..result });
    }
    Ok(answer)
}

/// How the new paths follow from the old ones.
struct Naming<'p> {
    to: &'p str,
    /// For a pattern: the text before and after the part that differs.
    around: Option<(&'p str, &'p str)>,
}

impl<'p> Naming<'p> {
    fn of(pattern: &'p Pattern, to: &'p str) -> Result<Self, Fault> {
        if pattern.is_single() {
            return Ok(Self { to, around: None });
        }
        let stars = to.matches('*').count();
        if stars > 1 || (stars == 0 && !to.ends_with('/')) {
            return Err(Fault::invalid("to", "the new path of a pattern needs one `*`, or a `/` at its end")
                .with("field", "to")
                .next("such as `known://archive/*` for `known://plan/*`"));
        }
        let text = pattern.text();
        let wild = |text: &'p str| text.find(['*', '?', '[', '{', '!']);
        let (before, after) = match (pattern.kind(), wild(text)) {
            (PatternKind::Glob, Some(at)) => {
                let rest = text[at..].trim_start_matches('*').trim_start_matches('/');
                let after = if wild(rest).is_none() && !text[at..].starts_with("**/") {
                    text[at..].trim_start_matches('*')
                } else {
                    ""
                };
                (&text[..at], after)
            }
            _ => (pattern.prefix(), ""),
        };
        Ok(Self { to, around: Some((before, after)) })
    }

    fn name(&self, path: &str) -> String {
        let Some((before, after)) = self.around else { return self.to.to_owned() };
        let rest = path.strip_prefix(before).unwrap_or(path);
        if self.to.contains('*') {
            let part = rest.strip_suffix(after).unwrap_or(rest);
            return self.to.replacen('*', part, 1);
        }
        format!("{}{rest}", self.to)
    }
}

/// One entry on its way.
struct Transfer<'a> {
    ctx: &'a OpContext<'a>,
    place: &'a VerbScope,
    verb: &'static str,
    path: &'a str,
    to: &'a EntryPath,
    visibility: Option<nudge_core::entry_state::Visibility>,
}

impl Transfer<'_> {
    fn is_move(&self) -> bool {
        self.verb == MoveEntries::NAME
    }

    fn run(&self) -> Result<EntryResult, Fault> {
        let from = place::read_path("path", self.path)?;
        if from == *self.to {
            return Ok(EntryResult::failed(self.path, "invalid", "both paths are the same"));
        }
        if let Some(refused) = self.refuse(&from)? {
            return Ok(refused);
        }
        if from.scheme() == "file" && self.to.scheme() == "file" {
            return self.file_to_file();
        }
        let entry = select::one(self.ctx, self.place, self.path)?;
        let body = match &entry {
            Some(entry) => Some(entry.body.clone()),
            None => select::current_body(self.ctx, self.place, &from)?,
        };
        let Some(body) = body else { return Ok(EntryResult::not_found(self.path)) };
        if entry.as_ref().is_some_and(shown::is_secret) {
            return Ok(EntryResult::failed(self.path, "permission:403", "its value is a secret"));
        }
        if self.is_move() {
            if let Some(entry) = &entry
                && self.place.must_propose(entry)
                && !self.place.is_read_by_run(entry)
            {
                if let Some(refused) = write::refuse(self.ctx, self.place, self.verb, self.to, false)? {
                    return Ok(EntryResult { path: self.path.to_owned(), ..refused });
                }
                if !self.is_rename(entry)? {
                    let why =
                        "the user wrote this entry, and an agent can only propose to rename it in its kind";
                    return Ok(EntryResult::failed(self.path, "permission:403", why));
                }
                let to = Some(self.to.as_str().to_owned());
                return change::propose(self.ctx, entry, self.verb, Wanted { to, ..Wanted::default() });
            }
            if let Some(entry) = &entry
                && let Some(result) = self.rename(entry)?
            {
                return Ok(result);
            }
        }
        let attributes = entry.map(|entry| entry.attributes).filter(|all| !all.is_empty());
        let is_plain = self.to.scheme() != "file" && self.to.scheme() != "hint";
        let change = Change {
            edit: Some(Edit::replacing(&body)),
            attributes: attributes.filter(|_| is_plain && from.scheme() == self.to.scheme()),
            visibility: self.visibility,
            ..Change::default()
        };
        let made = write::write(self.ctx, self.place, self.verb, self.to, None, &change)?;
        if made.status == 200 && self.is_move() {
            let removed = rm::remove(self.ctx, self.place, self.verb, self.path)?;
            // A run that does not have it in view has nothing to take out.
            if removed.status != 200 && !self.place.is_run() {
                return Ok(removed);
            }
        }
        Ok(EntryResult { path: self.path.to_owned(), ..made })
    }

    /// Refuses a target that exists, and a source or target without the right.
    fn refuse(&self, from: &EntryPath) -> Result<Option<EntryResult>, Fault> {
        if self.is_move()
            && let Some(refused) = write::refuse(self.ctx, self.place, self.verb, from, true)?
        {
            return Ok(Some(refused));
        }
        if self.is_move()
            && from.scheme() == "file"
            && let Some(veto) = files::veto(self.ctx, self.place, self.verb, self.path)?
        {
            return Ok(Some(veto));
        }
        if self.to.scheme() == "file"
            && let Err(outside) = self.place.workspace()?.resolve(self.to.as_str())
        {
            return files::failed(self.ctx, self.place, self.verb, self.to.as_str(), &outside.into())
                .map(|failed| Some(EntryResult { path: self.path.to_owned(), ..failed }));
        }
        if select::current_body(self.ctx, self.place, self.to)?.is_some() {
            let why = format!("`{}` exists already", self.to);
            return Ok(Some(
                EntryResult::failed(self.path, "conflict", why)
                    .next("remove it first, or choose another path"),
            ));
        }
        Ok(None)
    }

    /// Whether the entry and its new path are plain, in one scope.
    fn is_rename(&self, entry: &Entry) -> Result<bool, Fault> {
        let is_plain = kinds::kind_of(self.ctx.store(), &entry.path, Some(entry))? == Kind::Plain
            && kinds::kind_of(self.ctx.store(), self.to, None)? == Kind::Plain;
        let rules = nudge_core::scheme::rules_of(self.to.scheme());
        Ok(is_plain && self.place.scope_for(rules) == entry.scope)
    }

    /// Renames a plain entry in its own scope: its id, history and views stay.
    fn rename(&self, entry: &Entry) -> Result<Option<EntryResult>, Fault> {
        let (ctx, place) = (self.ctx, self.place);
        if !self.is_rename(entry)? {
            return Ok(None);
        }
        if let Some(refused) = write::refuse(ctx, place, self.verb, self.to, false)? {
            return Ok(Some(EntryResult { path: self.path.to_owned(), ..refused }));
        }
        let writer = ctx.writer()?;
        let by = ctx.provenance()?;
        writer.join_appended(entry.id, ctx.now())?;
        write::leave_to_forks(ctx, place, entry)?;
        writer.keep_version(entry.id, Ending::Replaced, false, &by, ctx.now())?;
        let version = writer.rename_entry(entry.id, self.to, &by, ctx.secret_policy(), ctx.now())?;
        let change = Change { visibility: self.visibility, ..Change::default() };
        let row = writer.change_view(
            place.viewer(),
            entry.id,
            &change.of_view(true, ctx.caller.turn),
            ctx.now(),
        )?;
        let result =
            EntryResult { id: Some(entry.id.0), version: Some(version), ..EntryResult::done(self.path) };
        Ok(Some(result.seen(row.visibility)))
    }

    fn file_to_file(&self) -> Result<EntryResult, Fault> {
        let (ctx, place) = (self.ctx, self.place);
        let workspace = place.workspace()?;
        let file = match files::read(workspace, self.path) {
            Ok(file) => file,
            Err(error) => return files::failed(ctx, place, self.verb, self.path, &error),
        };
        let to = self.to.as_str();
        if let Some(veto) = files::veto(ctx, place, self.verb, to)? {
            return Ok(EntryResult { path: self.path.to_owned(), ..veto });
        }
        if !place.is_person() {
            let body = (!self.is_move()).then_some(file.text.as_str());
            let wanted = FileWanted { path: self.path, to: Some(to), body, base: Some(file.hash) };
            return change::propose_for_file(ctx, place, workspace, self.verb, wanted);
        }
        let paths = workspace.resolve(self.path).and_then(|from| Ok((from, workspace.resolve(to)?)));
        let done = match paths {
            Err(outside) => Err(outside.into()),
            Ok((from, to)) if self.is_move() => {
                workspace.rename(&from, &to, Expected::Hash(file.hash)).map(|_| ())
            }
            Ok((_, to)) => workspace.write(&to, &file.text, Expected::Absent).map(|_| ()),
        };
        if let Err(error) = done {
            return files::failed(ctx, place, self.verb, self.path, &error);
        }
        if self.is_move()
            && let Some(old) = ctx.store().entry(place.project(), &place::read_path("path", self.path)?)?
        {
            ctx.writer()?.delete_entry(old.id, ctx.now())?;
        }
        Ok(EntryResult::done(self.path))
    }
}
