//! The files of a skill while they are read, the bounds on them, and which entry each becomes.

use std::collections::BTreeSet;

use nudge_core::text::without_controls;
use nudge_core::{EntryPath, Fault, FaultKind};

use super::{ReadSkill, SkillLeftOut, SkillText};

/// How many Markdown files a skill has at most.
pub(super) const MAX_FILES: usize = 200;

/// How many files of any kind are looked at.
pub(super) const MAX_VISITED_FILES: usize = 5_000;

/// The largest Markdown file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The most text of a whole skill, in bytes.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// How many files that were left out are named.
const MAX_NAMED_FILES: usize = 50;

/// The longest name in an answer, in characters.
const MAX_FILE_NAME_CHARS: usize = 200;

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Paths from the root of the skill, with their texts.
    pub(super) texts: Vec<(String, String)>,
    pub(super) left_out: Vec<SkillLeftOut>,
    pub(super) left_out_count: u64,
    bytes: usize,
}

impl Files {
    /// Adds a text; fails if the skill becomes too large.
    pub(super) fn add(&mut self, path: &str, text: String) -> Result<(), Fault> {
        self.bytes += text.len();
        if self.bytes > MAX_TEXT_BYTES {
            let why = format!("the texts of a skill are limited to {MAX_TEXT_BYTES} bytes");
            return Err(too_large(&why));
        }
        self.texts.push((path.to_owned(), text));
        Ok(())
    }

    /// Notes a file that is not part of the skill.
    pub(super) fn leave_out(&mut self, file: &str, why: &str) {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_NAMED_FILES {
            let file = without_controls(file, MAX_FILE_NAME_CHARS);
            self.left_out.push(SkillLeftOut { file, why: why.to_owned() });
        }
    }
}

/// Rejects more Markdown files than a skill may have.
pub(super) fn check_count(count: usize) -> Result<(), Fault> {
    if count <= MAX_FILES {
        return Ok(());
    }
    Err(too_large(&format!("a skill has at most {MAX_FILES} Markdown files; this one has {count}")))
}

/// The fault for a skill that is too large.
pub(super) fn too_large(why: &str) -> Fault {
    Fault::new(FaultKind::TooLarge, "skill_too_large", why).next("give a smaller folder, or split the skill")
}

/// Why a file is no text of a skill, by its name alone.
pub(super) fn unfit(path: &str) -> Option<&'static str> {
    if path.split('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
        return Some("it is hidden");
    }
    (!is_markdown(path)).then_some("it is not Markdown")
}

/// Whether a name is that of a Markdown file.
pub(super) fn is_markdown(path: &str) -> bool {
    has_extension(path, ".md")
}

/// Whether a name ends with an extension, in any case.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    let at = path.len().wrapping_sub(extension.len());
    path.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(extension))
}

/// The text of a file; the other one says why it has none.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, &'static str> {
    match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => Err("it contains NUL bytes"),
        Ok(text) => Ok(text),
        Err(_) => Err("it is not UTF-8"),
    }
}

/// The names of the index, best first.
const INDEX_NAMES: [&str; 3] = ["index.md", "SKILL.md", "README.md"];

/// The longest name of a skill.
const MAX_SKILL_NAME_CHARS: usize = 80;

/// The name of a skill, checked.
pub(super) fn name(name: &str) -> Result<String, Fault> {
    let fits = !name.is_empty()
        && name.len() <= MAX_SKILL_NAME_CHARS
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && name.bytes().any(|b| b != b'.');
    if fits {
        return Ok(name.to_owned());
    }
    Err(Fault::invalid("name", format!("`{}` is not the name of a skill", without_controls(name, 60)))
        .with("field", "name")
        .next(format!(
            "give it a `name` of at most {MAX_SKILL_NAME_CHARS} letters, digits, `-`, `_` and `.`"
        )))
}

/// A skill that is a single file.
pub(super) fn single(name: String, text: String) -> Result<ReadSkill, Fault> {
    let path = entry_path(&name, "").map_err(|error| Fault::invalid("name", error))?;
    Ok(ReadSkill { name, texts: vec![SkillText { path, body: text }], ..ReadSkill::default() })
}

/// A skill of several files: the index first, the others in the order of their paths.
pub(super) fn several(name: String, mut files: Files) -> Result<ReadSkill, Fault> {
    let is_index = |wanted: &str| files.texts.iter().position(|(path, _)| path.eq_ignore_ascii_case(wanted));
    let Some(at) = INDEX_NAMES.iter().find_map(|wanted| is_index(wanted)) else {
        let why = format!("the skill has no {} that can be read", INDEX_NAMES.join(", "));
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

    #[test]
    fn names_say_what_belongs_to_a_skill() {
        assert!(
            is_markdown("a.md") && is_markdown("A.MD") && !is_markdown("a.markdown") && !is_markdown("d")
        );
        assert_eq!(unfit("docs/a.md"), None);
        assert_eq!(unfit("a.txt"), Some("it is not Markdown"));
        assert_eq!(unfit(".github/a.md"), Some("it is hidden"));
        assert_eq!(unfit("__MACOSX/a.md"), Some("it is hidden"));
        assert!(!has_extension("ümd", ".md"));
    }

    #[test]
    fn only_the_first_files_that_were_left_out_are_named() {
        let mut files = Files::default();
        for number in 0..MAX_NAMED_FILES + 5 {
            files.leave_out(&format!("{number}.txt"), "it is not Markdown");
        }
        assert_eq!(
            (files.left_out.len(), files.left_out_count),
            (MAX_NAMED_FILES, MAX_NAMED_FILES as u64 + 5)
        );
    }

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
