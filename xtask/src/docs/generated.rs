//! Checks that reference pages are the program's output, word for word.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::finding::Finding;
use crate::tree::Tree;

/// A page, and the arguments with which `nudge` prints it.
const PAGES: &[(&str, &[&str])] = &[
    ("docs/reference/operations.md", &["discover", "--markdown"]),
    ("docs/reference/settings.md", &["config", "--markdown"]),
    ("docs/reference/commands.md", &["man", "--markdown"]),
];

/// Compares every generated page with the program's output; with `write`, updates it instead.
pub(super) fn check(tree: &Tree, binary: &Path, write: bool) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, args) in PAGES {
        let command = format!("nudge {}", args.join(" "));
        match print(binary, args)? {
            Err(said) => {
                let problem = format!("`{command}` fails: {}", said.trim());
                findings.push(Finding::new(*path, 0, problem, "mend the command that prints the page"));
            }
            Ok(page) if write => {
                let place = tree.root.join(path);
                fs::create_dir_all(place.parent().context("a page lies in a folder")?)?;
                fs::write(&place, page)?;
            }
            Ok(page) => {
                findings.extend(compare(path, tree.get(path).map(|file| file.text.as_str()), &page, &command))
            }
        }
    }
    Ok(findings)
}

fn compare(path: &str, kept: Option<&str>, printed: &str, command: &str) -> Option<Finding> {
    let way_out = "run `cargo xtask docs --write` and read the difference";
    let kept = match kept {
        Some(kept) if kept == printed => return None,
        Some(kept) => kept,
        None => return Some(Finding::new(path, 0, format!("not there; `{command}` prints it"), way_out)),
    };
    let same = kept.lines().zip(printed.lines()).take_while(|(kept, printed)| kept == printed).count();
    Some(Finding::new(path, same + 1, format!("not what `{command}` prints"), way_out))
}

/// The program's output in an empty home; `Err` is its message if it failed.
fn print(binary: &Path, args: &[&str]) -> anyhow::Result<Result<String, String>> {
    let home = tempfile::tempdir()?;
    let output = Command::new(binary)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home.path())
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_current_stale_or_missing() {
        let problem =
            |kept| compare("p.md", kept, "a\nb\n", "nudge x").map(|f| format!("{}: {}", f.line, f.problem));
        assert_eq!(problem(Some("a\nb\n")), None);
        assert_eq!(problem(Some("a\nc\n")), Some("2: not what `nudge x` prints".into()));
        assert_eq!(problem(None), Some("0: not there; `nudge x` prints it".into()));
    }
}
