//! `set_hint`: saves a hint, or replaces the variant with the same conditions.

use std::path::Path;

use nudge_core::hint::Sensitivity;
use nudge_core::{EntryPath, Fault, FaultKind, Hint, HintMeta, HintValue, Provenance, Scope};
use nudge_store::{Ending, HintDraft, HintRow, History, SecretPolicy};
use serde_json::{Map, Value as Json};

use super::authority::is_closed;
use super::limits::Quota;
use super::wire::{Meta, SetAnswer, SetParams, Value};
use super::{authority, bump, choice, limits, secrets, stored};
use crate::anchors;
use crate::caller::Ambient;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::proposals::{self, Action, Change, ProposalNote};

/// The `set_hint` operation.
pub struct SetHint;

impl Op for SetHint {
    const NAME: &'static str = "set_hint";
    const TITLE: &'static str = "Set hint";
    const DOC: &'static str = "Save a fact that was costly to find: a command that worked, a path, a \
        setting. Replaces the hint with the same component, key and meta.scope.";
    const REFERENCE: &'static str = "Save a hint, or replace the variant with the same component, key and \
        conditions. Omitted `meta` fields keep their value. When an agent changes a hint that the user \
        stated, the change becomes a proposal.";
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = SetParams;
    type Answer = SetAnswer;

    fn run(ctx: &OpContext<'_>, params: SetParams) -> Result<SetAnswer, Fault> {
        let SetParams { component, key, value, meta, if_match_version, allow_secret } = params;
        limits::check_name("component", &component)?;
        limits::check_name("key", &key)?;
        let value = value.checked()?;
        let meta = updated(ctx, &component, &key, meta.unwrap_or_default())?;
        let meta = mark_secret(ctx, meta, &key, &value, allow_secret)?;
        let provenance = ctx.provenance()?;
        let write = Write {
            component,
            key,
            value,
            meta,
            expect: if_match_version,
            history: None,
            allow_secret,
            provenance,
        };
        let mut quota = Quota::for_component(ctx, &write.component)?;
        match write.run(ctx, &mut quota)? {
            Outcome::Written(hint) => {
                if hint.version == 1 {
                    // A new hint needs room, so expired entries are removed first: without a
                    // server, nothing else removes them.
                    ctx.writer()?.sweep(ctx.now())?;
                }
                Ok(SetAnswer { hint: Some(stored::wire_hint(ctx, &hint)?), proposal: None })
            }
            Outcome::Proposed { note, existing } => {
                let readable = existing.filter(|hint| may_read(ctx, hint));
                let hint = readable.map(|hint| stored::wire_hint(ctx, &hint)).transpose()?;
                Ok(SetAnswer { hint, proposal: Some(note) })
            }
        }
    }

    fn for_repeat(answer: SetAnswer) -> SetAnswer {
        SetAnswer { hint: answer.hint.map(super::wire::Hint::without_secret), ..answer }
    }
}

/// Refuses to overwrite a hint of a private project from outside. The caller could not even read it
/// back.
fn check_open(ctx: &OpContext<'_>, row: &HintRow) -> Result<(), Fault> {
    if !is_closed(ctx, &row.entry.origin)? && !is_closed(ctx, &row.entry.writer)? {
        return Ok(());
    }
    let why = format!("{}/{} belongs to a private project, and you are outside it", row.component, row.key);
    Err(Fault::new(FaultKind::Forbidden, "private_project", why)
        .next("change it inside that project, or choose another name"))
}

/// Whether `get_hint` would show it to this caller.
fn may_read(ctx: &OpContext<'_>, hint: &Hint) -> bool {
    choice::may_show(ctx, hint).is_ok_and(|applies| applies) && secrets::check_shown(ctx, hint).is_ok()
}

/// The hint's metadata; fields that an update leaves out keep their stored values.
fn updated(ctx: &OpContext<'_>, component: &str, key: &str, meta: Meta) -> Result<HintMeta, Fault> {
    let new = meta.clone().into_core()?;
    let path = stored::path_of(component, key, &new)?;
    let rows = ctx.store().hints_of_key(component, key, ctx.now())?;
    match rows.into_iter().find(|row| row.entry.path == path) {
        Some(row) => meta.over(&stored::hint_of(row)?.meta).into_core(),
        None => Ok(new),
    }
}

/// Marks a value as secret if the user lets it pass the guard, unless they say it is not one.
fn mark_secret(
    ctx: &OpContext<'_>,
    mut meta: HintMeta,
    key: &str,
    value: &HintValue,
    allow_secret: bool,
) -> Result<HintMeta, Fault> {
    if allow_secret || meta.sensitivity == Some(Sensitivity::Secret) {
        secrets::check_may_save(ctx)?;
    }
    if allow_secret && meta.sensitivity.is_none() && secrets::is_in_value(key, value) {
        meta.sensitivity = Some(Sensitivity::Secret);
    }
    Ok(meta)
}

/// The result of a write.
pub(super) enum Outcome {
    /// The hint is stored.
    Written(Hint),
    /// The change waits for the user; `existing` is the hint stored now.
    Proposed {
        /// The note that the caller gets.
        note: ProposalNote,
        /// The hint that stays stored.
        existing: Option<Hint>,
    },
}

/// One hint to be written; `import` uses it too.
pub(super) struct Write {
    pub(super) component: String,
    pub(super) key: String,
    pub(super) value: HintValue,
    pub(super) meta: HintMeta,
    /// The version that must be stored now; 0 if there must be none.
    pub(super) expect: Option<i64>,
    /// The history that an import brings with it.
    pub(super) history: Option<History>,
    /// Whether the user overrides the guard.
    pub(super) allow_secret: bool,
    /// The writer of the hint.
    pub(super) provenance: Provenance,
}

impl Write {
    /// Checks versions, limits, secrets and authority; then writes the hint, or proposes it to the
    /// user.
    pub(super) fn run(mut self, ctx: &OpContext<'_>, quota: &mut Quota) -> Result<Outcome, Fault> {
        limits::check_value(&self.value.text())?;
        let policy = self.secret_policy(ctx);
        if policy == SecretPolicy::Allow && ctx.settings.secret_guard {
            // The override applies to the value alone: everything else is shown and listed.
            secrets::check_words(&self.component, &self.key, &self.meta)?;
        }
        if policy == SecretPolicy::Reject && ctx.settings.strict_secrets {
            secrets::check_strictly(&self.component, &self.key, &self.value, &self.meta)
                .map_err(|fault| self.explain(fault))?;
        }
        let writer = ctx.writer()?;
        let now = ctx.now();
        let ttl = self.meta.ttl.get_or_insert_with(|| ctx.settings.default_ttl.clone()).clone();
        let path = stored::path_of(&self.component, &self.key, &self.meta)?;
        let live = writer.hints_of_key(&self.component, &self.key, now)?;
        let current = live.iter().find(|row| row.entry.path == path);
        self.check_version(current.map_or(0, |row| row.entry.version))?;
        if let Some(row) = current {
            check_open(ctx, row)?;
        }
        let current = current.cloned().map(stored::hint_of).transpose()?;
        if current.as_ref().is_some_and(Hint::is_secret) {
            secrets::check_may_save(ctx)?;
        }
        if let Some(why) = authority::why_proposal(ctx, current.as_ref(), &self.meta.conditions)? {
            let note = self.propose(ctx, &path, why)?;
            return Ok(Outcome::Proposed { note, existing: current });
        }
        if let Some(current) = &current {
            let secret = current.is_secret() || self.meta.sensitivity == Some(Sensitivity::Secret);
            writer.keep_version(current.id, Ending::Replaced, secret, &self.provenance, now)?;
        }
        if self.meta.sensitivity == Some(Sensitivity::Secret) {
            writer.forget_versions(&Scope::Global, &path)?;
            if let Some(current) = &current {
                writer.forget_answers(&current.value.text())?;
            }
        }
        if current.is_none() {
            if let Some(ended) = writer.entry(&Scope::Global, &path)? {
                writer.delete_entry(ended.id, now)?;
            }
            quota.admit(ctx.settings, &self.component)?;
        }
        let draft = HintDraft {
            component: self.component.clone(),
            key: self.key.clone(),
            path: path.clone(),
            body: self.value.text(),
            attributes: self.attributes(ctx)?,
            tags: self.meta.tags.clone(),
            life: stored::life_of(&ttl, now),
            provenance: self.provenance.clone(),
            secrets: policy,
            command: bump::command_of(&self.value, &self.meta),
            history: self.history.take(),
            now,
        };
        writer.put_hint(&draft).map_err(|error| self.explain(error.into()))?;
        let rows = writer.hints_of_key(&self.component, &self.key, now)?;
        let row = rows.into_iter().find(|row| row.entry.path == path).ok_or_else(|| {
            Fault::new(FaultKind::Internal, "vanished", "the hint was saved but cannot be found")
                .next("run `nudge doctor`")
        })?;
        stored::hint_of(row).map(Outcome::Written)
    }

    /// The stored attributes of the hint, with the places it is about. For a secret or an imported
    /// hint, no places are known.
    fn attributes(&self, ctx: &OpContext<'_>) -> Result<Map<String, Json>, Fault> {
        let mut attributes = stored::attributes_of(&self.value, &self.meta)?;
        let is_open = self.meta.sensitivity != Some(Sensitivity::Secret) && self.history.is_none();
        if let (true, Ambient::Here(here)) = (is_open, &ctx.caller.ambient)
            && let Some(cwd) = &here.cwd
        {
            let text = format!("{} {}", self.value.text(), self.meta.reason.as_deref().unwrap_or_default());
            let found = anchors::around(&text, Path::new(cwd), ctx.now());
            if !found.is_empty() {
                attributes.insert(anchors::ATTRIBUTE.to_owned(), Json::Array(found));
            }
        }
        Ok(attributes)
    }

    /// Proposes the change to the user.
    fn propose(&self, ctx: &OpContext<'_>, path: &EntryPath, why: String) -> Result<ProposalNote, Fault> {
        let meta = serde_json::to_value(Meta::of(&self.meta)).map_err(|error| {
            Fault::new(FaultKind::Internal, "unserialisable", format!("cannot write meta as JSON: {error}"))
        })?;
        let change = Change {
            action: Action::Set,
            component: self.component.clone(),
            key: self.key.clone(),
            target: path.clone(),
            value: Some(Value(self.value.clone()).to_json()),
            meta: Some(meta),
            body: format!("set {}/{}: {}", self.component, self.key, self.value.text()),
            why,
        };
        proposals::make(ctx, change).map_err(|fault| self.explain(fault))
    }

    fn check_version(&self, current: i64) -> Result<(), Fault> {
        match self.expect {
            Some(expected) if expected < 0 => {
                Err(Fault::invalid("if_match_version", "if_match_version cannot be negative")
                    .with("field", "if_match_version"))
            }
            Some(expected) if expected != current => Err(Fault::new(
                FaultKind::Conflict,
                "version_mismatch",
                format!("{}/{} is at version {current}, not {expected}", self.component, self.key),
            )
            .with("expected_version", expected)
            .with("current_version", current)
            .next("read it again, then retry with its version")),
            _ => Ok(()),
        }
    }

    fn secret_policy(&self, ctx: &OpContext<'_>) -> SecretPolicy {
        let marked = self.meta.sensitivity == Some(Sensitivity::Secret);
        if marked || self.allow_secret || !ctx.settings.secret_guard {
            SecretPolicy::Allow
        } else {
            SecretPolicy::Reject
        }
    }

    fn explain(&self, fault: Fault) -> Fault {
        if fault.kind != FaultKind::SecretRejected {
            return fault;
        }
        // The name itself may be the text that was rejected.
        let [component, key] =
            [&self.component, &self.key].map(|name| nudge_secrets::redact(name).into_owned());
        fault.with("component", component).with("key", key).next(
            "set the name of the variable or file that contains it instead; the user can override this with `nudge set … --allow-secret`",
        )
    }
}
