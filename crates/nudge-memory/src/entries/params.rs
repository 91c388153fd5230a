//! Parameters that several verbs share, checked.

use nudge_core::text::without_controls;
use nudge_core::view::{EntryState, Visibility};
use nudge_core::{EntryPath, Fault, Scope};
use nudge_grammar::Pattern;
use serde_json::Value;

use crate::operation::check_name;

/// The longest name of a run.
const RUN_MOST: usize = 80;

/// The longest description of an entry, in characters.
const SUMMARY_MOST: usize = 80;

/// The longest word for why something failed.
const OUTCOME_MOST: usize = 200;

/// Whether parameters ask for a preview.
pub(super) fn is_preview(params: &Value) -> bool {
    ["preview", "manifest"].iter().any(|name| params.get(name) == Some(&Value::Bool(true)))
}

/// A path pattern.
pub(crate) fn pattern(field: &'static str, text: &str) -> Result<Pattern, Fault> {
    Pattern::parse(text).map_err(|error| {
        Fault::invalid("pattern", format!("{field}: {error}")).with("field", field).next(
            "use a path, a glob such as `known://plan/*`, or a regular expression such as `/known:.*auth.*/`",
        )
    })
}

/// A single path.
pub(super) fn path(field: &'static str, text: &str) -> Result<EntryPath, Fault> {
    if let Some((scheme, rest)) = text.split_once(":/")
        && !rest.starts_with('/')
        && !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_lowercase())
    {
        let why = format!("`{}` is neither a file nor an entry", without_controls(text, 60));
        return Err(Fault::invalid("path", why).with("field", field).next(format!("write `{scheme}://…`")));
    }
    EntryPath::parse(text).map_err(|error| Fault::invalid("path", error.to_string()).with("field", field))
}

/// The visibility with this name.
pub(super) fn visibility(name: Option<&str>) -> Result<Option<Visibility>, Fault> {
    let Some(name) = name else { return Ok(None) };
    Visibility::from_name(name).map(Some).ok_or_else(|| {
        Fault::invalid("visibility", format!("`{}` is no visibility", without_controls(name, 40)))
            .with("field", "visibility")
            .next("use visible, summarized or archived")
    })
}

/// The state with this name, and its outcome.
pub(super) fn state(
    name: Option<&str>,
    outcome: Option<&str>,
) -> Result<Option<(EntryState, Option<String>)>, Fault> {
    if outcome.is_some_and(|outcome| outcome.chars().count() > OUTCOME_MOST) {
        let why = format!("outcome is limited to {OUTCOME_MOST} characters");
        return Err(Fault::invalid("outcome", why).with("field", "outcome"));
    }
    let Some(name) = name else {
        if outcome.is_some() {
            return Err(Fault::invalid("outcome", "an outcome needs a state").with("field", "outcome"));
        }
        return Ok(None);
    };
    let state = EntryState::from_name(name).ok_or_else(|| {
        Fault::invalid("state", format!("`{}` is no state", without_controls(name, 40)))
            .with("field", "state")
            .next("use proposed, streaming, resolved, failed or cancelled")
    })?;
    let clean = outcome.map(|text| nudge_secrets::redact(text).into_owned());
    Ok(Some((state, clean)))
}

/// A description of at most 80 characters. Key words that do not fit after it are left out.
pub(super) fn summary(text: Option<&str>, tags: Option<&str>) -> Result<Option<String>, Fault> {
    let Some(first) = text.or(tags) else { return Ok(None) };
    let both = text.zip(tags).map(|(text, tags)| format!("{text}, {tags}"));
    let both = both.filter(|both| both.chars().count() <= SUMMARY_MOST);
    let text = both.as_deref().unwrap_or(first);
    let count = text.chars().count();
    if count > SUMMARY_MOST {
        let why = format!("a summary is limited to {SUMMARY_MOST} characters; this one has {count}");
        return Err(Fault::invalid("summary", why).with("field", "summary"));
    }
    Ok(Some(nudge_secrets::redact(text).into_owned()))
}

/// The scope of a run in a project. Aliases are unique per project.
pub(crate) fn run(project_key: &str, alias: &str) -> Result<Scope, Fault> {
    let fits = alias.starts_with(|c: char| c.is_ascii_alphanumeric())
        && alias.len() <= RUN_MOST
        && alias.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !fits {
        let why = format!("`{}` is not the name of a run", without_controls(alias, 40));
        return Err(Fault::invalid("run", why).with("field", "run").next(format!(
            "begin with a letter or digit; use at most {RUN_MOST} letters, digits, `-`, `_` and `.`"
        )));
    }
    check_name("run", alias)?;
    Ok(Scope::Run(format!("{project_key}#{alias}")))
}
