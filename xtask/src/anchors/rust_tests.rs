//! Reads the integration tests written in Rust, and the drills.

use super::{NamedTest, named_in};
use crate::pattern::line_of;
use crate::rust_text::{Kind, pieces};
use crate::tree::{TextFile, Tree};

/// Attributes that make a function a test.
const TEST_ATTRIBUTES: &[&str] = &["#[test]", "#[tokio::test", "#[rstest"];

/// Every test under `crates/*/tests/`, every drill as one test named after its file, and those
/// tests of this check that name an anchor.
pub(super) fn read(tree: &Tree) -> Vec<NamedTest> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let tests = read(&Tree::of(&[(path, text)]));
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
}
