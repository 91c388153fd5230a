//! `cargo xtask docs`: checks that the documents show what the program does.
//!
//! It runs console blocks, follows links, and compares generated pages with the program's output,
//! and the list of modules in ARCHITECTURE.md with what the modules say about themselves.

mod shell;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::finding::{self, Finding};
use crate::rust_text::pattern;
use crate::tidy::ORDERS;
use crate::tree::{TextFile, Tree};

/// Checks every document. `--write` updates the generated pages; `--bin PATH` uses a binary that is
/// already built.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let mut write = false;
    let mut binary = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--write" => write = true,
            "--bin" => binary = Some(PathBuf::from(args.next().context("--bin needs a path")?)),
            unknown => anyhow::bail!("docs does not know `{unknown}`"),
        }
    }
    let tree = Tree::load()?;
    let binary = match binary {
        Some(binary) => {
            binary.canonicalize().with_context(|| format!("no binary at {}", binary.display()))?
        }
        None => build(&tree.root)?,
    };
    let mut findings = check_links(&tree);
    findings.extend(check_generated(&tree, &binary, write)?);
    findings.extend(check_modules(&tree, write)?);
    let mut blocks = 0;
    for page in pages(&tree) {
        let (ran, found) = shell::run_page(page, &binary)?;
        blocks += ran;
        findings.extend(found);
    }
    println!(
        "docs: {} pages, {blocks} console blocks ran, {} findings",
        pages(&tree).count(),
        findings.len()
    );
    Ok(finding::all_clear(&findings))
}

/// The documents for people: at the root, and under `docs/`.
fn pages(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.files().filter(|file| {
        file.path.ends_with(".md") && (!file.path.contains('/') || file.path.starts_with("docs/"))
    })
}

/// Builds the program and returns its path.
pub(crate) fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = |args: &[&str]| Command::new(env!("CARGO")).current_dir(root).args(args).output();
    let built = cargo(&["build", "--quiet", "-p", "nudge-cli"])?;
    anyhow::ensure!(
        built.status.success(),
        "nudge does not build:\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"])?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(Path::new(target).join("debug").join("nudge"))
}

// Checks the links between documents.

/// Finds links to missing files and to headings that are not on the page. Web addresses are not
/// followed.
fn check_links(tree: &Tree) -> Vec<Finding> {
    pages(tree).flat_map(|page| check_page(tree, page)).collect()
}

fn check_page(tree: &Tree, page: &TextFile) -> Vec<Finding> {
    let link = pattern(r"\]\(([^) ]+)\)");
    let mut findings = Vec::new();
    for (line, text) in prose(&page.text) {
        for captures in link.captures_iter(&text) {
            let target = &captures[1];
            if let Some((problem, way_out)) = broken(tree, page, target) {
                findings.push(Finding::new(&page.path, line, format!("{problem}: {target}"), way_out));
            }
        }
    }
    findings
}

fn broken(tree: &Tree, page: &TextFile, target: &str) -> Option<(&'static str, &'static str)> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { page.path.clone() } else { resolve(&page.path, path) };
    let Some(file) = tree.get(&path) else {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let is_folder = tree.files().any(|file| file.path.starts_with(&folder));
        let there = is_folder || !tree.root.as_os_str().is_empty() && tree.root.join(&path).exists();
        return (!there)
            .then_some(("link to a file that is not there", "correct the path, relative to this page"));
    };
    let known = fragment.is_empty() || !file.path.ends_with(".md") || headings(&file.text).contains(fragment);
    (!known).then_some(("link to a heading that is not there", "name a heading's slug or its {#anchor}"))
}

/// Resolves a relative path on a page to a path from the root.
fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The slugs and anchors of a page's headings.
fn headings(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose_with_code(text).filter(|(_, line)| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim();
        let (title, anchor) =
            title.strip_suffix('}').and_then(|t| t.rsplit_once("{#")).unwrap_or((title, ""));
        let slug = title.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
        });
        found.extend([slug.collect(), anchor.to_owned()]);
    }
    found
}

/// Lines outside fences, with inline code blanked: an example of a link is not a link.
fn prose(text: &str) -> Vec<(usize, String)> {
    let code = pattern("`[^`]*`");
    prose_with_code(text).map(|(line, text)| (line, code.replace_all(text, "`code`").into_owned())).collect()
}

fn prose_with_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

// Checks that reference pages are the program's output, word for word.

/// A page, and the arguments with which `nudge` prints it.
const PAGES: &[(&str, &[&str])] = &[
    ("docs/reference/operations.md", &["discover", "--markdown"]),
    ("docs/reference/settings.md", &["config", "--markdown"]),
    ("docs/reference/commands.md", &["man", "--markdown"]),
];

/// Compares every generated page with the program's output; with `write`, updates it instead.
fn check_generated(tree: &Tree, binary: &Path, write: bool) -> anyhow::Result<Vec<Finding>> {
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

// The list of modules in ARCHITECTURE.md.

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The crate whose modules are listed, and the lines around the list.
const LISTED_CRATE: &str = "nudge-memory";
const LIST_BEGINS: &str = "<!-- modules: written by `cargo xtask docs --write` -->\n";
const LIST_ENDS: &str = "<!-- end of modules -->\n";

/// Markdown wraps here.
const COLUMNS: usize = 100;

/// Compares the list of modules with the modules; with `write`, updates it instead.
fn check_modules(tree: &Tree, write: bool) -> anyhow::Result<Vec<Finding>> {
    let page = tree.get(ARCHITECTURE).with_context(|| format!("no {ARCHITECTURE}"))?;
    let (before, rest) = page.text.split_once(LIST_BEGINS).context("no list of modules")?;
    let (_, after) = rest.split_once(LIST_ENDS).context("the list of modules does not end")?;
    let current = format!("{before}{LIST_BEGINS}\n{}\n{LIST_ENDS}{after}", module_list(tree)?);
    if write {
        fs::write(tree.root.join(ARCHITECTURE), current)?;
        return Ok(Vec::new());
    }
    let found = compare(ARCHITECTURE, Some(&page.text), &current, "cargo xtask docs --write");
    Ok(found.into_iter().collect())
}

/// An item for each module, in the order in which they may use each other.
fn module_list(tree: &Tree) -> anyhow::Result<String> {
    let order = ORDERS.iter().find(|(name, _)| *name == LISTED_CRATE).map(|(_, order)| *order);
    let mut list = String::new();
    for module in order.context("the crate has no order")? {
        let path = format!("crates/{LISTED_CRATE}/src/{module}.rs");
        let file = tree.get(&path).with_context(|| format!("no {path}"))?;
        list.push_str(&item(&format!("`{module}`: {}", first_sentence(&file.text))));
    }
    Ok(list)
}

/// A wrapped item of a Markdown list.
fn item(text: &str) -> String {
    let (mut item, mut column) = ("-".to_owned(), 1);
    for word in text.split(' ') {
        let width = word.chars().count();
        if column + 1 + width > COLUMNS {
            item.push_str("\n ");
            column = 1;
        }
        item.push(' ');
        item.push_str(word);
        column += 1 + width;
    }
    item + "\n"
}

/// The first sentence of a module's documentation, without the module's name in front of it.
fn first_sentence(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text = lines.map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.split_once(": ").filter(|(name, _)| !name.contains(' ')).map_or(&*text, |(_, text)| text);
    let sentence = text.split_once(". ").map_or(text, |(sentence, _)| sentence).trim_end_matches('.');
    sentence.get(..1).unwrap_or_default().to_lowercase() + sentence.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_described_by_its_first_sentence() {
        let source =
            "//! Recall: finds captured\n//! events again. And more.\n//!\n//! Not this.\n\nuse x;\n";
        assert_eq!(first_sentence(source), "finds captured events again");
        assert_eq!(first_sentence("//! Who is asking, from where: `a`.\n"), "who is asking, from where: `a`");
    }

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let readme = "# Nudge\n[spec](docs/spec/hints.md#hint_values) [title](docs/spec/hints.md#the-values) [up](#nudge)\n\
                  [gone](docs/gone.md)\n[web](https://example.org/x) `[no](link)`\n```\n[no](link)\n```\n[bad](docs/spec/hints.md#other)\n";
        let tree = Tree::of(&[
            ("README.md", readme),
            ("docs/spec/hints.md", "## The values {#hint_values}\n[back](../../README.md) [folder](..)\n"),
        ]);
        let found: Vec<_> =
            check_links(&tree).into_iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.problem)).collect();
        assert_eq!(
            found,
            [
                "README.md:3: link to a file that is not there: docs/gone.md",
                "README.md:8: link to a heading that is not there: docs/spec/hints.md#other",
            ]
        );
    }

    #[test]
    fn a_page_is_current_stale_or_missing() {
        let problem =
            |kept| compare("p.md", kept, "a\nb\n", "nudge x").map(|f| format!("{}: {}", f.line, f.problem));
        assert_eq!(problem(Some("a\nb\n")), None);
        assert_eq!(problem(Some("a\nc\n")), Some("2: not what `nudge x` prints".into()));
        assert_eq!(problem(None), Some("0: not there; `nudge x` prints it".into()));
    }
}
