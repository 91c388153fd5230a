//! The files of a zip. It may be hostile: its names and sizes are claims.

use std::io::{Cursor, Read};

use nudge_core::Fault;
use nudge_core::text::without_controls;
use zip::ZipArchive;

use super::files::{self, FILE_MOST, Files, LOOKED_AT_MOST};

/// The largest zip, in bytes.
pub(super) const ARCHIVE_MOST: u64 = 16 * 1024 * 1024;

/// What a name in the zip stands for.
struct Item {
    index: usize,
    path: String,
    is_link: bool,
}

/// Reads the Markdown files of a zip.
pub(super) fn read(bytes: Vec<u8>) -> Result<Files, Fault> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error.to_string()))?;
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
    if archive.len() > LOOKED_AT_MOST {
        return Err(files::too_large(&format!("a zip of a skill has at most {LOOKED_AT_MOST} files")));
    }
    let mut items = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|error| unreadable(&error.to_string()))?;
        let name = file.name().map_err(|error| unreadable(&error.to_string()))?;
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
    file.take(FILE_MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("it cannot be unpacked: {error}"))?;
    if bytes.len() as u64 > FILE_MOST {
        return Err(format!("it is larger than {FILE_MOST} bytes"));
    }
    files::text_of(bytes).map_err(str::to_owned)
}

fn unreadable(why: &str) -> Fault {
    Fault::invalid("skill_zip", format!("cannot read the zip: {}", without_controls(why, 120)))
        .with("field", "path")
        .next("check that the file is a zip")
}

#[cfg(test)]
mod tests {
    use super::*;

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
