//! Reading, writing, removing and renaming one file through directory handles.

use std::io::Read;

use super::beneath::Dir;
use super::error::{Fail, FileError};
use super::facts::{Expected, Facts, FileHash, FileText, Kind, Written};
use super::path::RelativePath;
use super::temporary;
use super::temporary::Temporary;

/// Reads a text file of at most `max` bytes.
pub(super) fn read(root: &Dir, path: &RelativePath, max: u64) -> Result<FileText, FileError> {
    let read_ms = temporary::now_ms();
    let (bytes, facts) = read_whole(root, path, max)?;
    let hash = FileHash::of(&bytes);
    let (size, text) = (bytes.len() as u64, text_of(path, bytes)?);
    Ok(FileText {
        text,
        hash,
        size,
        modified_ms: facts.modified_ms(),
        changed_ms: facts.changed_ms(),
        file_id: facts.file_id(),
        read_ms,
    })
}

/// Reads a file of any content, of at most `max` bytes.
pub(super) fn read_bytes(root: &Dir, path: &RelativePath, max: u64) -> Result<Vec<u8>, FileError> {
    read_whole(root, path, max).map(|(bytes, _)| bytes)
}

fn read_whole(root: &Dir, path: &RelativePath, max: u64) -> Result<(Vec<u8>, Facts), FileError> {
    let fail = |error: Fail| error.at(path.as_str());
    let (file, facts) = root.below(&path.dirs()).and_then(|dir| dir.open_file(path.name())).map_err(fail)?;
    let too_large = || FileError::TooLarge { path: path.to_string(), limit: max };
    if facts.size > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| fail(error.into()))?;
    // It may have grown since.
    if bytes.len() as u64 > max {
        return Err(too_large());
    }
    Ok((bytes, facts))
}

fn text_of(path: &RelativePath, bytes: Vec<u8>) -> Result<String, FileError> {
    let binary = |why| FileError::Binary { path: path.to_string(), why };
    if bytes.contains(&0) {
        return Err(binary("it contains NUL bytes"));
    }
    String::from_utf8(bytes).map_err(|_| binary("it is not UTF-8"))
}

/// Writes a whole file: a new one is filled first and then takes its place.
pub(super) fn write(
    root: &Dir,
    path: &RelativePath,
    text: &str,
    expected: Expected,
) -> Result<Written, FileError> {
    let fail = |error: Fail| error.at(path.as_str());
    // A file with a known content has its directories.
    let dir = match expected {
        Expected::Hash(_) => root.below(&path.dirs()).map_err(|error| gone(error, path))?,
        Expected::Any | Expected::Absent => root.ensure(&path.dirs()).map_err(fail)?,
    };
    let before = check(&dir, path, expected)?;
    if before.is_some_and(|facts| facts.access.read_only) {
        return Err(FileError::ReadOnly { path: path.to_string() });
    }
    let mut new = Temporary::create(&dir, before.map(|facts| facts.access)).map_err(fail)?;
    let facts = new.fill(text).map_err(fail)?;
    place(&dir, path, new, expected, before)?;
    dir.sync();
    Ok(Written {
        hash: FileHash::of(text.as_bytes()),
        size: text.len() as u64,
        modified_ms: facts.modified_ms(),
        created: before.is_none(),
    })
}

fn place(
    dir: &Dir,
    path: &RelativePath,
    new: Temporary<'_>,
    expected: Expected,
    before: Option<Facts>,
) -> Result<(), FileError> {
    let placed = match expected {
        Expected::Any => new.replace(path.name()),
        Expected::Absent => new.take_new(path.name()),
        Expected::Hash(_) => {
            unchanged(dir, path, expected, before)?;
            new.replace(path.name())
        }
    };
    placed.map_err(|error| match error {
        Fail::Exists => changed(path),
        other => other.at(path.as_str()),
    })
}

/// Removes a file.
pub(super) fn remove(root: &Dir, path: &RelativePath, expected: Expected) -> Result<(), FileError> {
    let fail = |error: Fail| error.at(path.as_str());
    let Some((dir, before)) = find(root, path, expected)? else { return Ok(()) };
    unchanged(&dir, path, expected, Some(before))?;
    dir.unlink(path.name()).map_err(fail)?;
    dir.sync();
    Ok(())
}

/// Gives a file another name that must be free.
pub(super) fn rename(
    root: &Dir,
    from: &RelativePath,
    to: &RelativePath,
    expected: Expected,
) -> Result<(), FileError> {
    let missing = || FileError::Missing { path: from.to_string() };
    let (dir, before) = find(root, from, expected)?.ok_or_else(missing)?;
    let to_dir = root.ensure(&to.dirs()).map_err(|error| error.at(to.as_str()))?;
    if to_dir.facts(to.name()).is_ok() {
        return Err(FileError::Exists { path: to.to_string() });
    }
    unchanged(&dir, from, expected, Some(before))?;
    dir.move_new(from.name(), &to_dir, to.name()).map_err(|error| match error {
        Fail::Exists => error.at(to.as_str()),
        other => other.at(from.as_str()),
    })?;
    to_dir.sync();
    dir.sync();
    Ok(())
}

/// The directory of an existing file that meets the expectation; `None` if it is absent as
/// expected.
fn find(root: &Dir, path: &RelativePath, expected: Expected) -> Result<Option<(Dir, Facts)>, FileError> {
    let dir = match root.below(&path.dirs()) {
        Err(Fail::Missing) if expected == Expected::Absent => return Ok(None),
        Err(error) if expected == Expected::Any => return Err(error.at(path.as_str())),
        other => other.map_err(|error| gone(error, path))?,
    };
    match check(&dir, path, expected)? {
        Some(facts) => Ok(Some((dir, facts))),
        None if expected == Expected::Absent => Ok(None),
        None => Err(FileError::Missing { path: path.to_string() }),
    }
}

/// Facts about the file, if it is as expected. Refuses everything that is no regular file.
fn check(dir: &Dir, path: &RelativePath, expected: Expected) -> Result<Option<Facts>, FileError> {
    let fail = |error: Fail| error.at(path.as_str());
    let found = match dir.facts(path.name()) {
        Err(Fail::Missing) => None,
        other => Some(other.map_err(fail)?),
    };
    if let Some(kind) = found.map(|facts| facts.kind).filter(|kind| *kind != Kind::File) {
        return Err(fail(Fail::Kind(kind)));
    }
    match (expected, found) {
        (Expected::Any, found) => Ok(found),
        (Expected::Absent, None) => Ok(None),
        (Expected::Hash(hash), Some(_)) => {
            let (file, facts) = dir.open_file(path.name()).map_err(|error| gone(error, path))?;
            let now = FileHash::of_reader(file).map_err(|error| fail(error.into()))?;
            if now == hash { Ok(Some(facts)) } else { Err(changed(path)) }
        }
        _ => Err(changed(path)),
    }
}

/// Fails if a certain content is expected, and the file is another one or was written to since
/// `before`.
///
/// Between this look and the next step somebody may still write. That time is microseconds, and
/// no system offers a replacement that depends on the content.
fn unchanged(
    dir: &Dir,
    path: &RelativePath,
    expected: Expected,
    before: Option<Facts>,
) -> Result<(), FileError> {
    if expected == Expected::Any {
        return Ok(());
    }
    match dir.facts(path.name()) {
        Ok(now) if Some(now) == before => Ok(()),
        Ok(_) | Err(Fail::Missing) => Err(changed(path)),
        Err(error) => Err(error.at(path.as_str())),
    }
}

fn changed(path: &RelativePath) -> FileError {
    FileError::Changed { path: path.to_string() }
}

/// A file whose content was expected and that is gone has changed.
fn gone(error: Fail, path: &RelativePath) -> FileError {
    match error {
        Fail::Missing => changed(path),
        other => other.at(path.as_str()),
    }
}
