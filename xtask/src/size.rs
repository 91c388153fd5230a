//! `cargo xtask size [BINARY]`: how large the repository and the program are.
//!
//! Prints, for each crate, its files, its lines without tests and its public items, then the
//! external dependencies of the product. With a binary, such as `target/ci/nudge`, also what each
//! crate has in it, by the symbol table; generic code counts for the crate that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::rust_text::{code_only, pattern};
use crate::tree::{TextFile, Tree};

/// The crate that becomes the program.
const PRODUCT: &str = "nudge-cli";

/// How many crates of the program are listed.
const LISTED: usize = 25;

/// Prints all tables.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let tree = Tree::load()?;
    print!("{}", sources(&tree));
    let (direct, all) = dependencies(&tree.root)?;
    println!("\nexternal dependencies of the product: {all}, {direct} of them direct\n");
    match args {
        [] => println!("name a binary for the program's size by crate: cargo xtask size target/ci/nudge"),
        [binary] => print!("{}", program(Path::new(binary))?),
        _ => anyhow::bail!("size takes one binary"),
    }
    Ok(true)
}

/// What a crate consists of.
#[derive(Debug, Default, PartialEq, Eq)]
struct Source {
    files: usize,
    lines: usize,
    public: usize,
}

/// A row for each crate, and their sum.
fn sources(tree: &Tree) -> String {
    let mut crates: BTreeMap<&str, Source> = BTreeMap::new();
    for file in tree.rust_files().filter(|file| !is_test(file)) {
        let Some(name) = file.crate_name() else { continue };
        let text = without_tests(&file.text);
        for name in [name, "all"] {
            let source = crates.entry(name).or_default();
            source.files += 1;
            source.lines += text.lines().count();
            source.public += public_items(text);
        }
    }
    let all = crates.remove_entry("all");
    let mut table = "| crate | files | lines without tests | public items |\n|---|---|---|---|\n".to_owned();
    for (name, Source { files, lines, public }) in crates.into_iter().chain(all) {
        table.push_str(&format!("| {name} | {files} | {lines} | {public} |\n"));
    }
    table
}

/// Whether a file has nothing but tests.
fn is_test(file: &TextFile) -> bool {
    file.path.contains("/tests/") || file.path.ends_with("/tests.rs") || !file.path.contains("/src/")
}

/// The text before the tests at the end of a file.
fn without_tests(text: &str) -> &str {
    text.split_once("\n#[cfg(test)]\nmod ").map_or(text, |(before, _)| before)
}

/// The items that other crates may use: those that are `pub` and nothing less.
fn public_items(text: &str) -> usize {
    let item = r"(?m)^[ ]*pub (const |async |unsafe )*(fn|struct|enum|trait|type|static|mod|use|const) ?";
    pattern(item).find_iter(&code_only(text)).count()
}

/// How many external crates the product links: directly, and in all.
fn dependencies(root: &Path) -> anyhow::Result<(usize, usize)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--locked", "--edges", "normal", "--prefix", "depth", "--no-dedupe"]);
    let output = command.args(["--package", PRODUCT, "--format", " {p}"]).current_dir(root).output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8(output.stdout)?;
    let names = text.lines().filter_map(|line| Some(line.split_once(' ')?.1));
    // A crate of this repository is followed by its directory.
    let external: BTreeSet<&str> = names.filter(|name| !name.contains("(/")).collect();
    Ok((direct_of(&text).len(), external.len()))
}

/// The external crates directly below a crate of this repository, in lines of depth and name.
fn direct_of(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    // Whether the crate at each depth above is one of ours.
    let mut above: Vec<bool> = Vec::new();
    for line in text.lines() {
        let Some((depth, name)) = line.split_once(' ') else { continue };
        let Ok(depth) = depth.parse::<usize>() else { continue };
        let is_ours = name.contains("(/") && !name.starts_with("workspace-hack ");
        above.truncate(depth);
        if !name.contains("(/") && above.last() == Some(&true) {
            found.insert(name);
        }
        above.push(is_ours);
    }
    found
}

/// The size of a program, by crate.
fn program(binary: &Path) -> anyhow::Result<String> {
    let bytes = binary.metadata().with_context(|| format!("no program at {}", binary.display()))?.len();
    let mut nm = Command::new("nm");
    nm.args(["--print-size", "--radix=d", "--demangle", "--defined-only"]).arg(binary);
    let output = nm.output().context("nm cannot be started (Debian: binutils)")?;
    let symbols = String::from_utf8_lossy(&output.stdout);
    let sizes = by_crate(&symbols);
    let mut page = format!("{}: {:.1} MB\n", binary.display(), bytes as f64 / 1e6);
    if sizes.is_empty() {
        page.push_str("it is stripped: without symbols nothing can be said about its crates\n");
        return Ok(page);
    }
    let all: u64 = sizes.iter().map(|(_, size)| size).sum();
    page.push_str("\n| crate | KiB |\n|---|---|\n");
    for (name, size) in sizes.iter().take(LISTED) {
        page.push_str(&format!("| {name} | {} |\n", size / 1024));
    }
    page.push_str(&format!("| all symbols | {} |\n", all / 1024));
    Ok(page)
}

/// The bytes of each crate in the output of `nm`, the largest first.
fn by_crate(symbols: &str) -> Vec<(String, u64)> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for line in symbols.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some(_), Some(size), Some(kind), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        // `b` and `B` take room in memory, not in the file.
        let Ok(size) = size.parse::<u64>() else { continue };
        if kind != "b" && kind != "B" {
            *sizes.entry(crate_of(name)).or_default() += size;
        }
    }
    let mut sizes: Vec<(String, u64)> =
        sizes.into_iter().map(|(name, size)| (name.to_owned(), size)).collect();
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    sizes
}

/// The first crate that a symbol names; symbols without one are from C or the compiler.
fn crate_of(symbol: &str) -> &str {
    let mut name = symbol.trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != '_');
    while let Some(rest) = ["dyn ", "mut ", "const "].iter().find_map(|word| name.strip_prefix(word)) {
        name = rest;
    }
    match name.split_once("::") {
        Some((first, _)) if first.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => first,
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_less_than_public_items_do_not_count() {
        let tree = Tree::of(&[
            (
                "crates/a/src/lib.rs",
                "pub fn f() {}\npub(crate) fn g() {}\n\n#[cfg(test)]\nmod tests {\n    pub fn h() {}\n}\n",
            ),
            ("crates/a/src/b/tests.rs", "pub fn h() {}\n"),
            ("crates/a/tests/all.rs", "pub fn h() {}\n"),
        ]);
        assert!(sources(&tree).ends_with("| a | 1 | 2 | 1 |\n| all | 1 | 2 | 1 |\n"), "{}", sources(&tree));
    }

    #[test]
    fn a_symbol_belongs_to_the_first_crate_it_names() {
        let symbols = "0001 10 t <nudge_core::path::Path as core::fmt::Display>::fmt\n\
                       0002 5 T sqlite3_step\n0003 7 r nudge_core::WORDS\n0004 99 b nudge_core::STATE\n     U open\n";
        assert_eq!(by_crate(symbols), [("nudge_core".to_owned(), 17), ("other".to_owned(), 5)]);
        assert_eq!(crate_of("<&mut dyn tantivy::Query as Drop>::drop"), "tantivy");
    }

    #[test]
    fn only_what_our_crates_name_is_direct() {
        let text = "0 nudge-cli v1 (/w/crates/nudge-cli)\n1 clap v4\n2 clap_builder v4\n\
                    1 nudge-core v1 (/w/crates/nudge-core)\n2 serde v1\n1 workspace-hack v1 (/w/hack)\n2 libc v0\n";
        assert_eq!(direct_of(text).into_iter().collect::<Vec<_>>(), ["clap v4", "serde v1"]);
    }
}
