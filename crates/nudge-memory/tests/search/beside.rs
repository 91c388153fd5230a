//! What a search finds in addition to captured work: statements and hints that the caller may see.

use nudge_memory::{Caller, Surface};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::search::setup::{Search, command, fresh};

/// The user, in a project.
fn person(bench: &MemoryBench, project: &str) -> Caller {
    Caller { project: Some(format!("/{project}/.git")), ..Caller::new(Surface::Cli, bench.caller.now) }
}

fn by_person(bench: &MemoryBench, project: &str, name: &str, params: Value) -> Value {
    nudge_testkit::call(&bench.memory, &person(bench, project), name, params)
        .unwrap_or_else(|fault| panic!("{name}: {fault:?}"))
}

/// @recall_search_stated A statement is found where it applies, marked as a statement, and can be
/// fetched; it is not found elsewhere, nor after it was silenced or forgotten.
#[test]
fn statements_are_found_while_they_hold() {
    let bench = fresh();
    bench.keep("api", command("ls"));
    bench.keep("web", command("ls"));
    let stated = by_person(
        &bench,
        "api",
        "remember",
        json!({"text": "deploy with make, never by hand", "project": "api"}),
    );
    let id = stated["statement"]["id"].as_i64().expect("an id");
    let row = bench.search("api", json!({"query": "deploy"}))["results"][0].clone();
    assert_eq!((&row["id"], &row["obs_type"]), (&json!(id), &json!("statement")));
    assert_eq!(row["content_preview"], "deploy with make, never by hand");
    assert_eq!(bench.ids("api", json!({"query": "deploy", "obs_type": "statement"})), [id]);
    assert_eq!(bench.whole(id)["obs_type"], "statement");
    assert_eq!(bench.ids("web", json!({"query": "deploy"})), [0; 0]);
    bench.index();
    assert_eq!(bench.ids("api", json!({"query": "deploy"})), [id]);
    by_person(&bench, "api", "silence", json!({"id": id}));
    assert_eq!(bench.ids("api", json!({"query": "deploy"})), [0; 0]);
    by_person(&bench, "api", "silence", json!({"id": id, "again": true}));
    by_person(&bench, "api", "forget", json!({"id": id}));
    assert_eq!(bench.ids("api", json!({"query": "deploy"})), [0; 0]);
}

/// @recall_search_stated A hint is found where it applies, and can be fetched; a secret never is,
/// nor a hint for another place.
#[test]
fn hints_are_found_where_they_apply() {
    let bench = fresh();
    bench.keep("api", command("ls"));
    let set = |key: &str, text: &str, meta: Value| {
        let value = json!({"type": "command", "cmd": text});
        by_person(
            &bench,
            "api",
            "set_hint",
            json!({"component": "web", "key": key, "value": value, "meta": meta}),
        )
    };
    set("test", "make zebra-check", json!({"reason": "the quick one"}));
    set("pin", "kolibri-am-meer", json!({"sensitivity": "secret"}));
    set("elsewhere", "make giraffe-check", json!({"scope": {"cwd_glob": ["/far/**"]}}));
    let row = bench.search("api", json!({"query": "zebra"}))["results"][0].clone();
    assert_eq!(
        (&row["obs_type"], &row["content_preview"]),
        (&json!("hint"), &json!("web/test = make zebra-check"))
    );
    assert_eq!(bench.whole(row["id"].as_i64().expect("an id"))["metadata"]["key"], "test");
    assert_eq!(bench.ids("api", json!({"query": "quick"})), bench.ids("api", json!({"query": "zebra"})));
    for query in ["kolibri", "giraffe", "elsewhere", "pin"] {
        let answer = bench.search("api", json!({"query": query}));
        assert_eq!(answer["results"], json!([]), "{query}");
        assert_eq!(answer["withheld"], Value::Null, "{query}");
    }
    let ids: Vec<i64> = (1..30).collect();
    let all = nudge_testkit::call(
        &bench.memory,
        &bench.agent_in("/api/.git"),
        "get_observations",
        json!({"ids": ids}),
    );
    let all = all.expect("answered").to_string();
    assert!(!all.contains("kolibri") && !all.contains("giraffe"), "{all}");
}

/// @recall_search_own_session An agent does not find its own session, and the answer says so; the
/// user does, and so does a caller that names it.
#[test]
fn the_asking_session_is_left_out() {
    let bench = fresh();
    let old = bench.keep("api", command("cargo test router"));
    let agent = Caller { session: Some("session-api".to_owned()), ..bench.agent_in("/api/.git") };
    let ask = |caller: &Caller, more: Value| {
        let mut params = json!({"query": "router"});
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        nudge_testkit::call(&bench.memory, caller, "search", params).expect("answered")
    };
    let answer = ask(&agent, json!({}));
    assert_eq!((&answer["results"], &answer["own_session"]), (&json!([]), &json!({"count": 1})));
    assert_eq!(ask(&agent, json!({"session": "session-api"}))["results"][0]["id"], old);
    assert_eq!(ask(&person(&bench, "api"), json!({}))["results"][0]["id"], old);
}

/// @recall_did_you_mean The closest match is named, but never one of a project that is not
/// searched.
#[test]
fn a_mistyped_word_is_named() {
    let bench = fresh();
    bench.keep("api", command("cargo test router"));
    bench.keep("web", command("npm run deadline"));
    assert_eq!(
        bench.search("api", json!({"query": "roouter"}))["did_you_mean"],
        json!({"roouter": "router"})
    );
    assert_eq!(bench.search("api", json!({"query": "deadlinne"}))["did_you_mean"], Value::Null);
}

/// @recall_kinds_weigh Of similar hits, commands that only read something come last; a search for
/// commands still finds them.
#[test]
fn looks_come_last() {
    let bench = fresh();
    let ran = bench.keep("api", command("deploy router.rs"));
    let looked = bench.keep("api", command("cat router.rs"));
    assert_eq!(bench.ids("api", json!({"query": "router"})), [ran, looked]);
    assert_eq!(bench.ids("api", json!({"query": "router", "obs_type": "command"})), [ran, looked]);
}
