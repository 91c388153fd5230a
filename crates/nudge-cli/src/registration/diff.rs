//! The line-by-line difference of a file.

use nudge_core::text::first_chars;
use nudge_secrets::redact;
use similar::{ChangeTag, TextDiff};

use crate::pages::Page;

/// How many characters of a line to show. Some programs write everything on one line.
const WIDEST: usize = 1_000;

/// How many unchanged lines to show around a change.
const AROUND: usize = 2;

/// The lines of a difference: removed, added or unchanged.
fn lines(before: &str, after: &str) -> Vec<(char, String)> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            lines.push(('…', String::new()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = first_chars(change.value().trim_end_matches(['\r', '\n']), WIDEST);
            let mark = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            // Settings of agents may contain a key that should not be on a screen.
            lines.push((mark, redact(text).into_owned()));
        }
    }
    lines
}

/// How many added lines in a row to show when the user is asked. The rest looks alike.
const FOLDED: usize = 16;

/// Shows a difference, whole or folded.
pub(super) fn show(page: &mut Page, before: &str, after: &str, is_folded: bool) {
    let mut lines = lines(before, after);
    if is_folded {
        lines = fold(lines);
    }
    for (mark, text) in lines {
        page.text("    ");
        match mark {
            '+' => page.good(format!("+ {text}")),
            '-' => page.bad(format!("- {text}")),
            '…' => page.faint(format!("… {text}")),
            _ => page.faint(format!("  {text}")),
        };
        page.end();
    }
}

/// Cuts long runs of added lines.
fn fold(lines: Vec<(char, String)>) -> Vec<(char, String)> {
    let mut folded = Vec::new();
    for run in lines.chunk_by(|one, other| one.0 == other.0) {
        let is_long = run[0].0 == '+' && run.len() > FOLDED + 1;
        let shown = if is_long { FOLDED } else { run.len() };
        folded.extend_from_slice(&run[..shown]);
        if is_long {
            folded.push(('…', format!("and {} more lines; --dry-run shows all", run.len() - shown)));
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_beside_a_change_is_not_shown() {
        let before = "{\n  \"env\": {\"GITHUB_TOKEN\": \"ghp_1234567890abcdefghijABCDEFGHIJ123456\"}\n}\n";
        let after = before.replace("}\n}", "},\n  \"hooks\": 1\n}");
        let shown: String =
            lines(before, &after).into_iter().map(|(mark, text)| format!("{mark}{text}\n")).collect();
        assert!(!shown.contains("ghp_1234567890"), "{shown}");
        assert!(shown.contains("+  \"hooks\": 1"), "{shown}");
    }
}
