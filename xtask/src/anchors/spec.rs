//! Reads the anchors that the specification's headings state.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::tree::Tree;

type Stated = BTreeMap<String, (String, usize)>;

/// Every anchor with its page and line, and the invalid ones.
pub(super) fn stated(tree: &Tree) -> (Stated, Vec<Finding>) {
    let (mut stated, mut findings) = (Stated::new(), Vec::new());
    for page in tree.files().filter(|file| is_page(&file.path)) {
        let mut fenced = false;
        for (index, line) in page.text.lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            let Some(anchor) = (!fenced).then(|| heading_anchor(line)).flatten() else { continue };
            if !is_snake_case(anchor) {
                let problem = format!("anchor {{#{anchor}}} is not lower snake case");
                findings.push(Finding::new(
                    &page.path,
                    index + 1,
                    problem,
                    "rename it; anchors are permanent afterwards",
                ));
            } else if let Some((other, at)) = stated.get(anchor) {
                let problem = format!("anchor {{#{anchor}}} is stated at {other}:{at} already");
                findings.push(Finding::new(
                    &page.path,
                    index + 1,
                    problem,
                    "give one of the two another name",
                ));
            } else {
                stated.insert(anchor.to_owned(), (page.path.clone(), index + 1));
            }
        }
    }
    (stated, findings)
}

/// Whether a word is a valid anchor name.
pub(super) fn is_snake_case(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_page(path: &str) -> bool {
    path.strip_prefix("docs/spec/").is_some_and(|name| name.ends_with(".md"))
}

/// `## Title {#anchor}` → `anchor`.
fn heading_anchor(line: &str) -> Option<&str> {
    let heading = line.starts_with('#').then(|| line.trim_end())?;
    let (_, anchor) = heading.strip_suffix('}')?.rsplit_once("{#")?;
    Some(anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_of_headings_count_and_those_of_code_do_not() {
        let page = "# Page\n## One {#one}\nprose {#not_me}\n```\n# {#nor_me}\n```\n### Two {#two_2}\n";
        let (stated, findings) =
            stated(&Tree::of(&[("docs/spec/a.md", page), ("docs/adr/1.md", "# X {#x}\n")]));
        assert_eq!(stated.into_keys().collect::<Vec<_>>(), ["one", "two_2"]);
        assert_eq!(findings, []);
    }

    /// @promise_anchors
    #[test]
    fn anchors_stated_twice_or_misspelt_are_refused() {
        let pages =
            [("docs/spec/a.md", "## A {#same}\n"), ("docs/spec/b.md", "## B {#same}\n## C {#Big-One}\n")];
        let (_, findings) = stated(&Tree::of(&pages));
        let problems: Vec<_> = findings.into_iter().map(|finding| finding.problem).collect();
        assert_eq!(
            problems,
            [
                "anchor {#same} is stated at docs/spec/a.md:1 already",
                "anchor {#Big-One} is not lower snake case"
            ]
        );
    }
}
