//! Which projects are searched.

use nudge_core::Timestamp;
use nudge_memory::{Caller, Surface};
use serde_json::json;

use crate::search::setup::{START, Search, command, fresh};

/// @recall_search_project An agent searches its own project; results in others are counted and not
/// shown.
#[test]
fn a_search_stays_in_its_project_and_says_what_it_withheld() {
    let bench = fresh();
    let here = bench.keep("api", command("terraform apply"));
    let there = bench.keep("web", command("terraform plan"));
    for indexed in [false, true] {
        if indexed {
            bench.index();
        }
        let answer = bench.search("api", json!({"query": "terraform"}));
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(1));
        assert_eq!(answer["results"][0]["id"], here);
        assert_eq!(answer["withheld"], json!({"count": 1}));
        let mut all = bench.ids("api", json!({"query": "terraform", "project": null}));
        all.sort_unstable();
        assert_eq!(all, [here, there]);
        assert_eq!(bench.ids("api", json!({"query": "terraform", "project": "web"})), [there]);
    }
    let all = bench.search("api", json!({"query": "plan", "project": null}));
    assert_eq!((&all["results"][0]["project"], &all["withheld"]), (&json!("web"), &json!(null)));
    let nowhere = bench.search("api", json!({"query": "terraform", "project": "nowhere"}));
    assert_eq!(nowhere, json!({"results": [], "withheld": {"count": 2}}));
}

/// @recall_search_project @mcp_call_project A caller in an unknown place gets only what it
/// explicitly requests, and learns what to pass.
#[test]
fn from_nowhere_nothing_is_shown_unasked() {
    let bench = fresh();
    bench.keep("api", command("terraform apply"));
    let caller = Caller::new(Surface::Mcp, Timestamp::from_millis(START));
    let fault = nudge_testkit::call(&bench.memory, &caller, "search", json!({"query": "terraform"}))
        .expect_err("refused");
    assert_eq!((fault.reason.as_str(), &fault.data["field"]), ("no_place", &json!("project")));
    assert!(fault.next.is_some_and(|next| next.contains("`project`")));
    let all = json!({"query": "terraform", "project": "*"});
    let answer = nudge_testkit::call(&bench.memory, &caller, "search", all).expect("answered");
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(1), "{answer}");
}

/// @recall_search_project Merged projects are searched as one, even with an index made before.
#[test]
fn merged_projects_are_searched_as_one() {
    let bench = fresh();
    bench.keep("old", command("terraform apply"));
    bench.keep("new", command("terraform plan"));
    bench.index();
    let person = Caller::new(Surface::Cli, Timestamp::from_millis(START));
    nudge_testkit::call(&bench.memory, &person, "merge_projects", json!({"from": "old", "into": "new"}))
        .expect("merged");
    assert_eq!(bench.ids("new", json!({"query": "terraform"})).len(), 2);
}

/// @recall_search_project Memories imported for a project by its name are found from the directory
/// with that name.
#[test]
fn memories_imported_by_name_are_found_in_the_place_of_that_name() {
    let bench = fresh();
    let ran = bench.keep("api", command("terraform apply"));
    let file = bench.dir().join("notes.jsonl");
    std::fs::write(&file, r#"{"id": 1, "project": "api", "text": "terraform needs the VPN"}"#)
        .expect("written");
    let home = nudge_home::Home::locate(Some(bench.dir()), &|_| None).expect("a home");
    let now = Timestamp::from_millis(START);
    nudge_memory::import::memories::memories(&home, &file, false, now, &mut |_| {}).expect("imported");
    for params in [json!({"query": "terraform"}), json!({"query": "terraform", "project": "api"})] {
        let ids = bench.ids("api", params);
        assert!(ids.len() == 2 && ids.contains(&ran), "{ids:?}");
    }
}
