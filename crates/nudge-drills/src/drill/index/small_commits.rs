//! Very many small commits and deletions in one index: its files do not pile up.
//!
//! One entry and one commit at a time; every second commit removes an older entry, every tenth
//! changes one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use nudge_index::{Budget, Document, Index, IndexWriter, State};

use super::corpus;
use crate::stage::Rows;
use crate::stage::Violations;

/// The documented limit: the directory is never larger than this many times its text.
const MAX_MULTIPLE: f64 = 4.0;

/// More segments than this would slow a search noticeably.
const MAX_SEGMENTS: usize = 24;

/// The size is checked once there is this much text; with less, the few fixed files dominate.
const FROM_BYTES: usize = 100_000;

/// The number of commits between two checks.
const CHECK_EVERY: usize = 25;

/// Makes this many commits in a new directory and checks how large the index became.
pub(super) fn stay_small(
    directory: &Path,
    commits: usize,
    violations: &mut Violations,
) -> anyhow::Result<String> {
    std::fs::create_dir(directory)?;
    let mut writer = IndexWriter::acquire(directory)?.context("another process writes this index")?;
    let (index, mut rows, mut sizes) = (Index::open(directory), Rows::default(), BTreeMap::new());
    let (mut multiple, mut segments, mut files, began) = (0.0_f64, 0, 0, Instant::now());
    for number in 0..commits {
        let mut put = |document: Document| {
            sizes.insert(document.id, document.title.len() + document.body.len());
            rows.put(document);
        };
        put(entry(number));
        if number % 10 == 9 {
            put(Document { body: corpus::text(number + 1), ..entry(number - 1) });
        }
        if number % 2 == 1 {
            rows.remove((number / 2) as i64);
            sizes.remove(&((number / 2) as i64));
        }
        writer.catch_up(&rows, Budget::ALL)?;
        let is_last = number + 1 == commits;
        if number % CHECK_EVERY == 0 || is_last {
            segments = segments.max(index.status().segments);
            let (count, bytes) = size(directory)?;
            files = files.max(count);
            let text: usize = sizes.values().sum();
            if text >= FROM_BYTES || is_last {
                multiple = multiple.max(bytes as f64 / text as f64);
            }
        }
    }
    let each = began.elapsed().as_secs_f64() * 1e3 / commits.max(1) as f64;
    let status = index.status();
    let is_whole = matches!(status.state, State::Ready) && status.documents == sizes.len() as u64;
    violations.unless(is_whole, format!("after {commits} commits with {} entries: {status:?}", sizes.len()));
    violations.unless(multiple <= MAX_MULTIPLE, format!("the index grew to {multiple:.2} times its text"));
    violations.unless(segments <= MAX_SEGMENTS, format!("{segments} segments"));
    Ok(format!(
        "{commits} commits: at most {multiple:.2} times the text, {segments} segments, {files} files; {each:.1} ms each"
    ))
}

/// An entry of ordinary length: a hundred words.
fn entry(number: usize) -> Document {
    let lines: Vec<String> = (0..16).map(|line| corpus::text(number * 16 + line)).collect();
    let (id, title) = (number as i64, corpus::text(number));
    Document { id, at: id, title, body: lines.join("\n"), ..Document::default() }
}

/// The number of files in a directory, and their bytes.
fn size(directory: &Path) -> anyhow::Result<(usize, u64)> {
    let (mut count, mut bytes) = (0, 0);
    for file in std::fs::read_dir(directory)? {
        count += 1;
        bytes += file?.metadata()?.len();
    }
    Ok((count, bytes))
}
