//! A proposal as the user sees it, next to what is stored now, and the statement that an accepted
//! one becomes.

use std::path::Path;

use nudge_core::{EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_home::workspace::Workspace;
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::changes::MAX_FILE_BYTES;
use crate::hints::wire;
use crate::operation::OpContext;
use crate::projects;
use crate::statements::proposals::{
    self, Action, CommandWanted, Edit, EntryChange, Proposal, ProposalSubject, State, Words,
};
use crate::statements::{
    self, Category, Contradicted, MAX_STATEMENT_CHARS, NewStatement, Saying, StatementState, StatementView,
    Stored, checked_text, contradicted, project_name, retire, stated_by,
};

/// A proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// Id of the proposal.
    pub id: i64,
    /// Kind: `edit`, `statement`, `routine`, `file` or `command`.
    pub kind: String,
    /// The proposed action.
    pub action: Action,
    /// State of the proposal.
    pub state: State,
    /// The path of the entry or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The new path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The change as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The text that a file would have, if it is not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// Facts of the entry that would change; `null` removes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Map<String, Value>>,
    /// The component of the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The key of the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Conditions under which the hint applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<wire::Scope>,
    /// The proposed value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The agent's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The proposed lifetime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The current value or text; absent if there is none, or if it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Who stated the current value or text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_stated_by: Option<String>,
    /// The text of a statement or routine, the command, or the call of a plugin with its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Kind of statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Directory it applies to, from the project root. For a command: where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The run that waits for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Rights that a command needs beside those of every command, such as `network`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rights: Vec<String>,
    /// The plugin's tool that would be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What keeps a command in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Number of sessions it was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// When and how it was said, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<SayingView>,
    /// True if it is already injected although the user has not decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_force: bool,
    /// Current statements that it contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<Contradicted>,
    /// Id of the statement that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<i64>,
    /// The project it was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Who proposed it and where.
    pub proposed_by: String,
    /// The agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why the change was not made at once.
    pub why: String,
    /// How often it was proposed or said.
    pub times: i64,
    /// First time.
    pub first_at: String,
    /// Last time.
    pub last_at: String,
}

/// One time that something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SayingView {
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Time it was said.
    pub at: String,
    /// How it was said: `prompt`, `refusal`, `answer` or `while working`.
    pub how: String,
    /// Id of the prompt that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<i64>,
}

/// The stored state of what a proposal would change.
#[derive(Default)]
struct Current {
    by: Option<Provenance>,
    text: Option<String>,
}

/// A proposal next to what is stored now; `None` if either belongs to a private project that the
/// user is outside of.
pub(super) fn of(ctx: &OpContext<'_>, proposal: Proposal) -> Result<Option<ProposalView>, Fault> {
    let current = current(ctx, &proposal.scope, &proposal.content.matter)?;
    let standing = current.by.as_ref().and_then(|by| by.project.as_deref());
    let is_hidden = match standing {
        Some(key) => projects::is_hidden_from(ctx.store(), ctx.caller, key)?,
        None => false,
    };
    if is_hidden || is_closed(ctx, &proposal)? {
        return Ok(None);
    }
    let mut view = bare(ctx, &proposal)?;
    view.current_stated_by = current.by.map(|by| stated_by(ctx.store(), &by)).transpose()?;
    view.current = current.text;
    match &proposal.content.matter {
        ProposalSubject::Edit(edit) => add_edit(&mut view, edit),
        ProposalSubject::Entry(change) => add_entry(&mut view, change),
        ProposalSubject::Statement(words) | ProposalSubject::Routine(words) => {
            add_words(ctx, &mut view, &proposal, words)?
        }
        ProposalSubject::Command(wanted) => add_command(&mut view, wanted),
    }
    Ok(Some(view))
}

/// Whether a proposal was made in or for a private project that the user is outside of.
pub(super) fn is_closed(ctx: &OpContext<'_>, proposal: &Proposal) -> Result<bool, Fault> {
    let place = Some(proposal.scope.key()).filter(|key| !key.is_empty());
    for key in proposal.by.project.as_deref().into_iter().chain(place) {
        if projects::is_hidden_from(ctx.store(), ctx.caller, key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn current(ctx: &OpContext<'_>, scope: &Scope, matter: &ProposalSubject) -> Result<Current, Fault> {
    let entry = match matter {
        ProposalSubject::Edit(edit) => match EntryPath::parse(&edit.target) {
            Ok(path) => ctx.store().entry(&Scope::Global, &path)?,
            Err(_) => None,
        },
        ProposalSubject::Entry(change) => return current_entry(ctx, scope, change),
        ProposalSubject::Statement(Words { target: Some(id), .. }) => {
            let statement = statements::by_id(ctx.store(), EntryId(*id))?;
            let current = |one: statements::Stored| Current { by: Some(one.by), text: Some(one.text) };
            return Ok(statement.map(current).unwrap_or_default());
        }
        ProposalSubject::Statement(_) | ProposalSubject::Routine(_) | ProposalSubject::Command(_) => None,
    };
    Ok(entry.map_or_else(Current::default, |entry| {
        let text = (!marked_secret(&entry.attributes)).then_some(entry.body);
        Current { by: Some(entry.writer), text }
    }))
}

/// The present text of an entry or a file.
fn current_entry(ctx: &OpContext<'_>, scope: &Scope, change: &EntryChange) -> Result<Current, Fault> {
    if let Some(root) = &change.root {
        let workspace = Workspace::open(Path::new(root)).ok();
        let read = |workspace: Workspace| {
            let path = workspace.resolve(&change.path).ok()?;
            Some(workspace.read(&path, MAX_FILE_BYTES).ok()?.text)
        };
        return Ok(Current { by: None, text: workspace.and_then(read) });
    }
    let Ok(path) = EntryPath::parse(&change.path) else { return Ok(Current::default()) };
    let entry = match ctx.store().entry(scope, &path)? {
        Some(entry) => ctx.store().whole_entry(entry.id)?,
        None => None,
    };
    Ok(entry
        .map_or_else(Current::default, |entry| Current { by: Some(entry.writer), text: Some(entry.body) }))
}

/// The fields that every kind of proposal has.
fn bare(ctx: &OpContext<'_>, proposal: &Proposal) -> Result<ProposalView, Fault> {
    let content = &proposal.content;
    Ok(ProposalView {
        id: proposal.id.0,
        kind: content.matter.kind().to_owned(),
        action: content.action,
        state: content.state,
        path: None,
        to: None,
        diff: None,
        new_text: None,
        attributes: None,
        component: None,
        key: None,
        scope: None,
        value: None,
        reason: None,
        ttl: None,
        current: None,
        current_stated_by: None,
        text: None,
        category: None,
        directory: None,
        run: None,
        rights: Vec::new(),
        tool: None,
        sandbox: None,
        sessions: None,
        said: Vec::new(),
        in_force: content.is_in_force(),
        contradicts: Vec::new(),
        successor: None,
        project: None,
        proposed_by: stated_by(ctx.store(), &proposal.by)?,
        client: proposal.by.client.clone(),
        session: proposal.by.session.clone(),
        why: content.why.clone(),
        times: content.times,
        first_at: proposal.first_at.to_string(),
        last_at: proposal.last_at.to_string(),
    })
}

fn add_edit(view: &mut ProposalView, edit: &Edit) {
    let meta = edit.meta.clone().and_then(|meta| wire::Meta::from_stored(meta).ok()).unwrap_or_default();
    view.component = Some(edit.component.clone());
    view.key = Some(edit.key.clone());
    view.value.clone_from(&edit.value);
    (view.scope, view.reason, view.ttl) = (meta.scope, meta.reason, meta.ttl);
}

/// The longest text of a file that is shown whole, in bytes.
const MAX_NEW_TEXT_BYTES: usize = 64 * 1024;

fn add_entry(view: &mut ProposalView, change: &EntryChange) {
    view.path = Some(change.path.clone());
    view.to.clone_from(&change.to);
    view.attributes.clone_from(&change.attributes);
    let old = view.current.take().unwrap_or_default();
    let new = match (&change.body, view.action) {
        (Some(body), Action::Set) => body,
        (_, Action::Delete) => "",
        _ => return,
    };
    let is_file_text = change.root.is_some() && change.body.is_some() && new.len() <= MAX_NEW_TEXT_BYTES;
    view.new_text = is_file_text.then(|| new.to_owned());
    view.diff = Some(nudge_grammar::unified_diff(&change.path, &old, new)).filter(|diff| !diff.is_empty());
}

fn add_command(view: &mut ProposalView, wanted: &CommandWanted) {
    view.text = Some(wanted.line());
    view.tool.clone_from(&wanted.tool);
    view.directory = Some(wanted.root.clone());
    view.run = Some(wanted.run.clone());
    view.rights.clone_from(&wanted.rights);
    view.sandbox = Some(wanted.sandbox.clone()).filter(|sandbox| !sandbox.is_empty());
}

fn add_words(
    ctx: &OpContext<'_>,
    view: &mut ProposalView,
    proposal: &Proposal,
    words: &Words,
) -> Result<(), Fault> {
    view.text = Some(proposal.body.clone());
    view.category = Some(words.category);
    view.directory.clone_from(&words.directory);
    view.successor = words.successor;
    if proposal.content.action != Action::Remember {
        return Ok(());
    }
    view.sessions = Some(words.sessions);
    view.said = words.sayings.iter().map(saying).collect();
    view.project = project_name(ctx.store(), &proposal.by)?;
    if proposal.by.is_by_user() {
        let place = view.project.as_deref();
        view.proposed_by = place
            .map_or_else(|| "the person said it".to_owned(), |name| format!("the person said it, in {name}"));
    }
    if let Some(project) = project_of(ctx, &proposal.scope)?
        && proposal.content.state == State::Waiting
    {
        view.contradicts =
            contradicted(ctx.store(), project, &proposal.body, words.directory.as_deref(), &[proposal.id])?;
    }
    Ok(())
}

fn saying(one: &Saying) -> SayingView {
    SayingView {
        session: one.session.clone(),
        at: Timestamp::from_millis(one.at).to_string(),
        how: one.how.clone(),
        prompt: one.prompt,
    }
}

fn marked_secret(attributes: &Map<String, Value>) -> bool {
    attributes.get("meta").and_then(|meta| meta.get("sensitivity")).is_some_and(|said| said == "secret")
}

// Turns an accepted proposal into a statement.

/// The result.
pub(super) struct Accepted {
    pub(super) statement: StatementView,
    pub(super) replaced: Vec<Contradicted>,
}

/// Makes the statement as the user's own, in the words that were said or in new ones.
pub(super) fn accept_statement(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    words: &Words,
    text: Option<&str>,
) -> Result<Accepted, Fault> {
    let text = checked_text(ctx, "statement", text.unwrap_or(&proposal.body), MAX_STATEMENT_CHARS)?;
    let project = project_of(ctx, &proposal.scope)?;
    let target = words.target.map(|id| standing(ctx, proposal, EntryId(id))).transpose()?;
    match (proposal.content.action, target) {
        (Action::Forget, Some(target)) => {
            let gone = retire(ctx.writer()?, target, StatementState::Forgotten, None, true, ctx.now())?;
            Ok(Accepted { statement: StatementView::stored(ctx.store(), gone)?, replaced: Vec::new() })
        }
        (_, target) => {
            let new = new_statement(ctx, proposal, words, text, target.as_ref())?;
            let made = statements::make(ctx.writer()?, &proposal.scope, project, new, ctx.now())?;
            let replaced = replace(ctx, project, proposal, &made, target)?;
            Ok(Accepted { statement: StatementView::stored(ctx.store(), made)?, replaced })
        }
    }
}

fn new_statement(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    words: &Words,
    text: String,
    target: Option<&Stored>,
) -> Result<NewStatement, Fault> {
    let is_routine = matches!(proposal.content.matter, ProposalSubject::Routine(_));
    let mut sayings = words.sayings.clone();
    sayings.push(Saying::by_command(None, ctx.now(), "accepted"));
    Ok(NewStatement {
        text,
        category: if is_routine { Category::Workflow } else { words.category },
        directory: words.directory.clone(),
        sayings,
        times: u32::try_from(proposal.content.times).unwrap_or(u32::MAX),
        accepted_from: Some(proposal.id.0),
        is_routine,
        predecessor: target.map(|target| target.id.0),
        anchors: words.anchors.clone(),
        by: the_persons(ctx, &proposal.scope)?,
    })
}

/// The user's provenance. The statement is about the place it was said for, not about where the
/// user reviews it.
fn the_persons(ctx: &OpContext<'_>, scope: &Scope) -> Result<Provenance, Fault> {
    let project = Some(scope.key().to_owned()).filter(|key| !key.is_empty());
    Ok(Provenance { project, ..ctx.provenance()? })
}

/// Retires what the new statement corrects or contradicts.
fn replace(
    ctx: &OpContext<'_>,
    project: Option<ProjectId>,
    proposal: &Proposal,
    made: &Stored,
    target: Option<Stored>,
) -> Result<Vec<Contradicted>, Fault> {
    let writer = ctx.writer()?;
    if let Some(target) = target.filter(|target| target.id != made.id) {
        let old = retire(writer, target, StatementState::Corrected, Some(made.id.0), true, ctx.now())?;
        proposals::replace_old_words(writer, &old, made, project, ctx.now())?;
    }
    proposals::settle(writer, made, project, ctx.now())?;
    let Some(project) = project else { return Ok(Vec::new()) };
    let mut replaced = Vec::new();
    let directory = made.stated.directory.as_deref();
    let but = [made.id, proposal.id];
    for one in contradicted(ctx.store(), project, &made.text, directory, &but)? {
        let statement = statements::by_id(ctx.store(), EntryId(one.id))?;
        let gives_way =
            |other: &Stored| other.scope != Scope::Global && other.stated.directory == made.stated.directory;
        if let Some(statement) = statement.filter(gives_way) {
            retire(writer, statement, StatementState::Corrected, Some(made.id.0), true, ctx.now())?;
            replaced.push(one);
        }
    }
    Ok(replaced)
}

/// The project of a scope; `None` for a scope that covers all projects.
pub(super) fn project_of(ctx: &OpContext<'_>, scope: &Scope) -> Result<Option<ProjectId>, Fault> {
    match scope {
        Scope::Project(key) => Ok(ctx.store().project_by_key(key)?),
        _ => Ok(None),
    }
}

fn standing(ctx: &OpContext<'_>, proposal: &Proposal, id: EntryId) -> Result<Stored, Fault> {
    let found = statements::by_id(ctx.store(), id)?;
    found.filter(|statement| statement.stated.state == StatementState::Stands).ok_or_else(|| {
        let why = format!("statement {} no longer applies", id.0);
        Fault::new(FaultKind::NotFound, "gone", why)
            .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
    })
}
