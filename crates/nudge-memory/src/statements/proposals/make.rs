//! Making a proposal: what an agent may not change is written down for the person to decide.

use nudge_core::{EntryPath, Fault, FaultKind, Scope};
use nudge_store::{EntryDraft, SecretPolicy};
use serde_json::Value;

use super::stored::{Content, SCHEME, all, attributes_of, proposal_of};
use super::{Action, ProposalNote, State};
use crate::capture::fingerprint;
use crate::operation::OpContext;

/// How many proposals may wait at once. Nobody reviews more, and an agent in a loop must not fill the store.
const WAITING_MOST: usize = 200;

/// A change that an agent asked for.
pub(crate) struct Change {
    pub(crate) action: Action,
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) target: EntryPath,
    pub(crate) value: Option<Value>,
    pub(crate) meta: Option<Value>,
    /// How the change reads in one line.
    pub(crate) body: String,
    pub(crate) why: String,
}

/// Keeps the change for the person, once: the same one asked for again only counts.
pub(crate) fn make(ctx: &OpContext<'_>, change: Change) -> Result<ProposalNote, Fault> {
    let path = path_of(&change)?;
    let writer = ctx.writer()?;
    let before = writer.entry(&Scope::Global, &path)?.and_then(proposal_of);
    if let Some(decided) = before.as_ref().filter(|known| known.content.state == State::Dropped) {
        return Ok(ProposalNote {
            id: Some(decided.id.0),
            state: State::Dropped,
            why: format!("{}; the person has turned this change down", change.why),
            next: "go on with what is stored".to_owned(),
        });
    }
    let waiting = before.filter(|known| known.content.state == State::Waiting);
    if waiting.is_none() {
        check_room(ctx)?;
    }
    let content = Content {
        kind: "edit".to_owned(),
        action: change.action,
        state: State::Waiting,
        component: change.component,
        key: change.key,
        target: change.target.as_str().to_owned(),
        value: change.value,
        meta: change.meta,
        why: change.why.clone(),
        times: waiting.map_or(1, |known| known.content.times + 1),
        asked_at: ctx.now().as_millis(),
    };
    let written = writer.put_entry(&EntryDraft {
        scope: Scope::Global,
        path,
        body: change.body,
        attributes: attributes_of(&content),
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Reject,
        now: ctx.now(),
    })?;
    Ok(ProposalNote {
        id: Some(written.id.0),
        state: State::Waiting,
        why: change.why,
        next: "nothing changed; the person decides with `nudge review`. Go on with what is stored".to_owned(),
    })
}

/// The same change has the same path, whoever asks for it.
fn path_of(change: &Change) -> Result<EntryPath, Fault> {
    let action = match change.action {
        Action::Set => "set",
        Action::Delete => "delete",
    };
    let text = |json: &Option<Value>| json.as_ref().map(Value::to_string).unwrap_or_default();
    let (value, meta) = (text(&change.value), text(&change.meta));
    let hash = fingerprint::of(&["proposal", action, change.target.as_str(), &value, &meta]);
    EntryPath::from_parts(SCHEME, &["edit", &format!("{:016x}", hash.cast_unsigned())], None)
        .map_err(|error| Fault::new(FaultKind::Internal, "proposal_path", error.to_string()))
}

fn check_room(ctx: &OpContext<'_>) -> Result<(), Fault> {
    let waiting = all(ctx.store())?.iter().filter(|known| known.content.state == State::Waiting).count();
    if waiting < WAITING_MOST {
        return Ok(());
    }
    let why = format!("{waiting} proposals wait for the person already, and {WAITING_MOST} is the limit");
    Err(Fault::new(FaultKind::Quota, "proposals", why)
        .with("limit", WAITING_MOST)
        .next("nothing changed and nothing was proposed; ask the person to run `nudge review`"))
}
