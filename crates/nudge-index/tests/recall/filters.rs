//! Conditions in addition to the text.

use nudge_index::{Budget, Document, Filters, Index, IndexWriter, Query};

use super::memory::{Memory, scanned};

/// @recall_filters Project, kind, scheme, session, file and time restrict what is found, in the
/// index as in a scan.
#[test]
fn filters_restrict() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    for id in 1..=400 {
        memory.put(Document {
            id,
            scheme: if id % 5 == 0 { "known".into() } else { "observation".into() },
            kind: (id % 7) as u8,
            project: if id % 50 == 0 { 9 } else { id % 2 },
            session: id / 10,
            at: id * 1000,
            title: "common".into(),
            body: format!("word{}", id % 3),
            files: vec![format!("/home/me/src/mod{}/Lib.rs", id % 4), format!("docs/{}.md", id % 6)],
        });
    }
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    let index = Index::open(home.path());
    let query = Query::parse("common").expect("well-formed");
    let none = Filters::default;
    let cases = [
        (none(), 400),
        (Filters { projects: vec![1], ..none() }, 200),
        (Filters { projects: vec![9], ..none() }, 8),
        (Filters { projects: vec![1, 9], ..none() }, 208),
        (Filters { projects: vec![77], ..none() }, 0),
        (Filters { kinds: vec![0, 3], ..none() }, 114),
        (Filters { scheme: Some("known".into()), ..none() }, 80),
        (Filters { session: Some(3), ..none() }, 10),
        (Filters { file: Some("lib.rs".into()), ..none() }, 400),
        (Filters { file: Some("mod2/Lib.rs".into()), ..none() }, 100),
        (Filters { file: Some("od2/Lib.rs".into()), ..none() }, 0),
        (Filters { file: Some("docs/5.md".into()), ..none() }, 66),
        (Filters { since: Some(100_000), until: Some(110_000), ..none() }, 10),
        (Filters { projects: vec![0], kinds: vec![1], since: Some(200_000), ..none() }, 14),
    ];
    for (filters, count) in cases {
        let found = index.matching(&memory, &query, &filters).expect("searches");
        assert_eq!(found, scanned(&memory, &query, &filters), "{filters:?}");
        assert_eq!(found.len(), count, "{filters:?}");
        assert_eq!(index.count(&memory, &query, &filters, usize::MAX).expect("counts"), count);
        assert_eq!(index.count(&memory, &query, &filters, 7).expect("counts"), count.min(7));
    }
}
