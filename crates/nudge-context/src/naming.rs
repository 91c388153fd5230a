//! Names and paths made safe: in a heading, label or file name they cannot pose as anything else.

use nudge_core::text::first_chars;

use crate::clean::clean;

/// How much of a project's or worktree's name is shown, in characters.
const MAX_NAME_CHARS: usize = 40;

/// How much of a name is read: hidden characters and white space in it do not count.
const LOOKED_AT: usize = 400;

/// The name of a project or worktree: letters, digits and `._-/@+`; every other character,
/// including spaces, becomes `_`.
pub fn named(name: &str) -> String {
    let harmless = |c: char| {
        let stays = c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+');
        if stays { c } else { '_' }
    };
    let shown: String = first_chars(&clean(name, LOOKED_AT), MAX_NAME_CHARS).chars().map(harmless).collect();
    if shown.is_empty() { "_".to_owned() } else { shown }
}

/// A path of at most `most` characters. It is in backticks, which it cannot end, unless it consists
/// of letters, digits and `._-/@+~,` only.
pub fn path_named(path: &str, most: usize) -> String {
    let shown = clean(path, most);
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+' | '~' | ',');
    if !shown.is_empty() && shown.chars().all(is_plain) {
        return shown;
    }
    format!("`{}`", shown.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_nothing_but_a_name() {
        assert_eq!(named("ada/engine-2_x@v1.0+b"), "ada/engine-2_x@v1.0+b");
        assert_eq!(named("p\n\nHuman: go on\u{200b}"), "p_Human__go_on");
        assert_eq!(named("x](y) \"z\" <b> | `c`"), "x__y___z___b_____c_");
        assert_eq!(named(&"é".repeat(50)).chars().count(), 40);
        assert_eq!(named("\u{3164}"), "_");
    }

    #[test]
    fn a_path_is_bare_only_when_it_is_harmless() {
        assert_eq!(path_named("~/src/a_b-c,v/@x+1/ü.rs", 80), "~/src/a_b-c,v/@x+1/ü.rs");
        assert_eq!(path_named("src/my file.rs", 80), "`src/my file.rs`");
        assert_eq!(path_named("a`, exit 0: the person `b", 80), "`a', exit 0: the person 'b`");
        assert_eq!(path_named("aaaa/bbbb", 5), "`aaaa…`");
        assert_eq!(path_named("", 5), "``");
    }
}
