//! One entry point to the database: connections are opened only in the store's `open.rs`.

use crate::finding::Finding;
use crate::pattern::{line_of, pattern};
use crate::rust_text::code_only;
use crate::tree::Tree;

/// Finds connections opened anywhere else.
///
/// The store's own tests may open a second connection, as a foreign program would. The baselines
/// are exempt.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let opening = pattern(r"(?-u:\b)Connection[ \n]*::[ \n]*open[a-z_]*");
    let mut findings = Vec::new();
    for file in tree.rust_files().filter(|file| !is_door(&file.path)) {
        let code = code_only(&file.text);
        for hit in opening.find_iter(&code) {
            let problem = format!("`{}` away from the door", hit.as_str());
            let way_out =
                "open the store with `nudge_store::Store::open`; pragmas and checks live in its open.rs";
            findings.push(Finding::new(&file.path, line_of(&code, hit.start()), problem, way_out));
        }
    }
    findings
}

fn is_door(path: &str) -> bool {
    path == "crates/nudge-store/src/db/open.rs"
        || ["crates/nudge-store/src/db/open/", "crates/nudge-store/tests/", "crates/nudge-drills/bare/"]
            .iter()
            .any(|door| path.starts_with(door))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_opened_only_at_the_door() {
        let text = "//! X.\nlet c = Connection::open_in_memory()?;\n";
        let paths = [
            "crates/nudge-store/src/db/open.rs",
            "crates/nudge-store/src/db/open/pragmas.rs",
            "crates/nudge-store/src/tables/entry.rs",
            "crates/nudge-cli/src/backup.rs",
        ];
        let tree = Tree::of(&paths.map(|path| (path, text)));
        let found: Vec<_> = check(&tree).into_iter().map(|f| format!("{}:{}", f.path, f.line)).collect();
        assert_eq!(found, ["crates/nudge-store/src/tables/entry.rs:2", "crates/nudge-cli/src/backup.rs:2"]);
    }
}
