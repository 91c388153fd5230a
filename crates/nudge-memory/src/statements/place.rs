//! The place that a statement belongs to.

use std::path::Path;

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_store::{ProjectId, ProjectRow, Writer};

use crate::capture;
use crate::operation::OpContext;
use crate::projects::{self, CallerPlace, of_directory, resolve};

/// The project that a caller states something in: the one named, or the caller's own. Creates it if
/// there is none yet.
pub(crate) fn project_to_write(ctx: &OpContext<'_>, asked: Option<&str>) -> Result<ProjectRow, Fault> {
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
pub(crate) fn directory_in(said: &str, root: &str) -> Result<Option<String>, Fault> {
    let path = Path::new(said.trim());
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
            _ => return Err(outside(said)),
        }
    }
    if below.is_none() {
        return Err(outside(said));
    }
    Ok((!parts.is_empty()).then(|| format!("{}/", parts.join("/"))))
}

fn outside(said: &str) -> Fault {
    let shown = without_controls(said, 200);
    Fault::invalid("directory", format!("`{shown}` is not a directory inside the project"))
        .with("field", "directory")
        .next("use a path from the project root, such as `frontend/`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_named_from_the_root() {
        let named = |said: &str| directory_in(said, "/w/shop").map_err(|fault| fault.reason);
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
