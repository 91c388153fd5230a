//! The canonical form of conditions: equal conditions in any order are the same variant of a hint.

use std::collections::BTreeMap;

use super::Conditions;
use crate::{glob, repo};

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
