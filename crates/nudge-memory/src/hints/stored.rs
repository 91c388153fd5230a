//! The stored form of a hint: the value's text is the body, everything else is in attributes.
//!
//! Search finds the body. The attributes have the value's other fields and the metadata in wire
//! form, so that an older program can still show a newer hint.

use nudge_core::ttl::Ttl;
use nudge_core::{EntryPath, Fault, FaultKind, Hint, HintMeta, HintValue, Timestamp};
use nudge_store::{HintRow, Life};
use serde_json::{Map, Value as Json};

use super::wire::{self, Meta, Value};
use crate::operation::OpContext;
use crate::statements::stated_by;

/// The attribute with the hint's metadata.
const META_ATTRIBUTE: &str = "meta";

/// The attribute with the value's fields other than its text.
const VALUE_ATTRIBUTE: &str = "value";

/// The path of a variant: its conditions are part of its name.
pub(super) fn path_of(component: &str, key: &str, meta: &HintMeta) -> Result<EntryPath, Fault> {
    let fingerprint = meta.conditions.fingerprint();
    EntryPath::from_parts("hint", &[component, key], fingerprint.as_deref()).map_err(|error| {
        Fault::invalid("name", format!("{component}/{key} is not a valid hint name: {error}"))
    })
}

/// The field of a typed value that becomes the body.
const fn body_field(value: &HintValue) -> Option<&'static str> {
    match value {
        HintValue::Text(_) => None,
        HintValue::Command { .. } => Some("cmd"),
        HintValue::Path { .. } => Some("abs"),
        HintValue::Template { .. } => Some("body"),
        HintValue::Json(_) => Some("data"),
    }
}

/// The attributes of a value and its metadata.
pub(super) fn attributes_of(value: &HintValue, meta: &HintMeta) -> Result<Map<String, Json>, Fault> {
    let mut attributes = Map::new();
    if let (Some(field), Json::Object(mut fields)) = (body_field(value), Value(value.clone()).to_json()) {
        fields.shift_remove(field);
        attributes.insert(VALUE_ATTRIBUTE.into(), fields.into());
    }
    let said = serde_json::to_value(Meta::of(meta)).map_err(|error| damaged("meta", &error.to_string()))?;
    attributes.insert(META_ATTRIBUTE.into(), said);
    Ok(attributes)
}

/// When a hint that was set at `set_at` expires.
pub(super) fn life_of(ttl: &Ttl, set_at: Timestamp) -> Life {
    match ttl {
        Ttl::Session => Life::Session,
        Ttl::Forever => Life::Forever,
        Ttl::For { .. } => ttl.ends(set_at).map_or(Life::Forever, Life::Until),
    }
}

/// Reads a hint from its row.
pub(super) fn hint_of(row: HintRow) -> Result<Hint, Fault> {
    let HintRow { entry, component, key, life, use_count, failures, last_used_at } = row;
    let (value, meta) = statement_of(&entry.body, &entry.attributes)?;
    Ok(Hint {
        id: entry.id,
        component,
        key,
        value,
        meta,
        version: entry.version,
        created_at: entry.created_at,
        updated_at: entry.updated_at,
        last_used_at,
        use_count,
        failures,
        expires_at: match life {
            Life::Until(at) => Some(at),
            Life::Session | Life::Forever => None,
        },
        writer: entry.writer,
    })
}

/// Reads a hint's value and metadata.
pub(super) fn statement_of(
    body: &str,
    attributes: &Map<String, Json>,
) -> Result<(HintValue, HintMeta), Fault> {
    let value = value_of(body, attributes.get(VALUE_ATTRIBUTE))?;
    let meta = match attributes.get(META_ATTRIBUTE) {
        None => HintMeta::default(),
        Some(said) => Meta::from_stored(said.clone())
            .map_err(|error| damaged(META_ATTRIBUTE, &error.to_string()))?
            .into_core()?,
    };
    Ok((value, meta))
}

fn value_of(body: &str, fields: Option<&Json>) -> Result<HintValue, Fault> {
    let Some(fields) = fields else {
        return Ok(HintValue::Text(body.to_owned()));
    };
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    let text = Json::String(body.to_owned());
    match fields.get("type").and_then(Json::as_str) {
        Some("command") => fields.insert("cmd".into(), text),
        Some("path") => fields.insert("abs".into(), text),
        Some("template") => fields.insert("body".into(), text),
        _ => {
            let data = serde_json::from_str(body).map_err(|error| damaged("value", &error.to_string()))?;
            fields.insert("data".into(), data)
        }
    };
    Value::from_json(fields.into()).map(|value| value.0).map_err(|problem| damaged("value", &problem))
}

fn damaged(what: &str, problem: &str) -> Fault {
    Fault::new(FaultKind::Internal, "damaged_hint", format!("cannot read {what}: {problem}"))
        .next("run `nudge doctor`, or set the hint again")
}

// A hint as a caller gets it, with who stated it and where.

/// The wire form of a hint.
pub(super) fn wire_hint(ctx: &OpContext<'_>, hint: &Hint) -> Result<wire::Hint, Fault> {
    Ok(wire::Hint::of(hint, stated_by(ctx.store(), &hint.writer)?))
}
