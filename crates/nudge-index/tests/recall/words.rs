//! What people type is found.

use nudge_index::{Budget, Filters, Index, IndexWriter, Query};

use super::memory::{Memory, scanned};

/// Which of `texts` (from 1 on) `query` finds: by the index, and the same by a scan.
fn found(texts: &[&str], query: &str) -> Vec<i64> {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::of(texts);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("nobody else writes");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    let query = Query::parse(query).expect("a well-formed query");
    let filters = Filters::default();
    let ids = Index::open(home.path()).matching(&memory, &query, &filters).expect("searches");
    assert_eq!(ids, scanned(&memory, &query, &filters), "scan and index agree");
    ids
}

/// @recall_words_found Names in code and tickets are found whole and by their parts, whatever joins
/// the parts.
#[test]
fn names_are_found_whole_and_by_parts() {
    let texts = [
        "fix OPS-1234 now",
        "getUserName() fails",
        "the get_user_name helper",
        "user name to get",
        "ops 99, then 1234",
    ];
    assert_eq!(found(&texts, "OPS-1234"), [1]);
    assert_eq!(found(&texts, "ops1234"), [1]);
    assert_eq!(found(&texts, "1234"), [1, 5]);
    assert_eq!(found(&texts, "getUserName"), [2, 3]);
    assert_eq!(found(&texts, "getusername"), [2, 3]);
    assert_eq!(found(&texts, "\"user name\""), [2, 3, 4]);
    assert_eq!(found(&texts, "username"), [1_i64; 0]);
}

/// @recall_words_found Paths and qualified names are found whole, by their ends and by a segment.
#[test]
fn paths_are_found() {
    let texts = [
        "edited src/store/feed.rs",
        "see nudge_core::hint::Hint",
        "src and feed and rs",
        "src/store/feed.rs.bak",
    ];
    assert_eq!(found(&texts, "src/store/feed.rs"), [1, 4]);
    assert_eq!(found(&texts, "store/feed.rs OR zzz"), [1, 4]);
    assert_eq!(found(&texts, "feed"), [1, 3, 4]);
    assert_eq!(found(&texts, "hint::Hint"), [2]);
    assert_eq!(found(&texts, "nudge_core::hint"), [2]);
}

/// @recall_words_found Signs attached to a name count if they are typed, and not if they are not.
#[test]
fn signs_are_found() {
    let texts = [
        "port it to C++",
        "the C compiler",
        "a C# service on ASP.NET",
        "the .NET runtime",
        "net of F#",
        "g++ -O2 a.c",
    ];
    assert_eq!(found(&texts, "c++"), [1]);
    assert_eq!(found(&texts, "C#"), [3]);
    assert_eq!(found(&texts, "f#"), [5]);
    assert_eq!(found(&texts, "g++"), [6]);
    assert_eq!(found(&texts, ".net"), [3, 4]);
    assert_eq!(found(&texts, "\"to c++\" OR c#"), [1, 3]);
    assert_eq!(found(&texts, "c"), [1, 2, 3, 6]);
    assert_eq!(found(&texts, "net"), [3, 4, 5]);
    assert_eq!(found(&texts, "asp.net"), [3]);
    assert_eq!(found(&texts, "c++*"), [1]);
}

/// @recall_words_found Case, accents and English endings do not matter; other scripts and symbols
/// are found.
#[test]
fn scripts_and_spellings_are_found() {
    let texts = [
        "Café crème brûlée",
        "cafe tables",
        "我们使用数据库索引",
        "データベースの索引",
        "ship it 🚀",
        "Ελληνικός",
        "ตัวอย่างข้อความ",
        "결과를 저장했다",
    ];
    assert_eq!(found(&texts, "café"), [1, 2]);
    assert_eq!(found(&texts, "CAFE table"), [2]);
    assert_eq!(found(&texts, "数据库"), [3]);
    assert_eq!(found(&texts, "索引"), [3, 4]);
    assert_eq!(found(&texts, "库"), [3]);
    assert_eq!(found(&texts, "データ"), [4]);
    assert_eq!(found(&texts, "🚀"), [5]);
    assert_eq!(found(&texts, "ελληνικοσ"), [6]);
    assert_eq!(found(&texts, "ข้อความ"), [7]);
    assert_eq!(found(&texts, "결과"), [8]);
}

/// @recall_words_found A few plain words are all required; if no entry has them all, entries with
/// some are found; a sentence finds what shares its distinctive words.
#[test]
fn plain_words_find_what_is_meant() {
    let texts = ["cache eviction fails", "cache warmup", "eviction notice", "unrelated"];
    assert_eq!(found(&texts, "cache eviction"), [1]);
    assert_eq!(found(&texts, "warmup notice"), [2, 3]);
    assert_eq!(found(&texts, "why does the eviction of that thing fail"), [1, 3]);
}

/// @recall_did_you_mean A word that no entry has is answered with the closest that one has, among
/// what may be found; indexed or not.
#[test]
fn the_nearest_word_is_named() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::of(&["the deadline has elapsed", "rooter"]);
    let meant = |text: &str, filters: &Filters| {
        let query = Query::parse(text).expect("a well-formed query");
        let near = Index::open(home.path()).nearest(&memory, &query, filters).expect("searches");
        near.into_iter().map(|near| format!("{} {}", near.typed, near.meant)).collect::<Vec<_>>()
    };
    let everything = Filters::default();
    assert_eq!(meant("deadlnie router", &everything), ["deadlnie deadline", "router rooter"]);
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("nobody else writes");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    assert_eq!(meant("deadlnie router", &everything), ["deadlnie deadline", "router rooter"]);
    assert_eq!(meant("deadline", &everything), [""; 0]);
    assert_eq!(meant("sleep", &everything), [""; 0]);
    let elsewhere = Filters { other_than: vec![0], ..Filters::default() };
    assert_eq!(meant("deadlnie", &elsewhere), [""; 0]);
}
