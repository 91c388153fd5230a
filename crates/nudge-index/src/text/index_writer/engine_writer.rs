//! The engine's writer: adds and removes documents, commits, decides what to merge.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::{SegmentMeta, Term};

use crate::error::IndexError;
use crate::source::{Document, Source};
use crate::text::analyzer::Words;
use crate::text::engine::directory::{MANAGED_FILE, META_FILE, SEAL_FILE, Seal, is_written};
use crate::text::engine::{Coverage, Fields};

/// How many changes or documents are read from the store at a time.
const BATCH_ROWS: usize = 1000;

/// Memory for documents not yet written while following the feed: the engine's minimum. More would
/// slow down each of the many small commits, because a commit begins by allocating its tables.
const FOLLOWING_BYTES: usize = 15_000_000;

/// The same while building: fewer, larger segments, and less merging.
const BUILDING_BYTES: usize = 50_000_000;

/// How many segments a purge rewrites at a time.
const REWRITERS: usize = 2;

/// Written files that belong to no segment.
const OTHER_FILES: [&str; 3] = [META_FILE, SEAL_FILE, MANAGED_FILE];

/// An index while it is written.
pub(super) struct EngineWriter {
    pub(super) coverage: Coverage,
    engine: tantivy::IndexWriter,
    index: tantivy::Index,
    fields: Fields,
    words: Words,
    directory: PathBuf,
    /// Whether it was opened to build, with the memory for that.
    is_building: bool,
    /// Whether there is something to commit.
    is_dirty: bool,
}

/// One batch.
pub(super) struct Step {
    pub(super) documents: usize,
    pub(super) is_last: bool,
}

impl EngineWriter {
    pub(super) fn open(index: tantivy::Index, directory: &Path, coverage: Coverage) -> tantivy::Result<Self> {
        let is_building = coverage.built_to.is_some();
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(REWRITERS)
            .memory_budget_per_thread(if is_building { BUILDING_BYTES } else { FOLLOWING_BYTES })
            .build();
        let engine = index.writer_with_options(options)?;
        // Merges run here after a commit, one at a time: nothing runs in the background during a
        // purge or an exit.
        engine.set_merge_policy(Box::new(NoMergePolicy));
        let fields = Fields::schema().1;
        let directory = directory.to_owned();
        sweep(&index, &directory)?;
        let words = Words::with_memory();
        Ok(Self { coverage, engine, index, fields, words, directory, is_building, is_dirty: false })
    }

    /// Whether the files it will read when it merges still have their length: see
    /// [`Seal::is_whole`].
    pub(super) fn is_whole(&self) -> bool {
        let Ok(metas) = self.index.load_metas() else { return false };
        let files = metas.list_segment_files();
        Seal::read(&self.directory)
            .is_some_and(|seal| files.iter().all(|file| seal.is_whole(&self.directory, file)))
    }

    /// Whether it has more memory than it still needs.
    pub(super) fn is_oversized(&self) -> bool {
        self.is_building && self.coverage.built_to.is_none()
    }

    /// Adds the next documents of an index that is being built.
    pub(super) fn build_after(&mut self, after: i64, source: &dyn Source) -> Result<Step, IndexError> {
        let documents = source.documents_after(after, BATCH_ROWS)?;
        for document in &documents {
            self.put(document)?;
        }
        self.coverage.built_to = documents.last().map(|last| last.id);
        self.is_dirty = true;
        Ok(Step { documents: documents.len(), is_last: false })
    }

    /// Follows the feed by one batch.
    pub(super) fn follow(&mut self, source: &dyn Source) -> Result<Step, IndexError> {
        let found = source.changes_after(self.coverage.position, BATCH_ROWS)?;
        let mut ids: Vec<i64> = found.changes.iter().map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        for &id in &ids {
            self.remove(id);
        }
        let documents = source.documents(&ids)?;
        for document in &documents {
            self.put(document)?;
        }
        // A head that moved without changing a document is not worth a commit: its tail is empty.
        self.is_dirty |= !found.changes.is_empty();
        let is_last = found.changes.len() < BATCH_ROWS;
        let reached = found.changes.last().map_or(self.coverage.position, |(position, _)| *position);
        self.coverage.position = if is_last { found.head.max(reached) } else { reached };
        Ok(Step { documents: documents.len(), is_last })
    }

    /// Makes additions and removals visible, and cleans up.
    pub(super) fn commit(&mut self) -> tantivy::Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        self.commit_only()?;
        let mut is_merged = false;
        while let Some(segments) = next(&self.index.searchable_segment_metas()?) {
            self.engine.merge(&segments).wait()?;
            is_merged = true;
        }
        if is_merged {
            self.engine.garbage_collect_files().wait()?;
        }
        Ok(())
    }

    /// Removes `ids` and rewrites every segment with deletions. If the writer dies meanwhile, the
    /// commit marks it for the next writer.
    pub(super) fn purge(&mut self, ids: &[i64]) -> tantivy::Result<()> {
        for &id in ids {
            self.remove(id);
        }
        self.coverage.is_purging = true;
        self.commit_only()?;
        let mut segments = self.index.searchable_segment_metas()?;
        segments.retain(SegmentMeta::has_deletes);
        for some in segments.chunks(REWRITERS) {
            let rewritten: Vec<_> = some.iter().map(|segment| self.engine.merge(&[segment.id()])).collect();
            let outcomes: Vec<_> = rewritten.into_iter().map(|segment| segment.wait()).collect();
            outcomes.into_iter().collect::<tantivy::Result<Vec<_>>>()?;
        }
        self.engine.garbage_collect_files().wait()?;
        sweep(&self.index, &self.directory)?;
        self.coverage.is_purging = false;
        self.commit_only()
    }

    fn commit_only(&mut self) -> tantivy::Result<()> {
        let payload = self.coverage.to_payload();
        let mut commit = self.engine.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.is_dirty = false;
        Ok(())
    }

    /// The first commit of an empty index.
    pub(super) fn begin(&mut self) -> tantivy::Result<()> {
        self.commit_only()
    }

    fn put(&mut self, document: &Document) -> tantivy::Result<()> {
        self.engine.add_document(self.fields.document(document, &mut self.words))?;
        self.coverage.highest = self.coverage.highest.max(document.id);
        Ok(())
    }

    fn remove(&mut self, id: i64) {
        if id <= self.coverage.highest {
            self.engine.delete_term(Term::from_field_i64(self.fields.id, id));
        }
    }
}

/// Removes what an interrupted writer left behind: the engine only collects files that it has
/// recorded.
pub(super) fn sweep(index: &tantivy::Index, directory: &Path) -> tantivy::Result<()> {
    let used: HashSet<PathBuf> = index.load_metas()?.list_segment_files();
    remove_written(directory, |name| OTHER_FILES.contains(&name) || used.contains(Path::new(name)))?;
    Ok(())
}

/// Removes the files that writers make, except those to be kept. Files of any other name stay.
pub(super) fn remove_written(directory: &Path, is_kept: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| is_written(name) && !is_kept(name));
        if is_ours && !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

// Which segments to merge: few enough to search them all, none so large that removing an entry
// from it takes long.

/// This many segments of about the same size are merged.
const MERGED_SEGMENTS: usize = 4;

/// Sizes within one power of this are about the same.
const SIZE_STEP: u32 = 4;

/// Segments with fewer documents count as this size: commits of single documents are merged here
/// first.
const MIN_SEGMENT: u32 = 500;

/// No merged segment is larger than this. A purge rewrites the segments it touches, at some hundred
/// thousand documents a second.
const MAX_SEGMENT: u32 = 128_000;

/// The limit grows when there would be more than about this many full segments, from three million
/// documents on: each adds four microseconds to a search for one word, and ten million documents in
/// thirty segments keep that near a tenth of a millisecond.
const MAX_FULL: u64 = 24;

/// A segment is rewritten when more than one in this many documents is deleted.
const DELETED_ONE_IN: u32 = 4;

/// The properties of a segment that matter here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Size {
    live: u32,
    deleted: u32,
}

/// The segments to merge next, smallest first; `None` when nothing needs merging.
pub(super) fn next(segments: &[SegmentMeta]) -> Option<Vec<SegmentId>> {
    let sizes: Vec<Size> = segments
        .iter()
        .map(|segment| Size { live: segment.num_docs(), deleted: segment.num_deleted_docs() })
        .collect();
    Some(choose(&sizes)?.into_iter().map(|number| segments[number].id()).collect())
}

fn choose(sizes: &[Size]) -> Option<Vec<usize>> {
    let cap = cap(sizes);
    let mut growing: Vec<usize> = (0..sizes.len()).filter(|&number| !is_full(sizes[number], cap)).collect();
    growing.sort_by_key(|&number| sizes[number].live);
    for level in growing.chunk_by(|&a, &b| level(sizes[a]) == level(sizes[b])) {
        let (taken, sum) = fitting(level, sizes, cap);
        if taken.len() > 1 && (level.len() >= MERGED_SEGMENTS || is_full(Size { live: sum, deleted: 0 }, cap))
        {
            return Some(taken.to_vec());
        }
    }
    (0..sizes.len()).find(|&number| has_many_deletions(sizes[number])).map(|number| vec![number])
}

/// The largest size of a merged segment.
fn cap(sizes: &[Size]) -> u32 {
    let all: u64 = sizes.iter().map(|size| u64::from(size.live)).sum();
    MAX_SEGMENT.max(u32::try_from(all / MAX_FULL).unwrap_or(u32::MAX))
}

/// Whether there is little room left in it.
fn is_full(size: Size, cap: u32) -> bool {
    size.live >= cap / 4 * 3
}

fn has_many_deletions(size: Size) -> bool {
    let all = size.live + size.deleted;
    all >= MIN_SEGMENT && size.deleted > all / DELETED_ONE_IN
}

fn level(size: Size) -> u32 {
    (size.live / MIN_SEGMENT).max(1).ilog(SIZE_STEP)
}

/// As many of `level` from its beginning as fit together, and their total.
fn fitting<'a>(level: &'a [usize], sizes: &[Size], cap: u32) -> (&'a [usize], u32) {
    let mut sum = 0;
    for (count, &number) in level.iter().enumerate() {
        if sum + sizes[number].live > cap {
            return (&level[..count], sum);
        }
        sum += sizes[number].live;
    }
    (level, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds segments of these sizes one after the other and merges as `next` says. Returns the
    /// final sizes and how much was written.
    fn grown(added: impl Iterator<Item = u32>) -> (Vec<u32>, u64) {
        let (mut sizes, mut written): (Vec<Size>, u64) = (Vec::new(), 0);
        for live in added {
            sizes.push(Size { live, deleted: 0 });
            written += u64::from(live);
            while let Some(chosen) = choose(&sizes) {
                let sum = chosen.iter().map(|&number| sizes[number].live).sum();
                written += u64::from(sum);
                let mut number = 0;
                sizes.retain(|_| (!chosen.contains(&number), number += 1).0);
                sizes.push(Size { live: sum, deleted: 0 });
            }
        }
        (sizes.iter().map(|size| size.live).collect(), written)
    }

    #[test]
    fn single_documents_do_not_pile_up() {
        let mut most = 0;
        for count in [1, 10, 100, 1_000, 10_000, 100_000] {
            most = most.max(grown(std::iter::repeat_n(1, count)).0.len());
        }
        assert!(most <= 16, "{most} segments");
    }

    #[test]
    fn a_large_index_has_segments_of_one_size() {
        let (sizes, written) = grown(std::iter::repeat_n(50_000, 20));
        assert_eq!(sizes, [100_000; 10]);
        assert_eq!(written, 2_000_000);
        let (sizes, written) = grown(std::iter::repeat_n(50_000, 200));
        assert!(sizes.len() <= 40 && sizes.iter().all(|&live| live <= 420_000), "{sizes:?}");
        assert!(written < 4 * 10_000_000, "each document is written a few times: {written}");
    }

    #[test]
    fn what_is_deleted_is_left_behind() {
        let sound = Size { live: 90_000, deleted: 20_000 };
        let worn = Size { live: 80_000, deleted: 40_000 };
        assert_eq!(choose(&[sound, worn]), Some(vec![1]));
        assert_eq!(choose(&[sound]), None);
        assert_eq!(choose(&[Size { live: 3, deleted: 3 }]), None, "too small to matter");
    }
}
