//! Which file of a skill becomes which entry.

use std::collections::BTreeSet;

use nudge_core::text::without_controls;
use nudge_core::{EntryPath, Fault};

use super::files::Files;
use super::wire::{ReadSkill, SkillText};

/// The names of the index, best first.
const INDEX: [&str; 3] = ["index.md", "SKILL.md", "README.md"];

/// The longest name of a skill.
const NAME_MOST: usize = 80;

/// The name of a skill, checked.
pub(super) fn name(name: &str) -> Result<String, Fault> {
    let fits = !name.is_empty()
        && name.len() <= NAME_MOST
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && name.bytes().any(|b| b != b'.');
    if fits {
        return Ok(name.to_owned());
    }
    Err(Fault::invalid("name", format!("`{}` is not the name of a skill", without_controls(name, 60)))
        .with("field", "name")
        .next(format!("give it a `name` of at most {NAME_MOST} letters, digits, `-`, `_` and `.`")))
}

/// A skill that is a single file.
pub(super) fn single(name: String, text: String) -> Result<ReadSkill, Fault> {
    let path = entry_path(&name, "").map_err(|error| Fault::invalid("name", error))?;
    Ok(ReadSkill { name, texts: vec![SkillText { path, body: text }], ..ReadSkill::default() })
}

/// A skill of several files: the index first, the others in the order of their paths.
pub(super) fn several(name: String, mut files: Files) -> Result<ReadSkill, Fault> {
    let is_index = |wanted: &str| files.texts.iter().position(|(path, _)| path.eq_ignore_ascii_case(wanted));
    let Some(at) = INDEX.iter().find_map(|wanted| is_index(wanted)) else {
        let why = format!("the skill has no {} that can be read", INDEX.join(", "));
        return Err(Fault::invalid("skill_index", why)
            .with("field", "path")
            .next("add an index.md that says what the skill is for"));
    };
    let (_, body) = files.texts.remove(at);
    let path = entry_path(&name, "").map_err(|error| Fault::invalid("name", error))?;
    let mut taken = BTreeSet::from([path.clone()]);
    let mut texts = vec![SkillText { path, body }];
    let mut rest = std::mem::take(&mut files.texts);
    rest.sort();
    for (file, body) in rest {
        match entry_path(&name, below(&file)) {
            Ok(path) if taken.contains(&path) => {
                files.leave_out(&file, &format!("another file is `{path}` already"));
            }
            Ok(path) => {
                taken.insert(path.clone());
                texts.push(SkillText { path, body });
            }
            Err(why) => files.leave_out(&file, &why),
        }
    }
    Ok(ReadSkill { name, texts, left_out: files.left_out, left_out_count: files.left_out_count })
}

/// The part of an entry's path that a file gives: `foo/index.md` is `foo`, `foo/bar.md` is
/// `foo/bar`.
fn below(file: &str) -> &str {
    let stem = file.get(..file.len().saturating_sub(".md".len())).unwrap_or(file);
    match stem.rsplit_once('/') {
        Some((folder, last)) if last.eq_ignore_ascii_case("index") => folder,
        _ => stem,
    }
}

fn entry_path(name: &str, below: &str) -> Result<String, String> {
    let parts: Vec<&str> = std::iter::once(name).chain(below.split('/').filter(|p| !p.is_empty())).collect();
    EntryPath::from_parts("skill", &parts, None)
        .map(|path| path.as_str().to_owned())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(files: &[&str]) -> Result<(Vec<String>, u64), String> {
        let mut read = Files::default();
        for file in files {
            read.add(file, format!("text of {file}")).expect("small");
        }
        let skill = several("tax".to_owned(), read).map_err(|fault| fault.reason)?;
        Ok((skill.texts.into_iter().map(|text| text.path).collect(), skill.left_out_count))
    }

    #[test]
    fn an_index_collapses_to_its_folder() {
        let (found, _) = paths(&["rates/index.md", "rates/de.md", "index.md", "a b.md"]).expect("a skill");
        assert_eq!(found, ["skill://tax", "skill://tax/a%20b", "skill://tax/rates/de", "skill://tax/rates"]);
    }

    #[test]
    fn the_best_index_is_taken() {
        let found = |files: &[&str]| paths(files).map(|(found, _)| found.join(" "));
        assert_eq!(found(&["README.md", "SKILL.md"]), Ok("skill://tax skill://tax/README".to_owned()));
        assert_eq!(found(&["SKILL.md", "index.md"]), Ok("skill://tax skill://tax/SKILL".to_owned()));
        assert_eq!(found(&["docs/index.md"]), Err("skill_index".to_owned()));
    }

    #[test]
    fn two_files_cannot_be_one_entry() {
        let (found, left_out) = paths(&["index.md", "rates.md", "rates/index.md"]).expect("a skill");
        assert_eq!((found.len(), left_out), (2, 1));
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(name("tax-rates_2.1").expect("fits"), "tax-rates_2.1");
        for bad in ["", "..", "a b", "a/b", "ü", &"x".repeat(81)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
