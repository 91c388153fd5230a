//! A hint as a user reads it.

use nudge_core::{HintValue, Timestamp};
use nudge_memory::hints::wire::{Explanation, Hint, Meta, OneOrMany, Scope, Sensitivity};

use super::Page;
use super::words::{field, spell};
use crate::agent_above::calling_agent;
use crate::pages::words::cut;

/// `component/key`.
pub(crate) fn name(hint: &Hint) -> String {
    format!("{}/{}", hint.component, hint.key)
}

/// Whether the value must not be shown.
pub(crate) fn is_secret(meta: &Meta) -> bool {
    meta.sensitivity == Some(Sensitivity::Secret)
}

/// The value as it may be shown: only the ends of a secret.
pub(crate) fn shown_value(hint: &Hint) -> String {
    let text = hint.value.0.text();
    if is_secret(&hint.meta) { nudge_secrets::mask(&text) } else { text }
}

/// The value itself, then its details.
pub(crate) fn bare(page: &mut Page, hint: &Hint) {
    for line in shown_value(hint).lines() {
        page.strong(line).end();
    }
    about(page, hint);
}

/// Why it applies here, on one line.
pub(crate) fn why(page: &mut Page, explain: &Explanation) {
    let text = cut(&reasons(explain), page.columns(), "why: ".len());
    page.faint("why:").text(" ").text(text).end();
}

/// The reasons on one line: `applies everywhere, used 4 times`.
pub(crate) fn reasons(explain: &Explanation) -> String {
    let reasons: Vec<&str> = explain.reasons.iter().map(|reason| in_words(reason)).collect();
    reasons.join(", ")
}

/// A reason in plain words, without ranking terms.
fn in_words(reason: &str) -> &str {
    if reason == "no scope restrictions" { "applies everywhere" } else { reason }
}

/// `value:` and its details, by type.
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
    about(page, hint);
}

/// Details of a value: its type, its reason, who stated it.
fn about(page: &mut Page, hint: &Hint) {
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
    // Users know which hints are their own.
    if hint.origin.source != "user" || calling_agent().is_some() {
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

/// The inputs of the score that do not depend on a query: `priority=7 tags=build ttl=session
/// scope=os`.
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

/// How long a hint in an ephemeral server is kept.
pub(crate) const KEPT_BY_SERVER: &str = "kept until the server stops (it runs with --ephemeral)";

/// The same, in the words of `--verbose`.
pub(crate) const ENDS_WITH_SERVER: &str = "with the server, which keeps everything in memory (--ephemeral)";

/// How long the hint is kept: `kept until you delete it`.
pub(crate) fn lifetime(hint: &Hint) -> String {
    match (&hint.expires_at, hint.meta.ttl.as_deref()) {
        (Some(at), _) => format!("kept until {}", super::time::short_of_text(at)),
        (None, Some("forever")) => "kept until you delete it".to_owned(),
        (None, _) => "kept until `nudge stop` or a reboot".to_owned(),
    }
}

/// Whether the hint ends with the session and has no lifetime of its own.
pub(crate) fn ends_with_session(hint: &Hint) -> bool {
    hint.expires_at.is_none() && hint.meta.ttl.as_deref() != Some("forever")
}

/// When the hint ends and how to keep it.
pub(crate) fn ends(hint: &Hint) -> String {
    match (&hint.expires_at, hint.meta.ttl.as_deref()) {
        (Some(at), _) => {
            let length = Timestamp::parse(at).zip(Timestamp::parse(&hint.updated_at));
            let within =
                length.map_or_else(String::new, |(end, start)| format!("in {} ", spell(end.since(start))));
            format!("{within}({}); keep it with --ttl forever", super::time::exact_of_text(at))
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

/// The fields of a typed value other than its text. They are read from the wire form, so that each
/// name is spelled only once.
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

/// The names of the conditions that are set.
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
