//! Who stated something, in readable words, and the place that it belongs to.

use std::path::Path;

use nudge_context::clean_text;
use nudge_core::text::{first_chars, without_controls};
use nudge_core::{Fault, FaultKind, Provenance, Source};
use nudge_store::{ProjectId, ProjectRow, Reader, Writer};

use crate::capture;
use crate::operation::OpContext;
use crate::projects::{self, CallerPlace, of_directory, resolve};

/// How much of a project's name is shown, in characters.
const MAX_NAME_CHARS: usize = 60;

/// The words for the user.
pub(crate) const THE_PERSON: &str = "the person";

/// The client name of entries from `nudge record`, and the words for their speaker.
pub(crate) const RECORD_CLIENT: &str = "record";

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
    (client == Some(RECORD_CLIENT)).then_some(A_PROGRAM)
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
    first_chars(&clean_text(name).replace(['\n', '\t'], " "), MAX_NAME_CHARS).to_owned()
}

// The place that a statement belongs to.

/// The project that a caller states something in: the one named, or the caller's own. Creates it if
/// there is none yet.
pub fn project_to_write(ctx: &OpContext<'_>, asked: Option<&str>) -> Result<ProjectRow, Fault> {
    let writer = ctx.writer()?;
    let place = match asked {
        Some(dir) if dir.starts_with('/') => of_directory(Path::new(dir)),
        Some(name) => {
            let row = ctx.project(name)?;
            projects::may_write_into(ctx.store(), ctx.caller, Some(row.id), "")?;
            return Ok(row);
        }
        None if ctx.caller.has_no_place() => {
            let next = match projects::is_person(ctx.caller) {
                true => "pass a `project`, or the full id of one of its sessions as `session`",
                false => "pass the full id of your session as `session`",
            };
            return Err(projects::no_place("session", next));
        }
        None => match projects::place(ctx.caller) {
            Some(place) => place,
            None => match CallerPlace::of(ctx.store(), ctx.caller)?.project {
                Some(id) => return row(writer, id),
                None => resolve::resolve(None, None),
            },
        },
    };
    projects::may_write_into(ctx.store(), ctx.caller, writer.project_by_key(&place.key)?, &place.key)?;
    row(writer, capture::record_project(writer, &place, ctx.now())?)
}

fn row(writer: &Writer<'_>, id: ProjectId) -> Result<ProjectRow, Fault> {
    writer.project(id)?.ok_or_else(|| {
        Fault::new(FaultKind::Internal, "no_project", "a place has no project").next("run `nudge doctor`")
    })
}

/// A directory relative to its project's root, such as `web/src/`; `None` for the root itself.
pub(crate) fn directory_in(directory: &str, root: &str) -> Result<Option<String>, Fault> {
    let path = Path::new(directory.trim());
    let below = if path.is_absolute() {
        path.strip_prefix(root).ok().filter(|_| !root.is_empty())
    } else {
        Some(path)
    };
    let mut parts = Vec::new();
    for part in below.into_iter().flat_map(Path::components) {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => return Err(outside(directory)),
        }
    }
    if below.is_none() {
        return Err(outside(directory));
    }
    Ok((!parts.is_empty()).then(|| format!("{}/", parts.join("/"))))
}

fn outside(directory: &str) -> Fault {
    let shown = without_controls(directory, 200);
    Fault::invalid("directory", format!("`{shown}` is not a directory inside the project"))
        .with("field", "directory")
        .next("use a path from the project root, such as `frontend/`")
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

    #[test]
    fn a_directory_is_named_from_the_root() {
        let named = |directory: &str| directory_in(directory, "/w/shop").map_err(|fault| fault.reason);
        assert_eq!(named("frontend"), Ok(Some("frontend/".to_owned())));
        assert_eq!(named("./web/src/"), Ok(Some("web/src/".to_owned())));
        assert_eq!(named("/w/shop/web"), Ok(Some("web/".to_owned())));
        assert_eq!(named("/w/shop"), Ok(None));
        assert_eq!(named("."), Ok(None));
        for bad in ["../other", "/w/other", "web/../../x"] {
            assert_eq!(named(bad), Err("directory".to_owned()), "{bad}");
        }
    }
}
