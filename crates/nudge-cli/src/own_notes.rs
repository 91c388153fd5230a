//! Files that agents read by themselves: the user's instructions, and the agents' own memories.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_memory::projects;

use crate::private_file;

/// The maximum size of a file to read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// The minimum and maximum length of a statement, in characters.
const MIN_NOTE: usize = 12;
const MAX_NOTE: usize = 500;

/// Instruction files of a project, relative to its root, and their readers.
const PROJECT_FILES: [(&str, &str); 6] = [
    ("CLAUDE.md", "Claude Code"),
    ("CLAUDE.local.md", "Claude Code"),
    (".claude/CLAUDE.md", "Claude Code"),
    ("AGENTS.md", "Codex, opencode, Copilot CLI"),
    (".github/copilot-instructions.md", "Copilot CLI"),
    ("GEMINI.md", "Gemini CLI"),
];

/// Instruction files of the user, relative to the home directory.
const USER_FILES: [(&str, &str); 5] = [
    (".claude/CLAUDE.md", "Claude Code"),
    (".codex/AGENTS.md", "Codex"),
    (".config/opencode/AGENTS.md", "opencode"),
    (".copilot/copilot-instructions.md", "Copilot CLI"),
    (".gemini/GEMINI.md", "Gemini CLI"),
];

/// A file that an agent reads by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentNotesFile {
    pub(crate) path: PathBuf,
    /// The agent that reads it.
    pub(crate) reader: &'static str,
    /// Whether it applies to one project only.
    pub(crate) of_project: bool,
    pub(crate) lines: usize,
}

/// The files that agents read for a user in this directory.
pub(crate) fn find(person: &Path, here: &Path) -> Vec<AgentNotesFile> {
    let root = PathBuf::from(projects::of_directory(here).root);
    let mut found: Vec<AgentNotesFile> = Vec::new();
    let mut add = |path: PathBuf, reader: &'static str, of_project: bool| {
        let Some(text) = read(&path) else { return };
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if lines > 0 && !found.iter().any(|known| known.path == path) {
            found.push(AgentNotesFile { path, reader, of_project, lines });
        }
    };
    for (name, reader) in PROJECT_FILES {
        if root != person {
            add(root.join(name), reader, true);
        }
    }
    for (name, reader) in USER_FILES {
        add(person.join(name), reader, false);
    }
    for path in markdown_in(&auto_memory(person, &root)) {
        add(path, "Claude Code's own memory", true);
    }
    for path in markdown_in(&person.join(".codex/memories")) {
        add(path, "Codex's own memory", false);
    }
    found
}

/// Where Claude Code keeps its own memory of a project.
fn auto_memory(person: &Path, root: &Path) -> PathBuf {
    let slug: String = root
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' })
        .collect();
    person.join(".claude/projects").join(slug).join("memory")
}

fn markdown_in(dir: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = items.map(|item| item.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "md"));
    files.sort();
    files
}

/// The text of a notes file.
pub(crate) fn read(path: &Path) -> Option<String> {
    private_file::small_text(path, MAX_FILE)
}

/// The statements of a Markdown text: list items and paragraphs, without headings, code, tables and
/// comments. Also returns how many were left out because they are too long.
pub(crate) fn statements(text: &str) -> (Vec<String>, usize) {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            fence = Some(mark).filter(|mark| !trimmed.starts_with(mark));
            continue;
        }
        if in_comment || trimmed.starts_with("<!--") {
            in_comment = !trimmed.ends_with("-->");
            is_open = false;
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let is_other = trimmed.is_empty()
            || fence.is_some()
            || trimmed.starts_with(['#', '|', '@', '>', '<'])
            || trimmed.chars().all(|c| matches!(c, '-' | '=' | '*' | '_'));
        if is_other {
            is_open = false;
        } else if let Some(item) = item(trimmed) {
            all.push(item.to_owned());
            is_open = true;
        } else if let (Some(last), true) = (all.last_mut(), is_open) {
            last.push(' ');
            last.push_str(trimmed);
        } else {
            all.push(trimmed.to_owned());
            is_open = true;
        }
    }
    all.retain(|one| one.chars().count() >= MIN_NOTE && !one.ends_with(':'));
    let many = all.len();
    all.retain(|one| one.chars().count() <= MAX_NOTE);
    let left_out = many - all.len();
    (all, left_out)
}

/// The text after the marker of a list item.
fn item(line: &str) -> Option<&str> {
    let bullet = ["- [ ] ", "- [x] ", "- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let (number, rest) = line.split_once(". ")?;
        (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then_some(rest)
    };
    bullet.or_else(numbered).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_paragraphs_are_statements_and_the_rest_is_not() {
        let text = "# Rules\n\n- Run `just check` before a commit,\n  every time.\n- short\n1. Prices are integers in cents.\n\
                    Use:\n```sh\nrm -rf build everything\n```\n<!-- not\nthis one here -->\n| a | b |\n@docs/other.md\n\n\
                    The API is versioned\nby date.\n---\n";
        let (all, left_out) = statements(text);
        // A line that ends with a colon introduces something and is not a statement.
        assert_eq!(all, ["Run `just check` before a commit, every time.", "The API is versioned by date."]);
        assert_eq!(left_out, 0);
        let long = "x".repeat(600);
        assert_eq!(statements(&format!("- {long}\n")), (vec![], 1));
    }
}
