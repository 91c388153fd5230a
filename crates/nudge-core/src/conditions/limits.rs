//! The limits on conditions.

use super::Conditions;
use crate::fault::{Fault, FaultKind};
use crate::glob;
use crate::text::first_chars;

/// The most items in one list. A condition with more no longer describes a place.
const MAX_ITEMS: usize = 64;

/// The longest repository address, variable name or value, in characters.
const MAX_TEXT_CHARS: usize = 2048;

pub(super) fn validate(conditions: &Conditions) -> Result<(), Fault> {
    globs("meta.scope.cwd_glob", &conditions.cwd_glob)?;
    repos("meta.scope.repo", &conditions.repo)?;
    globs("meta.scope.branch", &conditions.branch)?;
    at_most("meta.scope.os", conditions.os.len())?;
    at_most("meta.scope.env_required", conditions.env_required.len())?;
    for name in &conditions.env_required {
        variable("meta.scope.env_required", name)?;
    }
    at_most("meta.scope.env_match", conditions.env_match.len())?;
    for (name, allowed) in &conditions.env_match {
        variable("meta.scope.env_match", name)?;
        values(name, allowed)?;
    }
    Ok(())
}

fn globs(field: &str, list: &[String]) -> Result<(), Fault> {
    at_most(field, list.len())?;
    list.iter().try_for_each(|one| glob::check(field, one))
}

fn repos(field: &str, list: &[String]) -> Result<(), Fault> {
    at_most(field, list.len())?;
    for address in list {
        let refuse = |reason: &str, why: &str| {
            Err(Fault::invalid(reason, format!("{field}: {why}"))
                .with("field", field)
                .next("write it as git:org/repo, an address of the remote, or file:///path"))
        };
        if address.trim().is_empty() {
            return refuse("repo_empty", "a repository cannot be empty");
        }
        if address.chars().count() > MAX_TEXT_CHARS {
            return refuse("repo_too_long", "a repository is longer than 2048 characters");
        }
        if address.chars().any(char::is_control) {
            return refuse("repo_control_character", "a repository cannot contain control characters");
        }
        if address.split(['/', '\\', ':']).any(|segment| segment == "..") {
            let why = format!("{field}: a repository cannot contain `..`");
            return Err(Fault::new(FaultKind::ScopeInvalid, "path_traversal", why)
                .with("field", field)
                .next("write the directory in full"));
        }
    }
    Ok(())
}

fn variable(field: &str, name: &str) -> Result<(), Fault> {
    if !name.is_empty() && !name.contains(['=', '\0']) && name.chars().count() <= MAX_TEXT_CHARS {
        return Ok(());
    }
    let shown = first_chars(name, 60);
    let why = format!("{field}: `{}` is not a variable name", shown.escape_debug());
    Err(Fault::invalid("env_name_invalid", why)
        .with("field", field)
        .next("a name is not empty and contains neither `=` nor NUL; put values in env_match"))
}

fn values(name: &str, allowed: &[String]) -> Result<(), Fault> {
    let field = format!("meta.scope.env_match.{name}");
    at_most(&field, allowed.len())?;
    if allowed.is_empty() {
        return Err(Fault::invalid(
            "env_value_missing",
            format!("{field}: the list of values is empty, so it can never match"),
        )
        .with("field", field)
        .next("add a value, or name the variable in env_required"));
    }
    if allowed.iter().any(|value| value.contains('\0') || value.chars().count() > MAX_TEXT_CHARS) {
        let why = format!("{field}: a value is longer than {MAX_TEXT_CHARS} characters or contains NUL");
        return Err(Fault::invalid("env_value_invalid", why).with("field", field));
    }
    Ok(())
}

fn at_most(field: &str, count: usize) -> Result<(), Fault> {
    if count <= MAX_ITEMS {
        return Ok(());
    }
    Err(Fault::invalid("too_many_items", format!("{field}: {count} items; the limit is {MAX_ITEMS}"))
        .with("field", field)
        .with("limit", MAX_ITEMS)
        .next("use a glob, or set several hints"))
}
