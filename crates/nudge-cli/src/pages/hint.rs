//! A hint as a person reads it.

use nudge_core::{HintValue, Timestamp};
use nudge_memory::hints::wire::{Explanation, Hint, Meta, OneOrMany, Scope, Sensitivity};

use super::page::Page;
use super::words::{field, spell, without_millis};
use crate::agent_above::agent_above;

/// `component/key`.
pub(crate) fn name(hint: &Hint) -> String {
    format!("{}/{}", hint.component, hint.key)
}

/// Whether the value must not be shown.
pub(crate) fn is_secret(meta: &Meta) -> bool {
    meta.sensitivity == Some(Sensitivity::Secret)
}

/// The value as it may be shown: a secret only by its ends.
pub(crate) fn shown_value(hint: &Hint) -> String {
    let text = hint.value.0.text();
    if is_secret(&hint.meta) { nudge_secrets::mask(&text) } else { text }
}

/// `value:` and what belongs to it, by type.
pub(crate) fn value(page: &mut Page, hint: &Hint) {
    let text = shown_value(hint);
    if text.contains('\n') {
        field(page, "value", "");
        for line in text.lines() {
            page.text("  ").text(line).end();
        }
    } else {
        field(page, "value", &text);
    }
    if is_secret(&hint.meta) {
        field(page, "secret", "masked here; --value prints it");
    }
    match &hint.value.0 {
        HintValue::Command { shell: Some(_), .. } | HintValue::Path { .. } | HintValue::Template { .. } => {
            typed_fields(page, hint);
        }
        HintValue::Text(_) | HintValue::Command { shell: None, .. } | HintValue::Json(_) => {}
    }
    if let Some(reason) = &hint.meta.reason {
        field(page, "reason", reason);
    }
    // The person need not be told what is their own.
    if hint.origin.source != "user" || agent_above().is_some() {
        let client = hint.origin.client.as_deref().filter(|client| *client != "cli");
        let client = client.map_or_else(String::new, |client| format!(" ({client})"));
        field(page, "stated by", &format!("{}{client}", hint.stated_by));
    }
}

/// `match:` with the score and the reasons.
pub(crate) fn explanation(page: &mut Page, explain: &Explanation) {
    page.faint("match:").end();
    page.text("  ").faint("score:").text(format!(" {:.2}", explain.score)).end();
    page.text("  ").faint("reasons:").end();
    for reason in &explain.reasons {
        page.text("    - ").text(reason).end();
    }
}

/// What the score is built from before anybody asks: `priority=7 tags=build ttl=session scope=os`.
pub(crate) fn score_base(hint: &Hint) -> String {
    let meta = &hint.meta;
    let mut words = vec![format!("priority={}", meta.priority.unwrap_or(5))];
    if let Some(confidence) = meta.confidence {
        words.push(format!("confidence={confidence}"));
    }
    if let Some(tags) = &meta.tags {
        words.push(format!("tags={}", tags.join(",")));
    }
    if let Some(ttl) = &meta.ttl {
        words.push(format!("ttl={ttl}"));
    }
    if let Some(scope) = &meta.scope {
        words.push(format!("scope={}", stated(scope).join(",")));
    }
    words.join(" ")
}

/// When the hint ends and how to keep it.
pub(crate) fn ends(hint: &Hint) -> String {
    match (&hint.expires_at, hint.meta.ttl.as_deref()) {
        (Some(at), _) => {
            let length = Timestamp::parse(at).zip(Timestamp::parse(&hint.updated_at));
            let within =
                length.map_or_else(String::new, |(end, start)| format!("in {} ", spell(end.since(start))));
            format!("{within}({}); keep it with --ttl forever", without_millis(at))
        }
        (None, Some("forever")) => "never; it stays until it is deleted".to_owned(),
        (None, _) => "with this session (`nudge stop` or reboot); keep it with --ttl forever".to_owned(),
    }
}

/// The conditions in one line: `os=darwin branch=dev,main`.
pub(crate) fn conditions(scope: &Scope) -> String {
    let mut words = Vec::new();
    let mut list = |name: &str, values: &[String]| {
        if !values.is_empty() {
            words.push(format!("{name}={}", values.join(",")));
        }
    };
    list("cwd", &scope.cwd_glob);
    list("repo", &scope.repo.as_ref().map(several).unwrap_or_default());
    list("branch", &scope.branch);
    list("os", &scope.os);
    list("env", &scope.env_required);
    for (name, values) in &scope.env_match {
        words.push(format!("{name}={}", several(values).join("|")));
    }
    words.join(" ")
}

/// What beside the text belongs to a typed value. The wire form is read, so names are spelled once.
fn typed_fields(page: &mut Page, hint: &Hint) {
    let json = hint.value.to_json();
    if let Some(shell) = json["shell"].as_str() {
        field(page, "shell", shell);
    }
    if let Some(systems) = json["os"].as_array() {
        let names: Vec<&str> = systems.iter().filter_map(|name| name.as_str()).collect();
        field(page, "os", &names.join(","));
    }
    if let Some(format) = json["format"].as_str() {
        field(page, "format", format);
    }
    if let Some(defaults) = json["defaults"].as_object() {
        let pairs: Vec<String> = defaults
            .iter()
            .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
            .collect();
        field(page, "defaults", &pairs.join(" "));
    }
}

/// The names of the conditions that are stated.
fn stated(scope: &Scope) -> Vec<&'static str> {
    let fields = [
        (!scope.cwd_glob.is_empty(), "cwd_glob"),
        (scope.repo.is_some(), "repo"),
        (!scope.branch.is_empty(), "branch"),
        (!scope.os.is_empty(), "os"),
        (!scope.env_required.is_empty(), "env_required"),
        (!scope.env_match.is_empty(), "env_match"),
    ];
    fields.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
}

fn several(values: &OneOrMany) -> Vec<String> {
    values.clone().into_vec()
}
