//! Nudge's memory code does not name any agent.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_harness::Harness;

/// The memory code: its types, its schema, its queries. The secret detector is not part of it: the
/// services it knows credentials of have nothing to do with the agents we support.
const MEMORY: &[&str] =
    &["nudge-core/src", "nudge-store/src", "nudge-store/migrations", "nudge-index/src", "nudge-context/src"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// @harness_apart
#[test]
fn types_schema_and_queries_name_no_agent() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut found = Vec::new();
    MEMORY.iter().for_each(|folder| files(&crates.join(folder), &mut found));
    assert!(found.len() > 50);
    // A cursor is also a position in a list.
    let names: Vec<_> =
        Harness::ALL.into_iter().map(Harness::name).filter(|name| *name != "cursor").collect();
    // How users address their agents is part of how they speak.
    let is_speech = |path: &&PathBuf| path.components().any(|part| part.as_os_str() == "instruction");
    for path in found.iter().filter(|path| !is_speech(path)) {
        let text = fs::read_to_string(path).expect("text").to_lowercase();
        for name in &names {
            let word = |at: usize| {
                let ends = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                ends(text[..at].chars().next_back()) && ends(text[at + name.len()..].chars().next())
            };
            let named = text.match_indices(name).any(|(at, _)| word(at));
            assert!(!named, "{} names {name}", path.display());
        }
    }
}
