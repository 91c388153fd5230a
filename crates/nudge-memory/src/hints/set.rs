//! `set_hint`: leaves a hint, or replaces the variant with the same conditions.

use nudge_core::hint::Sensitivity;
use nudge_core::{Fault, FaultKind, Hint, HintMeta, HintValue, Provenance, Scope, Tier, secret};
use nudge_store::{HintDraft, History, SecretPolicy};

use super::quota::Quota;
use super::wire::{self, HintAnswer, SetParams};
use super::{learn, limits, secrets, stored};
use crate::desk::Desk;
use crate::operation::{Effect, Op, Profile};

/// The operation.
pub struct SetHint;

impl Op for SetHint {
    const NAME: &'static str = "set_hint";
    const ALIASES: &'static [&'static str] = &["nudge.set_hint"];
    const TITLE: &'static str = "Set hint";
    const DOC: &'static str = "Leave a small fact for later: a command that worked, a path, a setting. meta.ttl \"forever\" keeps it past a reboot. Replaces the variant with the same meta.scope, meta included.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = SetParams;
    type Answer = HintAnswer;

    fn run(desk: &Desk<'_>, params: SetParams) -> Result<HintAnswer, Fault> {
        let SetParams { component, key, value, meta, if_match_version, allow_secret } = params;
        limits::check_name("component", &component)?;
        limits::check_name("key", &key)?;
        let value = value.checked()?;
        let meta = meta.unwrap_or_default().into_core()?;
        let meta = mark_secret(desk, meta, &key, &value, allow_secret)?;
        let provenance = desk.caller.provenance();
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
        let mut quota = Quota::for_component(desk, &write.component)?;
        let hint = write.run(desk, &mut quota)?;
        if hint.version == 1 {
            // A new hint takes room, so what has ended gives some back: where no server runs, nobody else
            // sweeps.
            desk.writer()?.sweep(desk.now())?;
        }
        Ok(HintAnswer { hint: wire::Hint::from(&hint) })
    }

    fn for_repeat(answer: HintAnswer) -> HintAnswer {
        HintAnswer { hint: answer.hint.without_secret() }
    }
}

/// What the person lets pass the guard is kept as a secret, unless they say that it is none.
fn mark_secret(
    desk: &Desk<'_>,
    mut meta: HintMeta,
    key: &str,
    value: &HintValue,
    allow_secret: bool,
) -> Result<HintMeta, Fault> {
    if allow_secret || meta.sensitivity == Some(Sensitivity::Secret) {
        secrets::check_taken(desk)?;
    }
    if allow_secret && meta.sensitivity.is_none() && secrets::is_in_value(key, value) {
        meta.sensitivity = Some(Sensitivity::Secret);
    }
    Ok(meta)
}

/// One hint on its way into the store; `import` uses it too.
pub(super) struct Write {
    pub(super) component: String,
    pub(super) key: String,
    pub(super) value: HintValue,
    pub(super) meta: HintMeta,
    /// The version that must be stored now; 0 for none.
    pub(super) expect: Option<i64>,
    /// What an import brings along.
    pub(super) history: Option<History>,
    /// The person's override of the guard.
    pub(super) allow_secret: bool,
    /// Where it comes from.
    pub(super) provenance: Provenance,
}

impl Write {
    /// Checks versions, limits and secrets, writes, and returns what now stands there.
    pub(super) fn run(mut self, desk: &Desk<'_>, quota: &mut Quota) -> Result<Hint, Fault> {
        limits::check_value(&self.value.text())?;
        let policy = self.secret_policy(desk);
        if policy == SecretPolicy::Allow && desk.settings.secret_guard {
            // The override is for the value alone: everything else is shown and listed.
            secrets::check_words(&self.component, &self.key, &self.meta)?;
        }
        let writer = desk.writer()?;
        let now = desk.now();
        let ttl = self.meta.ttl.get_or_insert_with(|| desk.settings.default_ttl.clone()).clone();
        let path = stored::path_of(&self.component, &self.key, &self.meta)?;
        let live = writer.hints_of_key(&self.component, &self.key, now)?;
        let current = live.iter().find(|row| row.entry.path == path);
        self.check_version(current.map_or(0, |row| row.entry.version))?;
        if let Some(row) = current
            && stored::hint_of(row.clone())?.is_secret()
        {
            secrets::check_taken(desk)?;
        }
        if current.is_none() {
            if let Some(ended) = writer.entry(&Scope::Global, &path)? {
                writer.delete_entry(ended.id, now)?;
            }
            quota.admit(desk.settings, &self.component)?;
        }
        let draft = HintDraft {
            component: self.component.clone(),
            key: self.key.clone(),
            path: path.clone(),
            body: self.value.text(),
            attributes: stored::attributes_of(&self.value, &self.meta)?,
            tags: self.meta.tags.clone(),
            life: stored::life_of(&ttl, now),
            provenance: self.provenance.clone(),
            secrets: policy,
            command: learn::command_of(&self.value, &self.meta),
            history: self.history.take(),
            now,
        };
        writer.put_hint(&draft).map_err(|error| self.explain(error.into()))?;
        let rows = writer.hints_of_key(&self.component, &self.key, now)?;
        let row = rows.into_iter().find(|row| row.entry.path == path).ok_or_else(|| {
            Fault::new(FaultKind::Internal, "vanished", "the hint was written and cannot be found")
                .next("run `nudge doctor`")
        })?;
        stored::hint_of(row)
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
            .next("read it again and decide anew")),
            _ => Ok(()),
        }
    }

    fn secret_policy(&self, desk: &Desk<'_>) -> SecretPolicy {
        let marked = self.meta.sensitivity == Some(Sensitivity::Secret);
        if marked || self.allow_secret || !desk.settings.secret_guard {
            SecretPolicy::Allow
        } else {
            SecretPolicy::Reject
        }
    }

    fn explain(&self, fault: Fault) -> Fault {
        if fault.kind != FaultKind::SecretRejected {
            return fault;
        }
        // The name itself may be what was refused.
        let [component, key] = [&self.component, &self.key].map(|name| secret::redact(name).into_owned());
        fault.with("component", component).with("key", key).next(
            "leave the name of the variable or file that holds it instead; the person can override with `nudge set … --allow-secret`",
        )
    }
}
