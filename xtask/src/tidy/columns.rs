//! Markdown and comments end at column 100, so that a diff can be read.

use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

const MOST: usize = 100;

/// Written by a program, in the form that it is compared with.
const GENERATED: &[&str] = &["crates/nudge-drills/snapshots/"];

/// Finds longer lines: in Markdown any, in Rust those that are comments.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let written = tree.files().filter(|file| !GENERATED.iter().any(|place| file.path.starts_with(place)));
    written.flat_map(in_file).collect()
}

fn in_file(file: &TextFile) -> Vec<Finding> {
    let is_checked =
        |line: &str| file.path.ends_with(".md") || (file.is_rust() && line.trim_start().starts_with("//"));
    let lines = file.text.lines().enumerate().filter(|(_, line)| is_checked(line));
    lines
        .filter_map(|(number, line)| {
            let columns = line.chars().count();
            (columns > MOST).then(|| {
                let problem = format!("{columns} columns");
                Finding::new(&file.path, number + 1, problem, "wrap at 100 columns")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_of_prose_are_found_and_code_is_left_to_the_formatter() {
        let long = "ü".repeat(101);
        let rust = format!("/// {long}\nlet a = \"{long}\";\n    // {}\n", "u".repeat(93));
        let markdown = format!("{}\n{long}\n", "ü".repeat(100));
        let tree = Tree::of(&[("a.rs", &rust), ("b.md", &markdown), ("c.txt", &long)]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| format!("{}:{}", f.path, f.line)).collect();
        assert_eq!(found, ["a.rs:1", "b.md:2"]);
    }
}
