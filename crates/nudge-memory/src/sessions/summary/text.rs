//! A summary as readable and searchable text.

use nudge_store::{ProjectRow, SessionRow};

use super::{Counted, Summary};

/// Renders a summary.
pub(crate) fn render(summary: &Summary, session: &SessionRow, project: &ProjectRow) -> String {
    if summary.short {
        return "a short session".to_owned();
    }
    let mut lines = Vec::new();
    lines.extend(summary.intent.clone());
    lines.push(format!(
        "{} in {}, {} to {}; prompts: {}, observations: {}, commands: {}, failed: {}",
        session.harness,
        project.name,
        summary.started_at,
        summary.ended_at,
        summary.prompts,
        summary.observations,
        summary.commands,
        summary.failed
    ));
    let mut list = |name: &str, items: Vec<String>| {
        if !items.is_empty() {
            lines.push(format!("{name}: {}", items.join(", ")));
        }
    };
    list("edited", files(&summary.files_edited, &project.root));
    list("read", files(&summary.files_read, &project.root));
    let failures = summary.failures.iter().map(|failure| match failure.exit {
        Some(exit) => format!("`{}` (exit {exit})", failure.what),
        None => format!("`{}`", failure.what),
    });
    list("failed", failures.collect());
    let commits = summary.commits.iter().map(|commit| match &commit.hash {
        Some(hash) => format!("{hash} {}", commit.message),
        None => commit.message.clone(),
    });
    list("committed", commits.collect());
    list("pushed", summary.pushes.clone());
    list("subagents", summary.subagents.clone());
    if summary.episodes.len() > 1 {
        for episode in &summary.episodes {
            let intent = episode.intent.as_deref().unwrap_or("(no prompt)");
            lines
                .push(format!("- {intent} ({} observed, {} failed)", episode.observations, episode.failures));
        }
    }
    lines.join("\n")
}

/// Files by their path within the project.
fn files(counted: &[Counted], root: &str) -> Vec<String> {
    let short = |path: &str| match path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) {
        Some(inside) if !root.is_empty() => inside.to_owned(),
        _ => path.to_owned(),
    };
    let shown = |file: &Counted| match file.count {
        1 => short(&file.path),
        count => format!("{} ({count})", short(&file.path)),
    };
    counted.iter().map(shown).collect()
}
