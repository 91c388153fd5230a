//! A small store in memory with an index beside it: most of it in the index, the rest its tail.

use std::path::Path;

use nudge_index::{Budget, Document, Index, IndexWriter};
use tempfile::TempDir;

use super::damage::Dice;
use crate::stage::Rows;

/// What is written in it, and asked for.
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

/// The files it speaks of.
pub(super) const FILES: &[&str] =
    &["src/store/feed.rs", "feed.rs", "/home/me/Proj/src/a.rs", "a.rs", "src", "", "/", "文/件.md"];

/// How many entries it has, and how many of them the index has seen.
const ENTRIES: i64 = 60;
const INDEXED: i64 = 48;

/// The store, its index, and a place without one.
pub(super) struct Library {
    pub(super) rows: Rows,
    pub(super) index: Index,
    pub(super) nowhere: Index,
    _directory: TempDir,
}

impl Library {
    /// Writes the index into a directory of its own. Always the same entries.
    pub(super) fn open() -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new().prefix("nudge-fuzz-").tempdir()?;
        let (index, nowhere) = (Index::open(directory.path()), Index::open(Path::new("/dev/null/index")));
        let (mut rows, mut dice) = (Rows::default(), Dice::new(5));
        (1..=INDEXED).for_each(|id| rows.put(entry(id, &mut dice)));
        let keeper = IndexWriter::acquire(directory.path())?;
        let mut keeper = keeper.ok_or_else(|| anyhow::anyhow!("a fresh directory has no writer"))?;
        keeper.catch_up(&rows, Budget::ALL)?;
        (INDEXED + 1..=ENTRIES).for_each(|id| rows.put(entry(id, &mut dice)));
        (3..INDEXED).step_by(17).for_each(|id| rows.put(entry(id, &mut dice)));
        (5..ENTRIES).step_by(23).for_each(|id| rows.remove(id));
        Ok(Self { rows, index, nowhere, _directory: directory })
    }
}

fn entry(id: i64, dice: &mut Dice) -> Document {
    let mut text = |most: usize| {
        let words: Vec<&str> = (0..=dice.below(most)).map(|_| WORDS[dice.below(WORDS.len())]).collect();
        words.join([" ", ", ", "/", ""][dice.below(4)])
    };
    let (title, body) = (text(3), text(9));
    let files = (0..dice.below(3)).map(|_| FILES[dice.below(FILES.len())].to_owned()).collect();
    Document {
        id,
        scheme: ["obs", "prompt", "known"][dice.below(3)].to_owned(),
        kind: dice.below(20) as u8,
        project: dice.below(5) as i64,
        session: dice.below(10) as i64,
        at: id * 1_000,
        title,
        body,
        files,
    }
}
