//! What a person is told of an installation.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::agent::Agent;
use crate::pages::Page;

/// What became of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// It was not there.
    Created,
    /// Ours went in or out; the rest stayed.
    Changed,
    /// It is what it was before Nudge, byte for byte.
    Restored,
    /// It was ours alone and is gone.
    Removed,
    /// There was nothing to do.
    Unchanged,
}

impl Action {
    const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One file and what became of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) path: PathBuf,
    pub(crate) action: Action,
    pub(crate) what: String,
    /// What goes into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entries: Option<Value>,
}

/// After `nudge install`.
pub(crate) fn installed(page: &mut Page, agent: Agent, rows: &[Row], dry_run: bool) {
    let title = agent.title();
    let nothing = rows.iter().all(|row| row.action == Action::Unchanged);
    match (nothing, dry_run) {
        (true, _) => page.good("✔").text(format!(" Nudge is in {title} already; nothing to change")).end(),
        (false, true) => page.text(format!("would put Nudge into {title}:")).end(),
        (false, false) => page.good("✔").text(format!(" Nudge is in {title} now")).end(),
    };
    list(page, rows);
    if !nothing && !dry_run {
        page.end()
            .text(format!("Start a new session of {title}: those that run now go on as they are."))
            .end();
        page.text("See what is kept with `nudge status`.").end();
        page.text(format!("Take it out with `nudge uninstall {}`.", agent.name())).end();
    }
}

/// After `nudge uninstall`.
pub(crate) fn uninstalled(page: &mut Page, agent: Agent, rows: &[Row], dry_run: bool) {
    let title = agent.title();
    let nothing = rows.iter().all(|row| row.action == Action::Unchanged);
    match (nothing, dry_run) {
        (true, _) => page.good("✔").text(format!(" Nudge is not in {title}; nothing to change")).end(),
        (false, true) => page.text(format!("would take Nudge out of {title}:")).end(),
        (false, false) => page.good("✔").text(format!(" Nudge is out of {title}")).end(),
    };
    list(page, rows);
    if !nothing && !dry_run {
        page.end().text("The memory itself stays where it is.").end();
    }
}

fn list(page: &mut Page, rows: &[Row]) {
    for row in rows {
        page.text("  ")
            .strong(format!("{:<9}", row.action.word()))
            .text(" ")
            .text(row.path.to_string_lossy());
        page.end().text(" ".repeat(12)).faint(&row.what).end();
    }
}
