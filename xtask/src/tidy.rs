//! `cargo xtask tidy`: the rules of this repository that no compiler knows.
//!
//! Each rule is a file under `tidy/`. It checks the whole tree and suggests a fix for every
//! violation.

mod circles;
mod edges;
mod hygiene;
mod migrations;
mod owners;
mod purity;
mod sizes;
mod sql;
mod suites;
mod words;

pub(crate) use self::circles::ORDERS;
use crate::finding::{self, Finding};
use crate::tree::Tree;

type Check = fn(&Tree) -> Vec<Finding>;

/// The rules, in the order in which they are reported.
const CHECKS: &[(&str, Check)] = &[
    ("crate edges", edges::check),
    ("order of modules", circles::check),
    ("owned dependencies", owners::check),
    ("SQL only in the store", sql::check),
    ("one door to the database", sql::check_door),
    ("pure crates", purity::check),
    ("no serde in the core", purity::check_derives),
    ("file headers and names", hygiene::check_headers),
    ("migrations never edited", migrations::check),
    ("file sizes", sizes::check),
    ("one test binary per crate", suites::check),
    ("text hygiene", hygiene::check),
    ("no markup from text", hygiene::check_page),
    ("packages of the page", hygiene::check_packages),
    ("100 columns", hygiene::check_columns),
    ("retired words", words::check),
];

/// Runs every rule and prints its findings. With `--floors`, prints the order of the modules
/// instead.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let tree = Tree::load()?;
    match args {
        [] => Ok(check_all(&tree)),
        [floors, only @ ..] if floors == "--floors" && only.len() <= 1 => {
            circles::print(&tree, only.first().map(String::as_str)).map(|()| true)
        }
        _ => anyhow::bail!("tidy takes no arguments but --floors [CRATE]"),
    }
}

fn check_all(tree: &Tree) -> bool {
    for note in sizes::long_files(tree).into_iter().chain(circles::notes(tree)) {
        println!("note: {note}");
    }
    let mut findings = Vec::new();
    for (name, check) in CHECKS {
        let found = check(tree);
        println!(
            "tidy: {name}: {}",
            if found.is_empty() { "ok".to_owned() } else { found.len().to_string() }
        );
        findings.extend(found);
    }
    finding::all_clear(&findings)
}
