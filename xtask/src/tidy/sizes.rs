//! Files stay short: nine in ten under 400 lines.

use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

/// Longer files are named in the report. The limit is the ninetieth percentile of codebases that
/// newcomers find easy to navigate.
const LONG_LINES: usize = 400;

/// Fails when more than one Rust file in ten is long.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let (long, all) = (long(tree).count(), tree.rust_files().count());
    if long * 10 <= all {
        return Vec::new();
    }
    let problem = format!("{long} of {all} Rust files are over {LONG_LINES} lines; one in ten may be");
    let way_out = "split the ones named above by noun or verb, tests along";
    long_findings(tree, &problem, way_out)
}

/// The long files, for the report.
pub(crate) fn long_files(tree: &Tree) -> Vec<String> {
    long(tree).map(|file| format!("{}: {} lines", file.path, file.text.lines().count())).collect()
}

fn long(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.rust_files().filter(|file| file.text.lines().count() > LONG_LINES)
}

fn long_findings(tree: &Tree, problem: &str, way_out: &str) -> Vec<Finding> {
    long(tree).map(|file| Finding::new(&file.path, LONG_LINES + 1, problem, way_out)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(long: usize, short: usize) -> Tree {
        let text = "x\n".repeat(LONG_LINES + 1);
        let names: Vec<_> = (0..long + short).map(|n| format!("crates/a/src/f{n}.rs")).collect();
        let files: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.as_str(), if n < long { &*text } else { "x" }))
            .collect();
        Tree::of(&files)
    }

    #[test]
    fn one_long_file_in_ten_is_reported_and_two_are_refused() {
        assert_eq!(check(&tree(1, 9)), []);
        assert_eq!(long_files(&tree(1, 9)), ["crates/a/src/f0.rs: 401 lines"]);
        assert_eq!(check(&tree(2, 8)).len(), 2);
    }
}
