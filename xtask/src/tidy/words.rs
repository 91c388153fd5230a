//! Retired words: what the glossary in ARCHITECTURE.md replaced does not come back.
//!
//! The table there is the only list. A capitalised word is the name of a type and is searched in
//! code. Any other word is retired everywhere, even as a part of a name: `told` finds `is_told` and
//! `ToldLine`. In Markdown, a word in backticks is a quotation and allowed.

use crate::finding::Finding;
use crate::rust_text::{code_only, line_of};
use crate::tree::{TextFile, Tree};

const GLOSSARY: &str = "ARCHITECTURE.md";

/// Where the table of retired words begins.
const HEADING: &str = "### Retired words";

/// The glossary and this rule, texts that quote how people speak, and wire names of older versions.
const EXEMPT: &[&str] = &[
    GLOSSARY,
    "xtask/src/tidy/words.rs",
    "crates/nudge-core/src/instruction/",
    "crates/nudge-drills/data/",
    "crates/nudge-client/src/older.rs",
];

/// A line with one of these has a wire name of an older version, or the name of a stored file.
const STORED_NAMES: [&str; 2] = ["serde(alias = ", ".keeper.lock"];

/// A word and what to say instead.
struct Retired<'t> {
    word: &'t str,
    instead: &'t str,
}

/// Finds retired words in Rust and Markdown files.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(glossary) = tree.get(GLOSSARY) else { return Vec::new() };
    let retired: Vec<Retired<'_>> = table(&glossary.text).collect();
    if retired.is_empty() {
        let problem = format!("no table of retired words under `{HEADING}`");
        return vec![Finding::new(GLOSSARY, 1, problem, "list the words, one row each")];
    }
    let files = tree.files().filter(|file| file.is_rust() || file.path.ends_with(".md"));
    let checked = files.filter(|file| !EXEMPT.iter().any(|place| file.path.starts_with(place)));
    checked.flat_map(|file| in_file(file, &retired)).collect()
}

/// The rows of the table: `| told | injected, reported |`.
fn table(glossary: &str) -> impl Iterator<Item = Retired<'_>> {
    let after = glossary.split_once(HEADING).map_or("", |(_, after)| after);
    let rows =
        after.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.filter(|(word, _)| *word != "retired").map(|(word, instead)| Retired { word, instead })
}

fn in_file(file: &TextFile, retired: &[Retired<'_>]) -> Vec<Finding> {
    let code = if file.is_rust() { code_only(&file.text) } else { String::new() };
    let mut findings = Vec::new();
    for Retired { word, instead } in retired {
        let is_type = word.starts_with(|first: char| first.is_ascii_uppercase());
        let hits = if is_type { types(&code, word) } else { words(&file.text, word) };
        for line in hits.into_iter().map(|at| line_of(&file.text, at)) {
            let text = file.text.lines().nth(line - 1).unwrap_or_default();
            if !STORED_NAMES.iter().any(|name| text.contains(name)) && !is_quoted(file, text, word) {
                let way_out = format!("say {instead}");
                findings.push(Finding::new(&file.path, line, format!("retired word `{word}`"), way_out));
            }
        }
    }
    findings
}

/// Whether a line of Markdown only quotes the word.
fn is_quoted(file: &TextFile, line: &str, word: &str) -> bool {
    file.path.ends_with(".md") && line.contains(&format!("`{word}`"))
}

/// Where a type of this name is used.
fn types(code: &str, name: &str) -> Vec<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = code.as_bytes();
    let hits = code.match_indices(name).map(|(at, _)| at);
    hits.filter(|&at| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(at + name.len()).copied();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
    .collect()
}

/// Where this word is used, in any case, alone or as a part of a name.
fn words(text: &str, word: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let starts = 0..(bytes.len() + 1).saturating_sub(word.len());
    starts
        .filter(|&at| {
            let hit = &bytes[at..at + word.len()];
            let before = at.checked_sub(1).map(|at| bytes[at]);
            let after = bytes.get(at + word.len()).copied();
            let begins = !before.is_some_and(|byte| byte.is_ascii_alphabetic())
                || (hit[0].is_ascii_uppercase() && before.is_some_and(|byte| byte.is_ascii_lowercase()));
            hit.eq_ignore_ascii_case(word.as_bytes())
                && begins
                && !after.is_some_and(|byte| byte.is_ascii_lowercase())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "## Words\n\n### Retired words\n\n| retired | say |\n|---|---|\n| told | injected |\n\
                         | Moment | CapturedEvent |\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::of(&[(GLOSSARY, WORDS), (path, text)]);
        check(&tree).into_iter().map(|finding| format!("{}: {}", finding.line, finding.problem)).collect()
    }

    #[test]
    fn words_are_found_in_names_comments_and_prose() {
        let told = |line: usize| format!("{line}: retired word `told`");
        assert_eq!(
            found("a.rs", "// It was told.\nfn is_told() {}\nstruct ToldLine;\n"),
            [told(1), told(2), told(3)]
        );
        assert_eq!(found("docs/a.md", "Told once.\nThe field `told`.\n"), [told(1)]);
    }

    #[test]
    fn parts_of_other_words_are_not() {
        assert_eq!(found("a.rs", "// untolds, toldo, atoll\n"), Vec::<String>::new());
        assert_eq!(found("a.txt", "told\n"), Vec::<String>::new());
        assert_eq!(found("a.rs", "#[serde(alias = \"told\")]\n"), Vec::<String>::new());
    }

    #[test]
    fn types_are_found_in_code_alone() {
        let text = "// Moment of truth.\nstruct Moment;\nstruct MomentOf;\nlet s = \"Moment\";\n";
        assert_eq!(found("a.rs", text), ["2: retired word `Moment`"]);
        assert_eq!(found("docs/a.md", "At this Moment.\n"), Vec::<String>::new());
    }

    #[test]
    fn a_glossary_without_the_table_is_a_finding() {
        assert_eq!(check(&Tree::of(&[(GLOSSARY, "## Words\n")])).len(), 1);
    }
}
