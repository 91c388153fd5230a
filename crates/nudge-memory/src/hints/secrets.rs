//! Who may see and save values that are marked secret.

use nudge_core::{Fault, FaultKind, Hint, HintMeta, HintValue};
use nudge_home::Settings;
use nudge_store::StoreError;
use serde_json::Value as Json;

use super::wire;
use crate::caller::Caller;
use crate::operation::OpContext;

/// Whether this caller may handle secret values at all. The user at the command line may, and a
/// browser may not; an agent may only if the user's settings allow it.
pub(super) fn allowed(caller: &Caller, settings: &Settings) -> bool {
    caller.surface.handles_secrets() || (!caller.surface.is_user() && settings.mcp_secrets)
}

/// Fails if a secret value would be shown to a caller that may not see it.
pub(super) fn check_shown(ctx: &OpContext<'_>, hint: &Hint) -> Result<(), Fault> {
    if !hint.is_secret() || allowed(ctx.caller, ctx.settings) {
        return Ok(());
    }
    if ctx.caller.surface.is_user() {
        let shown = format!("{}/{} is secret, and no browser shows it", hint.component, hint.key);
        let command = format!("run `nudge get {} {} --value` in a terminal", hint.component, hint.key);
        return Err(refusal(shown).next(command));
    }
    Err(refusal(format!("{}/{} is secret, and agents cannot read secrets", hint.component, hint.key)).next(format!(
        "ask the user to read it with `nudge get {} {} --value`, or to set `mcp_secrets = true` in config.toml",
        hint.component, hint.key
    )))
}

/// Whether any part of a value looks like a credential.
pub(super) fn is_in_value(key: &str, value: &HintValue) -> bool {
    let in_defaults = match value {
        HintValue::Template { defaults, .. } => {
            defaults.iter().any(|(name, text)| !nudge_secrets::scan_keyed(name, text).is_empty())
        }
        _ => false,
    };
    in_defaults || !nudge_secrets::scan_keyed(key, &value.text()).is_empty()
}

/// Rejects a credential anywhere but in the value. Names, tags, reason, author and conditions are
/// shown, listed and exported even if the value is marked secret.
pub(super) fn check_words(component: &str, key: &str, meta: &HintMeta) -> Result<(), Fault> {
    let wire_meta = serde_json::to_value(wire::Meta::of(meta)).unwrap_or_default();
    for (field, text) in [("component", component), ("key", key)] {
        check_word(field, field, text)?;
    }
    check_leaves("meta", "meta", &wire_meta)
}

/// Rejects text that looks like a credential where the project or the user is strict. The store
/// itself rejects what is never allowed.
pub(super) fn check_strictly(
    component: &str,
    key: &str,
    value: &HintValue,
    meta: &HintMeta,
) -> Result<(), Fault> {
    let text = value.text();
    let reason = meta.reason.as_deref().unwrap_or_default();
    let tags = meta.tags.iter().map(|tag| ("tags", None, tag.as_str()));
    let fields = [
        ("component", None, component),
        ("key", None, key),
        ("value", Some(key), &text),
        ("reason", None, reason),
    ];
    for (field, name, text) in fields.into_iter().chain(tags) {
        if let Some(found) = nudge_secrets::scan_strictly(name, text).first() {
            let refused = StoreError::Secret { rule: found.rule.to_owned(), field: field.to_owned() };
            return Err(Fault::from(refused));
        }
    }
    Ok(())
}

fn check_leaves(field: &str, name: &str, value: &Json) -> Result<(), Fault> {
    match value {
        Json::String(text) => check_word(field, name, text),
        Json::Array(items) => items.iter().try_for_each(|item| check_leaves(field, name, item)),
        Json::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            check_word(field, field, name)?;
            check_leaves(&format!("{field}.{name}"), name, value)
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
    }
}

fn check_word(field: &str, name: &str, text: &str) -> Result<(), Fault> {
    match nudge_secrets::scan_keyed(name, text).first() {
        None => Ok(()),
        Some(found) => Err(Fault::new(
            FaultKind::SecretRejected,
            "secret",
            format!(
                "`{field}` looks like a credential ({}); only a value can be saved as a secret",
                found.rule
            ),
        )
        .with("field", field)
        .with("rule", found.rule)
        .next("put the credential in the value only")),
    }
}

/// Rejects a secret value from a surface that may not save one.
pub(super) fn check_may_save(ctx: &OpContext<'_>) -> Result<(), Fault> {
    if allowed(ctx.caller, ctx.settings) {
        return Ok(());
    }
    if ctx.caller.surface.is_user() {
        let why = "secrets are saved and exported in a terminal only".to_owned();
        return Err(refusal(why).next("run `nudge set … --allow-secret` in a terminal"));
    }
    Err(refusal("only the user can save or export secrets".to_owned()).next(
        "set the name of the variable or file that contains it instead; the user can allow secrets with `mcp_secrets = true` in config.toml",
    ))
}

fn refusal(message: String) -> Fault {
    Fault::new(FaultKind::SecretRejected, "secret_over_mcp", message)
}
