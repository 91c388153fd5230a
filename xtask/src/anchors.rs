//! `cargo xtask anchors`: checks that the specification's anchors and the integration tests refer
//! to each other.
//!
//! A heading `## Title {#anchor}` in `docs/spec/*.md` states a behaviour; a test with `@anchor` in
//! its comment shows it.

mod python_tests;
mod rust_tests;
mod spec;

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{self, Finding};
use crate::tree::Tree;

/// An integration test and the anchors it names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NamedTest {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) anchors: Vec<String>,
}

/// The stated anchors, and the tests that name anchors.
pub(crate) struct Anchors {
    /// Every stated anchor, with the page and line that state it.
    pub(crate) stated: BTreeMap<String, (String, usize)>,
    pub(crate) tests: Vec<NamedTest>,
    findings: Vec<Finding>,
}

impl Anchors {
    pub(crate) fn read(tree: &Tree) -> Self {
        let (stated, findings) = spec::stated(tree);
        let mut tests = rust_tests::read(tree);
        tests.extend(python_tests::read(tree));
        Self { stated, tests, findings }
    }

    /// The tests that show an anchor, as `path::name`.
    pub(crate) fn shown_by(&self, anchor: &str) -> Vec<String> {
        let tests = self.tests.iter().filter(|test| test.anchors.iter().any(|named| named == anchor));
        tests.map(|test| format!("{}::{}", test.path, test.name)).collect()
    }
}

/// Checks both directions and prints every gap.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    anyhow::ensure!(args.is_empty(), "anchors takes no arguments");
    let anchors = Anchors::read(&Tree::load()?);
    let findings = check(&anchors);
    println!("anchors: {} stated, {} integration tests", anchors.stated.len(), anchors.tests.len());
    println!("anchors: {}", if findings.is_empty() { "ok".to_owned() } else { findings.len().to_string() });
    Ok(finding::all_clear(&findings))
}

fn check(anchors: &Anchors) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        anchors.findings.iter().map(|f| Finding::new(&f.path, f.line, &f.problem, &f.way_out)).collect();
    let mut shown = BTreeSet::new();
    for test in &anchors.tests {
        if test.anchors.is_empty() {
            let problem = format!("test `{}` names no anchor", test.name);
            let way_out = "write `@anchor` of the behaviour it shows into its doc comment";
            findings.push(Finding::new(&test.path, test.line, problem, way_out));
        }
        for anchor in &test.anchors {
            shown.insert(anchor.as_str());
            if !anchors.stated.contains_key(anchor) {
                let problem = format!("test `{}` names `@{anchor}`, which no page states", test.name);
                let way_out = format!("correct the name, or add a heading with {{#{anchor}}} to docs/spec");
                findings.push(Finding::new(&test.path, test.line, problem, way_out));
            }
        }
    }
    for (anchor, (page, line)) in &anchors.stated {
        if !shown.contains(anchor.as_str()) {
            let problem = format!("no integration test shows {{#{anchor}}}");
            let way_out = format!("write a test whose doc comment names `@{anchor}`");
            findings.push(Finding::new(page, *line, problem, way_out));
        }
    }
    findings
}

/// The anchors named in a comment or docstring: `@snake_case`, not part of an address or a package
/// name.
fn named_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        let word: String = text[at + 1..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let after = &text[at + 1 + word.len()..];
        let part_of_a_word =
            before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/'));
        let package = after.starts_with(['/', '-', '@'])
            || after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric);
        if !part_of_a_word && !package && spec::is_snake_case(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let findings = check(&Anchors::read(&Tree::of(files)));
        findings.into_iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.problem)).collect()
    }

    const PAGE: (&str, &str) = ("docs/spec/hints.md", "# Hints\n\n## Values {#hint_values}\n");

    #[test]
    fn an_anchor_and_its_test_are_in_order() {
        let test = ("crates/a/tests/t.rs", "//! T.\n/// Five kinds. @hint_values\n#[test]\nfn five() {}\n");
        assert_eq!(problems(&[PAGE, test]), [""; 0]);
    }

    /// @promise_tests: an anchor that no test names.
    #[test]
    fn an_anchor_without_test_is_refused() {
        assert_eq!(problems(&[PAGE]), ["docs/spec/hints.md:3: no integration test shows {#hint_values}"]);
    }

    /// @promise_tests: a test that names no anchor, or one that no page states.
    #[test]
    fn a_test_without_anchor_or_with_an_unknown_one_is_refused() {
        let text =
            "/// @hint_values\n#[test]\nfn a() {}\n\n#[test]\nfn b() {}\n\n/// @gone\n#[test]\nfn c() {}\n";
        assert_eq!(
            problems(&[PAGE, ("crates/a/tests/t.rs", text)]),
            [
                "crates/a/tests/t.rs:6: test `b` names no anchor",
                "crates/a/tests/t.rs:10: test `c` names `@gone`, which no page states",
            ]
        );
    }

    #[test]
    fn addresses_and_packages_are_no_anchors() {
        assert_eq!(
            named_in("ada@example.org @modelcontextprotocol/inspector (@hint_values), @ttl."),
            ["hint_values", "ttl"]
        );
    }
}
