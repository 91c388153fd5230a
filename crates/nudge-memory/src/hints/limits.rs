//! Limits for the size and the number of hints. A hint is a small fact, not a document.

use std::collections::HashMap;

use nudge_core::{Fault, FaultKind, HintValue};
use nudge_home::Settings;
use serde_json::Value as Json;

use crate::operation::OpContext;

/// The longest component or key, in characters. A path has both, percent-encoded, in 2,048.
const MAX_NAME_CHARS: usize = 200;

/// The longest value, in bytes: about 16,000 tokens, more than an agent should get unasked.
const MAX_VALUE_BYTES: usize = 64 * 1024;

/// The deepest JSON value. JSON readers stop at 128 levels, and an export wraps a value in eight.
const MAX_DEPTH: usize = 64;

/// The longest reason or author, in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// The most tags.
const MAX_TAGS: usize = 64;

/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 100;

/// Checks a component or key: not empty, not too long, printable.
pub(super) fn check_name(field: &'static str, name: &str) -> Result<(), Fault> {
    let problem = if name.trim().is_empty() {
        "cannot be empty".to_owned()
    } else if name.chars().count() > MAX_NAME_CHARS {
        format!("cannot be longer than {MAX_NAME_CHARS} characters")
    } else if name.chars().any(char::is_control) {
        "cannot contain control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Fault::invalid(field, format!("{field} {problem}")).with("field", field))
}

/// Checks the text of a value.
pub(super) fn check_value(text: &str) -> Result<(), Fault> {
    check_size(text.len())
}

fn check_size(bytes: usize) -> Result<(), Fault> {
    if bytes <= MAX_VALUE_BYTES {
        return Ok(());
    }
    Err(Fault::invalid(
        "value_too_large",
        format!("the hint has {bytes} bytes; the limit is {MAX_VALUE_BYTES}"),
    )
    .with("field", "value")
    .with("limit", MAX_VALUE_BYTES)
    .next("save the text in a file and set its path as the hint"))
}

/// Checks what the text of a value does not show: the depth of JSON and the size of a template's
/// defaults.
pub(super) fn check_extent(value: &HintValue) -> Result<(), Fault> {
    match value {
        HintValue::Json(data) if is_deeper(data, MAX_DEPTH) => {
            Err(Fault::invalid("value_too_deep", format!("a JSON value is limited to {MAX_DEPTH} levels"))
                .with("field", "value")
                .with("limit", MAX_DEPTH)
                .next("remove levels, or save it in a file and set its path as the hint"))
        }
        HintValue::Template { body, defaults, .. } => {
            let sizes = defaults.iter().map(|(name, text)| name.len() + text.len());
            check_size(body.len() + sizes.sum::<usize>())
        }
        _ => Ok(()),
    }
}

fn is_deeper(data: &Json, levels: usize) -> bool {
    match data {
        Json::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Json::Object(fields) => levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1)),
        _ => false,
    }
}

pub(super) fn check_priority(priority: Option<i64>) -> Result<(), Fault> {
    match priority {
        Some(priority) if !(1..=10).contains(&priority) => {
            Err(Fault::invalid("priority", format!("priority {priority} is not between 1 and 10"))
                .with("field", "meta.priority"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_confidence(confidence: Option<f64>) -> Result<(), Fault> {
    match confidence {
        Some(confidence) if !(0.0..=1.0).contains(&confidence) => {
            Err(Fault::invalid("confidence", format!("confidence {confidence} is not between 0.0 and 1.0"))
                .with("field", "meta.confidence"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_words(
    reason: Option<&str>,
    added_by: Option<&str>,
    tags: &[String],
) -> Result<(), Fault> {
    for (field, text) in [("reason", reason), ("added_by", added_by)] {
        if text.is_some_and(|text| text.chars().count() > MAX_TEXT_CHARS) {
            return Err(Fault::invalid(field, format!("{field} is longer than {MAX_TEXT_CHARS} characters"))
                .with("field", format!("meta.{field}")));
        }
    }
    let bad_tag = |tag: &String| {
        tag.trim().is_empty() || tag.chars().count() > MAX_TAG_CHARS || tag.chars().any(char::is_control)
    };
    if tags.len() > MAX_TAGS || tags.iter().any(bad_tag) {
        return Err(Fault::invalid(
            "tags",
            format!("tags must be at most {MAX_TAGS} printable words of at most {MAX_TAG_CHARS} characters"),
        )
        .with("field", "meta.tags"));
    }
    Ok(())
}

/// Checks how much a bump adds; returns the default if it names no number.
pub(super) fn check_delta(delta: Option<i64>) -> Result<i64, Fault> {
    match delta.unwrap_or(1) {
        delta @ 1..=1000 => Ok(delta),
        delta => Err(Fault::invalid("delta", format!("delta {delta} is not between 1 and 1000"))
            .with("field", "delta")),
    }
}

// The limits on the number of hints, and the current counts.

/// The counts that are checked against the limits, updated as hints are added.
///
/// Counting is expensive, so an import counts once and not once per record.
pub(super) struct Quota {
    total: i64,
    components: i64,
    in_component: HashMap<String, i64>,
}

impl Quota {
    /// Counts what matters for one component.
    pub(super) fn for_component(ctx: &OpContext<'_>, component: &str) -> Result<Self, Fault> {
        let counts = ctx.store().hint_counts(component, ctx.now())?;
        let in_component = HashMap::from([(component.to_owned(), counts.in_component)]);
        Ok(Self { total: counts.total, components: counts.components, in_component })
    }

    /// Counts everything.
    pub(super) fn for_all(ctx: &OpContext<'_>) -> Result<Self, Fault> {
        let in_component: HashMap<_, _> =
            ctx.store().components(ctx.now())?.into_iter().map(|row| (row.name, row.hints)).collect();
        let total = in_component.values().sum();
        let components = i64::try_from(in_component.len()).unwrap_or(i64::MAX);
        Ok(Self { total, components, in_component })
    }

    /// Counts one more hint, or fails with the limit that it would exceed.
    pub(super) fn admit(&mut self, settings: &Settings, component: &str) -> Result<(), Fault> {
        let here = self.in_component.get(component).copied().unwrap_or(0);
        check_quota("hints", "max_hints", self.total, settings.max_hints)?;
        check_quota(
            "hints in this component",
            "max_hints_per_component",
            here,
            settings.max_hints_per_component,
        )?;
        if here == 0 {
            check_quota("components", "max_components", self.components, settings.max_components)?;
            self.components += 1;
        }
        self.total += 1;
        self.in_component.insert(component.to_owned(), here + 1);
        Ok(())
    }
}

fn check_quota(what: &str, setting: &str, count: i64, limit: i64) -> Result<(), Fault> {
    if count < limit {
        return Ok(());
    }
    Err(Fault::new(
        FaultKind::Quota,
        setting,
        format!("the limit of {limit} {what} is reached ({count} are stored)"),
    )
    .with("limit", limit)
    .next(format!("delete what is no longer needed, or raise `{setting}` in config.toml")))
}
