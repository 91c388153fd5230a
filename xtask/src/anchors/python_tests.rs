//! Reads the integration tests written in Python.

use super::{NamedTest, named_in};
use crate::tree::{TextFile, Tree};

/// Every `def test_…` under `tests/`, with the anchors in its docstring and in the comments right
/// above it.
pub(super) fn read(tree: &Tree) -> Vec<NamedTest> {
    let suites = tree.files().filter(|file| file.path.starts_with("tests/") && file.path.ends_with(".py"));
    suites.flat_map(in_suite).collect()
}

fn in_suite(file: &TextFile) -> Vec<NamedTest> {
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

    #[test]
    fn docstrings_and_comments_above_name_anchors_and_decorators_do_not() {
        let text = "# @far_away\n\n@pytest.mark.asyncio\nasync def test_one(\n    server,\n):\n    \"\"\"One. @mcp_stdio\n\n    @mcp_profiles\n    \"\"\"\n    x = '@no'\n\n\
                    # @server_ports\n@slow\ndef test_two():\n    pass\n\ndef helper():\n    pass\n\ndef test_three(): pass\n";
        let tests = read(&Tree::of(&[("tests/clients/test_stdio.py", text)]));
        let found: Vec<_> =
            tests.into_iter().map(|t| format!("{}:{} {}", t.name, t.line, t.anchors.join(","))).collect();
        assert_eq!(
            found,
            ["test_one:4 mcp_stdio,mcp_profiles", "test_two:15 server_ports", "test_three:21 "]
        );
    }
}
