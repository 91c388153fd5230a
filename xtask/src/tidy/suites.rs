//! One integration test binary per crate, and no examples in comments: each would be built and
//! linked on its own.

use toml::{Table, Value};

use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

/// Finds crates with several test binaries, and examples that only `cargo test --doc` would run.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let crates = tree.manifests().filter_map(|manifest| several(tree, manifest));
    crates.chain(tree.rust_files().flat_map(examples)).collect()
}

fn several(tree: &Tree, manifest: &TextFile) -> Option<Finding> {
    let binaries = binaries(tree, manifest);
    (binaries.len() > 1).then(|| {
        let problem = format!("{} test binaries: {}", binaries.len(), binaries.join(", "));
        let way_out = "set `autotests = false` and name them as modules in tests/all.rs";
        Finding::new(&manifest.path, 0, problem, way_out)
    })
}

/// The files that cargo makes a test binary of.
fn binaries(tree: &Tree, manifest: &TextFile) -> Vec<String> {
    let table = manifest.text.parse::<Table>().unwrap_or_default();
    let is_automatic = table
        .get("package")
        .and_then(|package| package.get("autotests"))
        .and_then(Value::as_bool)
        .unwrap_or(true);
    if !is_automatic {
        let listed = table.get("test").and_then(Value::as_array).into_iter().flatten();
        return listed.filter_map(|test| Some(test.get("path")?.as_str()?.to_owned())).collect();
    }
    let dir = manifest.path.trim_end_matches("Cargo.toml");
    let inside = |file: &TextFile| Some(file.path.strip_prefix(dir)?.strip_prefix("tests/")?.to_owned());
    let is_root = |path: &String| match path.split_once('/') {
        None => true,
        Some((_, file)) => file == "main.rs",
    };
    tree.rust_files().filter_map(inside).filter(is_root).collect()
}

fn examples(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_open = false;
    for (index, line) in file.text.lines().enumerate() {
        let text = line.trim_start();
        let comment = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
        let Some(fence) = comment.and_then(|comment| comment.trim_start().strip_prefix("```")) else {
            continue;
        };
        is_open = !is_open;
        if is_open && fence.trim() != "text" {
            let way_out = "make it a test, or mark a fence that is no Rust with `text`";
            findings.push(Finding::new(&file.path, index + 1, "an example that no test runs", way_out));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.problem)).collect()
    }

    #[test]
    fn a_second_binary_is_refused() {
        let (manifest, a, b) = (
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("crates/a/tests/one.rs", ""),
            ("crates/a/tests/two/main.rs", ""),
        );
        assert_eq!(problems(&[manifest, a, ("crates/a/tests/two/part.rs", "")]), [""; 0]);
        assert_eq!(
            problems(&[manifest, a, b]),
            ["crates/a/Cargo.toml:0: 2 test binaries: one.rs, two/main.rs"]
        );
        let named = "[package]\nautotests = false\n[[test]]\nname = \"all\"\npath = \"tests/all.rs\"\n";
        assert_eq!(problems(&[("crates/a/Cargo.toml", named), a, b]), [""; 0]);
    }

    #[test]
    fn an_example_is_refused_and_a_picture_is_not() {
        let text =
            "//! A.\n//!\n//! ```text\n//! a --> b\n//! ```\n\n/// ```\n/// f();\n/// ```\nfn f() {}\n";
        assert_eq!(
            problems(&[("crates/a/src/lib.rs", text)]),
            ["crates/a/src/lib.rs:7: an example that no test runs"]
        );
    }
}
