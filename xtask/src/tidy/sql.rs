//! SQL is only in the store.

use crate::finding::Finding;
use crate::rust_text::{code_only, line_of, literals, pattern};
use crate::tree::Tree;

/// The beginnings of an SQL string. Only beginnings count, so that prose may mention selecting and
/// updating.
const STATEMENTS: &[&str] = &[
    r"select[ \n]+[a-z0-9_*(][ -~\n\t]*[ \n]from[ \n]+[a-z_(]",
    r"insert[ ]+(or[ ]+[a-z]+[ ]+)?into[ ]+[a-z_]",
    r"replace[ ]+into[ ]+[a-z_]",
    r"update[ ]+(or[ ]+[a-z]+[ ]+)?[a-z_]+[ \n]+set[ \n]",
    r"delete[ ]+from[ ]+[a-z_]",
    r"create[ ]+(temp[ ]+|temporary[ ]+|virtual[ ]+|unique[ ]+)?(table|index|view|trigger)[ \n]",
    r"(drop[ ]+(table|index|view|trigger)|alter[ ]+table|attach[ ]+database)[ ]",
    r"pragma[ ]+[a-z_]+",
    r"begin[ ]+(immediate|exclusive|deferred)",
    r"vacuum;?$",
];

/// Finds string literals outside the store that begin like SQL. The benches' baselines in `xtask`
/// are exempt.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let statement = pattern(&format!(r"(?i-u)^[ \t\n\\]*({})", STATEMENTS.join("|")));
    let mut findings = Vec::new();
    for file in
        tree.rust_files().filter(|file| !matches!(file.crate_name(), Some("nudge-store" | "nudge-drills")))
    {
        for (start, text) in literals(&file.text) {
            if statement.is_match(text) {
                let shown: String = text.trim().chars().take(40).collect();
                let problem = format!("SQL outside nudge-store: {shown:?}");
                let way_out = "put the statement into its noun's file in nudge-store and call that";
                findings.push(Finding::new(&file.path, line_of(&file.text, start), problem, way_out));
            }
        }
    }
    findings
}

// One entry point to the database: connections are opened only in the store's `open.rs`.

/// Finds connections opened anywhere else.
///
/// The store's own tests may open a second connection, as a foreign program would. The baselines
/// are exempt.
pub(crate) fn check_door(tree: &Tree) -> Vec<Finding> {
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

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn statements_outside_the_store_are_refused() {
        let text = "//! X.\nf(\"SELECT id FROM entries\");\ng(r#\"\n  insert into t values (1)\"#);\nh(\"PRAGMA user_version\");\n\
                i(\"update t set a = 1\"); j(\"delete from t\"); k(\"CREATE TABLE t (a)\");";
        assert_eq!(lines("crates/nudge-memory/src/hints.rs", text), [2, 3, 5, 6, 6, 6]);
        assert_eq!(lines("crates/nudge-cli/tests/hints.rs", "f(\"BEGIN IMMEDIATE\");"), [1]);
    }

    #[test]
    fn prose_comments_and_the_store_pass() {
        let prose = "// SELECT id FROM entries\nf(\"select one of the components\"); g(\"Update the hint\"); h(\"create a table\");";
        assert_eq!(lines("crates/nudge-memory/src/hints.rs", prose), [0; 0]);
        assert_eq!(lines("crates/nudge-store/src/tables/entry.rs", "f(\"SELECT id FROM entries\");"), [0; 0]);
        assert_eq!(lines("crates/nudge-drills/src/bench/bare.rs", "f(\"SELECT id FROM entries\");"), [0; 0]);
    }

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
        let found: Vec<_> = check_door(&tree).into_iter().map(|f| format!("{}:{}", f.path, f.line)).collect();
        assert_eq!(found, ["crates/nudge-store/src/tables/entry.rs:2", "crates/nudge-cli/src/backup.rs:2"]);
    }
}
