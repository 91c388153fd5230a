//! Notes that agents keep by themselves, outside Nudge. Nudge never writes to them or switches them
//! off.

use nudge_home::Home;

use crate::command::doctor::finding::Finding;
use crate::context_args::working_directory;
use crate::own_notes::{self, AgentNotesFile};
use crate::pages::words::count;
use crate::registration::InstallContext;

/// Names the files that agents read by themselves. `None` if there are none.
pub(super) fn check_own_notes(home: &Home) -> Option<Finding> {
    let place = InstallContext::find(home.clone()).ok()?;
    let found = own_notes::find(place.user_home(), &working_directory());
    if found.is_empty() {
        return None;
    }
    let lines = |note: &AgentNotesFile| count(i64::try_from(note.lines).unwrap_or(i64::MAX), "line");
    let name = |note: &AgentNotesFile| format!("{} ({}, {})", note.path.display(), note.reader, lines(note));
    let names: Vec<String> = found.iter().map(name).collect();
    Some(Finding::ok(
        "memories",
        format!(
            "agents also read: {}. Nudge leaves them alone; `nudge import notes` takes them in as statements, \
             and then the same line may reach an agent twice",
            names.join(", ")
        ),
    ))
}
