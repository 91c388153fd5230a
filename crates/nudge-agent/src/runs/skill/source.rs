//! Finds the files of a skill on this machine, as far as the caller may read them.

use std::path::{Component, Path, PathBuf};

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_home::workspace::{Constraint, FileError, Kind, Workspace};

use super::archive::{self, ARCHIVE_MOST};
use super::files::{self, FILE_MOST, has_extension, is_markdown};
use super::wire::ReadSkill;
use super::{folder, layout};
use nudge_memory::caller::{Ambient, Caller};
use nudge_memory::entries::{constraints_of, no_root, root_of};
use nudge_memory::memory::Memory;
use nudge_memory::projects::is_person;

/// A file or folder that the caller may read.
struct Found {
    workspace: Workspace,
    /// Its path in the workspace; empty for the workspace itself.
    path: String,
    constraints: Vec<Constraint>,
}

/// Reads a skill.
pub(super) fn read(
    memory: &Memory,
    caller: &Caller,
    path: &str,
    name: Option<&str>,
) -> Result<ReadSkill, Fault> {
    if path.contains("://") {
        let why =
            format!("`{}` is an address, and memory does not use the network", without_controls(path, 80));
        return Err(Fault::invalid("skill_url", why)
            .with("field", "path")
            .next("download it first, then give its path"));
    }
    if path.trim().is_empty() || path.contains('\0') {
        return Err(Fault::invalid("path", "the path names no file").with("field", "path"));
    }
    let found = if is_person(caller) { of_user(caller, path)? } else { of_agent(memory, caller, path)? };
    found.read(name)
}

/// The user may read anything. Links to the skill are followed, links in it are not.
fn of_user(caller: &Caller, path: &str) -> Result<Found, Fault> {
    let real = std::fs::canonicalize(absolute(caller, path)?).map_err(|error| {
        let why = format!("cannot read {}: {error}", without_controls(path, 200));
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => FaultKind::NotFound,
            _ => FaultKind::Invalid,
        };
        Fault::new(kind, "skill_file", why).with("field", "path").next("check the path")
    })?;
    let (parent, last) = match (real.parent(), real.file_name().and_then(|name| name.to_str())) {
        (Some(parent), Some(name)) => (parent, name.to_owned()),
        _ => return Err(Fault::invalid("path", "this path cannot be a skill").with("field", "path")),
    };
    let workspace = Workspace::open(parent).map_err(|error| no_root(&error.to_string()))?;
    Ok(Found { workspace, path: last, constraints: Vec::new() })
}

/// An agent or a program may read only in its project.
fn of_agent(memory: &Memory, caller: &Caller, path: &str) -> Result<Found, Fault> {
    let root = root_of(caller).ok_or_else(|| no_root("its directory is not known"))?;
    let workspace = Workspace::open(&root).map_err(|error| no_root(&error.to_string()))?;
    let whole = without_dots(&absolute(caller, path)?);
    let below = [root.as_path(), workspace.root()].iter().find_map(|root| whole.strip_prefix(root).ok());
    let Some(below) = below.and_then(Path::to_str) else {
        let why = format!("`{}` is not in this project", without_controls(path, 200));
        return Err(Fault::new(FaultKind::Forbidden, "path_outside", why)
            .with("field", "path")
            .next("give a path inside the project, or ask the user to add the skill"));
    };
    let path = below.to_owned();
    Ok(Found { workspace, path, constraints: constraints_of(memory, caller)? })
}

/// A path from the caller's directory.
fn absolute(caller: &Caller, path: &str) -> Result<PathBuf, Fault> {
    if Path::new(path).is_absolute() {
        return Ok(PathBuf::from(path));
    }
    let cwd = match &caller.ambient {
        Ambient::Here(context) => context.cwd.as_deref().filter(|dir| dir.starts_with('/')),
        Ambient::Nothing => None,
    };
    cwd.map(|cwd| Path::new(cwd).join(path)).ok_or_else(|| no_root("your directory is not known"))
}

/// A path without `.` and `..`. No link is followed later, so this is the file that it names.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

impl Found {
    fn read(self, name: Option<&str>) -> Result<ReadSkill, Fault> {
        if self.path.is_empty() {
            return self.folder(name);
        }
        let path = self.workspace.resolve(&self.path).map_err(|error| unreadable(&error.into()))?;
        let is_zip = has_extension(&self.path, ".zip");
        let most = if is_zip { ARCHIVE_MOST } else { FILE_MOST };
        match self.workspace.read_bytes(&path, most) {
            Err(FileError::NotAFile { kind: Kind::Directory, .. }) => self.folder(name),
            Ok(bytes) if is_zip => layout::several(self.name(name, ".zip")?, archive::read(bytes)?),
            Ok(_) | Err(FileError::TooLarge { .. }) if !is_zip && !is_markdown(&self.path) => {
                let why = "a skill is a Markdown file, a folder or a zip";
                Err(Fault::invalid("skill_kind", why).with("field", "path"))
            }
            Ok(bytes) => {
                let text = files::text_of(bytes).map_err(|why| {
                    Fault::invalid("skill_text", format!("{path}: {why}")).with("field", "path")
                })?;
                layout::single(self.name(name, ".md")?, text)
            }
            Err(error) => Err(unreadable(&error)),
        }
    }

    fn folder(self, name: Option<&str>) -> Result<ReadSkill, Fault> {
        let name = self.name(name, "")?;
        layout::several(name, folder::read(&self.workspace, &self.path, self.constraints)?)
    }

    /// The name that the caller gives, or else that of the file without its extension.
    fn name(&self, given: Option<&str>, extension: &str) -> Result<String, Fault> {
        if let Some(given) = given {
            return layout::name(given);
        }
        let root = self.workspace.root().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let last = self.path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(root);
        layout::name(last.get(..last.len().saturating_sub(extension.len())).unwrap_or(last))
    }
}

fn unreadable(error: &FileError) -> Fault {
    let kind = match error {
        FileError::Missing { .. } => FaultKind::NotFound,
        FileError::Outside(_) | FileError::Link { .. } => FaultKind::Forbidden,
        FileError::TooLarge { .. } => FaultKind::TooLarge,
        _ => FaultKind::Invalid,
    };
    Fault::new(kind, error.reason(), error.to_string()).with("field", "path").next("check the path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_without_the_disk() {
        let plain = |path: &str| without_dots(Path::new(path)).to_string_lossy().into_owned();
        assert_eq!(plain("/w/shop/web/../docs/./a.md"), "/w/shop/docs/a.md");
        assert_eq!(plain("/w/shop/../../../etc"), "/etc");
    }
}
