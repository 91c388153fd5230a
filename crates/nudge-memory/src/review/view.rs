//! A proposal as the person sees it, beside what is stored now.

use nudge_core::{EntryId, EntryPath, Fault, Provenance, Scope, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::accept::project_of;
use crate::hints::wire;
use crate::operation::OpContext;
use crate::projects;
use crate::statements::proposals::{Action, Edit, Matter, Proposal, State, Words};
use crate::statements::{self, Category, Contradicted, Saying, contradicted, project_name, stated_by};

/// One proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// Its number.
    pub id: i64,
    /// `edit`, `statement` or `routine`.
    pub kind: String,
    /// What would be done.
    pub action: Action,
    /// Where it stands.
    pub state: State,
    /// The component of the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When the hint applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<wire::Scope>,
    /// What it would say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The reason that the agent gives for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it would live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// What it says now; absent when there is no such thing, or when it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Who stated what it says now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_stated_by: Option<String>,
    /// The words of a statement or routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What sort of thing they state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The directory they were said for, from the root of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// In how many sessions they were said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// When and how, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<SayingView>,
    /// Whether they are injected although nobody decided on them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_force: bool,
    /// Statements that hold and that they speak against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<Contradicted>,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<i64>,
    /// The project that they were said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Who proposed it, and where.
    pub proposed_by: String,
    /// The agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why it was not done at once.
    pub why: String,
    /// How often it was proposed, or said.
    pub times: i64,
    /// When first.
    pub first_at: String,
    /// When last.
    pub last_at: String,
}

/// One time that something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SayingView {
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When.
    pub at: String,
    /// How: `prompt`, `refusal`, `answer`, `while working`.
    pub how: String,
    /// The number of the prompt it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<i64>,
}

/// What there is now of what a proposal would change.
#[derive(Default)]
struct Current {
    by: Option<Provenance>,
    text: Option<String>,
}

/// A proposal beside what is stored now; `None` where either belongs to a private project that the person stands
/// outside of.
pub(super) fn of(ctx: &OpContext<'_>, proposal: Proposal) -> Result<Option<ProposalView>, Fault> {
    let current = current(ctx, &proposal.content.matter)?;
    let standing = current.by.as_ref().and_then(|by| by.project.as_deref());
    let is_hidden = match standing {
        Some(key) => projects::closes(ctx.store(), ctx.caller, key)?,
        None => false,
    };
    if is_hidden || is_closed(ctx, &proposal)? {
        return Ok(None);
    }
    let mut view = bare(ctx, &proposal)?;
    view.current_stated_by = current.by.map(|by| stated_by(ctx.store(), &by)).transpose()?;
    view.current = current.text;
    match &proposal.content.matter {
        Matter::Edit(edit) => add_edit(&mut view, edit),
        Matter::Statement(words) | Matter::Routine(words) => add_words(ctx, &mut view, &proposal, words)?,
    }
    Ok(Some(view))
}

/// Whether a proposal was made in, or for, a private project that the person stands outside of.
pub(super) fn is_closed(ctx: &OpContext<'_>, proposal: &Proposal) -> Result<bool, Fault> {
    let place = Some(proposal.scope.key()).filter(|key| !key.is_empty());
    for key in proposal.by.project.as_deref().into_iter().chain(place) {
        if projects::closes(ctx.store(), ctx.caller, key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn current(ctx: &OpContext<'_>, matter: &Matter) -> Result<Current, Fault> {
    let entry = match matter {
        Matter::Edit(edit) => match EntryPath::parse(&edit.target) {
            Ok(path) => ctx.store().entry(&Scope::Global, &path)?,
            Err(_) => None,
        },
        Matter::Statement(Words { target: Some(id), .. }) => {
            let statement = statements::by_id(ctx.store(), EntryId(*id))?;
            let current = |one: statements::Stored| Current { by: Some(one.by), text: Some(one.text) };
            return Ok(statement.map(current).unwrap_or_default());
        }
        Matter::Statement(_) | Matter::Routine(_) => None,
    };
    Ok(entry.map_or_else(Current::default, |entry| {
        let text = (!marked_secret(&entry.attributes)).then_some(entry.body);
        Current { by: Some(entry.writer), text }
    }))
}

/// What every kind has.
fn bare(ctx: &OpContext<'_>, proposal: &Proposal) -> Result<ProposalView, Fault> {
    let content = &proposal.content;
    Ok(ProposalView {
        id: proposal.id.0,
        kind: content.matter.kind().to_owned(),
        action: content.action,
        state: content.state,
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
    view.said = words.said.iter().map(saying).collect();
    view.project = project_name(ctx.store(), &proposal.by)?;
    if proposal.by.is_the_persons() {
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
