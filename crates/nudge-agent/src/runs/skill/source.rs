//! Finds the files of a skill on this machine, as far as the caller may read them: one file, a
//! folder, or a zip.

use std::io::{Cursor, Read};
use std::path::{Component, Path, PathBuf};

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_home::workspace::{Constraint, ConstraintKind, FileError, Kind, ScanRules, Workspace};
use nudge_memory::caller::{Ambient, Caller};
use nudge_memory::entries::{constraints_of, no_root, root_of};
use nudge_memory::memory::Memory;
use nudge_memory::projects::is_person;
use zip::ZipArchive;

use super::ReadSkill;
use super::files::{self, Files, MAX_FILE_BYTES, MAX_VISITED_FILES, has_extension, is_markdown};

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
        let most = if is_zip { MAX_ARCHIVE_BYTES } else { MAX_FILE_BYTES };
        match self.workspace.read_bytes(&path, most) {
            Err(FileError::NotAFile { kind: Kind::Directory, .. }) => self.folder(name),
            Ok(bytes) if is_zip => files::several(self.name(name, ".zip")?, read_archive(bytes)?),
            Ok(_) | Err(FileError::TooLarge { .. }) if !is_zip && !is_markdown(&self.path) => {
                let why = "a skill is a Markdown file, a folder or a zip";
                Err(Fault::invalid("skill_kind", why).with("field", "path"))
            }
            Ok(bytes) => {
                let text = files::text_of(bytes).map_err(|why| {
                    Fault::invalid("skill_text", format!("{path}: {why}")).with("field", "path")
                })?;
                files::single(self.name(name, ".md")?, text)
            }
            Err(error) => Err(unreadable(&error)),
        }
    }

    fn folder(self, name: Option<&str>) -> Result<ReadSkill, Fault> {
        let name = self.name(name, "")?;
        files::several(name, read_folder(&self.workspace, &self.path, self.constraints)?)
    }

    /// The name that the caller gives, or else that of the file without its extension.
    fn name(&self, given: Option<&str>, extension: &str) -> Result<String, Fault> {
        if let Some(given) = given {
            return files::name(given);
        }
        let root = self.workspace.root().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let last = self.path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(root);
        files::name(last.get(..last.len().saturating_sub(extension.len())).unwrap_or(last))
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

// The files of a folder. No link in it is followed.

/// Reads the Markdown files of a folder of a workspace; an empty path is the workspace itself. The
/// constraints are what the user says about the files there.
fn read_folder(workspace: &Workspace, folder: &str, constraints: Vec<Constraint>) -> Result<Files, Fault> {
    let rules =
        ScanRules { max_files: MAX_VISITED_FILES, ..ScanRules::without_user(only(folder, constraints)) };
    let scan = workspace.scan(&rules, &|| false);
    if scan.is_truncated {
        return Err(files::too_large(&format!("a folder of a skill has at most {MAX_VISITED_FILES} files")));
    }
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut files = Files::default();
    for unread in scan.unread.iter().filter(|dir| dir.starts_with(&prefix)) {
        files.leave_out(unread, "it cannot be read");
    }
    let mut wanted = Vec::new();
    for file in &scan.files {
        let Some(below) = file.path.strip_prefix(&prefix) else { continue };
        match files::unfit(below) {
            Some(why) => files.leave_out(below, why),
            None => wanted.push((file, below)),
        }
    }
    files::check_count(wanted.len())?;
    for (file, below) in wanted {
        let found = workspace.resolve(&file.path).map_err(FileError::from);
        match found.and_then(|path| workspace.read_bytes(&path, MAX_FILE_BYTES)) {
            Ok(bytes) => match files::text_of(bytes) {
                Ok(text) => files.add(below, text)?,
                Err(why) => files.leave_out(below, why),
            },
            Err(FileError::TooLarge { .. }) => {
                files.leave_out(below, &format!("it is larger than {MAX_FILE_BYTES} bytes"));
            }
            Err(FileError::Link { .. }) => files.leave_out(below, "it is a link"),
            Err(_) => files.leave_out(below, "it cannot be read"),
        }
    }
    Ok(files)
}

/// Limits a scan to a folder, and shows it even if git ignores it. The user's own patterns decide
/// last.
fn only(folder: &str, constraints: Vec<Constraint>) -> Vec<Constraint> {
    if folder.is_empty() {
        return constraints;
    }
    let mut all = vec![
        Constraint { pattern: "**".to_owned(), kind: ConstraintKind::Ignore },
        Constraint { pattern: literal(folder), kind: ConstraintKind::Add },
    ];
    all.extend(constraints.into_iter().filter(|one| one.kind == ConstraintKind::Ignore));
    all
}

/// A pattern that matches only this path.
fn literal(path: &str) -> String {
    let mut pattern = String::new();
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',' | '!') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

// The files of a zip. It may be hostile: its names and sizes are claims.

/// The largest zip, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;

/// What a name in the zip stands for.
struct Item {
    index: usize,
    path: String,
    is_link: bool,
}

/// Reads the Markdown files of a zip.
fn read_archive(bytes: Vec<u8>) -> Result<Files, Fault> {
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable_archive(&error.to_string()))?;
    let mut items = list(&mut archive)?;
    strip_folder(&mut items);
    let mut files = Files::default();
    let mut wanted = Vec::new();
    for item in items {
        match files::unfit(&item.path).or(item.is_link.then_some("it is a link")) {
            Some(why) => files.leave_out(&item.path, why),
            None => wanted.push(item),
        }
    }
    files::check_count(wanted.len())?;
    for item in wanted {
        match unpack(&mut archive, item.index) {
            Ok(text) => files.add(&item.path, text)?,
            Err(why) => files.leave_out(&item.path, &why),
        }
    }
    Ok(files)
}

/// The files of the zip, without its folders. One name that leads out of it rejects the whole zip.
fn list(archive: &mut ZipArchive<Cursor<Vec<u8>>>) -> Result<Vec<Item>, Fault> {
    if archive.len() > MAX_VISITED_FILES {
        return Err(files::too_large(&format!("a zip of a skill has at most {MAX_VISITED_FILES} files")));
    }
    let mut items = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|error| unreadable_archive(&error.to_string()))?;
        let name = file.name().map_err(|error| unreadable_archive(&error.to_string()))?;
        let (path, is_folder) = match name.strip_suffix('/') {
            Some(folder) => (folder, true),
            None => (name.as_ref(), false),
        };
        check_name(path)?;
        if !is_folder {
            items.push(Item { index, path: path.to_owned(), is_link: file.is_symlink() });
        }
    }
    items.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(items)
}

/// Rejects a name that could lead out of the folder that it is unpacked in.
fn check_name(path: &str) -> Result<(), Fault> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let is_plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if is_plain && !has_drive && !path.contains(|c: char| c.is_control() || c == '\\') {
        return Ok(());
    }
    let why = format!("the zip has a file `{}`, which could lead out of it", without_controls(path, 80));
    Err(Fault::invalid("skill_path", why)
        .with("field", "path")
        .next("unpack it yourself and give the folder"))
}

/// If all files are in one folder, that folder is the root: many programs pack it along.
fn strip_folder(items: &mut [Item]) {
    let folder = |item: &Item| item.path.split_once('/').map(|(folder, _)| folder.to_owned());
    let mut kept = items.iter().filter(|item| !item.path.starts_with("__MACOSX/"));
    let Some(first) = kept.next().and_then(folder) else { return };
    if kept.all(|item| folder(item).as_deref() == Some(&first)) {
        for item in items.iter_mut() {
            if let Some(rest) = item.path.strip_prefix(&format!("{first}/")) {
                item.path = rest.to_owned();
            }
        }
    }
}

/// Unpacks one text. It stops at the limit, whatever size the zip states.
fn unpack(archive: &mut ZipArchive<Cursor<Vec<u8>>>, index: usize) -> Result<String, String> {
    let file = archive.by_index(index).map_err(|error| format!("it cannot be unpacked: {error}"))?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("it cannot be unpacked: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("it is larger than {MAX_FILE_BYTES} bytes"));
    }
    files::text_of(bytes).map_err(str::to_owned)
}

fn unreadable_archive(why: &str) -> Fault {
    Fault::invalid("skill_zip", format!("cannot read the zip: {}", without_controls(why, 120)))
        .with("field", "path")
        .next("check that the file is a zip")
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

    #[test]
    fn names_that_lead_out_are_rejected() {
        for name in
            ["../a.md", "a/../../b.md", "/etc/a.md", "C:/a.md", "a\\..\\b.md", "a//b.md", "a\nb.md", "./a"]
        {
            assert_eq!(check_name(name).expect_err(name).reason, "skill_path", "{name:?}");
        }
        for name in ["a.md", "docs/ü b.md", "..a/b..md"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_single_folder_is_the_root() {
        let paths = |names: &[&str]| {
            let item = |name: &&str| Item { index: 0, path: (*name).to_owned(), is_link: false };
            let mut items: Vec<Item> = names.iter().map(item).collect();
            strip_folder(&mut items);
            items.into_iter().map(|item| item.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&["s/a.md", "s/b/c.md", "__MACOSX/s/x"]), ["a.md", "b/c.md", "__MACOSX/s/x"]);
        assert_eq!(paths(&["s/a.md", "t/b.md"]), ["s/a.md", "t/b.md"]);
        assert_eq!(paths(&["a.md", "s/b.md"]), ["a.md", "s/b.md"]);
    }
}
