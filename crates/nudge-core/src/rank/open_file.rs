//! Whether a hint is about an open file.

/// The most open files that are checked: an editor's tabs, not a tree.
const FILES: usize = 100;

/// The base name of the first open file that a text names, by its path or its base name, as a whole
/// word.
pub fn named_in<'f>(files: &'f [String], texts: &[&str]) -> Option<&'f str> {
    let open = files.iter().take(FILES).filter_map(|file| base_name(file));
    open.into_iter().find(|name| texts.iter().any(|text| names(text, name)))
}

/// Any mention of the path ends in the base name, so searching for that is enough.
fn base_name(file: &str) -> Option<&str> {
    let name = file.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?.trim();
    (name.chars().count() > 1 && name != "..").then_some(name)
}

fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars();
        let ends = match after.next() {
            Some('.') => !after.next().is_some_and(is_of_name),
            next => !next.is_some_and(is_of_name),
        };
        ends && !before.is_some_and(|before| is_of_name(before) || before == '.')
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_path_or_its_base_name_as_a_word() {
        let open = ["/w/shop/src/lexer.rs".to_owned(), "C:\\shop\\Makefile".to_owned()];
        for text in [
            "lexer.rs",
            "see src/lexer.rs.",
            "/w/shop/src/lexer.rs:12",
            "(lexer.rs)",
            "edit `lexer.rs`, then",
        ] {
            assert_eq!(named_in(&open, &[text]), Some("lexer.rs"), "{text}");
        }
        assert_eq!(named_in(&open, &["x", "the Makefile has it"]), Some("Makefile"));
        for text in ["sublexer.rs", "lexer.rs.bak", "lexer.rst", "lexer", ".lexer.rs", "my-lexer.rs", ""] {
            assert_eq!(named_in(&open, &[text]), None, "{text}");
        }
        assert_eq!(named_in(&["/".to_owned(), "..".to_owned(), "a".to_owned()], &["a / .."]), None);
    }
}
