//! The keys file: lines of `provider = "key"`, for its owner's eyes only.

use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::KeysError;
use crate::keys::Key;
use crate::spec::Provider;

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The keys in a file. A file that does not exist has none.
pub(super) fn read(path: &Path) -> Result<BTreeMap<Provider, Key>, KeysError> {
    match text_of(path)? {
        Some(text) => parse(path, &text),
        None => Ok(BTreeMap::new()),
    }
}

/// Writes one key into the keys file and keeps its other lines. The new file has mode 0600 and
/// replaces the old one at once.
///
/// A file that [`Keys::load`](super::Keys::load) would refuse is refused here too.
pub fn write_key(path: &Path, provider: Provider, key: &Key) -> Result<(), KeysError> {
    let old = text_of(path)?.unwrap_or_default();
    let mut keys = parse(path, &old)?;
    let mut new = with_line(&old, provider, key);
    keys.insert(provider, key.clone());
    if parse(path, &new).ok().as_ref() != Some(&keys) {
        // A form that is not a line for each key, such as a value over several lines.
        new = keys.iter().map(|(provider, key)| line(*provider, key)).collect();
    }
    replace(path, &new).map_err(|source| KeysError::Io { path: path.to_owned(), source })
}

/// The text of a private file of this user; `None` if there is no file.
fn text_of(path: &Path) -> Result<Option<String>, KeysError> {
    let io = |source| KeysError::Io { path: path.to_owned(), source };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    check(path, &file)?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(io)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(KeysError::TooLong(path.to_owned()));
    }
    Ok(Some(text))
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without it, opening a pipe would wait for a writer.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.read(true).open(path)
}

/// Checks the file that was opened, not the path: the path may lead elsewhere by now.
fn check(path: &Path, file: &File) -> Result<(), KeysError> {
    let facts = file.metadata().map_err(|source| KeysError::Io { path: path.to_owned(), source })?;
    if !facts.is_file() {
        return Err(KeysError::NotAFile(path.to_owned()));
    }
    check_access(path, &facts)
}

/// Only the owner may read it, and the owner is who runs this program.
#[cfg(unix)]
fn check_access(path: &Path, facts: &Metadata) -> Result<(), KeysError> {
    use std::os::unix::fs::MetadataExt;
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(KeysError::Owner(path.to_owned()));
    }
    let mode = facts.mode() & 0o7777;
    if mode == 0o600 { Ok(()) } else { Err(KeysError::NotPrivate { path: path.to_owned(), mode }) }
}

/// Other systems keep the files of a user's directory from other users by themselves.
#[cfg(not(unix))]
fn check_access(_: &Path, _: &Metadata) -> Result<(), KeysError> {
    Ok(())
}

fn parse(path: &Path, text: &str) -> Result<BTreeMap<Provider, Key>, KeysError> {
    let line_at =
        |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1;
    let syntax = |at| KeysError::Syntax { path: path.to_owned(), line: line_at(at) };
    // The parser's own message repeats the line, so it is dropped.
    let table = DeTable::parse(text).map_err(|error| syntax(error.span().map_or(0, |span| span.start)))?;
    let mut keys = BTreeMap::new();
    for (name, value) in table.get_ref() {
        let line = line_at(name.span().start);
        let no_provider = || KeysError::Provider { path: path.to_owned(), line };
        let provider = Provider::parse(name.get_ref()).ok_or_else(no_provider)?;
        let DeValue::String(text) = value.get_ref() else { return Err(syntax(value.span().start)) };
        let place = format!("keys file {}, line {line}", path.display());
        let key = Key::new(text).map_err(|source| KeysError::Key { place, source })?;
        keys.insert(provider, key);
    }
    Ok(keys)
}

/// The text with the provider's line replaced or added.
fn with_line(text: &str, provider: Provider, key: &Key) -> String {
    let mut new = String::new();
    let mut done = false;
    for old in text.lines() {
        if !names(old, provider) {
            new.push_str(old);
            new.push('\n');
        } else if !std::mem::replace(&mut done, true) {
            new.push_str(&line(provider, key));
        }
    }
    if !done {
        new.push_str(&line(provider, key));
    }
    new
}

fn names(line: &str, provider: Provider) -> bool {
    let name = line.split_once('=').map_or("", |(name, _)| name).trim().trim_matches(['"', '\'']);
    name.eq_ignore_ascii_case(provider.name())
}

fn line(provider: Provider, key: &Key) -> String {
    // A key is visible ASCII, so these are the only characters that TOML escapes.
    let escaped = key.reveal().replace('\\', "\\\\").replace('"', "\\\"");
    format!("{provider} = \"{escaped}\"\n")
}

/// Replaces the file by a rename. A temporary file is created with mode 0600.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // Through a link, the file it leads to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory: PathBuf = directory.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut file = tempfile::NamedTempFile::new_in(&directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    sync_directory(&directory)
}

/// Makes the rename last through a power failure, where directories can be synchronised.
fn sync_directory(directory: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests;
