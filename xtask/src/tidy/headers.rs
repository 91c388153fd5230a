//! Every Rust file begins with a `//!` header, and no file is named `mod.rs`.

use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

/// Finds files without a `//!` header and files named `mod.rs`. Build scripts need no header.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter_map(nameless).chain(tree.rust_files().filter_map(headless)).collect()
}

fn nameless(file: &TextFile) -> Option<Finding> {
    let dir = file.path.strip_suffix("/mod.rs")?;
    Some(Finding::new(&file.path, 0, "a file named mod.rs", format!("name it {dir}.rs")))
}

fn headless(file: &TextFile) -> Option<Finding> {
    let first = file.text.lines().map(str::trim).find(|line| !line.is_empty());
    let says = first.is_some_and(|line| line.strip_prefix("//!").is_some_and(|text| !text.trim().is_empty()));
    let build_script = file.path.ends_with("/build.rs") && !file.path.contains("/src/");
    (!says && !build_script).then(|| {
        let way_out = "begin the file with `//!` and one sentence that says what it is for";
        Finding::new(&file.path, 1, "no header", way_out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_header_or_named_mod_is_refused() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "//! What it is for.\n"),
            ("crates/a/src/late.rs", "use std::fmt;\n//! Too late.\n"),
            ("crates/a/src/mute.rs", "//!\nuse std::fmt;\n"),
            ("crates/a/src/b/mod.rs", "//! B.\n"),
            ("crates/a/build.rs", "fn main() {}\n"),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| format!("{}: {}", f.path, f.problem)).collect();
        assert_eq!(
            found,
            [
                "crates/a/src/b/mod.rs: a file named mod.rs",
                "crates/a/src/late.rs: no header",
                "crates/a/src/mute.rs: no header",
            ]
        );
    }
}
