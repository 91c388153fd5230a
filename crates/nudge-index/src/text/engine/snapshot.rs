//! One commit, opened for reading.

use std::io;
use std::path::{Path, PathBuf};

use tantivy::{IndexReader, ReloadPolicy, Searcher};

use super::columns::Columns;
use super::coverage::Coverage;
use super::directory::{IndexDirectory, META, Seal, read_regular};
use super::held::WatchedFiles;
use super::schema::Fields;

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
            let list = match read_regular(&directory.join(META)) {
                Ok(list) => list,
                Err(error) if is_absent(&error) => return Err(State::Missing),
                Err(_) => return Err(State::Damaged),
            };
            let opened = open_listed(directory, &list);
            // There was a commit between reading the list and opening its segments: they may belong
            // to the next list, or be gone.
            if matches!(opened, Err(State::OtherVersion))
                || read_regular(&directory.join(META)).is_ok_and(|now| now == list)
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
