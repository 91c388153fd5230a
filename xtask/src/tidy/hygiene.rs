//! What no text of this repository says: paths of one machine, requirement ids, and who or what wrote it.

use crate::finding::Finding;
use crate::pattern::{line_of, pattern};
use crate::tree::{TextFile, Tree};

/// Where requirement ids belong, and the programs that read them. A line that calls `xtask coverage` may name one, too.
const MAY_NAME_IDS: &[&str] = &["docs/spec/traceability.toml", "xtask/src/"];

/// Written by a tool out of other people's names.
const GENERATED: &[&str] = &["Cargo.lock", "web/package-lock.json"];

/// What must not stand anywhere, what it is, and what to do.
const UNWANTED: &[(&str, &str, &str)] = &[
    (
        r"(?:^|[^A-Za-z0-9_.*}~-])(/root/|/work/(?:main|shared|\.[a-z]+)(?-u:\b))",
        "a path of one machine",
        "use a path relative to the repository or a made-up one such as /home/ada",
    ),
    (
        r"(?i-u)co-authored-by:|(?:generated|written|authored|created|implemented)[ ]+(?:with|by)[ ]+\[?(?:claude|codex|chatgpt|copilot|gemini|cursor|an?[ ]+(?:ai|assistant)\b)|^authors[ ]*=[ -~]*(?:claude|codex|chatgpt|copilot|assistant)",
        "names an assistant as author",
        "say what the software does; authorship is in the history",
    ),
    (r"(?i-u)\bas requested\b", "speaks of how it was made", "say what the software does and why"),
];

/// Finds unwanted text in every file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().filter(|file| !GENERATED.contains(&file.path.as_str())) {
        // This file spells out what it looks for.
        if file.path != "xtask/src/tidy/hygiene.rs" {
            for (unwanted, problem, way_out) in UNWANTED {
                findings.extend(hits(file, unwanted, problem, way_out));
            }
        }
        if !MAY_NAME_IDS.iter().any(|place| file.path.starts_with(place)) {
            let id = r"(?-u:\b)[NCMRLX]-[0-9]{2,3}(?-u:\b)";
            let way_out = "describe the behaviour; ids stand in docs/spec/traceability.toml alone";
            let found = hits(file, id, "a requirement id", way_out);
            findings.extend(found.into_iter().filter(|finding| !calls_coverage(file, finding.line)));
        }
    }
    findings
}

fn calls_coverage(file: &TextFile, line: usize) -> bool {
    file.text.lines().nth(line - 1).is_some_and(|line| line.contains("xtask coverage "))
}

fn hits(file: &TextFile, unwanted: &str, problem: &str, way_out: &str) -> Vec<Finding> {
    let unwanted = pattern(&format!("(?m){unwanted}"));
    let found = unwanted.captures_iter(&file.text).filter_map(|captures| captures.get(1).or(captures.get(0)));
    found
        .map(|hit| {
            let problem = format!("{problem}: `{}`", hit.as_str().trim());
            Finding::new(&file.path, line_of(&file.text, hit.start()), problem, way_out)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|f| format!("{}: {}", f.line, f.problem)).collect()
    }

    #[test]
    fn paths_of_one_machine_are_refused() {
        assert_eq!(problems("README.md", "see\n/work/main and `/root/x`\n").len(), 2);
        assert_eq!(problems("src.rs", "cwd: \"/work/http-proxy\" is an example"), [""; 0]);
        assert_eq!(problems("README.md", "https://example.org/work/done and home/work/x\n"), [""; 0]);
    }

    #[test]
    fn requirement_ids_stand_in_the_traceability_file_alone() {
        let id = ["N", "12"].join("-");
        assert_eq!(
            problems("docs/spec/hints.md", &format!("\nAs {id} says")),
            [format!("2: a requirement id: `{id}`")]
        );
        assert_eq!(problems("docs/spec/traceability.toml", &id), [""; 0]);
        assert_eq!(problems("CONTRIBUTING.md", &format!("cargo xtask coverage {id}\n{id}")).len(), 1);
        assert_eq!(problems("docs/spec/hints.md", "UTF-16, RFC-2119 and X-1 are none"), [""; 0]);
    }

    #[test]
    fn assistants_are_no_authors_and_may_be_users() {
        assert_eq!(problems("README.md", "Co-Authored-By: somebody").len(), 1);
        assert_eq!(problems("README.md", "Generated with [Claude Code]").len(), 1);
        assert_eq!(problems("src.rs", "// sorted, as requested").len(), 1);
        assert_eq!(
            problems("README.md", "Works with Claude Code and Codex; a hint written by an agent."),
            [""; 0]
        );
    }
}
