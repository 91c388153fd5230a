//! Where a verb works: the scopes that the caller may read, the scope that it writes to, and the
//! viewer whose rows it changes. Reads the parameters that verbs share.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::scheme::{SchemeRules, ScopeKind, rules_of};
use nudge_core::text::without_controls;
use nudge_core::{Entry, EntryPath, Fault, Scope, Tier};
use nudge_grammar::Pattern;
use nudge_home::workspace::Workspace;
use nudge_store::ProjectId;
use serde_json::Value;

use crate::caller::Caller;
use crate::operation::{OpContext, check_name};
use crate::projects::resolve::UNKNOWN;
use crate::projects::{self, CallerPlace};
use crate::statements::project_to_write;

/// Schemes whose entries belong to the project, also in a run.
const OF_PROJECT: [&str; 2] = ["file", "run"];

/// Where a verb works.
pub(super) struct VerbScope {
    /// The project's own scope.
    project: Scope,
    project_id: Option<ProjectId>,
    /// The scope of the run of the call.
    run: Option<Scope>,
    /// The root directory of the project.
    root: Option<PathBuf>,
    /// The files of the project, once they are needed.
    workspace: OnceCell<Workspace>,
    /// Scopes that were asked for, and whether the caller may read them.
    readable: RefCell<HashMap<i64, Option<Scope>>>,
    /// The keys under which the project's entries are stored.
    keys: Vec<String>,
    is_person: bool,
}

impl VerbScope {
    /// The place of a call, which only reads if it is a preview.
    pub(super) fn of(ctx: &OpContext<'_>, run: Option<&str>, is_preview: bool) -> Result<Self, Fault> {
        if is_preview { Self::to_read(ctx, run) } else { Self::to_write(ctx, run) }
    }

    /// The place of a call that only reads.
    pub(super) fn to_read(ctx: &OpContext<'_>, run: Option<&str>) -> Result<Self, Fault> {
        let standing = CallerPlace::of(ctx.store(), ctx.caller)?;
        let row = match standing.project {
            Some(id) => ctx.store().project_uncounted(id)?,
            None => None,
        };
        let keys = match &row {
            Some(row) => projects::keys_of(ctx.store(), row)?,
            None => vec![standing.key.clone()],
        };
        let key = standing.project_key(ctx.store())?;
        Self::new(ctx, run, key, keys, standing.project)
    }

    /// The place of a call that writes. The project is created if there is none yet.
    pub(super) fn to_write(ctx: &OpContext<'_>, run: Option<&str>) -> Result<Self, Fault> {
        let row = project_to_write(ctx, None)?;
        let keys = projects::keys_of(ctx.store(), &row)?;
        let key = row.keys.first().cloned().unwrap_or_else(|| UNKNOWN.to_owned());
        Self::new(ctx, run, key, keys, Some(row.id))
    }

    fn new(
        ctx: &OpContext<'_>,
        run: Option<&str>,
        key: String,
        keys: Vec<String>,
        project_id: Option<ProjectId>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            run: run.map(|alias| scope_of_run(ctx, project_id, &key, alias)).transpose()?,
            root: root_of(ctx.caller),
            workspace: OnceCell::new(),
            project: Scope::Project(key),
            project_id,
            readable: RefCell::default(),
            keys,
            is_person: projects::is_person(ctx.caller),
        })
    }

    /// Whose rows of visibility and state the call reads and changes: the run's, or else the
    /// project's.
    pub(super) fn viewer(&self) -> &Scope {
        self.run.as_ref().unwrap_or(&self.project)
    }

    /// Whether the run of the call only reads an entry, and writes a copy of its own instead: what
    /// the project knows, and what the run that this one was forked from has.
    pub(super) fn is_read_by_run(&self, entry: &Entry) -> bool {
        let is_noted = rules_of(entry.path.scheme()).default_scope == ScopeKind::Project;
        self.run.as_ref().is_some_and(|run| entry.scope != *run)
            && (is_noted || matches!(entry.scope, Scope::Run(_)))
    }

    /// Whether the call belongs to a run.
    pub(super) const fn is_run(&self) -> bool {
        self.run.is_some()
    }

    /// The project's own scope.
    pub(super) const fn project(&self) -> &Scope {
        &self.project
    }

    /// Whether the user makes the call.
    pub(super) const fn is_person(&self) -> bool {
        self.is_person
    }

    /// Whether only the user may change an entry, so that the caller can only propose it.
    pub(super) fn must_propose(&self, entry: &Entry) -> bool {
        !self.is_person && entry.writer.is_by_user()
    }

    /// The scope that a new entry of a scheme is written to. What a run writes belongs to the run.
    pub(super) fn scope_for(&self, rules: &SchemeRules) -> Scope {
        let is_noted = rules.may_write(Tier::Model) && !OF_PROJECT.contains(&rules.name);
        match rules.default_scope {
            ScopeKind::Global => Scope::Global,
            ScopeKind::Run => self.viewer().clone(),
            ScopeKind::Project if is_noted => self.viewer().clone(),
            ScopeKind::Project | ScopeKind::Session => self.project.clone(),
        }
    }

    /// Fails if the caller's project is not known: for files, which belong to one. Other entries
    /// are kept without a project.
    pub(super) fn check_known(&self) -> Result<(), Fault> {
        if self.project.key() != UNKNOWN {
            return Ok(());
        }
        Err(Fault::invalid("no_project", "your directory belongs to no project")
            .next("call it from inside a project, over stdio or on the command line"))
    }

    /// The files of the project.
    pub(super) fn workspace(&self) -> Result<&Workspace, Fault> {
        if let Some(workspace) = self.workspace.get() {
            return Ok(workspace);
        }
        self.check_known()?;
        let root = self.root.as_ref().ok_or_else(|| no_root("its directory is not known"))?;
        let workspace = Workspace::open(root).map_err(|error| no_root(&error.to_string()))?;
        Ok(self.workspace.get_or_init(|| workspace))
    }

    /// The scope with this id, if the caller may read what lives in it.
    pub(super) fn readable(&self, ctx: &OpContext<'_>, id: i64) -> Result<Option<Scope>, Fault> {
        if let Some(known) = self.readable.borrow().get(&id) {
            return Ok(known.clone());
        }
        let scope = ctx.store().scope_by_id(id)?;
        let open = match &scope {
            Some(Scope::Global | Scope::Team(_)) => true,
            Some(Scope::Project(key)) => self.keys.contains(key),
            Some(run @ Scope::Run(_)) => self.run.as_ref() == Some(run),
            Some(Scope::Session(name)) => {
                let session = ctx.store().agent_session_by_name(name)?;
                session.is_some_and(|session| Some(session.project) == self.project_id)
            }
            None => false,
        };
        let answer = scope.filter(|_| open);
        self.readable.borrow_mut().insert(id, answer.clone());
        Ok(answer)
    }
}

/// The scope of a run. One that was renamed keeps its scope.
fn scope_of_run(
    ctx: &OpContext<'_>,
    project: Option<ProjectId>,
    key: &str,
    alias: &str,
) -> Result<Scope, Fault> {
    let named = run_scope(key, alias)?;
    let known = project.map(|project| ctx.store().run_by_alias(project, alias)).transpose()?.flatten();
    Ok(known.map_or(named, |run| run.scope))
}

/// Whose rows a call in a run reads and changes.
pub fn viewer_of(ctx: &OpContext<'_>, run: &str) -> Result<Scope, Fault> {
    Ok(VerbScope::to_read(ctx, Some(run))?.viewer().clone())
}

/// The fault for a caller whose files cannot be reached.
pub fn no_root(why: &str) -> Fault {
    Fault::invalid("no_root", format!("cannot use the files of this project: {why}"))
        .next("run it inside the project's directory")
}

/// The workspace of a caller's project.
pub(super) fn workspace_of(caller: &Caller) -> Option<Workspace> {
    Workspace::open(&root_of(caller)?).ok()
}

/// The root directory of a caller's project.
pub fn root_of(caller: &Caller) -> Option<PathBuf> {
    let root = projects::place(caller)?.root;
    (!root.is_empty()).then(|| PathBuf::from(root))
}

// Parameters that several verbs share, checked.

/// The longest name of a run.
const MAX_ALIAS_BYTES: usize = 80;

/// The longest description of an entry, in characters.
const MAX_SUMMARY_CHARS: usize = 80;

/// The longest word for why something failed.
const MAX_OUTCOME_CHARS: usize = 200;

/// Whether parameters ask for a preview.
pub(super) fn is_preview(params: &Value) -> bool {
    ["preview", "manifest"].iter().any(|name| params.get(name) == Some(&Value::Bool(true)))
}

/// A path pattern.
pub fn read_pattern(field: &'static str, text: &str) -> Result<Pattern, Fault> {
    Pattern::parse(text).map_err(|error| {
        Fault::invalid("pattern", format!("{field}: {error}")).with("field", field).next(
            "use a path, a glob such as `known://plan/*`, or a regular expression such as `/known:.*auth.*/`",
        )
    })
}

/// A single path.
pub(super) fn read_path(field: &'static str, text: &str) -> Result<EntryPath, Fault> {
    if let Some((scheme, rest)) = text.split_once(":/")
        && !rest.starts_with('/')
        && !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_lowercase())
    {
        let why = format!("`{}` is neither a file nor an entry", without_controls(text, 60));
        return Err(Fault::invalid("path", why).with("field", field).next(format!("write `{scheme}://…`")));
    }
    EntryPath::parse(text).map_err(|error| Fault::invalid("path", error.to_string()).with("field", field))
}

/// The visibility with this name.
pub(super) fn read_visibility(name: Option<&str>) -> Result<Option<Visibility>, Fault> {
    let Some(name) = name else { return Ok(None) };
    Visibility::from_name(name).map(Some).ok_or_else(|| {
        Fault::invalid("visibility", format!("`{}` is no visibility", without_controls(name, 40)))
            .with("field", "visibility")
            .next("use visible, summarized or archived")
    })
}

/// The state with this name, and its outcome.
pub(super) fn read_state(
    name: Option<&str>,
    outcome: Option<&str>,
) -> Result<Option<(EntryState, Option<String>)>, Fault> {
    if outcome.is_some_and(|outcome| outcome.chars().count() > MAX_OUTCOME_CHARS) {
        let why = format!("outcome is limited to {MAX_OUTCOME_CHARS} characters");
        return Err(Fault::invalid("outcome", why).with("field", "outcome"));
    }
    let Some(name) = name else {
        if outcome.is_some() {
            return Err(Fault::invalid("outcome", "an outcome needs a state").with("field", "outcome"));
        }
        return Ok(None);
    };
    let state = EntryState::from_name(name).ok_or_else(|| {
        Fault::invalid("state", format!("`{}` is no state", without_controls(name, 40)))
            .with("field", "state")
            .next("use proposed, streaming, resolved, failed or cancelled")
    })?;
    let clean = outcome.map(|text| nudge_secrets::redact(text).into_owned());
    Ok(Some((state, clean)))
}

/// A description of at most 80 characters. Key words that do not fit after it are left out.
pub(super) fn read_summary(text: Option<&str>, tags: Option<&str>) -> Result<Option<String>, Fault> {
    let Some(first) = text.or(tags) else { return Ok(None) };
    let both = text.zip(tags).map(|(text, tags)| format!("{text}, {tags}"));
    let both = both.filter(|both| both.chars().count() <= MAX_SUMMARY_CHARS);
    let text = both.as_deref().unwrap_or(first);
    let count = text.chars().count();
    if count > MAX_SUMMARY_CHARS {
        let why = format!("a summary is limited to {MAX_SUMMARY_CHARS} characters; this one has {count}");
        return Err(Fault::invalid("summary", why).with("field", "summary"));
    }
    Ok(Some(nudge_secrets::redact(text).into_owned()))
}

/// The scope of a run in a project. Aliases are unique per project.
pub fn run_scope(project_key: &str, alias: &str) -> Result<Scope, Fault> {
    let fits = alias.starts_with(|c: char| c.is_ascii_alphanumeric())
        && alias.len() <= MAX_ALIAS_BYTES
        && alias.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !fits {
        let why = format!("`{}` is not the name of a run", without_controls(alias, 40));
        return Err(Fault::invalid("run", why).with("field", "run").next(format!(
            "begin with a letter or digit; use at most {MAX_ALIAS_BYTES} letters, digits, `-`, `_` and `.`"
        )));
    }
    check_name("run", alias)?;
    Ok(Scope::Run(format!("{project_key}#{alias}")))
}
