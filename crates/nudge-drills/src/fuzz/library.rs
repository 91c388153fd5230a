//! A small in-memory store with an index: most entries are in the index, the rest are its tail.

use std::path::Path;

use nudge_index::{Budget, Document, Index, IndexWriter};
use tempfile::TempDir;

use super::damage::Random;
use crate::stage::Rows;

/// The words of its texts and of the queries.
pub(super) const WORDS: &[&str] = &[
    "cache",
    "caches",
    "store",
    "the",
    "of",
    "not",
    "OPS-1234",
    "getUserName",
    "get_user_name",
    "src/store/feed.rs",
    "c++",
    "C#",
    ".NET",
    "asp.net",
    "foo::bar",
    "naïve",
    "Größe",
    "ελληνικός",
    "数据库",
    "索引",
    "データベース",
    "결과를",
    "ข้อความ",
    "🚀",
    "👍🏽",
    "d95c669c29a0",
    "x",
    "1",
    "2026-11-15",
    "don't",
    "http://127.0.0.1:8080/a?b=c",
    "HTTPServer2",
    "and",
    "or",
    "evict",
    "eviction",
    "evicting",
    "running",
    "run",
];

/// The files that its entries name.
pub(super) const FILES: &[&str] =
    &["src/store/feed.rs", "feed.rs", "/home/me/Proj/src/a.rs", "a.rs", "src", "", "/", "文/件.md"];

/// The number of entries, and how many of them are in the index.
const ENTRIES: i64 = 60;
const INDEXED: i64 = 48;

/// The store, its index, and a directory without one.
pub(super) struct Library {
    pub(super) rows: Rows,
    pub(super) index: Index,
    pub(super) nowhere: Index,
    _directory: TempDir,
}

impl Library {
    /// Writes the index into a new directory. Always the same entries.
    pub(super) fn open() -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new().prefix("nudge-fuzz-").tempdir()?;
        let (index, nowhere) = (Index::open(directory.path()), Index::open(Path::new("/dev/null/index")));
        let (mut rows, mut random) = (Rows::default(), Random::new(5));
        (1..=INDEXED).for_each(|id| rows.put(entry(id, &mut random)));
        let writer = IndexWriter::acquire(directory.path())?;
        let mut writer = writer.ok_or_else(|| anyhow::anyhow!("a fresh directory has no writer"))?;
        writer.catch_up(&rows, Budget::ALL)?;
        (INDEXED + 1..=ENTRIES).for_each(|id| rows.put(entry(id, &mut random)));
        (3..INDEXED).step_by(17).for_each(|id| rows.put(entry(id, &mut random)));
        (5..ENTRIES).step_by(23).for_each(|id| rows.remove(id));
        Ok(Self { rows, index, nowhere, _directory: directory })
    }
}

fn entry(id: i64, random: &mut Random) -> Document {
    let mut text = |most: usize| {
        let words: Vec<&str> = (0..=random.below(most)).map(|_| WORDS[random.below(WORDS.len())]).collect();
        words.join([" ", ", ", "/", ""][random.below(4)])
    };
    let (title, body) = (text(3), text(9));
    let files = (0..random.below(3)).map(|_| FILES[random.below(FILES.len())].to_owned()).collect();
    Document {
        id,
        scheme: ["obs", "prompt", "known"][random.below(3)].to_owned(),
        kind: random.below(20) as u8,
        project: random.below(5) as i64,
        session: random.below(10) as i64,
        at: id * 1_000,
        title,
        body,
        files,
    }
}
