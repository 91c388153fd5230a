//! The query language.

use std::path::Path;

use nudge_index::{Budget, Filters, Hit, Index, IndexWriter, Order, Page, Query, Reading};
use proptest::prelude::*;

use super::memory::{Memory, note, scanned};

/// @recall_query_language Operators, phrases, prefixes and parentheses select what they say.
#[test]
fn operators_select() {
    let memory = Memory::of(&["red green", "red blue", "green red", "blue", "reddish greenery"]);
    let find = |text: &str| scanned(&memory, &Query::parse(text).expect("well-formed"), &Filters::default());
    assert_eq!(find("red AND green"), [1, 3]);
    assert_eq!(find("red OR blue"), [1, 2, 3, 4]);
    assert_eq!(find("red NOT blue"), [1, 3]);
    assert_eq!(find("\"red green\""), [1]);
    assert_eq!(find("redd*"), [5]);
    assert_eq!(find("\"reddish gree\"*"), [5]);
    assert_eq!(find("(green OR blue) AND NOT red"), [4]);
    assert_eq!(find("red AND (green OR blue) NOT \"green red\""), [1, 2]);
}

/// @recall_query_language A malformed query is an error that says what is wrong and where.
#[test]
fn errors_say_where() {
    let error = |text: &str| Query::parse(text).expect_err("malformed").to_string();
    assert_eq!(error("fix \"the cache"), "unclosed quote at character 5");
    assert_eq!(error("a AND (b OR c"), "unclosed parenthesis at character 7");
    assert_eq!(error("a OR"), "OR without a word after it at character 3");
    assert_eq!(error("  "), "there is no word to look for at character 1");
}

/// @recall_query_language Code can be searched as typed: a parenthesis that closes nothing but a
/// word is a space.
#[test]
fn code_can_be_typed() {
    let memory = Memory::of(&["int main(void x)", "println!(\"x\")", "NEAR(a b)", "y"]);
    let find = |text: &str| scanned(&memory, &Query::parse(text).expect("readable"), &Filters::default());
    assert_eq!(find("main(void x)"), [1]);
    assert_eq!(find("println!(\"x\")"), [2]);
    assert_eq!(find("NEAR(a b)"), [3]);
    assert_eq!(find("(main(void x) OR b) NOT y)"), [1, 3]);
    let error = Query::parse("println!(\"x)").expect_err("malformed").to_string();
    assert_eq!(error, "unclosed quote at character 10");
}

/// @recall_free_text More than four distinctive words in a row are a sentence: no quotation mark,
/// bracket or star in it is a condition, and it is never rejected, however long.
#[test]
fn a_sentence_is_never_refused() {
    let memory = Memory::of(&["router: drop the deadline", "cache", "wait a minute"]);
    let find = |text: &str| scanned(&memory, &Query::parse(text).expect("readable"), &Filters::default());
    assert_eq!(find("why does running \"nudge enable\" make our router forget its deadline"), [1]);
    assert_eq!(find("why is the \"router so slow (and broken for the deadline* of all"), [1]);
    assert_eq!(find(&format!("router {}", "{\"key\": \"value\"} ".repeat(2_000))), [1]);
    assert_eq!(find("please check whether the cache works and do NOT forget the router"), [1, 2]);
    assert_eq!(find(&(0..80).map(|n| format!("\"word{n}\" ")).collect::<String>()), [0; 0]);
    assert_eq!(find("cache \""), [2]);
    assert_eq!(find("\"wait a minute\""), [3]);
    assert_eq!(find("router AND (deadline OR cache) NOT wait"), [1]);
}

/// @recall_free_text Of a long text, the rarest words that any entry has are searched for.
#[test]
fn a_long_text_is_its_rarest_words() {
    let mut texts: Vec<String> = vec!["the usual things".to_owned(); 60];
    texts.push("needle".to_owned());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let memory = Memory::of(&texts);
    let long: String = (0..60).map(|number| format!("unheardof{number} ")).collect();
    let query = Query::parse(&format!("usual things {long} needle")).expect("readable");
    let index = Index::open(Path::new("/nonexistent/index"));
    let found = index
        .search(&memory, &query, &Filters::default(), Order::Relevance, Page::default(), 0)
        .expect("searches");
    assert_eq!(found.hits[0].id, 61);
}

/// @recall_query_language A term repeated three hundred times counts once, and a query has at most
/// 64 terms.
#[test]
fn a_query_is_bounded() {
    let once = Query::parse("\"red green\" OR blue").expect("well-formed");
    let often = format!("{} OR blue", ["\"Red green\""; 300].join(" OR "));
    let often = Query::parse(&often).expect("well-formed");
    let memory = Memory::of(&["red green", "red blue", "green red"]);
    let search = |query: &Query| {
        let index = Index::open(Path::new("/nonexistent/index"));
        index
            .search(&memory, query, &Filters::default(), Order::Relevance, Page::default(), 0)
            .expect("searches")
    };
    let scores = |query: &Query| search(query).hits.iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>();
    assert_eq!(scores(&often), scores(&once));
    let many: Vec<String> = (0..65).map(|number| format!("\"word {number}\"")).collect();
    let error = Query::parse(&many.join(" OR ")).expect_err("too many").to_string();
    assert!(error.starts_with("more than 64 different terms, the next of them at character"), "{error}");
    let words: String = (0..300).map(|number| format!("word{number} ")).collect();
    assert!(Query::parse(&words).is_ok(), "of plain words the most telling are taken");
}

/// @recall_query_language A phrase with very many possible endings of its last word is still
/// answered in full.
#[test]
fn a_very_open_phrase_is_answered() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let memory = Memory::default();
    for id in 1..=21_000 {
        memory.put(note(id, &format!("{} x{id}", if id % 2 == 0 { "src" } else { "doc" })));
    }
    let mut writer = IndexWriter::acquire(home.path()).expect("writable").expect("free");
    writer.catch_up(&memory, Budget::ALL).expect("builds");
    let index = Index::open(home.path());
    let count = |text: &str| {
        let query = Query::parse(text).expect("well-formed");
        index.count(&memory, &query, &Filters::default(), usize::MAX).expect("searches")
    };
    assert_eq!(count("\"src x\"*"), 10_500);
    assert_eq!(count("x*"), 21_000);
    assert_eq!(count("\"src x209\"*"), 55);
}

/// Words that overlap: shared stems, parts, wholes, prefixes, scripts.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "run",
        "running",
        "runs",
        "getUserName",
        "get_user",
        "user",
        "name",
        "userName",
        "OPS-12",
        "ops",
        "12",
        "src/a.rs",
        "a.rs",
        "foo::bar",
        "foo",
        "bar",
        "使用",
        "用数",
        "使",
        "数据x",
        "é",
        "e",
        "🚀",
        "don't",
        "x86_64",
        "sha256",
        "\n",
        "-",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..9).prop_map(|words| words.join(" "))
}

fn query() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => word(),
        2 => prop::collection::vec(word(), 1..4).prop_map(|words| format!("\"{}\"", words.join(" "))),
        2 => word().prop_map(|word| format!("{word}*")),
        1 => prop::collection::vec(word(), 2..3).prop_map(|words| format!("\"{}\"*", words.join(" "))),
        1 => prop::sample::select(vec!["r", "us", "ge", "o", "1", "f"]).prop_map(|prefix| format!("{prefix}*")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} AND {b}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a} NOT {b})")),
        ]
    })
}

/// What may happen between two searches.
#[derive(Clone, Debug)]
enum Event {
    Put(i64, String),
    Delete(i64),
    CatchUp,
    Purge(i64),
    Rebuild,
    /// Another process becomes the writer.
    Handover,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (1..20_i64, text()).prop_map(|(id, text)| Event::Put(id, text)),
        2 => (1..20_i64).prop_map(Event::Delete),
        3 => Just(Event::CatchUp),
        1 => (1..20_i64).prop_map(Event::Purge),
        1 => Just(Event::Rebuild),
        1 => Just(Event::Handover),
    ]
}

fn happen(event: &Event, memory: &Memory, writer: &mut Option<IndexWriter>, home: &Path) {
    let mut held =
        writer.take().unwrap_or_else(|| IndexWriter::acquire(home).expect("writable").expect("free"));
    match event {
        Event::Put(id, text) => memory.put(note(*id, text)),
        Event::Delete(id) => memory.delete(*id),
        Event::CatchUp => drop(held.catch_up(memory, Budget::ALL).expect("follows")),
        Event::Purge(id) => {
            memory.delete(*id);
            held.purge(&[*id]).expect("purges");
        }
        Event::Rebuild => drop(held.rebuild(memory, Budget { documents: 1, until: None }).expect("rebuilds")),
        Event::Handover => return,
    }
    *writer = Some(held);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// @recall_query_language Index and scan agree on every query over every text, whatever
    /// happened to index and store.
    #[test]
    fn index_and_scan_agree(
        events in prop::collection::vec(event(), 1..24),
        queries in prop::collection::vec(query(), 1..24),
    ) {
        let home = tempfile::tempdir().expect("a temporary directory");
        let memory = Memory::default();
        let mut writer = None;
        for event in &events {
            happen(event, &memory, &mut writer, home.path());
        }
        let index = Index::open(home.path());
        for text in &queries {
            let Ok(query) = Query::parse(text) else { continue };
            let filters = Filters::default();
            let found = index.matching(&memory, &query, &filters).expect("searches");
            prop_assert_eq!(&found, &scanned(&memory, &query, &filters), "query {}", text);
            let page = Page { limit: 1000, offset: 0 };
            let hits = index.search(&memory, &query, &filters, Order::Relevance, page, 0).expect("searches");
            // Entries with only some of a few words follow, and are not matches.
            let is_rest = |hit: &&Hit| query.reading() == Reading::Keywords && !hits.is_relaxed && !hit.has_all;
            let mut ids: Vec<i64> = hits.hits.iter().filter(|hit| !is_rest(hit)).map(|hit| hit.id).collect();
            ids.sort_unstable();
            prop_assert_eq!(ids, found, "hits of {}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// @recall_query_language No input makes the parser panic, and an error points into the query.
    #[test]
    fn anything_can_be_typed(text in "(\\PC|[()\"* ]|AND|OR|NOT| ){0,60}") {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(error.at <= text.chars().count());
        }
        let _ = Query::of_prompt(&text);
    }
}
