//! Why an entry was injected, in words that can be checked.

use nudge_context::{Section, clean, worth};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::Reader;

/// How much of an entry's text is shown to identify it, in characters.
const SHOWN: usize = 100;

/// An entry in one line, and why it was injected in that section at that time.
pub(super) fn of(
    reader: &Reader<'_>,
    entry: EntryId,
    section: Option<Section>,
    at: Timestamp,
) -> Result<(String, String), Fault> {
    let Some(row) = reader.recent_row(entry)? else {
        let text = reader.entry_by_id(entry)?.map(|entry| clean(&entry.body, SHOWN)).unwrap_or_default();
        let why = match section {
            Some(Section::Stated) => "the user stated it, and it applies here",
            Some(Section::StatedByAgents) => "an agent stated it, and it applies here",
            Some(Section::Stopped) => "one of the newest sessions here was about it",
            Some(Section::Intents) => "the user asked for it, and something was done about it",
            Some(Section::Recovery) => "the user asked for it in this session before its context was emptied",
            Some(Section::Found) => "it has the rarest words of the prompt",
            Some(Section::Context) => "it was marked as relevant to a session here",
            Some(Section::Hypothesis) => "it is being tried here, or was and turned out wrong",
            _ => "learned from what repeats here",
        };
        return Ok((text, why.to_owned()));
    };
    let about = row.file.as_deref().filter(|file| !row.text.contains(*file));
    let text = match about {
        Some(file) => format!("{} {} ({file})", row.kind.name(), row.text),
        None => format!("{} {}", row.kind.name(), row.text),
    };
    let score = format!("worth {:.2} by age and kind", worth(row.kind, row.at, at));
    let why = match section {
        Some(Section::Recovery) => "the session worked on it when its context was emptied".to_owned(),
        Some(Section::Notes) => "learned from what repeats here".to_owned(),
        Some(Section::Stated) => "pinned".to_owned(),
        Some(Section::Stopped) => "one of the newest sessions here left it".to_owned(),
        Some(Section::Found) => "it has the rarest words of the prompt".to_owned(),
        Some(Section::Elsewhere) if row.pinned => "pinned in another project".to_owned(),
        Some(Section::Elsewhere) => format!("done in another copy of this project; {score}"),
        _ if row.pinned => "pinned".to_owned(),
        _ => score,
    };
    Ok((clean(&text, SHOWN), why))
}
