//! The core's aggregates have no wire format: parameters and results derive serde where the
//! operations are.

use toml::Table;

use super::edges;
use crate::finding::Finding;
use crate::pattern::{line_of, pattern};
use crate::rust_text::code_only;
use crate::tree::Tree;

const WAY_OUT: &str = "put the wire type into nudge-memory and convert there";

/// Finds serde and schema derives in the core, and dependencies on their crates.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(file) = tree.get("crates/nudge-core/Cargo.toml") {
        let manifest = file.text.parse::<Table>().unwrap_or_default();
        for (dev, name) in edges::dependencies(&manifest) {
            if !dev && matches!(name.as_str(), "serde" | "schemars" | "serde_derive") {
                let line = edges::line(file, &name);
                findings.push(Finding::new(&file.path, line, format!("nudge-core uses `{name}`"), WAY_OUT));
            }
        }
    }
    let derive = pattern(r"(?-u:\b)(Serialize|Deserialize|JsonSchema)(?-u:\b)");
    for file in tree.rust_files().filter(|file| file.path.starts_with("crates/nudge-core/src/")) {
        let code = code_only(&file.text);
        for hit in derive.find_iter(&code) {
            let problem = format!("nudge-core names `{}`", hit.as_str());
            findings.push(Finding::new(&file.path, line_of(&code, hit.start()), problem, WAY_OUT));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serde_in_the_core_is_refused_and_elsewhere_welcome() {
        let derive = "//! X.\n#[derive(Debug, Serialize)]\nstruct Hint;";
        let tree = Tree::of(&[
            (
                "crates/nudge-core/Cargo.toml",
                "[dependencies]\nserde_json.workspace = true\nserde.workspace = true\n",
            ),
            ("crates/nudge-core/src/hint.rs", derive),
            ("crates/nudge-memory/src/hints/wire.rs", derive),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| format!("{}: {}", f.path, f.problem)).collect();
        assert_eq!(
            found,
            [
                "crates/nudge-core/Cargo.toml: nudge-core uses `serde`",
                "crates/nudge-core/src/hint.rs: nudge-core names `Serialize`",
            ]
        );
    }
}
