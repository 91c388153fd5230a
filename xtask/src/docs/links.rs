//! Checks the links between documents.

use std::collections::BTreeSet;

use super::pages;
use crate::finding::Finding;
use crate::pattern::pattern;
use crate::tree::{TextFile, Tree};

/// Finds links to missing files and to headings that are not on the page. Web addresses are not
/// followed.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let readme = "# Nudge\n[spec](docs/spec/hints.md#hint_values) [title](docs/spec/hints.md#the-values) [up](#nudge)\n\
                      [gone](docs/gone.md)\n[web](https://example.org/x) `[no](link)`\n```\n[no](link)\n```\n[bad](docs/spec/hints.md#other)\n";
        let tree = Tree::of(&[
            ("README.md", readme),
            ("docs/spec/hints.md", "## The values {#hint_values}\n[back](../../README.md) [folder](..)\n"),
        ]);
        let found: Vec<_> =
            check(&tree).into_iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.problem)).collect();
        assert_eq!(
            found,
            [
                "README.md:3: link to a file that is not there: docs/gone.md",
                "README.md:8: link to a heading that is not there: docs/spec/hints.md#other",
            ]
        );
    }
}
