//! How a proposal lies in the store.

use nudge_core::{EntryId, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_store::{EntryDraft, Reader, SecretPolicy, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The scheme of proposals.
pub(super) const SCHEME: &str = "proposal";

/// How many proposals are looked at, newest first. The limit on waiting ones is far below it.
const LOOKED_AT: u32 = 2_000;

/// What is proposed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// To set a hint.
    Set,
    /// To delete one.
    Delete,
}

/// Where a proposal stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The person has not decided.
    Waiting,
    /// The person made the change.
    Accepted,
    /// The person turned it down.
    Dropped,
}

/// What the attributes of a proposal hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// `edit`: a change of something that is stored. Further kinds may come.
    pub(crate) kind: String,
    pub(crate) action: Action,
    pub(crate) state: State,
    pub(crate) component: String,
    pub(crate) key: String,
    /// The path of the hint that would change.
    pub(crate) target: String,
    /// The value, in its wire form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    /// What is said about it, in its wire form. The conditions are part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Value>,
    /// Why it was not done at once.
    pub(crate) why: String,
    /// How often it was asked for.
    pub(crate) times: i64,
    /// When it was last asked for, in milliseconds since the epoch.
    pub(crate) asked_at: i64,
}

/// A stored proposal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) id: EntryId,
    pub(crate) content: Content,
    /// Who asked for it last.
    pub(crate) by: Provenance,
    pub(crate) first_at: Timestamp,
    pub(crate) last_at: Timestamp,
    path: nudge_core::EntryPath,
    body: String,
}

/// All proposals that can be read, newest first.
pub(crate) fn all(reader: &Reader<'_>) -> Result<Vec<Proposal>, Fault> {
    Ok(reader.newest(SCHEME, LOOKED_AT)?.into_iter().filter_map(proposal_of).collect())
}

/// The proposal with that number.
pub(crate) fn by_id(reader: &Reader<'_>, id: i64) -> Result<Proposal, Fault> {
    let found = reader.entry_by_id(EntryId(id))?.filter(|entry| entry.path.scheme() == SCHEME);
    found.and_then(proposal_of).ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_proposal", format!("there is no proposal {id}"))
            .next("`nudge review` lists those that wait")
    })
}

/// Notes what the person decided. Who proposed it stays on record as the entry's origin.
pub(crate) fn set_state(
    writer: &Writer<'_>,
    proposal: &Proposal,
    state: State,
    by: &Provenance,
    now: Timestamp,
) -> Result<(), Fault> {
    let content = Content { state, ..proposal.content.clone() };
    writer.put_entry(&EntryDraft {
        scope: Scope::Global,
        path: proposal.path.clone(),
        body: proposal.body.clone(),
        attributes: attributes_of(&content),
        provenance: by.clone(),
        secrets: SecretPolicy::Redact,
        now,
    })?;
    Ok(())
}

/// Removes proposals that hold each of these texts, in whatever case.
pub(crate) fn forget_holding(writer: &Writer<'_>, texts: &[String], now: Timestamp) -> Result<(), Fault> {
    let wanted: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    for entry in writer.newest(SCHEME, LOOKED_AT)? {
        let attributes = Value::Object(entry.attributes).to_string();
        let held = format!("{}\n{attributes}", entry.body).to_lowercase();
        if wanted.iter().all(|text| held.contains(text)) {
            writer.delete_entry(entry.id, now)?;
        }
    }
    Ok(())
}

/// Removes proposals that were made in one of these places.
pub(crate) fn forget_places(writer: &Writer<'_>, keys: &[String], now: Timestamp) -> Result<(), Fault> {
    for entry in writer.newest(SCHEME, LOOKED_AT)? {
        let places = [&entry.origin.project, &entry.writer.project];
        if places.into_iter().flatten().any(|place| keys.contains(place)) {
            writer.delete_entry(entry.id, now)?;
        }
    }
    Ok(())
}

pub(super) fn attributes_of(content: &Content) -> Map<String, Value> {
    match serde_json::to_value(content) {
        Ok(Value::Object(attributes)) => attributes,
        _ => unreachable!("a struct of plain fields is an object"),
    }
}

pub(super) fn proposal_of(entry: nudge_core::Entry) -> Option<Proposal> {
    let content: Content = serde_json::from_value(Value::Object(entry.attributes)).ok()?;
    let last_at = Timestamp::from_millis(content.asked_at);
    let by = if content.state == State::Waiting { entry.writer } else { entry.origin };
    Some(Proposal {
        id: entry.id,
        content,
        by,
        first_at: entry.created_at,
        last_at,
        path: entry.path,
        body: entry.body,
    })
}
