//! Queries of every kind against a small store: the index and a scan find the same entries, and
//! nothing fails.

use std::path::Path;

use nudge_index::{Budget, Document, Filters, Hit, Index, IndexWriter, Order, Page, Query, Reading, State};
use tempfile::TempDir;

use super::damage::{self, NASTY_TEXTS, Random};
use crate::stage::Rows;

/// The parts of queries, in addition to words and texts that are hard to parse.
const SIGNS: &[&str] = &[
    " AND ", " OR ", " NOT ", "\"", "\"", "(", ")", "*", " ", " ", " ", "-", "_", ".", "::", "/", "++", "#",
    "'", "\\", "\t", "\n", ":", "^", "~", "+", "?", "&&", "||", "[", "]", "{", "}", "<", ">", "=", "NOT",
    "AND", "OR", "NEAR(",
];

/// A time close to those of the library, so that time filters have an effect.
const NOW: i64 = 60_000;

/// Makes the query with this number.
pub(super) fn query(number: u64) -> String {
    let mut random = Random::new(number);
    let mut text = String::new();
    for _ in 0..=random.below(12) {
        match random.below(8) {
            0..3 => text.push_str(WORDS[random.below(WORDS.len())]),
            3 => text.push(letter(&mut random)),
            4 => text.push_str(NASTY_TEXTS[random.below(NASTY_TEXTS.len())]),
            _ => text.push_str(SIGNS[random.below(SIGNS.len())]),
        }
        if random.below(3) == 0 {
            text.push(' ');
        }
    }
    match random.below(8) {
        0 => damage::damaged(&text, WORDS[random.below(WORDS.len())], &mut random),
        1 => text.repeat(1 + random.below(60)),
        _ => text,
    }
}

/// Any character at all.
fn letter(random: &mut Random) -> char {
    char::from_u32(random.below(0x11_0000) as u32).unwrap_or('\u{fffd}')
}

/// Asks `text` both ways, as a query and as a prompt. Panics if something is wrong.
pub(super) fn ask(library: &Library, text: &str, number: u64) {
    let mut random = Random::new(!number);
    match Query::parse(text) {
        Ok(query) => agree(library, &query, &mut random),
        Err(error) => {
            assert!(!error.message.is_empty(), "an error says what is wrong");
            assert!(error.at <= text.chars().count(), "an error lies within the query");
        }
    }
    if let Some(query) = Query::of_prompt(text) {
        agree(library, &query, &mut random);
    }
}

/// Index and scan find the same entries, and each page is the matching part of them.
fn agree(library: &Library, query: &Query, random: &mut Random) {
    let filters = filters(random);
    let found = matching(&library.index, library, query, &filters);
    assert_eq!(found, matching(&library.nowhere, library, query, &filters), "index and scan");
    let page = Page { limit: random.below(30), offset: random.below(10) };
    let order = if random.below(2) == 0 { Order::Relevance } else { Order::Blended };
    for index in [&library.index, &library.nowhere] {
        let hits =
            index.search(&library.rows, query, &filters, order, page, NOW).expect("the store does not fail");
        let wanted = if std::ptr::eq(index, &library.index) { State::Ready } else { State::Missing };
        assert_eq!(hits.state, wanted, "the index is used");
        let shows_rest = query.reading() == Reading::Keywords && !hits.is_relaxed;
        let (first, rest): (Vec<Hit>, Vec<Hit>) =
            hits.hits.iter().cloned().partition(|hit| !shows_rest || hit.has_all);
        assert_eq!([&first[..], &rest[..]].concat(), hits.hits, "what has all the words comes first");
        assert!(rest.iter().all(|hit| found.binary_search(&hit.id).is_err()), "the rest has some");
        // For a long sentence only the rarest words are searched.
        let total = hits.total.filter(|_| !shows_rest && !query.is_narrowed());
        assert!(total.is_none_or(|total| total == found.len()), "the total");
        let full = found.len().saturating_sub(page.offset).min(page.limit);
        assert!(first.len() == full || first.len() < full && query.is_narrowed(), "the page is full");
        are_ranked(&first, &found);
        assert!(rest.windows(2).all(|pair| pair[0].score >= pair[1].score), "the best of the rest first");
    }
    let at_most = 1 + random.below(200);
    let count =
        library.index.count(&library.rows, query, &filters, at_most).expect("the store does not fail");
    assert_eq!(count.min(at_most), found.len().min(at_most), "counting");
}

fn are_ranked(hits: &[Hit], found: &[i64]) {
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "the best first");
    for (number, hit) in hits.iter().enumerate() {
        assert!(found.binary_search(&hit.id).is_ok(), "a hit matches");
        assert!(hits[..number].iter().all(|before| before.id != hit.id), "each once");
        assert!(hit.score.is_finite() && (0.0..=1.001).contains(&hit.covered), "scores are numbers");
    }
}

fn matching(index: &Index, library: &Library, query: &Query, filters: &Filters) -> Vec<i64> {
    index.matching(&library.rows, query, filters).expect("the store does not fail")
}

/// Mostly no filters, and sometimes one of each.
fn filters(random: &mut Random) -> Filters {
    let mut filters = Filters::default();
    match random.below(12) {
        0 => filters.projects = vec![random.below(5) as i64, random.below(5) as i64],
        1 => filters.other_than = vec![random.below(5) as i64],
        2 => filters.kinds = vec![random.below(20) as u8],
        3 => filters.session = Some(random.below(10) as i64),
        4 => filters.scheme = Some("obs".to_owned()),
        5 => filters.file = Some(FILES[random.below(FILES.len())].to_owned()),
        6 => filters.since = Some(random.below(NOW as usize) as i64),
        7 => filters.until = Some(random.below(NOW as usize) as i64),
        _ => {}
    }
    filters
}

// A small in-memory store with an index: most entries are in the index, the rest are its tail.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_many_kinds_and_can_be_made_again() {
        assert_eq!(query(7), query(7));
        let (good, bad): (Vec<_>, Vec<_>) = (0..400).map(query).partition(|text| Query::parse(text).is_ok());
        assert!(good.len() > 50 && bad.len() > 50, "{} and {}", good.len(), bad.len());
    }

    #[test]
    fn most_queries_find_something() {
        let library = Library::open().expect("a library");
        let finds = |number: &u64| {
            let query = Query::parse(&query(*number));
            query.is_ok_and(|query| {
                !matching(&library.index, &library, &query, &Filters::default()).is_empty()
            })
        };
        assert!((0..200).filter(finds).count() > 40);
        (0..200).for_each(|number| ask(&library, &query(number), number));
    }
}
