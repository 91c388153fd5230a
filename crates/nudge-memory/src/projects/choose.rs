//! Which project a user's or agent's words refer to: one rule for every command and operation.
//!
//! A directory or key refers to itself, `id:7` is an id, and anything else is a name first and an
//! id second. If a name matches another project's id, or several places have the name, it is
//! ambiguous and nothing is guessed.

use std::path::Path;

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_store::{ProjectRow, Reader};

use super::resolve::{NAME_PREFIX, of_directory};

/// The prefix of an id that must not be read as a name.
const ID_PREFIX: &str = "id:";

/// What identifies a project: id, name, root and keys.
pub(super) type Marks<'p> = (i64, &'p str, &'p str, &'p [String]);

/// An unambiguous label for a project: name, directory and id.
pub fn label(id: i64, name: &str, root: &str) -> String {
    let place = if root.is_empty() { "no directory" } else { root };
    format!("{name} ({place}, id:{id})")
}

/// The one project that is meant, among those for which `is_open` returns true.
pub(crate) fn find_project(
    reader: &Reader<'_>,
    text: &str,
    is_open: impl Fn(&ProjectRow) -> bool,
) -> Result<ProjectRow, Fault> {
    let mut all = reader.projects()?;
    all.retain(is_open);
    let text = text.trim();
    if text.starts_with('/')
        && let Some(id) = reader.project_by_key(&of_directory(Path::new(text)).key)?
        && let Some(row) = all.iter().find(|row| row.id == id)
    {
        return Ok(row.clone());
    }
    choose(&all, text, |row| (row.id.0, &row.name, &row.root, &row.keys)).cloned()
}

/// The one that is meant among the given projects.
pub(crate) fn choose<'p, P>(
    all: &'p [P],
    text: &str,
    marks: impl Fn(&P) -> Marks<'_>,
) -> Result<&'p P, Fault> {
    let text = text.trim();
    let by_id = |text: &str| text.parse().ok().and_then(|id: i64| all.iter().find(|one| marks(one).0 == id));
    if let Some(id) = text.strip_prefix(ID_PREFIX) {
        return by_id(id.trim()).ok_or_else(|| not_found(text));
    }
    let place = text.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(text);
    let is_there = |(_, _, root, keys): Marks<'_>| root == place || keys.iter().any(|key| key == place);
    if let Some(one) = all.iter().find(|one| !place.is_empty() && is_there(marks(one))) {
        return Ok(one);
    }
    let named: Vec<&P> = all.iter().filter(|one| marks(one).1 == text).collect();
    let placed: Vec<&P> = named.iter().copied().filter(|one| !is_by_name(marks(one).3)).collect();
    let mut found = if placed.is_empty() { named } else { placed };
    let of_id = by_id(text).filter(|one| found.iter().all(|other| marks(other).0 != marks(one).0));
    found.extend(of_id);
    match &found[..] {
        [] => Err(not_found(text)),
        [one] => Ok(one),
        _ => {
            let list: Vec<String> =
                found.iter().map(|one| marks(one)).map(|(id, name, root, _)| label(id, name, root)).collect();
            let why = format!("{} projects match `{text}`: {}", found.len(), list.join(", "));
            Err(Fault::invalid(Fault::AMBIGUOUS_PROJECT, why)
                .next("name its directory, or its id as `id:…`; `nudge project merge` joins them"))
        }
    }
}

fn not_found(text: &str) -> Fault {
    let shown = without_controls(text, 200);
    Fault::new(FaultKind::NotFound, Fault::NO_PROJECT, format!("there is no project `{shown}`"))
        .next("run `nudge project ls` to see the projects")
}

/// Whether only the name of a project is known: memories were imported for it.
fn is_by_name(keys: &[String]) -> bool {
    !keys.is_empty() && keys.iter().all(|key| key.starts_with(NAME_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<i64, String> {
        let all = [
            (1, "shop", "/w/shop", vec!["/w/shop/.git".to_owned()]),
            (2, "1", "/w/one", vec!["/w/one".to_owned()]),
            (3, "till", "/a/till", vec!["/a/till".to_owned()]),
            (4, "till", "/b/till", vec!["/b/till".to_owned()]),
            (5, "shop", "", vec!["name:shop".to_owned()]),
            (7, "7", "/w/seven", vec!["/w/seven".to_owned()]),
        ];
        choose(&all, text, |(id, name, root, keys)| (*id, *name, *root, keys))
            .map(|one| one.0)
            .map_err(|fault| fault.message)
    }

    #[test]
    fn a_name_and_an_id_never_stand_for_each_other() {
        for (text, id) in [
            ("shop", 1),
            ("id:1", 1),
            (" id:2 ", 2),
            ("3", 3),
            ("7", 7),
            ("/w/one/", 2),
            ("/w/shop/.git", 1),
            ("name:shop", 5),
        ] {
            assert_eq!(chosen(text), Ok(id), "{text}");
        }
        assert_eq!(
            chosen("1"),
            Err("2 projects match `1`: 1 (/w/one, id:2), shop (/w/shop, id:1)".to_owned())
        );
        assert!(chosen("till").is_err_and(|why| why.contains("id:3") && why.contains("id:4")));
        for nothing in ["nowhere", "id:99", "id:x", "", "99"] {
            assert!(chosen(nothing).is_err(), "{nothing}");
        }
    }
}
