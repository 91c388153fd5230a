//! Which project is meant by what somebody says: one rule for every command and operation.
//!
//! A directory or key is itself, `id:7` is an id, and anything else is a name first and an id
//! second. Where a name and the id of another project agree, or several places have the name,
//! nothing is guessed.

use std::path::Path;

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_store::{ProjectRow, Reader};

use super::resolve::{BY_NAME, of_directory};

/// What an id begins with where it must not be taken for a name.
const ID: &str = "id:";

/// What a project is known by: id, name, root and keys.
pub(super) type Marks<'p> = (i64, &'p str, &'p str, &'p [String]);

/// How a project is named where it must be told from others: name, directory and id.
pub fn label(id: i64, name: &str, root: &str) -> String {
    let place = if root.is_empty() { "no directory" } else { root };
    format!("{name} ({place}, id:{id})")
}

/// The one project that is meant, among those that `is_open` lets be seen.
pub(crate) fn meant(
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

/// The one that is meant among these.
pub(crate) fn choose<'p, P>(
    all: &'p [P],
    text: &str,
    marks: impl Fn(&P) -> Marks<'_>,
) -> Result<&'p P, Fault> {
    let text = text.trim();
    let by_id = |text: &str| text.parse().ok().and_then(|id: i64| all.iter().find(|one| marks(one).0 == id));
    if let Some(id) = text.strip_prefix(ID) {
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
            let why = format!("{} projects can be meant by `{text}`: {}", found.len(), list.join(", "));
            Err(Fault::invalid(Fault::AMBIGUOUS_PROJECT, why)
                .next("give its directory, or its id as `id:…`; `nudge project merge` makes them one"))
        }
    }
}

fn not_found(text: &str) -> Fault {
    let shown = without_controls(text, 200);
    Fault::new(FaultKind::NotFound, Fault::NO_PROJECT, format!("no project is `{shown}`"))
        .next("`nudge project ls` lists them")
}

/// Whether nothing but its name is known of a project: memories were brought in for it.
fn is_by_name(keys: &[String]) -> bool {
    !keys.is_empty() && keys.iter().all(|key| key.starts_with(BY_NAME))
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
            Err("2 projects can be meant by `1`: 1 (/w/one, id:2), shop (/w/shop, id:1)".to_owned())
        );
        assert!(chosen("till").is_err_and(|why| why.contains("id:3") && why.contains("id:4")));
        for nothing in ["nowhere", "id:99", "id:x", "", "99"] {
            assert!(chosen(nothing).is_err(), "{nothing}");
        }
    }
}
