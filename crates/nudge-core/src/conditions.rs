//! The conditions under which a hint applies, and the check against a context.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::{Context, EnvView, Os};
use crate::fault::{Fault, FaultKind};
use crate::text::first_chars;
use crate::{glob, repo};

/// When a hint applies. All stated conditions must be met; no conditions means always.
///
/// On the wire this is `meta.scope`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Conditions {
    /// The working directory matches one of these globs.
    pub cwd_glob: Vec<String>,
    /// The repository is one of these.
    pub repo: Vec<String>,
    /// The branch matches one of these globs.
    pub branch: Vec<String>,
    /// The system is one of these.
    pub os: Vec<Os>,
    /// These variables are set.
    pub env_required: Vec<String>,
    /// These variables have one of these values.
    pub env_match: BTreeMap<String, Vec<String>>,
}

/// Whether a context meets the conditions, with the reasons.
///
/// Neither variant ever contains the value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionResult {
    /// All conditions are met; one reason for each stated condition.
    Met {
        /// In the order of the fields of [`Conditions`].
        reasons: Vec<String>,
    },
    /// One condition is not met.
    Failed {
        /// The first condition that failed, such as `branch: "main" matches none of dev, hotfix/*`.
        condition: String,
    },
}

impl ConditionResult {
    /// Whether all conditions are met.
    pub const fn is_met(&self) -> bool {
        matches!(self, Self::Met { .. })
    }
}

impl Conditions {
    /// Whether no condition is stated.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The number of stated conditions: one for each of directory, repository, branch and system,
    /// and one for each variable. The basis of specificity.
    pub fn count(&self) -> usize {
        let lists =
            [self.cwd_glob.is_empty(), self.repo.is_empty(), self.branch.is_empty(), self.os.is_empty()];
        lists.into_iter().filter(|empty| !empty).count() + self.env_required.len() + self.env_match.len()
    }

    /// The variables that the conditions depend on.
    pub fn env_names(&self) -> BTreeSet<&str> {
        self.env_required.iter().chain(self.env_match.keys()).map(String::as_str).collect()
    }

    /// The variables to request from a remote caller before [`Conditions::check`] can be trusted.
    ///
    /// Empty when another condition fails already: callers are never asked for more than is needed.
    pub fn env_to_ask(&self, context: &Context) -> BTreeSet<&str> {
        if self.check_place(context, &mut Vec::new()).is_err() {
            return BTreeSet::new();
        }
        self.env_names().into_iter().filter(|name| context.env.must_ask(name)).collect()
    }

    /// Checks every stated condition. A condition on a fact that the context lacks fails.
    pub fn check(&self, context: &Context) -> ConditionResult {
        let mut reasons = Vec::new();
        let outcome = self
            .check_place(context, &mut reasons)
            .and_then(|()| self.check_env_required(context, &mut reasons))
            .and_then(|()| self.check_env_match(context, &mut reasons));
        match outcome {
            Err(condition) => ConditionResult::Failed { condition },
            Ok(()) if reasons.is_empty() => {
                ConditionResult::Met { reasons: vec!["no scope restrictions".to_owned()] }
            }
            Ok(()) => ConditionResult::Met { reasons },
        }
    }

    fn check_place(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        self.check_cwd(context, reasons)?;
        self.check_repo(context, reasons)?;
        self.check_branch(context, reasons)?;
        self.check_os(context, reasons)
    }

    fn check_cwd(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.cwd_glob.is_empty() {
            return Ok(());
        }
        let cwd = context.cwd.as_deref().ok_or("cwd_glob: context has no cwd")?;
        match self.cwd_glob.iter().find(|glob| glob::matches_path(glob, cwd)) {
            Some(glob) => reasons.push(format!("cwd matched {glob}")),
            None => return Err(format!("cwd_glob: \"{cwd}\" matches none of {}", self.cwd_glob.join(", "))),
        }
        Ok(())
    }

    fn check_repo(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.repo.is_empty() {
            return Ok(());
        }
        let here = context.repo.as_deref().ok_or("repo: context has no repo")?;
        if !self.repo.iter().any(|wanted| repo::same(wanted, here)) {
            let wanted: Vec<String> = self.repo.iter().map(|address| repo::canonical(address)).collect();
            return Err(format!("repo: \"{}\" is none of {}", repo::canonical(here), wanted.join(", ")));
        }
        reasons.push("repo matched".to_owned());
        Ok(())
    }

    fn check_branch(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.branch.is_empty() {
            return Ok(());
        }
        let branch = context.branch.as_deref().ok_or("branch: context has no branch")?;
        if !self.branch.iter().any(|glob| glob::matches_name(glob, branch)) {
            return Err(format!("branch: \"{branch}\" matches none of {}", self.branch.join(", ")));
        }
        reasons.push(format!("branch={branch} allowed"));
        Ok(())
    }

    fn check_os(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.os.is_empty() {
            return Ok(());
        }
        let os = context.os.ok_or("os: context has no os")?;
        if !self.os.contains(&os) {
            let wanted: Vec<&str> = self.os.iter().map(|os| os.name()).collect();
            return Err(format!("os: \"{}\" is none of {}", os.name(), wanted.join(", ")));
        }
        reasons.push(format!("os={} matched", os.name()));
        Ok(())
    }

    fn check_env_required(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.env_required.is_empty() {
            return Ok(());
        }
        if context.env == EnvView::Absent {
            return Err("env_required: context has no env".to_owned());
        }
        let unset: Vec<&str> = self
            .env_required
            .iter()
            .map(String::as_str)
            .filter(|name| context.env.get(name).is_none())
            .collect();
        if !unset.is_empty() {
            return Err(format!("env_required: {} not set", unset.join(", ")));
        }
        reasons.push(format!("required env vars present: {}", self.env_required.join(", ")));
        Ok(())
    }

    fn check_env_match(&self, context: &Context, reasons: &mut Vec<String>) -> Result<(), String> {
        if self.env_match.is_empty() {
            return Ok(());
        }
        if context.env == EnvView::Absent {
            return Err("env_match: context has no env".to_owned());
        }
        for (name, allowed) in &self.env_match {
            match context.env.get(name) {
                None => return Err(format!("env_match: {name} not set")),
                Some(value) if allowed.iter().any(|one| one == value) => {}
                Some(_) => return Err(format!("env_match: {name} has none of the allowed values")),
            }
        }
        reasons.push("env values matched".to_owned());
        Ok(())
    }

    /// Validates conditions before they are stored: `E_SCOPE_INVALID` for globs and paths that
    /// could reach where they must not, `E_INVALID` for the rest.
    pub fn validate(&self) -> Result<(), Fault> {
        validate(self)
    }
}

// The canonical form of conditions: equal conditions in any order are the same variant of a hint.

impl Conditions {
    /// The same conditions in a fixed order, without repetitions, with globs and repositories in
    /// normal form.
    pub fn canonical(&self) -> Self {
        let values = |list: &Vec<String>| ordered(list.iter().cloned());
        let mut os = self.os.clone();
        os.sort_unstable();
        os.dedup();
        let env_match: BTreeMap<_, _> =
            self.env_match.iter().map(|(name, allowed)| (name.clone(), values(allowed))).collect();
        Self {
            cwd_glob: ordered(self.cwd_glob.iter().map(|glob| glob::normalise_glob(glob))),
            repo: ordered(self.repo.iter().map(|address| repo::canonical(address))),
            branch: values(&self.branch),
            os,
            env_required: values(&self.env_required),
            env_match,
        }
    }

    /// Sixteen hex digits, equal exactly for equal conditions; `None` when no condition is stated.
    ///
    /// It is part of a stored path (`?if=…`), so its algorithm can never change.
    pub fn fingerprint(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let canonical = self.canonical();
        let mut hasher = blake3::Hasher::new();
        write_list(&mut hasher, "cwd_glob", canonical.cwd_glob.iter().map(String::as_str));
        write_list(&mut hasher, "repo", canonical.repo.iter().map(String::as_str));
        write_list(&mut hasher, "branch", canonical.branch.iter().map(String::as_str));
        write_list(&mut hasher, "os", canonical.os.iter().map(|os| os.name()));
        write_list(&mut hasher, "env_required", canonical.env_required.iter().map(String::as_str));
        for (name, allowed) in &canonical.env_match {
            write_text(&mut hasher, "env_match");
            write_list(&mut hasher, name, allowed.iter().map(String::as_str));
        }
        Some(hasher.finalize().to_hex()[..16].to_owned())
    }
}

fn ordered(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<String> = items.collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Writes the name, the number of items, and each item with its length, so that different lists
/// never hash the same bytes.
fn write_list<'a>(hasher: &mut blake3::Hasher, name: &str, items: impl ExactSizeIterator<Item = &'a str>) {
    write_text(hasher, name);
    hasher.update(&(items.len() as u64).to_le_bytes());
    for item in items {
        write_text(hasher, item);
    }
}

fn write_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// The most items in one list. A condition with more no longer describes a place.
const MAX_ITEMS: usize = 64;

/// The longest repository address, variable name or value, in characters.
const MAX_TEXT_CHARS: usize = 2048;

fn validate(conditions: &Conditions) -> Result<(), Fault> {
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

#[cfg(test)]
mod tests;
