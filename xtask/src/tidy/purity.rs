//! Pure crates: clock, environment, disk and randomness come in as arguments.

use toml::Table;

use super::edges;
use crate::finding::Finding;
use crate::rust_text::{code_only, line_of, pattern};
use crate::tree::Tree;

/// Crates that decide and never act.
const PURE: &[&str] = &[
    "crates/nudge-core/src/",
    "crates/nudge-secrets/src/",
    "crates/nudge-context/src/",
    "crates/nudge-grammar/src/",
    "crates/nudge-harness/src/",
    "crates/nudge-outcomes/src/",
];

/// Names that reach outside, and what to do instead.
const OUTSIDE: &[(&str, &str, &str)] = &[
    (
        r"(?-u:\b)SystemTime(?-u:\b)|(?-u:\b)(Instant|Timestamp|Zoned|Utc|Local|Uuid)::now(?-u:\b|_)|TimeZone::system",
        "reads the clock",
        "take `now: Timestamp` as an argument",
    ),
    (
        r"(?-u:\b)std::env(?-u:\b)|(?-u:\b)env::(var|vars|var_os|current_dir|home_dir)",
        "reads the environment",
        "take the value as an argument",
    ),
    (
        r"(?-u:\b)std::fs(?-u:\b)|(?-u:\b)fs::[a-z]|(?-u:\b)File::open",
        "touches the disk",
        "take the text or bytes as an argument",
    ),
    (
        r"(?-u:\b)std::net(?-u:\b)|TcpStream|UdpSocket",
        "touches the network",
        "do it in a surface and pass the result in",
    ),
    (
        r"(?-u:\b)std::process(?-u:\b)|Command::new",
        "starts or ends processes",
        "return a value and let the edge act on it",
    ),
    (
        r"(?-u:\b)std::\{[^;]*(?-u:\b)(env|fs|net|process)(?-u:\b)",
        "imports something outside",
        "take the value as an argument",
    ),
    (r"(?-u:\b)e?print(ln)?!", "prints", "return the text"),
    (r"(?-u:\b)(getrandom|rand|fastrand)::", "draws at random", "take the random bytes as an argument"),
];

/// Finds code of a pure crate that reaches outside. Its test modules are exempt: they time and feed
/// the code under test.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let tests = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let pure = |path: &str| PURE.iter().any(|prefix| path.starts_with(prefix)) && !tests(path);
    for file in tree.rust_files().filter(|file| pure(&file.path)) {
        let code = code_only(&file.text);
        for (outside, problem, way_out) in OUTSIDE {
            for hit in pattern(outside).find_iter(&code) {
                let crate_name = file.crate_name().unwrap_or_default();
                let shown = hit.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                let problem = format!("`{crate_name}` {problem}: `{shown}`");
                findings.push(Finding::new(&file.path, line_of(&code, hit.start()), problem, *way_out));
            }
        }
    }
    findings
}

// The core's aggregates have no wire format: parameters and results derive serde where the
// operations are.

const WAY_OUT: &str = "put the wire type into nudge-memory and convert there";

/// Finds serde and schema derives in the core, and dependencies on their crates.
pub(crate) fn check_derives(tree: &Tree) -> Vec<Finding> {
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

    fn problems(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|f| format!("{}: {}", f.line, f.problem)).collect()
    }

    #[test]
    fn each_reach_outside_is_refused() {
        let each = [
            ("let t = SystemTime::now();", "reads the clock"),
            ("let t = Instant::now();", "reads the clock"),
            ("let t = jiff::Timestamp::now();", "reads the clock"),
            ("let v = std::env::var(name);", "reads the environment"),
            ("let s = std::fs::read(p);", "touches the disk"),
            ("let s: std::net::TcpListener;", "touches the network"),
            ("std::process::abort();", "starts or ends processes"),
            ("use std::{collections::BTreeMap, fs};", "imports something outside"),
            ("println!();", "prints"),
            ("getrandom::fill(b);", "draws at random"),
        ];
        for (text, problem) in each {
            let found = problems("crates/nudge-core/src/rank.rs", text);
            assert!(found.iter().any(|found| found.contains(problem)), "{text}: {found:?}");
        }
    }

    #[test]
    fn durations_prose_and_other_crates_pass() {
        let text = "use std::time::Duration;\n// std::env is read by the CLI\nlet s = \"std::fs\"; let v = env!(\"X\");";
        assert_eq!(problems("crates/nudge-core/src/rank.rs", text), [""; 0]);
        assert_eq!(problems("crates/nudge-secrets/src/tests/speed.rs", "let t = Instant::now();"), [""; 0]);
        assert_eq!(problems("crates/nudge-memory/src/home.rs", "std::env::var(name);"), [""; 0]);
    }

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
        let found: Vec<_> =
            check_derives(&tree).into_iter().map(|f| format!("{}: {}", f.path, f.problem)).collect();
        assert_eq!(
            found,
            [
                "crates/nudge-core/Cargo.toml: nudge-core uses `serde`",
                "crates/nudge-core/src/hint.rs: nudge-core names `Serialize`",
            ]
        );
    }
}
