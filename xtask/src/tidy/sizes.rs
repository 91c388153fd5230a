//! A file is one idea: few files are long, and few are so short that they belong into their only
//! user.

use std::collections::BTreeMap;

use super::circles;
use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

/// A file with more lines is long. Tests count.
const MAX_LINES: usize = 500;

/// A file with fewer lines that one other file uses is short: a reader opens both or none.
const MIN_LINES: usize = 60;

/// How many files in a hundred may be long, and how many may be short.
const MAX_PERCENT: usize = 10;

/// Fails when more than one Rust file in ten is long, or when more than one file in ten that is no
/// test is short and has exactly one user.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let all = tree.rust_files().count();
    let long: Vec<_> = long(tree).map(|file| (file.path.as_str(), MAX_LINES + 1)).collect();
    let problem = format!("{} of {all} Rust files are over {MAX_LINES} lines; one in ten may be", long.len());
    let mut findings =
        too_many(&long, all, &problem, "split the ones named here by noun or verb, tests along");

    let users = circles::users(tree);
    let short = short(tree, &users);
    let problem = format!(
        "{} of {} files are under {MIN_LINES} lines and have one user; one in ten may be",
        short.len(),
        users.len()
    );
    findings.extend(too_many(&short, users.len(), &problem, "merge the ones named here into their users"));
    findings
}

/// The long files, for the report.
pub(crate) fn long_files(tree: &Tree) -> Vec<String> {
    long(tree).map(|file| format!("{}: {} lines", file.path, lines(file))).collect()
}

fn long(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.rust_files().filter(|file| lines(file) > MAX_LINES)
}

/// The short files with one user.
fn short<'a>(tree: &'a Tree, users: &BTreeMap<String, usize>) -> Vec<(&'a str, usize)> {
    let is_short = |file: &&TextFile| lines(file) < MIN_LINES && users.get(&file.path) == Some(&1);
    tree.rust_files().filter(is_short).map(|file| (file.path.as_str(), 1)).collect()
}

fn lines(file: &TextFile) -> usize {
    file.text.lines().count()
}

/// A finding for each of `files`, if they are too many of `all`.
fn too_many(files: &[(&str, usize)], all: usize, problem: &str, way_out: &str) -> Vec<Finding> {
    if files.len() * 100 <= all * MAX_PERCENT {
        return Vec::new();
    }
    files.iter().map(|(path, line)| Finding::new(*path, *line, problem, way_out)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate of ten modules of `lines` lines each; `lib.rs` uses all of them, and the last one
    /// uses the first `used`.
    fn tree(used: usize, lines: usize) -> Tree {
        let names: Vec<_> = (0..10).map(|n| format!("f{n}")).collect();
        let mut files = vec![("crates/a/src/lib.rs".to_owned(), String::new())];
        for name in &names {
            files[0].1 += &format!("mod {name};\npub use {name}::X;\n");
            let uses = if name == "f9" { &names[..used] } else { &[] };
            let mut text: String = uses.iter().map(|name| format!("use crate::{name}::X;\n")).collect();
            text += "pub struct X;\n";
            text += &"//\n".repeat(lines.saturating_sub(text.lines().count()));
            files.push((format!("crates/a/src/{name}.rs"), text));
        }
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Tree::of(&files)
    }

    fn long_tree(long: usize, others: usize) -> Tree {
        let text = "x\n".repeat(MAX_LINES + 1);
        let names: Vec<_> = (0..long + others).map(|n| format!("crates/a/tests/f{n}.rs")).collect();
        let files = names.iter().enumerate();
        let files: Vec<_> =
            files.map(|(n, name)| (name.as_str(), if n < long { &*text } else { "x" })).collect();
        Tree::of(&files)
    }

    #[test]
    fn one_long_file_in_ten_is_reported_and_two_are_refused() {
        assert_eq!(check(&long_tree(1, 9)), []);
        assert_eq!(long_files(&long_tree(1, 9)), ["crates/a/tests/f0.rs: 501 lines"]);
        assert_eq!(check(&long_tree(2, 8)).len(), 2);
    }

    #[test]
    fn one_short_file_in_ten_with_one_user_passes_and_two_are_refused() {
        assert_eq!(check(&tree(1, 20)), []);
        let found: Vec<_> = check(&tree(2, 20)).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["crates/a/src/f0.rs", "crates/a/src/f1.rs"]);
    }

    #[test]
    fn a_file_without_a_user_or_of_sixty_lines_is_not_short() {
        assert_eq!(check(&tree(0, 20)), []);
        assert_eq!(check(&tree(9, MIN_LINES)), []);
    }
}
