//! Makes a proposal: records a change that an agent may not make, for the user to decide.

use nudge_core::{EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Source, Timestamp};
use nudge_outcomes::fingerprint;
use nudge_store::{Reader, SecretPolicy, Writer};
use serde_json::Value;

use super::content::{CommandWanted, Content, Edit, EntryChange, ProposalSubject, Words};
use super::stored::{Proposal, SCHEME, all, proposal_of};
use super::{Action, ProposalNote, State};
use crate::caller::Surface;
use crate::operation::OpContext;
use crate::statements::stored::Category;

/// How many changes may wait at once. Nobody reviews more, and an agent in a loop must not fill the
/// store.
const MAX_WAITING: usize = 200;

/// How many bytes of new text they may have together. All of them are read for a review.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// How many of these may be Nudge's own.
const MAX_WAITING_FROM_NUDGE: usize = 20;

/// A change of a hint that an agent asked for.
pub(crate) struct Change {
    pub(crate) action: Action,
    pub(crate) component: String,
    pub(crate) key: String,
    pub(crate) target: EntryPath,
    pub(crate) value: Option<Value>,
    pub(crate) meta: Option<Value>,
    /// The change in one line.
    pub(crate) body: String,
    pub(crate) why: String,
}

/// A change of the user's statement that an agent asked for.
pub(crate) struct StatementChange {
    pub(crate) action: Action,
    pub(crate) target: EntryId,
    pub(crate) scope: Scope,
    pub(crate) category: Category,
    pub(crate) directory: Option<String>,
    /// The new words, or those that would be removed.
    pub(crate) text: String,
    pub(crate) why: String,
}

/// Records the change for the user, once: if it is asked for again, it is only counted.
pub(crate) fn make(ctx: &OpContext<'_>, change: Change) -> Result<ProposalNote, Fault> {
    let text = |json: &Option<Value>| json.as_ref().map(Value::to_string).unwrap_or_default();
    let (value, meta) = (text(&change.value), text(&change.meta));
    let path = path_of("edit", &["proposal", change.action.name(), change.target.as_str(), &value, &meta])?;
    let (asked, body) = asked_of(change);
    keep(ctx, path, body, asked)
}

/// A change of a hint, and its description in one line.
fn asked_of(change: Change) -> (Asked, String) {
    let edit = Edit {
        component: change.component,
        key: change.key,
        target: change.target.as_str().to_owned(),
        value: change.value,
        meta: change.meta,
    };
    let asked = Asked {
        action: change.action,
        why: change.why,
        matter: ProposalSubject::Edit(edit),
        scope: Scope::Global,
    };
    (asked, change.body)
}

/// The same for a statement.
pub(crate) fn make_for_statement(
    ctx: &OpContext<'_>,
    change: StatementChange,
) -> Result<ProposalNote, Fault> {
    let target = change.target.0.to_string();
    let path = path_of("statement", &["change", change.action.name(), &target, &change.text])?;
    let words = Words {
        category: change.category,
        directory: change.directory,
        target: Some(change.target.0),
        ..Words::default()
    };
    let asked = Asked {
        action: change.action,
        why: change.why,
        matter: ProposalSubject::Statement(words),
        scope: change.scope,
    };
    keep(ctx, path, change.text, asked)
}

/// The same for an entry or a file.
pub(crate) fn make_for_entry(
    ctx: &OpContext<'_>,
    action: Action,
    scope: Scope,
    change: EntryChange,
    why: String,
) -> Result<ProposalNote, Fault> {
    let whole = serde_json::to_string(&change).unwrap_or_default();
    let asked_in = asked_in(ctx);
    let mut facts = vec!["entry", action.name(), scope.kind(), scope.key(), &whole];
    facts.extend(asked_in.as_deref());
    let path = path_of("entry", &facts)?;
    let body = match &change.to {
        Some(to) => format!("{} {} to {to}", action.name(), change.path),
        None => format!("{} {}", action.name(), change.path),
    };
    keep(ctx, path, body, Asked { action, why, matter: ProposalSubject::Entry(change), scope })
}

/// The same for a command of a run, or a call of a plugin.
pub(crate) fn make_for_command(
    ctx: &OpContext<'_>,
    scope: Scope,
    wanted: CommandWanted,
    why: String,
) -> Result<ProposalNote, Fault> {
    let asked_in = asked_in(ctx).unwrap_or_default();
    let path = path_of("command", &["command", scope.key(), &wanted.line(), &asked_in])?;
    let body = wanted.sentence();
    let matter = ProposalSubject::Command(wanted);
    keep(ctx, path, body, Asked { action: Action::Run, why, matter, scope })
}

/// The turn of a run that asks. Each turn asks anew: what the user rejected in one run may be
/// right in another.
fn asked_in(ctx: &OpContext<'_>) -> Option<String> {
    let (turn, _) = ctx.caller.turn?;
    let session = ctx.caller.session.as_deref()?;
    (ctx.caller.surface == Surface::Run).then(|| format!("{session} {turn}"))
}

/// The change asked for.
struct Asked {
    action: Action,
    why: String,
    matter: ProposalSubject,
    scope: Scope,
}

impl Asked {
    fn proposal(
        self,
        path: EntryPath,
        body: String,
        times: i64,
        by: &Provenance,
        now: Timestamp,
    ) -> Proposal {
        let content = Content {
            action: self.action,
            state: State::Waiting,
            why: self.why,
            times,
            asked_at: now.as_millis(),
            matter: self.matter,
        };
        Proposal::new(self.scope, path, body, content, by.clone(), now)
    }
}

fn keep(ctx: &OpContext<'_>, path: EntryPath, body: String, asked: Asked) -> Result<ProposalNote, Fault> {
    let writer = ctx.writer()?;
    let before = writer.entry(&asked.scope, &path)?.and_then(proposal_of);
    if let Some(decided) = before.as_ref().filter(|known| known.content.state == State::Dropped) {
        return Ok(ProposalNote {
            id: Some(decided.id.0),
            state: State::Dropped,
            why: format!("{}; the user has rejected this change", asked.why),
            next: "continue with what is stored".to_owned(),
        });
    }
    let waiting = before.filter(|known| known.content.state == State::Waiting);
    if waiting.is_none() {
        check_room(ctx, &asked.matter)?;
    }
    let why = asked.why.clone();
    let times = waiting.map_or(1, |known| known.content.times + 1);
    let by = ctx.provenance()?;
    let proposal = asked.proposal(path, body, times, &by, ctx.now());
    let id = proposal.save(writer, &by, SecretPolicy::Reject, ctx.now())?;
    Ok(ProposalNote {
        id: Some(id.0),
        state: State::Waiting,
        why,
        next: "nothing changed; the user decides with `nudge review`. Continue with what is stored"
            .to_owned(),
    })
}

/// Records a change that nobody asked for: Nudge itself saw a reason for it. `known_by` identifies
/// it, so it is proposed once, and not again after the user decided on it. Returns whether it waits
/// now.
pub(crate) fn make_unrequested(
    writer: &Writer<'_>,
    change: Change,
    known_by: &[&str],
    by: &Provenance,
    now: Timestamp,
) -> Result<bool, Fault> {
    let path = path_of("edit", known_by)?;
    match writer.entry(&Scope::Global, &path)?.and_then(proposal_of) {
        None if has_room_for_seen(&waiting(writer)?) => {
            let (asked, body) = asked_of(change);
            asked.proposal(path, body, 1, by, now).save(writer, by, SecretPolicy::Redact, now)?;
            Ok(true)
        }
        // The user may have read it already, so only the count changes.
        Some(mut known) if known.content.state == State::Waiting => {
            known.content.times += 1;
            known.content.why = change.why;
            known.save(writer, by, SecretPolicy::Redact, now)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The path of a change. The same change has the same path for every caller that asks for it.
pub(super) fn path_of(kind: &str, facts: &[&str]) -> Result<EntryPath, Fault> {
    let hash = fingerprint(facts);
    EntryPath::from_parts(SCHEME, &[kind, &format!("{:016x}", hash.cast_unsigned())], None)
        .map_err(|error| Fault::new(FaultKind::Internal, "proposal_path", error.to_string()))
}

fn check_room(ctx: &OpContext<'_>, matter: &ProposalSubject) -> Result<(), Fault> {
    let waiting = waiting(ctx.store())?;
    let (why, limit) = if !has_room(&waiting) {
        (format!("{MAX_WAITING} proposals already wait for the user, which is the limit"), MAX_WAITING)
    } else if size(matter) + waiting.iter().map(|known| size(&known.content.matter)).sum::<usize>()
        > MAX_WAITING_BYTES
    {
        let why = "with this one, the proposals that wait for the user would have more than 16 MiB of text";
        (why.to_owned(), MAX_WAITING_BYTES)
    } else {
        return Ok(());
    };
    Err(Fault::new(FaultKind::Quota, "proposals", why)
        .with("limit", limit)
        .next("nothing was changed or proposed; ask the user to run `nudge review`"))
}

/// The bytes of text that a change brings.
fn size(matter: &ProposalSubject) -> usize {
    match matter {
        ProposalSubject::Entry(change) => change.body.as_ref().map_or(0, String::len),
        ProposalSubject::Command(wanted) => wanted.command.len(),
        _ => 0,
    }
}

/// The changes that wait for the user.
fn waiting(reader: &Reader<'_>) -> Result<Vec<Proposal>, Fault> {
    let is_waiting = |known: &Proposal| known.content.state == State::Waiting;
    Ok(all(reader)?.into_iter().filter(is_waiting).collect())
}

/// Whether another change may wait.
fn has_room(waiting: &[Proposal]) -> bool {
    waiting.iter().filter(|known| known.content.action != Action::Remember).count() < MAX_WAITING
}

/// Whether another change of Nudge's own may wait.
fn has_room_for_seen(waiting: &[Proposal]) -> bool {
    let seen = waiting.iter().filter(|known| known.by.source == Source::ToolOutput);
    seen.count() < MAX_WAITING_FROM_NUDGE && has_room(waiting)
}
