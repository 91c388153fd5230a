//! The engine's writer: documents in and out, commits, merges.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergePolicy, NoMergePolicy};
use tantivy::{IndexWriter, Term};

use super::BATCH;
use crate::IndexError;
use crate::document::{Document, Source};
use crate::engine::shelf::{META, Seal};
use crate::engine::{Coverage, Fields};

/// Memory for documents not yet written while following the feed: the engine's least. More would make each of the
/// many small commits slower, which begins by laying out its tables.
const FOLLOWING_BYTES: usize = 15_000_000;
/// The same while building: fewer, larger segments, and less merging.
const BUILDING_BYTES: usize = 50_000_000;

/// Segments of about one size that are merged into one. With [`LEVEL`] a million documents lie in some ten segments
/// and each is rewritten about ten times in its life.
const SEGMENTS: usize = 4;
/// Segments whose sizes differ by less than two to this are of about one size.
const LEVEL: f64 = 2.0;
/// Segments with fewer documents count as of this size.
const SMALLEST: u32 = 500;
/// The share of deleted documents that makes a segment be rewritten.
const DELETED: f32 = 0.25;

/// Files that are no segment's.
const KEPT: [&str; 4] = [META, Seal::FILE, ".managed.json", super::LOCK];

/// An index while it is written.
pub(super) struct Writer {
    pub(super) coverage: Coverage,
    engine: IndexWriter,
    index: tantivy::Index,
    fields: Fields,
    directory: PathBuf,
    policy: LogMergePolicy,
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

impl Writer {
    pub(super) fn open(index: tantivy::Index, directory: &Path, coverage: Coverage) -> tantivy::Result<Self> {
        let is_building = coverage.built_to.is_some();
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(if is_building { BUILDING_BYTES } else { FOLLOWING_BYTES })
            .build();
        let engine = index.writer_with_options(options)?;
        // Merges are done here after a commit, one at a time: nothing goes on behind the back of a purge or of an exit.
        engine.set_merge_policy(Box::new(NoMergePolicy));
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(SEGMENTS);
        policy.set_level_log_size(LEVEL);
        policy.set_min_layer_size(SMALLEST);
        policy.set_del_docs_ratio_before_merge(DELETED);
        let fields = Fields::schema().1;
        let directory = directory.to_owned();
        let writer =
            Self { coverage, engine, index, fields, directory, policy, is_building, is_dirty: false };
        writer.sweep()?;
        Ok(writer)
    }

    /// Whether it has more memory than it still needs.
    pub(super) fn is_oversized(&self) -> bool {
        self.is_building && self.coverage.built_to.is_none()
    }

    /// Puts in the next documents of an index that is being built.
    pub(super) fn build_after(&mut self, after: i64, source: &dyn Source) -> Result<Step, IndexError> {
        let documents = source.documents_after(after, BATCH)?;
        for document in &documents {
            self.put(document)?;
        }
        self.coverage.built_to = documents.last().map(|last| last.id);
        self.is_dirty = true;
        Ok(Step { documents: documents.len(), is_last: false })
    }

    /// Follows the feed by a batch.
    pub(super) fn follow(&mut self, source: &dyn Source) -> Result<Step, IndexError> {
        let found = source.changes_after(self.coverage.position, BATCH)?;
        let mut ids: Vec<i64> = found.changes.iter().map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        for &id in &ids {
            self.take_out(id);
        }
        let documents = source.documents(&ids)?;
        for document in &documents {
            self.put(document)?;
        }
        // A head that moved on by changes of no document is not worth a commit: the tail it makes is empty.
        self.is_dirty |= !found.changes.is_empty();
        let is_last = found.changes.len() < BATCH;
        let reached = found.changes.last().map_or(self.coverage.position, |(position, _)| *position);
        self.coverage.position = if is_last { found.head.max(reached) } else { reached };
        Ok(Step { documents: documents.len(), is_last })
    }

    /// Makes what was put in and out visible, and tidies up.
    pub(super) fn commit(&mut self) -> tantivy::Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        self.commit_only()?;
        let mut merged = false;
        loop {
            let segments = self.index.searchable_segment_metas()?;
            let candidates = self.policy.compute_merge_candidates(&segments);
            if candidates.is_empty() {
                break;
            }
            for candidate in candidates {
                self.engine.merge(&candidate.0).wait()?;
                merged = true;
            }
        }
        if merged {
            self.engine.garbage_collect_files().wait()?;
        }
        Ok(())
    }

    /// Takes `ids` out and rewrites every segment that has anything deleted.
    pub(super) fn purge(&mut self, ids: &[i64]) -> tantivy::Result<()> {
        for &id in ids {
            self.take_out(id);
        }
        self.commit_only()?;
        for segment in self.index.searchable_segment_metas()? {
            if segment.has_deletes() {
                self.engine.merge(&[segment.id()]).wait()?;
            }
        }
        self.engine.garbage_collect_files().wait()?;
        self.sweep()?;
        Ok(())
    }

    fn commit_only(&mut self) -> tantivy::Result<()> {
        let payload = self.coverage.to_payload();
        let mut commit = self.engine.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.is_dirty = false;
        Ok(())
    }

    /// The first commit of an index with nothing in it.
    pub(super) fn begin(&mut self) -> tantivy::Result<()> {
        self.commit_only()
    }

    fn put(&mut self, document: &Document) -> tantivy::Result<()> {
        self.engine.add_document(self.fields.document(document))?;
        self.coverage.highest = self.coverage.highest.max(document.id);
        Ok(())
    }

    fn take_out(&mut self, id: i64) {
        if id <= self.coverage.highest {
            self.engine.delete_term(Term::from_field_i64(self.fields.id, id));
        }
    }

    /// Removes what an interrupted writer left behind: the engine only collects what it has written down.
    fn sweep(&self) -> tantivy::Result<()> {
        let metas = self.index.load_metas()?;
        let used: HashSet<PathBuf> = metas.list_segment_files();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = PathBuf::from(entry.file_name());
            let is_known = KEPT.iter().any(|kept| name.as_os_str() == *kept);
            if !is_known && !used.contains(&name) && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}
