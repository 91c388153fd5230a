//! One commit, opened for reading: its files, its columns, and how far it reaches.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::columnar::ColumnValues;
use tantivy::{DocId, IndexReader, ReloadPolicy, Searcher, SegmentReader};

use super::directory::{IndexDirectory, META_FILE, Seal, ensure_regular, read_regular};
use super::schema::{self, Fields};

/// The state of an index when it is opened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Complete up to its position in the feed.
    Ready,
    /// Being built; its content is used, the rest is scanned.
    Building,
    /// There is none.
    Missing,
    /// Its files are not what was written.
    Damaged,
    /// Made by another version of the analyzer or the layout.
    OtherVersion,
    /// Made from another store, or from a state of this one that no longer exists.
    OtherStore,
}

/// An open commit.
pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    pub(crate) coverage: Coverage,
    files: Vec<PathBuf>,
    held: WatchedFiles,
    /// One for each segment.
    pub(crate) columns: Vec<Columns>,
}

impl Snapshot {
    /// Opens the commit in `directory`.
    ///
    /// # Errors
    /// The state of the index, if it cannot be used.
    pub(crate) fn open(directory: &Path) -> Result<Self, State> {
        loop {
            let list = match read_regular(&directory.join(META_FILE)) {
                Ok(list) => list,
                Err(error) if is_absent(&error) => return Err(State::Missing),
                Err(_) => return Err(State::Damaged),
            };
            let opened = open_listed(directory, &list);
            // There was a commit between reading the list and opening its segments: they may belong
            // to the next list, or be gone.
            if matches!(opened, Err(State::OtherVersion))
                || read_regular(&directory.join(META_FILE)).is_ok_and(|now| now == list)
            {
                return opened;
            }
        }
    }

    /// Whether it can be read without being killed.
    pub(crate) fn is_whole(&self) -> bool {
        self.held.is_whole()
    }

    /// Whether its files are still as the writer left them.
    pub(crate) fn is_unchanged(&self, directory: &Path) -> bool {
        Seal::read(directory)
            .is_some_and(|seal| self.files.iter().all(|file| seal.is_unchanged(directory, file)))
    }
}

/// Whether the file or its directory does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The part of the engine's list that is read before anything is trusted.
#[derive(serde::Deserialize)]
struct Listed {
    payload: Option<String>,
}

fn open_listed(directory: &Path, list: &[u8]) -> Result<Snapshot, State> {
    // In another version everything may be different, even its seal; none of it is used.
    let listed: Listed = serde_json::from_slice(list).map_err(|_| State::Damaged)?;
    // The engine writes a first list before there is any commit.
    let payload = listed.payload.ok_or(State::Missing)?;
    let coverage = Coverage::from_payload(Some(&payload)).ok_or(State::OtherVersion)?;
    if coverage.version != Coverage::current() {
        return Err(State::OtherVersion);
    }
    let seal = Seal::read(directory).filter(|seal| seal.knows_list(list)).ok_or(State::Damaged)?;
    let index = IndexDirectory::open(directory).and_then(tantivy::Index::open).map_err(|_| State::Damaged)?;
    let metas = index.load_metas().map_err(|_| State::Damaged)?;
    // The list is read before the segments are opened: a position that is too old costs a longer
    // tail, one that is too new would lose an entry.
    let coverage = Coverage::from_payload(metas.payload.as_deref()).ok_or(State::Damaged)?;
    let (schema, fields) = Fields::schema();
    if metas.schema != schema {
        return Err(State::OtherVersion);
    }
    let files: Vec<PathBuf> = metas.list_segment_files().into_iter().collect();
    // Recorded before the files are found intact, so that a later truncation is noticed.
    let held = WatchedFiles::open(directory, &files).map_err(|_| State::Damaged)?;
    for file in &files {
        let is_sound = seal.is_unchanged(directory, file)
            || index.directory().validate_checksum(file).is_ok_and(|is_sound| is_sound);
        if !is_sound {
            return Err(State::Damaged);
        }
    }
    let reader: IndexReader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .doc_store_cache_num_blocks(0)
        .try_into()
        .map_err(|_| State::Damaged)?;
    let searcher = reader.searcher();
    let columns = searcher.segment_readers().iter().map(Columns::open).collect::<tantivy::Result<_>>();
    let columns = columns.map_err(|_| State::Damaged)?;
    Ok(Snapshot { searcher, fields, coverage, files, held, columns })
}

// Watches the files of an open commit for one that was truncated.
//
// The engine maps what does not fit into memory, and a process that reads a map past the end of
// its file is killed (SIGBUS). So the lengths are checked before every search. If a file in memory
// is truncated between that check and the read, the read fails (see `directory.rs`); a map
// that is truncated there cannot be caught.

/// This many files are kept open (0.44 µs a check), the others are looked up by name (1.05 µs); a
/// segment has six or seven. Some systems allow a process no more than 256 open files, and while
/// commits follow each other two or three of them are in use.
const MAX_OPEN: usize = 64;

/// See the module.
struct WatchedFiles(Vec<Watched>);

struct Watched {
    path: PathBuf,
    file: Option<File>,
    length: u64,
}

impl WatchedFiles {
    /// Records the current lengths of `files`. The engine reports a missing one.
    pub(super) fn open(directory: &Path, files: &[PathBuf]) -> io::Result<Self> {
        let mut held = Vec::with_capacity(files.len());
        for file in files {
            match Watched::open(directory.join(file), held.len() < MAX_OPEN) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                watched => held.push(watched?),
            }
        }
        Ok(Self(held))
    }

    /// Whether each still has its length.
    pub(super) fn is_whole(&self) -> bool {
        self.0.iter().all(Watched::is_whole)
    }
}

impl Watched {
    fn open(path: PathBuf, is_kept_open: bool) -> io::Result<Self> {
        ensure_regular(&path)?;
        let length = fs::metadata(&path)?.len();
        // Without a free file descriptor it is looked up by name, too.
        let file = if is_kept_open { File::open(&path).ok() } else { None };
        Ok(Self { path, file, length })
    }

    fn is_whole(&self) -> bool {
        let found = match &self.file {
            Some(file) => file.metadata(),
            None => fs::metadata(&self.path),
        };
        match found {
            Ok(metadata) => metadata.len() == self.length,
            // The map outlives the name, and nobody can truncate a file without a name.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

// Numbers of documents, stored in columns: they are read without the documents.

/// The numbers of a segment's documents.
pub(crate) struct Columns {
    pub(super) id: Arc<dyn ColumnValues<i64>>,
    pub(super) at: Arc<dyn ColumnValues<i64>>,
    pub(super) project: Arc<dyn ColumnValues<i64>>,
    pub(super) kind: Arc<dyn ColumnValues<u64>>,
    title: Arc<dyn ColumnValues<u64>>,
}

impl Columns {
    pub(crate) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            id: fast.column_first_or_default("id")?,
            at: fast.column_first_or_default("at")?,
            project: fast.column_first_or_default("project")?,
            kind: fast.column_first_or_default("kind")?,
            title: fast.column_first_or_default(schema::TITLE_FIELD)?,
        })
    }

    /// How many positions of a document's text belong to its title.
    pub(super) fn title(&self, document: DocId) -> u32 {
        self.title.get_val(document) as u32
    }
}

// How far an index reaches, stored in the payload of each of its commits.

/// What a commit covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Coverage {
    /// The versions of analyzer and layout.
    pub(crate) version: (u32, u32),
    /// The store it was made from.
    pub(crate) lineage: u64,
    /// The index has all changes up to this feed position.
    pub(crate) position: i64,
    /// While it is being built: it has the entries up to this id and no later ones. `None` once it
    /// is complete.
    pub(crate) built_to: Option<i64>,
    /// Whether a purge has begun and segments may still contain what it removed. The next writer
    /// continues the purge.
    #[serde(default)]
    pub(crate) is_purging: bool,
    /// The highest id that was ever added; a higher one cannot be in the index.
    pub(crate) highest: i64,
}

impl Coverage {
    /// An empty index, to be built from the store as it is after `position`.
    pub(crate) fn empty(lineage: u64, position: i64) -> Self {
        Self {
            version: Self::current(),
            lineage,
            position,
            built_to: Some(i64::MIN),
            is_purging: false,
            highest: i64::MIN,
        }
    }

    /// The version that this program writes and reads.
    pub(crate) fn current() -> (u32, u32) {
        (crate::text::analyzer::VERSION, super::schema::VERSION)
    }

    fn from_payload(payload: Option<&str>) -> Option<Self> {
        serde_json::from_str(payload?).ok()
    }

    pub(crate) fn to_payload(&self) -> String {
        serde_json::to_string(self).expect("a few numbers are always JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_file_is_noticed_open_or_not() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let files: Vec<PathBuf> = (0..MAX_OPEN + 2).map(|number| format!("{number}").into()).collect();
        for file in &files {
            fs::write(home.path().join(file), "whole").expect("writable");
        }
        for file in [&files[0], &files[MAX_OPEN + 1]] {
            let held = WatchedFiles::open(home.path(), &files).expect("readable");
            assert!(held.is_whole());
            fs::write(home.path().join(file), "cut").expect("writable");
            assert!(!held.is_whole(), "{file:?}");
            fs::remove_file(home.path().join(file)).expect("removable");
        }
        let held = WatchedFiles::open(home.path(), &files).expect("those that are there");
        fs::remove_dir_all(home.path()).expect("removable");
        assert!(held.is_whole(), "what was removed can still be read");
    }
}
