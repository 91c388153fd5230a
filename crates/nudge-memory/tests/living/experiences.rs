//! Experiences: searched, grouped, summarised, shown before work begins, and reviewed.

use nudge_core::{EntryId, FaultKind, Timestamp};
use nudge_store::{Location, Store};
use nudge_testkit::{MemoryBench, StoredMemory, bench};
use serde_json::{Value, json};

use crate::living::setup::{Agent, HOUR, NOW, fresh};

/// An agent that was wrong twice about caches and once about a migration, and right once.
fn experienced<'s>(bench: &'s MemoryBench) -> Agent<'s> {
    let mut agent = Agent::begin(bench, "s", NOW);
    agent.asks("go");
    for (hypothesis, surprise, category, cause) in [
        (
            "the price cache is cold after a deploy",
            "it was warm",
            "wrong-assumption",
            "the cache key lacks the currency",
        ),
        (
            "the price cache evicts entries too early",
            "nothing was evicted",
            "wrong-assumption",
            "the cache key ignores the currency of the customer",
        ),
        (
            "the migration runs twice on start",
            "it runs once",
            "missing-knowledge",
            "the column is renamed by hand",
        ),
    ] {
        agent.tries(hypothesis, "prices are right");
        agent.was_wrong(surprise, category, cause);
    }
    agent.tries("the cache key needs the currency", "prices are right");
    let lesson =
        json!({"what_worked": "put the currency into the cache key", "takeaway": "look at the key first"});
    agent.ok("resolve_ghap", json!({"status": "confirmed", "result": "prices are right", "lesson": lesson}));
    agent
}

fn ids(found: &Value) -> Vec<String> {
    let results = found["results"].as_array().expect("a list");
    results.iter().map(|one| one["hypothesis"].as_str().expect("a text").to_owned()).collect()
}

/// @experiences: each side is a separate text, and is searched by its words.
#[test]
fn experiences_are_searched_along_four_sides() {
    let bench = fresh();
    let mut agent = experienced(&bench);
    let search = |agent: &mut Agent<'_>, axis: &str, query: &str| {
        ids(&agent.ok("search_experiences", json!({"query": query, "axis": axis})))
    };
    assert_eq!(search(&mut agent, "surprise", "evicted"), ["the price cache evicts entries too early"]);
    assert_eq!(search(&mut agent, "root_cause", "column renamed"), ["the migration runs twice on start"]);
    assert_eq!(search(&mut agent, "strategy", "currency cache key"), ["the cache key needs the currency"]);
    assert_eq!(search(&mut agent, "full", "currency").len(), 3);
    assert_eq!(search(&mut agent, "full", "kubernetes").len(), 0);
    let newest = agent.ok("search_experiences", json!({"query": "", "outcome": "falsified", "limit": 1}));
    assert_eq!(ids(&newest), ["the migration runs twice on start"]);
    let text = agent.ok("search_experiences", json!({"query": "evicted", "axis": "surprise"}))["results"][0]
        ["text"]
        .clone();
    assert_eq!(
        text,
        "Expected: prices are right\nActual: it failed\nSurprise: nothing was evicted\nRoot cause: the cache key ignores the currency of the customer"
    );
}

/// @experiences: experiences about the same thing form a group, even a small one.
#[test]
fn few_experiences_are_grouped() {
    let bench = fresh();
    let mut agent = experienced(&bench);
    let groups = agent.ok("group_experiences", json!({"axis": "root_cause"}));
    let groups = groups["groups"].as_array().expect("a list");
    assert_eq!((groups.len(), groups[0]["members"].as_array().map(Vec::len)), (1, Some(2)), "{groups:#?}");
    assert!(groups[0]["words"].as_array().expect("words").contains(&json!("currency")), "{groups:#?}");
}

/// @values: a value is accepted when it fits the experiences that it names, and the answer says how
/// well.
#[test]
fn a_value_is_accepted_when_it_fits() {
    let bench = fresh();
    let mut agent = experienced(&bench);
    let all = agent.ok("list_ghap_entries", json!({}));
    let id = |at: usize| all["results"][at]["id"].clone();
    let (right, migration, evicts, cold) = (id(0), id(1), id(2), id(3));
    let of_caches = json!([right, evicts, cold]);
    let text = "When prices are stale, look at the cache key before the cache: it must hold the currency.";
    let checked = agent.ok("validate_value", json!({"text": text, "experiences": of_caches}));
    assert_eq!(checked["valid"], true, "{checked}");
    let stored = agent.ok("store_value", json!({"text": text, "experiences": of_caches}));
    assert!(stored["id"].as_str().is_some_and(|id| id.starts_with("value_full_")), "{stored}");
    let other = json!({"text": "Always ask the designer about colours.", "experiences": [migration, cold]});
    let fault = agent.fault("store_value", other);
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "value_does_not_fit"));
    assert!(fault.data.contains_key("fit"));
    let alone = agent.fault("store_value", json!({"text": text, "experiences": [cold]}));
    assert_eq!(alone.kind, FaultKind::Invalid);
    let values = agent.ok("list_values", json!({}));
    assert_eq!((&values["count"], &values["results"][0]["text"]), (&json!(1), &json!(text)));
    let context = agent.ok("assemble_context", json!({"query": "", "context_types": ["values"]}));
    let markdown = context["markdown"].as_str().expect("a text");
    assert!(markdown.contains("## Learned Values\n") && markdown.contains(text), "{markdown}");
    let context = agent
        .ok("assemble_context", json!({"query": "price cache evicts", "context_types": ["experiences"]}));
    let markdown = context["markdown"].as_str().expect("a text");
    assert!(
        markdown.contains("- **debugging**: \"prices are right (falsified); root cause: the cache key"),
        "{markdown}"
    );
}

/// @premortem: lists what went wrong before in the same kind of work, and nothing if nothing did.
#[test]
fn a_premortem_says_what_went_wrong_before() {
    let bench = fresh();
    let mut agent = experienced(&bench);
    let injected = agent.ok("premortem", json!({"domain": "debugging"}));
    insta::assert_snapshot!("premortem", injected["markdown"].as_str().expect("a text"));
    let none = agent.ok("premortem", json!({"domain": "security"}));
    assert_eq!(none, json!({"markdown": "", "token_count": 0, "item_count": 0}));
    let none = agent.ok("premortem", json!({"domain": "debugging", "strategy": "ask-user"}));
    assert!(!none["markdown"].as_str().expect("a text").contains("Common Failures"), "{none}");
}

/// @journal: the outcome of a session is written, listed, reviewed and marked.
#[test]
fn the_journal_is_looked_back_on() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let entry = json!({"summary": "prices are right now", "friction_points": ["no test for the till"], "next_steps": ["add one"]});
    let id = agent.ok("store_journal_entry", entry)["id"].clone();
    // Two within a millisecond are two.
    let before = agent.at;
    agent.ok("store_journal_entry", json!({"summary": "one"}));
    agent.at = before;
    agent.ok("store_journal_entry", json!({"summary": "two"}));
    let listed = agent.ok("list_journal_entries", json!({}));
    assert_eq!(listed.as_array().map(Vec::len), Some(3), "{listed}");
    let extra: Vec<&Value> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["id"] != id)
        .map(|one| &one["id"])
        .collect();
    agent.ok("mark_entries_reflected", json!({"ids": extra}));
    let mut next = Agent::begin(&bench, "t", NOW + HOUR);
    next.ok("store_journal_entry", json!({"summary": "the till has a test"}));
    let listed = next.ok("list_journal_entries", json!({}));
    let summaries: Vec<&Value> =
        listed.as_array().expect("a list").iter().map(|one| &one["summary"]).collect();
    assert_eq!(
        (summaries.len(), summaries[0], summaries[3]),
        (4, &json!("the till has a test"), &json!("prices are right now"))
    );
    assert_eq!(next.ok("mark_entries_reflected", json!({"ids": [id]})), json!({"marked": 1}));
    assert_eq!(next.ok("mark_entries_reflected", json!({"ids": [id]})), json!({"marked": 0}));
    let left = next.ok("list_journal_entries", json!({"unreflected_only": true}));
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    let one = next.ok("get_journal_entry", json!({"id": id}));
    assert_eq!(
        (&one["session_id"], &one["friction_points"][0]),
        (&json!("s"), &json!("no test for the till"))
    );
    let mut elsewhere = Agent::begin(&bench, "u", NOW + HOUR);
    elsewhere.project = "other".to_owned();
    elsewhere.start("startup");
    assert_eq!(elsewhere.ok("list_journal_entries", json!({})).as_array().map(Vec::len), Some(0));
}

/// @journal: who marks an entry does not become its writer.
#[test]
fn an_agent_that_marks_the_users_journal_entry_does_not_become_its_writer() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let written = bench.ok("store_journal_entry", json!({"summary": "ours", "session": "s"}));
    let id = written["id"].as_i64().expect("an id");
    let writer = || {
        let store = bench.memory.store();
        let entry = store.read(|reader| reader.entry_by_id(EntryId(id))).expect("read");
        entry.expect("the entry").writer
    };
    let before = writer();
    assert!(before.is_by_user(), "{before:?}");
    assert_eq!(agent.ok("mark_entries_reflected", json!({"ids": [id]})), json!({"marked": 1}));
    assert_eq!(writer(), before);
    assert!(agent.ok("get_journal_entry", json!({"id": id}))["reflected_at"].is_string());
}

/// @assemble_context: a type that cannot be read is left out and named, and the rest is there.
#[test]
fn a_type_that_cannot_be_read_is_left_out_and_named() {
    let now = Timestamp::from_millis(NOW);
    let bench = MemoryBench::on_disk(now);
    let mut agent = experienced(&bench);
    let all = agent.ok("list_ghap_entries", json!({}));
    let experiences = json!([all["results"][0]["id"], all["results"][2]["id"], all["results"][3]["id"]]);
    let text = "When prices are stale, look at the cache key before the cache: it must hold the currency.";
    agent.ok("store_value", json!({"text": text, "experiences": experiences}));
    bench.ok("remember", json!({"text": "Prices are kept in cents.", "project": "shop"}));
    let context = |agent: &mut Agent<'_>| agent.ok("assemble_context", json!({"query": ""}));
    let whole = context(&mut agent);
    assert_eq!((&whole["item_count"], whole.get("skipped")), (&json!(2), None), "{whole}");

    let dir = bench.close();
    // No longer JSON.
    StoredMemory::in_dir(dir.path()).garble(b"\"experiences\":[", b"\"experiences\":{");
    let location = Location::File(dir.path().join("nudge.db"));
    let bench = MemoryBench::over(Store::open(&bench::options(location, now)).expect("opens"), now);
    let mut agent = Agent::silent(&bench, "s", NOW + HOUR);
    let rest = context(&mut agent);
    assert_eq!((&rest["item_count"], &rest["skipped"][0]["source"]), (&json!(1), &json!("values")), "{rest}");
    assert!(rest["skipped"][0]["why"].as_str().is_some_and(|why| !why.is_empty()), "{rest}");
    let markdown = rest["markdown"].as_str().expect("a text");
    assert!(markdown.contains("Prices are kept in cents.") && !markdown.contains(text), "{markdown}");
}
