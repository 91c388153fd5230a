//! What the memory knows about a topic, in one text within a budget.

use nudge_core::ObservationKind;
use nudge_core::tokens;
use nudge_memory::{Caller, Surface};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::search::setup::{Search, command, edit, failure, fresh, of_kind, prompt};

fn assembled(bench: &MemoryBench, project: &str, params: Value) -> Value {
    let caller = bench.agent_in(&format!("/{project}/.git"));
    nudge_testkit::call(&bench.memory, &caller, "assemble_context", params).expect("answered")
}

/// A project with an item of every type about carriers, and other topics.
fn worked() -> (MemoryBench, i64) {
    let bench = fresh();
    for number in 0..30 {
        bench.keep("api", command(&format!("make other_{number}")));
    }
    bench.keep("api", prompt("the carrier panics on an empty answer, mend it"));
    bench.keep("api", failure("cargo test carrier", "thread 'main' panicked at src/carrier.rs:41:9"));
    bench.keep("api", edit("/api/src/carrier.rs"));
    bench.keep("api", of_kind(ObservationKind::GitCommit, "carrier: report an empty answer"));
    bench.keep("api", of_kind(ObservationKind::Conclusion, "An empty answer of a carrier is an error now."));
    let person =
        Caller { project: Some("/api/.git".to_owned()), ..Caller::new(Surface::Cli, bench.caller.now) };
    let text = "tokens of a carrier come from the keychain";
    let stated =
        nudge_testkit::call(&bench.memory, &person, "remember", json!({"text": text, "project": "api"}));
    let id = stated.expect("stated")["statement"]["id"].as_i64().expect("an id");
    bench.index();
    (bench, id)
}

/// @assemble_context Every kind is searched; the user's statements come first and separately, and
/// each item says why it is there and what it costs.
#[test]
fn every_kind_is_in_it_and_explains_itself() {
    let (bench, stated) = worked();
    let answer = assembled(&bench, "api", json!({"query": "carrier empty answer"}));
    let text = answer["markdown"].as_str().expect("a text");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        ["## Stated by the person", "## Relevant Experiences", "## Changes", "## Commits"],
        "{text}"
    );
    assert!(text.starts_with("<nudge-memory id="), "{text}");
    let items = answer["items"].as_array().expect("items");
    assert_eq!(items.len(), answer["item_count"].as_u64().expect("a count") as usize);
    assert_eq!((&items[0]["id"], &items[0]["source"]), (&json!(stated), &json!("memories")));
    for item in items {
        assert!(item["why"].as_str().is_some_and(|why| why.contains("carrier")), "{item}");
        assert!(item["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{item}");
        assert!(text.contains(&format!("#{}\n", item["id"])), "{item}");
    }
    assert_eq!(answer["truncated"], false);
    // A failed command shows its output.
    assert!(text.contains("panicked at src/carrier.rs:41:9"), "{text}");
}

/// @assemble_context Only the requested types are searched; without a query, only statements are
/// returned; and if nothing is found there is no text.
#[test]
fn types_and_queries_choose() {
    let (bench, _) = worked();
    let commits =
        assembled(&bench, "api", json!({"query": "carrier", "context_types": ["commits", "values"]}));
    let sources: Vec<&str> = commits["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|item| item["source"].as_str())
        .collect();
    assert_eq!(sources, ["commits"]);
    let stated = assembled(&bench, "api", json!({"query": ""}));
    assert_eq!(stated["item_count"], 1, "{stated}");
    let nothing = assembled(&bench, "api", json!({"query": "zeppelin hangar"}));
    assert_eq!((&nothing["markdown"], &nothing["token_count"]), (&json!(""), &json!(0)), "{nothing}");
    let caller = bench.agent_in("/api/.git");
    let odd = json!({"query": "carrier", "context_types": ["dreams"]});
    assert!(nudge_testkit::call(&bench.memory, &caller, "assemble_context", odd).is_err());
}

/// @assemble_budget The text keeps to any budget: items are cut, then left out, and the answer
/// reports both.
#[test]
fn the_text_keeps_to_its_budget() {
    let (bench, _) = worked();
    let long = "the carrier sends an empty answer ".to_owned() + &"and then another one comes ".repeat(80);
    bench.keep("api", of_kind(ObservationKind::Conclusion, &long));
    bench.index();
    for budget in [0, 30, 60, 120, 300, 700, 1_500] {
        let answer = assembled(&bench, "api", json!({"query": "carrier empty answer", "max_tokens": budget}));
        let text = answer["markdown"].as_str().expect("a text");
        assert!(tokens::at_most(text).0 <= budget || text.is_empty(), "{budget}: {text}");
        assert!(answer["token_count"].as_u64() <= Some(u64::from(budget)), "{budget}: {answer}");
        let short = answer["items"].as_array().expect("items").iter().any(|item| item["cut"] == true)
            || answer["left_out"].to_string().contains("the budget was used up");
        assert_eq!(answer["truncated"], short, "{budget}: {answer}");
        assert!(budget >= 700 || short, "{budget}: {answer}");
    }
}

/// @assemble_budget Budget that one type does not need goes to the others, and duplicates are
/// removed.
#[test]
fn unused_budget_is_passed_on_and_repeats_are_left_out() {
    let bench = fresh();
    for number in 0..8 {
        let said = format!("the carrier queue {number} ") + &format!("word{number} ").repeat(40);
        bench.keep("api", of_kind(ObservationKind::Conclusion, &said));
    }
    bench.keep("api", of_kind(ObservationKind::GitCommit, "carrier: keep a queue"));
    bench.keep("api", of_kind(ObservationKind::GitCommit, "carrier: keep a queue"));
    bench.index();
    let answer = assembled(&bench, "api", json!({"query": "carrier queue", "max_tokens": 600}));
    let share = |source: &str| {
        let sources = answer["sources"].as_array().expect("sources");
        let found = sources.iter().find(|share| share["source"] == source).expect("a share");
        found["tokens"].as_u64().expect("a number")
    };
    // By weight commits would get two fifths.
    assert!(share("commits") < 60 && share("experiences") > 400, "{}", answer["sources"]);
    assert!(answer["token_count"].as_u64() > Some(450), "{answer}");
    assert!(answer["left_out"].to_string().contains("another item says the same"), "{answer}");
}

/// @assemble_context Another project's entries are not included.
#[test]
fn other_projects_are_not_in_it() {
    let (bench, _) = worked();
    bench.keep("web", command("ls"));
    assert_eq!(assembled(&bench, "web", json!({"query": "carrier"}))["item_count"], 0);
    assert!(assembled(&bench, "web", json!({"query": "carrier", "project": "api"}))["item_count"] != 0);
}
