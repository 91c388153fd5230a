//! The files of a skill while they are read, and the bounds on them.

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};

use super::wire::SkillLeftOut;

/// How many Markdown files a skill has at most.
pub(super) const FILES_MOST: usize = 200;

/// How many files of any kind are looked at.
pub(super) const LOOKED_AT_MOST: usize = 5_000;

/// The largest Markdown file, in bytes.
pub(super) const FILE_MOST: u64 = 256 * 1024;

/// The most text of a whole skill, in bytes.
const TEXT_MOST: usize = 4 * 1024 * 1024;

/// How many files that were left out are named.
const NAMED_MOST: usize = 50;

/// The longest name in an answer, in characters.
const NAME_MOST: usize = 200;

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
        if self.bytes > TEXT_MOST {
            let why = format!("the texts of a skill are limited to {TEXT_MOST} bytes");
            return Err(too_large(&why));
        }
        self.texts.push((path.to_owned(), text));
        Ok(())
    }

    /// Notes a file that is not part of the skill.
    pub(super) fn leave_out(&mut self, file: &str, why: &str) {
        self.left_out_count += 1;
        if self.left_out.len() < NAMED_MOST {
            let file = without_controls(file, NAME_MOST);
            self.left_out.push(SkillLeftOut { file, why: why.to_owned() });
        }
    }
}

/// Rejects more Markdown files than a skill may have.
pub(super) fn check_count(count: usize) -> Result<(), Fault> {
    if count <= FILES_MOST {
        return Ok(());
    }
    Err(too_large(&format!("a skill has at most {FILES_MOST} Markdown files; this one has {count}")))
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
        for number in 0..NAMED_MOST + 5 {
            files.leave_out(&format!("{number}.txt"), "it is not Markdown");
        }
        assert_eq!((files.left_out.len(), files.left_out_count), (NAMED_MOST, NAMED_MOST as u64 + 5));
    }
}
