//! The plan and result of an installation as text.

use nudge_core::text::first_chars;
use nudge_secrets::redact;
use serde::Serialize;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::place::InstallContext;
use super::plan::{Edit, Plan};
use super::{Agent, Detected};
use crate::pages::Page;

nudge_core::named_enum! {
    /// What happens to a file.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub(crate) enum Action {
        /// It did not exist.
        Created => "created",
        /// Our entries are added or removed; the rest stays.
        Changed => "changed",
        /// It is the same as before Nudge, byte for byte.
        Restored => "restored",
        /// It had only our entries and is deleted.
        Removed => "removed",
        /// There is nothing to do.
        Unchanged => "unchanged",
    }
}

impl Action {
    const fn imperative(self) -> &'static str {
        match self {
            Self::Created => "create",
            Self::Changed => "change",
            Self::Restored => "restore",
            Self::Removed => "remove",
            Self::Unchanged => "keep",
        }
    }
}

/// The agents of a run, and what was found on this machine.
pub(crate) type Found = Vec<(Agent, Detected)>;

/// The plan as JSON.
pub(crate) fn to_json(plan: &Plan, place: &InstallContext, found: &Found, done: bool) -> Value {
    let files: Vec<Value> = plan.edits.iter().map(|edit| file(edit, place)).collect();
    let agents: Vec<Value> = found.iter().map(|(agent, detected)| about(*agent, detected)).collect();
    json!({
        "agents": agents,
        "changed": done && !plan.is_empty(),
        "dry_run": !done,
        "program": place.program,
        "home": place.passed_home(),
        "files": files,
    })
}

fn about(agent: Agent, detected: &Detected) -> Value {
    json!({
        "name": agent.name(),
        "title": agent.title(),
        "program": detected.program,
        "version": detected.version,
        "directory": detected.directory,
        "other_profiles": detected.other_profiles,
    })
}

fn file(edit: &Edit, place: &InstallContext) -> Value {
    let mut row = json!({
        "agent": edit.target.agent().map(Agent::name),
        "path": edit.file.path(),
        "action": edit.action,
        "what": edit.what(),
    });
    if let Ok(entries) = edit.target.entries(place) {
        row["entries"] = entries;
    }
    row
}

/// Every change, line by line. Long ones are folded when the user is asked.
pub(crate) fn differences(page: &mut Page, plan: &Plan, is_folded: bool) {
    for edit in plan.changes() {
        page.strong(edit.file.path().to_string_lossy()).end();
        let (before, after) =
            (edit.file.text().unwrap_or_default(), edit.after.as_deref().unwrap_or_default());
        show(page, before, after, is_folded);
        page.end();
    }
}

/// The planned changes, agent by agent.
pub(crate) fn planned(page: &mut Page, plan: &Plan, found: &Found) {
    summary(page, plan, found, Action::imperative);
}

/// The completed changes, agent by agent.
pub(crate) fn done(page: &mut Page, plan: &Plan, found: &Found) {
    summary(page, plan, found, Action::name);
}

fn summary(page: &mut Page, plan: &Plan, found: &Found, word: fn(Action) -> &'static str) {
    for (agent, detected) in found {
        page.strong(agent.title()).text("  ").faint(detected.words()).end();
        list(page, plan.of_agent(*agent), word);
        let variable = agent.0.installer().and_then(|installer| installer.directory.variable);
        for profile in &detected.other_profiles {
            let variable = variable.map_or("", |(variable, _)| variable);
            page.text("  ").warning("not changed").text(format!(
                ": another profile, {}; run `{variable}={} nudge install {}` for it",
                profile.display(),
                profile.display(),
                agent.name()
            ));
            page.end();
        }
    }
    let mut own = plan.edits.iter().filter(|edit| edit.target.agent().is_none()).peekable();
    if own.peek().is_some() {
        page.strong("Nudge").end();
        list(page, own, word);
    }
}

fn list<'a>(page: &mut Page, edits: impl Iterator<Item = &'a Edit>, word: fn(Action) -> &'static str) {
    for edit in edits {
        page.text("  ")
            .text(format!("{:<9}", word(edit.action)))
            .text(" ")
            .text(edit.file.path().to_string_lossy());
        page.text("  ").faint(edit.what()).end();
    }
}

/// How many characters of a line to show. Some programs write everything on one line.
const MAX_LINE_CHARS: usize = 1_000;

/// How many unchanged lines to show around a change.
const CONTEXT_LINES: usize = 2;

/// The lines of a difference: removed, added or unchanged.
fn lines(before: &str, after: &str) -> Vec<(char, String)> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (at, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if at > 0 {
            lines.push(('…', String::new()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = first_chars(change.value().trim_end_matches(['\r', '\n']), MAX_LINE_CHARS);
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
const MAX_ADDED_LINES: usize = 16;

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
        let is_long = run[0].0 == '+' && run.len() > MAX_ADDED_LINES + 1;
        let shown = if is_long { MAX_ADDED_LINES } else { run.len() };
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
