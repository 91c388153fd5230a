//! Who stated something, and where, in readable words.

use std::path::Path;

use nudge_context::clean_text;
use nudge_core::text::first_chars;
use nudge_core::{Fault, Provenance, Source};
use nudge_store::Reader;

/// How much of a project's name is shown, in characters.
const NAME_MOST: usize = 60;

/// The words for the user.
pub(crate) const THE_PERSON: &str = "the person";

/// The client name of entries from `nudge record`, and the words for their speaker.
const RECORD: &str = "record";
const A_PROGRAM: &str = "a program";

/// For example `the person, in shop` or `an agent, in other-repo`. It comes from the surface that
/// received the text, never from what the text or its author claims.
pub(crate) fn stated_by(reader: &Reader<'_>, from: &Provenance) -> Result<String, Fault> {
    let who = match (from.source, from.client.as_deref()) {
        (Source::FileImport, Some(file)) => format!("{} ({})", speaker(from), shown(file)),
        _ => speaker(from).to_owned(),
    };
    Ok(match project_name(reader, from)? {
        Some(project) => format!("{who}, in {project}"),
        None => who,
    })
}

/// The words for a program that reported a prompt as the user's; `None` if an agent's hook reported
/// it. `nudge record` accepts anyone's JSON, so the speaker is unknown.
pub(crate) fn by_program(client: Option<&str>) -> Option<&'static str> {
    (client == Some(RECORD)).then_some(A_PROGRAM)
}

/// The speaker, without the place.
pub(crate) fn speaker(from: &Provenance) -> &'static str {
    match from.source {
        Source::User if by_program(from.client.as_deref()).is_some() => A_PROGRAM,
        Source::User if from.is_by_user() => THE_PERSON,
        Source::User | Source::Agent => "an agent",
        Source::ToolOutput => "a tool's output",
        Source::FileImport => "an imported file",
    }
}

/// The name of the project that something was stated in.
pub(crate) fn project_name(reader: &Reader<'_>, from: &Provenance) -> Result<Option<String>, Fault> {
    let Some(key) = from.project.as_deref() else { return Ok(None) };
    let known = match reader.project_by_key(key)? {
        Some(id) => reader.project_label(id)?.map(|(name, _)| name),
        None => None,
    };
    Ok(known.or_else(|| name_of_key(key)).map(|name| shown(&name)).filter(|name| !name.is_empty()))
}

/// The name of a project that no agent has worked in yet: that of its directory.
fn name_of_key(key: &str) -> Option<String> {
    let path = Path::new(key);
    let dir = if path.ends_with(".git") { path.parent()? } else { path };
    Some(dir.file_name()?.to_string_lossy().into_owned())
}

fn shown(name: &str) -> String {
    first_chars(&clean_text(name).replace(['\n', '\t'], " "), NAME_MOST).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_project_is_called_after_its_directory() {
        assert_eq!(name_of_key("/home/ada/shop/.git").as_deref(), Some("shop"));
        assert_eq!(name_of_key("/home/ada/notes").as_deref(), Some("notes"));
        assert_eq!(name_of_key("/"), None);
    }
}
