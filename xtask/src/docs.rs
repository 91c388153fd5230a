//! `cargo xtask docs`: checks that the documents show what the program does.
//!
//! It runs console blocks, follows links, and compares generated pages with the program's output.

mod blocks;
mod expected;
mod generated;
mod links;
mod shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::finding;
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
    let mut findings = links::check(&tree);
    findings.extend(generated::check(&tree, &binary, write)?);
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
fn build(root: &Path) -> anyhow::Result<PathBuf> {
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
