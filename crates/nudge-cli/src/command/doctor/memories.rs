//! What agents remember by themselves, beside Nudge. It is never written to or switched off.

use nudge_home::Home;

use crate::command::doctor::finding::Finding;
use crate::context_args::working_directory;
use crate::own_notes::{self, OwnNotes};
use crate::pages::words::count;
use crate::registration::Place;

/// Names the files that agents read by themselves, where there are any.
pub(super) fn overlap(home: &Home) -> Option<Finding> {
    let place = Place::find(home.clone()).ok()?;
    let found = own_notes::find(place.person(), &working_directory());
    if found.is_empty() {
        return None;
    }
    let lines = |note: &OwnNotes| count(i64::try_from(note.lines).unwrap_or(i64::MAX), "line");
    let name = |note: &OwnNotes| format!("{} ({}, {})", note.path.display(), note.reader, lines(note));
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
