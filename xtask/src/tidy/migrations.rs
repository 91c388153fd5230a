//! A released migration is never edited: existing databases have already run it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::finding::Finding;
use crate::tree::Tree;

const FOLDER: &str = "crates/nudge-store/migrations/";
const CHECKSUMS: &str = "crates/nudge-store/migrations/CHECKSUMS";

/// Compares every migration with its recorded checksum and with its first committed version.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    compare(tree, &|path| first_committed(&tree.root, path))
}

fn compare(tree: &Tree, first_committed: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<Finding> {
    let mut recorded = checksums(tree);
    let mut findings = Vec::new();
    for file in tree.files().filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".sql")) {
        let name = &file.path[FOLDER.len()..];
        let sum = blake3::hash(file.text.as_bytes()).to_hex().to_string();
        match recorded.remove(name) {
            None => {
                let way_out = format!("add the line `{sum}  {name}` to {CHECKSUMS}");
                findings.push(Finding::new(&file.path, 0, "migration without a checksum", way_out));
            }
            Some((_, known)) if known != sum => {
                let way_out =
                    "restore the file and write a new migration; before it first landed: record the new sum";
                findings.push(Finding::new(
                    &file.path,
                    0,
                    format!("differs from its checksum ({sum})"),
                    way_out,
                ));
            }
            Some(_) => {}
        }
        if first_committed(&file.path).is_some_and(|first| first != file.text.as_bytes()) {
            let way_out = "restore the committed text and write a new migration for the change";
            findings.push(Finding::new(&file.path, 0, "edited after it was committed", way_out));
        }
    }
    for (name, (line, _)) in recorded {
        let way_out = "restore the file: a database may still have to run it";
        findings.push(Finding::new(CHECKSUMS, line, format!("`{name}` is listed and not there"), way_out));
    }
    findings
}

/// The recorded checksums: name → (line, hex).
fn checksums(tree: &Tree) -> BTreeMap<String, (usize, String)> {
    let text = tree.get(CHECKSUMS).map_or("", |file| &file.text);
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            let (sum, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (name.trim().to_owned(), (index + 1, sum.to_owned()))
        })
        .collect()
}

/// The first committed bytes of a file; `None` without history or before it is committed.
fn first_committed(root: &Path, path: &str) -> Option<Vec<u8>> {
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    let commits = git(&["log", "--diff-filter=A", "--format=%H", "--", path])?;
    let commits = String::from_utf8(commits).ok()?;
    let first = commits.lines().last()?;
    git(&["show", &format!("{first}:{path}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "crates/nudge-store/migrations/2026-01-01-entries.sql";

    fn problems(text: &str, sums: &str, committed: Option<&str>) -> Vec<String> {
        let tree = Tree::of(&[(NAME, text), (CHECKSUMS, sums)]);
        let history = |_: &str| committed.map(|text| text.as_bytes().to_vec());
        compare(&tree, &history).into_iter().map(|finding| finding.problem).collect()
    }

    fn sum(text: &str) -> String {
        format!("{}  2026-01-01-entries.sql\n", blake3::hash(text.as_bytes()).to_hex())
    }

    #[test]
    fn a_recorded_and_untouched_migration_passes() {
        assert_eq!(problems("create", &sum("create"), None), [""; 0]);
        assert_eq!(problems("create", &sum("create"), Some("create")), [""; 0]);
    }

    #[test]
    fn an_edited_migration_is_refused_even_with_a_new_checksum() {
        assert!(problems("edited", &sum("create"), None)[0].starts_with("differs from its checksum"));
        assert_eq!(problems("edited", &sum("edited"), Some("create")), ["edited after it was committed"]);
    }

    #[test]
    fn unlisted_and_vanished_migrations_are_refused() {
        assert_eq!(problems("create", "", None), ["migration without a checksum"]);
        let listed = format!("{}abc  gone.sql\n", sum("create"));
        assert_eq!(problems("create", &listed, None), ["`gone.sql` is listed and not there"]);
    }

    #[test]
    fn history_knows_the_first_version_and_not_the_last() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let git = |args: &[&str]| {
            let identity =
                ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
            let status = Command::new("git").arg("-C").arg(dir.path()).args(identity).args(args).output();
            assert!(status.expect("git runs").status.success(), "git {args:?}");
        };
        git(&["init", "--quiet"]);
        assert_eq!(first_committed(dir.path(), "m.sql"), None);
        for text in ["first", "second"] {
            std::fs::write(dir.path().join("m.sql"), text).expect("a file can be written");
            git(&["add", "m.sql"]);
            git(&["commit", "--quiet", "-m", text]);
        }
        assert_eq!(first_committed(dir.path(), "m.sql"), Some(b"first".to_vec()));
    }
}
