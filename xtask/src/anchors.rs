//! `cargo xtask anchors`: checks that the specification's anchors and the integration tests refer
//! to each other.
//!
//! A heading `## Title {#anchor}` in `docs/spec/*.md` states a behaviour; a test with `@anchor` in
//! its comment shows it.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{self, Finding};
use crate::rust_text::{Kind, line_of, pieces};
use crate::tree::{TextFile, Tree};

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
        let (stated, findings) = stated_anchors(tree);
        let mut tests = read_rust_tests(tree);
        tests.extend(read_python_tests(tree));
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
        if !part_of_a_word && !package && is_snake_case(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

// Reads the anchors that the specification's headings state.

type Stated = BTreeMap<String, (String, usize)>;

/// Every anchor with its page and line, and the invalid ones.
fn stated_anchors(tree: &Tree) -> (Stated, Vec<Finding>) {
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
fn is_snake_case(word: &str) -> bool {
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

// Reads the integration tests written in Rust, and the drills.

/// Attributes that make a function a test.
const TEST_ATTRIBUTES: &[&str] = &["#[test]", "#[tokio::test", "#[rstest"];

/// Every test under `crates/*/tests/`, every drill as one test named after its file, and those
/// tests of this check that name an anchor.
fn read_rust_tests(tree: &Tree) -> Vec<NamedTest> {
    let suites = tree.rust_files().filter(|file| is_integration(&file.path)).flat_map(in_suite);
    let drills = tree.rust_files().filter(|file| is_drill(&file.path)).filter_map(as_drill);
    let own = tree.rust_files().filter(|file| file.path.starts_with("xtask/src/anchors")).flat_map(in_suite);
    suites.chain(drills).chain(own.filter(|test| !test.anchors.is_empty())).collect()
}

fn is_integration(path: &str) -> bool {
    path.strip_prefix("crates/").and_then(|rest| rest.split('/').nth(1)) == Some("tests")
}

/// Drills and client suites drive whole processes, so they show behaviour like a test.
fn is_drill(path: &str) -> bool {
    let inside = path.strip_prefix("crates/nudge-drills/src/");
    inside.is_some_and(|path| ["drill/", "clients/", "agents/"].iter().any(|dir| path.starts_with(dir)))
}

/// Reads line by line: comments and attributes accumulate above a function; a blank line or other
/// code discards them.
fn in_suite(file: &TextFile) -> Vec<NamedTest> {
    let mut tests = Vec::new();
    let (mut comment, mut is_test) = (String::new(), false);
    for (index, line) in file.text.lines().map(str::trim).enumerate() {
        if line.starts_with("//") {
            comment.push_str(line);
            comment.push('\n');
        } else if TEST_ATTRIBUTES.iter().any(|attribute| line.starts_with(attribute)) {
            is_test = true;
        } else if let Some(name) = function_name(line) {
            if is_test {
                let anchors = named_in(&comment);
                tests.push(NamedTest { path: file.path.clone(), line: index + 1, name, anchors });
            }
            (comment, is_test) = (String::new(), false);
        } else if !is_test && !line.starts_with("#[") {
            comment.clear();
        }
    }
    tests
}

fn function_name(line: &str) -> Option<String> {
    let signature =
        ["pub ", "async "].iter().fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let name: String =
        signature.strip_prefix("fn ")?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// A drill file that names anchors in its comments. Helper files, which name none, are not tests.
fn as_drill(file: &TextFile) -> Option<NamedTest> {
    let comments = pieces(&file.text).into_iter().filter(|piece| piece.kind == Kind::Comment);
    let (mut anchors, mut first) = (Vec::new(), 0);
    for comment in comments {
        for anchor in named_in(comment.text) {
            if anchors.is_empty() {
                first = line_of(&file.text, comment.start);
            }
            if !anchors.contains(&anchor) {
                anchors.push(anchor);
            }
        }
    }
    let name = file.path.rsplit('/').next()?.trim_end_matches(".rs").to_owned();
    (!anchors.is_empty()).then(|| NamedTest { path: file.path.clone(), line: first, name, anchors })
}

// Reads the integration tests written in Python.

/// Every `def test_…` under `tests/`, with the anchors in its docstring and in the comments right
/// above it.
fn read_python_tests(tree: &Tree) -> Vec<NamedTest> {
    let suites = tree.files().filter(|file| file.path.starts_with("tests/") && file.path.ends_with(".py"));
    suites.flat_map(in_python_suite).collect()
}

fn in_python_suite(file: &TextFile) -> Vec<NamedTest> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let mut tests = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let definition = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ");
        let Some(rest) = definition.filter(|rest| rest.starts_with("test_")) else { continue };
        let name = rest.split('(').next().unwrap_or(rest).to_owned();
        let text = format!("{}\n{}", above(&lines[..index]), docstring(&lines[index..]));
        tests.push(NamedTest { path: file.path.clone(), line: index + 1, name, anchors: named_in(&text) });
    }
    tests
}

/// The comments among the comment and decorator lines right above a definition.
fn above(lines: &[&str]) -> String {
    let block = lines.iter().rev().take_while(|line| line.starts_with(['#', '@']));
    block.filter(|line| line.starts_with('#')).copied().collect::<Vec<_>>().join("\n")
}

/// The docstring of the definition on the first line; empty if there is none.
fn docstring(lines: &[&str]) -> String {
    let Some(signature_end) = lines.iter().position(|line| line.ends_with(':')) else { return String::new() };
    let body = lines[signature_end + 1..].join("\n");
    for quotes in ["\"\"\"", "'''"] {
        if let Some(text) = body.trim_start().strip_prefix(quotes) {
            return text.split(quotes).next().unwrap_or(text).to_owned();
        }
    }
    String::new()
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

    #[test]
    fn anchors_of_headings_count_and_those_of_code_do_not() {
        let page = "# Page\n## One {#one}\nprose {#not_me}\n```\n# {#nor_me}\n```\n### Two {#two_2}\n";
        let (stated, findings) =
            stated_anchors(&Tree::of(&[("docs/spec/a.md", page), ("docs/adr/1.md", "# X {#x}\n")]));
        assert_eq!(stated.into_keys().collect::<Vec<_>>(), ["one", "two_2"]);
        assert_eq!(findings, []);
    }

    /// @promise_anchors
    #[test]
    fn anchors_stated_twice_or_misspelt_are_refused() {
        let pages =
            [("docs/spec/a.md", "## A {#same}\n"), ("docs/spec/b.md", "## B {#same}\n## C {#Big-One}\n")];
        let (_, findings) = stated_anchors(&Tree::of(&pages));
        let problems: Vec<_> = findings.into_iter().map(|finding| finding.problem).collect();
        assert_eq!(
            problems,
            [
                "anchor {#same} is stated at docs/spec/a.md:1 already",
                "anchor {#Big-One} is not lower snake case"
            ]
        );
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        let tests = read_rust_tests(&Tree::of(&[(path, text)]));
        tests
            .into_iter()
            .map(|test| format!("{}:{} {}", test.name, test.line, test.anchors.join(",")))
            .collect()
    }

    #[test]
    fn tests_of_every_kind_are_found_with_their_anchors() {
        let text = "//! Suite. @not_me\n\n/// One. @a @b\n#[test]\nfn one() {}\n\n#[tokio::test(flavor = \"multi_thread\")]\n// @c\n\
            async fn two() {}\n/// @d\n#[rstest]\n#[case(1)]\nfn three(#[case] n: u8) {}\n\n/// @e\nfn helper() {}\n#[test]\nfn bare() {}\n";
        assert_eq!(
            found("crates/x/tests/sub/t.rs", text),
            ["one:5 a,b", "two:9 c", "three:13 d", "bare:18 "]
        );
    }

    #[test]
    fn unit_tests_need_no_anchor_and_those_of_this_check_may_name_one() {
        let text = "#[test]\nfn one() {}\n/// @a\n#[test]\nfn two() {}\n";
        assert_eq!(found("crates/x/src/t.rs", text), [""; 0]);
        assert_eq!(found("xtask/src/anchors.rs", text), ["two:5 a"]);
    }

    #[test]
    fn a_drill_counts_as_one_test() {
        let text = "//! Kills PRIMARY. @server_failover\n\n// and again @server_failover, @server_ports\nfn f() {}\n";
        assert_eq!(
            found("crates/nudge-drills/src/drill/failover.rs", text),
            ["failover:1 server_failover,server_ports"]
        );
        assert_eq!(found("crates/nudge-drills/src/drill/process.rs", "//! Starts processes.\n"), [""; 0]);
    }

    #[test]
    fn docstrings_and_comments_above_name_anchors_and_decorators_do_not() {
        let text = "# @far_away\n\n@pytest.mark.asyncio\nasync def test_one(\n    server,\n):\n    \"\"\"One. @mcp_stdio\n\n    @mcp_profiles\n    \"\"\"\n    x = '@no'\n\n\
                # @server_ports\n@slow\ndef test_two():\n    pass\n\ndef helper():\n    pass\n\ndef test_three(): pass\n";
        let tests = read_python_tests(&Tree::of(&[("tests/clients/test_stdio.py", text)]));
        let found: Vec<_> =
            tests.into_iter().map(|t| format!("{}:{} {}", t.name, t.line, t.anchors.join(","))).collect();
        assert_eq!(
            found,
            ["test_one:4 mcp_stdio,mcp_profiles", "test_two:15 server_ports", "test_three:21 "]
        );
    }
}
