//! Dependencies that only one crate may use, so that the engine behind it can change in one place.

use toml::Table;

use super::edges;
use crate::finding::Finding;
use crate::rust_text::{code_only, line_of, pattern};
use crate::tree::{TextFile, Tree};

/// A dependency, the crates that may use it, and why.
type Owned = (&'static str, &'static [&'static str], &'static str);

/// An external crate, its owners, and why. The benches' bare baselines in `nudge-drills` are
/// exempt.
const OWNED: &[Owned] = &[
    ("rusqlite", &["nudge-store"], "only the store knows SQL"),
    ("libsqlite3-sys", &["nudge-store"], "only the store knows SQL"),
    ("tantivy", &["nudge-index"], "search structures are the index's own"),
    ("jsonc-parser", &["nudge-harness"], "only the harness edits the settings of agents"),
    ("rmcp", &["nudge-server"], "only the server serves MCP"),
    ("axum", &["nudge-server"], "only the server serves HTTP"),
    ("hyper", &["nudge-server", "nudge-models"], "only these two speak HTTP"),
    ("tokio-tungstenite", &["nudge-server"], "only the server serves WebSocket"),
    ("hyper-rustls", &["nudge-models"], "only the client of models calls other machines"),
    ("landlock", &["nudge-sandbox"], "only the sandbox confines processes"),
    ("seccompiler", &["nudge-sandbox"], "only the sandbox confines processes"),
    ("rustls", &["nudge-models"], "only the client of models speaks TLS"),
];

/// Finds owned dependencies in the manifests and sources of other crates.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.manifests().flat_map(in_manifest);
    let sources = tree.rust_files().flat_map(in_source);
    manifests.chain(sources).collect()
}

fn in_manifest(file: &TextFile) -> Vec<Finding> {
    let manifest = file.text.parse::<Table>().unwrap_or_default();
    let used = edges::dependencies(&manifest);
    let foreign = foreign_to(file).filter(|(name, ..)| used.iter().any(|(_, dependency)| dependency == name));
    foreign.map(|owned| finding(file, edges::line(file, owned.0), owned)).collect()
}

fn in_source(file: &TextFile) -> Vec<Finding> {
    let code = code_only(&file.text);
    let mut findings = Vec::new();
    for owned in foreign_to(file) {
        let path = format!(r"(?-u:\b){}[ \n]*(::|;|[ ]+as )", owned.0.replace('-', "_"));
        for hit in pattern(&path).find_iter(&code) {
            findings.push(finding(file, line_of(&code, hit.start()), owned));
        }
    }
    findings
}

/// The owned dependencies that this file's crate does not own.
fn foreign_to(file: &TextFile) -> impl Iterator<Item = &'static Owned> {
    let name = file.crate_name().filter(|name| *name != "nudge-drills").map(str::to_owned);
    OWNED.iter().filter(move |(_, owner, _)| name.as_deref().is_some_and(|name| !owner.contains(&name)))
}

fn finding(file: &TextFile, line: usize, (name, owners, why): &Owned) -> Finding {
    let owner = owners.join("` or `");
    let problem = format!("`{name}` outside `{owner}`");
    Finding::new(&file.path, line, problem, format!("{why}: call a function of `{owner}` instead"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.problem)).collect()
    }

    #[test]
    fn an_engine_outside_its_owner_is_refused_in_manifest_and_source() {
        let found = problems(&[
            ("crates/nudge-memory/Cargo.toml", "[dependencies]\nrusqlite.workspace = true\n"),
            ("crates/nudge-memory/src/hints.rs", "//! Hints.\nuse rusqlite::Connection;\n"),
            ("crates/nudge-cli/src/main.rs", "fn f() { axum::serve(); tantivy::Index::open(); }"),
        ]);
        assert_eq!(
            found,
            [
                "crates/nudge-memory/Cargo.toml:2: `rusqlite` outside `nudge-store`",
                "crates/nudge-memory/src/hints.rs:2: `rusqlite` outside `nudge-store`",
                "crates/nudge-cli/src/main.rs:1: `tantivy` outside `nudge-index`",
                "crates/nudge-cli/src/main.rs:1: `axum` outside `nudge-server`",
            ]
        );
    }

    #[test]
    fn owners_yardsticks_and_prose_pass() {
        let found = problems(&[
            ("crates/nudge-store/Cargo.toml", "[dependencies]\nrusqlite.workspace = true\n"),
            ("crates/nudge-server/src/mcp.rs", "use rmcp::model::Tool;"),
            ("crates/nudge-drills/bare/src/bare.rs", "use rusqlite::Connection;"),
            ("crates/nudge-cli/src/main.rs", "// rusqlite::Connection lives in the store\n"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
