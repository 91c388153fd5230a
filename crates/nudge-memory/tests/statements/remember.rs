//! `remember`.

use nudge_core::FaultKind;
use nudge_memory::Surface;
use serde_json::{Value, json};

use crate::statements::setup::{MINUTE, SHOP, State, fresh, id, stand};

/// @statements_remember
#[test]
fn what_is_stated_holds_and_says_who_stated_it() {
    let mut bench = fresh();
    let answer = bench.ok("remember", json!({"text": "  we use pnpm, never npm ", "category": "preference"}));
    let statement = &answer["statement"];
    assert_eq!((&answer["created"], &answer["project"]), (&json!(true), &json!("shop")));
    assert_eq!(statement["text"], "we use pnpm, never npm");
    assert_eq!((&statement["category"], &statement["state"]), (&json!("preference"), &json!("stands")));
    assert_eq!(
        (&statement["stated_by"], &statement["origin"]),
        (&json!("the person, in shop"), &json!("remembered"))
    );
    let kept = bench.memory.store().read(|reader| {
        let id = nudge_core::EntryId(statement["id"].as_i64().expect("a number"));
        Ok::<_, nudge_store::StoreError>(reader.entry_by_id(id)?.expect("kept"))
    });
    let path = kept.expect("read").path.to_string();
    assert!(
        path.starts_with("known://preference/") && path.len() == "known://preference/".len() + 16,
        "{path}"
    );
    let agents = bench.as_agent(|bench| bench.ok("remember", json!({"text": "the tests need redis"})));
    assert_eq!(agents["statement"]["stated_by"], "an agent, in shop");
    assert_eq!(agents["statement"]["origin"], "agent");
    assert_eq!(agents["statement"]["category"], "fact");
    assert_eq!(bench.texts(), ["we use pnpm, never npm", "the tests need redis"]);
}

/// @statements_remember: the same words again are counted; they do not make a second statement.
#[test]
fn the_same_words_are_one_statement() {
    let mut bench = fresh();
    let first = bench.remember("Run the linter before a push.");
    bench.later(MINUTE);
    let again =
        bench.ok("remember", json!({"text": "run the  linter before a push", "category": "workflow"}));
    assert_eq!((&again["created"], &again["statement"]["id"]), (&json!(false), &json!(first)));
    assert_eq!(again["statement"]["times"], 2);
    let agents =
        bench.as_agent(|bench| bench.ok("remember", json!({"text": "run the linter before a push"})));
    assert_eq!(agents["note"], "the user has already said this");
    assert_eq!(agents["statement"]["times"], 2, "an agent's echo does not count");
    assert_eq!(bench.holds().len(), 1);
    // An agent's statement becomes the user's when the user states it.
    let id = bench.as_agent(|bench| bench.remember("the tests need redis"));
    assert_eq!(bench.remember("The tests need redis"), id);
    assert_eq!(bench.holds()[0].2, "remembered");
}

/// @statements_place: a statement belongs to a project, to a directory of it, or to all projects.
#[test]
fn a_statement_holds_where_it_was_made_for() {
    let mut bench = fresh();
    let answer = bench.ok("remember", json!({"text": "vue only", "directory": "./frontend"}));
    assert_eq!(answer["statement"]["directory"], "frontend/");
    assert_eq!(bench.fault("remember", json!({"text": "x", "directory": "../other"})).reason, "directory");
    let everywhere = bench.ok("remember", json!({"text": "no emoji", "everywhere": true}));
    assert_eq!(everywhere["statement"]["everywhere"], true);
    assert_eq!(everywhere["statement"]["stated_by"], "the person", "it names no project");
    stand(&mut bench, "/w/other");
    assert_eq!(bench.texts(), ["no emoji"]);
    bench.ok("remember", json!({"text": "till first", "project": SHOP}));
    assert_eq!(bench.texts(), ["no emoji"]);
    let fault = bench.as_agent(|bench| bench.fault("remember", json!({"text": "evil", "project": SHOP})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Forbidden, "other_project"));
    let fault = bench.as_agent(|bench| bench.fault("remember", json!({"text": "evil", "everywhere": true})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Forbidden, "everywhere"));
    stand(&mut bench, SHOP);
    assert_eq!(bench.texts().len(), 3);
}

/// @statements_place: the same words for two directories are two statements, and do not contradict
/// each other.
#[test]
fn a_directory_is_part_of_what_is_stated() {
    let bench = fresh();
    let state =
        |text: &str, directory: &str| bench.ok("remember", json!({"text": text, "directory": directory}));
    let first = state("use vue", "frontend");
    let second = state("use vue", "admin");
    assert_ne!(first["statement"]["id"], second["statement"]["id"]);
    assert_eq!(state("never use vue", "legacy")["contradicts"], Value::Null);
    let general = bench.ok("remember", json!({"text": "never use vue"}));
    assert_eq!(general["contradicts"].as_array().map(Vec::len), Some(2));
    assert_eq!(bench.holds().len(), 4);
}

/// @statements_place: over HTTP, without a session, nothing is stated for an unknown project.
#[test]
fn a_statement_from_nowhere_is_refused() {
    let mut bench = fresh();
    bench.caller.surface = Surface::Rpc;
    bench.caller.ambient = nudge_memory::Ambient::Nothing;
    bench.caller.project = None;
    let fault = bench.fault("remember", json!({"text": "use tabs"}));
    assert_eq!(fault.reason, "no_place");
    bench.caller.surface = Surface::Cli;
    stand(&mut bench, SHOP);
    assert_eq!(bench.texts(), Vec::<String>::new());
}

/// @statements_refused
#[test]
fn what_cannot_be_stated_is_refused_whole() {
    let bench = fresh();
    let key = format!("the key is ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for (text, reason) in [
        (" ".to_owned(), "text"),
        ("x".repeat(2_001), "text"),
        ("<private>x</private>".to_owned(), "private"),
        (key, "secret_detected"),
    ] {
        let fault = bench.fault("remember", json!({"text": text}));
        assert_eq!(fault.reason, reason, "{fault:?}");
    }
    assert_eq!(bench.fault("remember", json!({"text": "x", "category": "rumour"})).reason, "schema");
    assert_eq!(bench.holds(), []);
}

/// @statements_contradictions
#[test]
fn a_contradiction_is_shown_when_a_statement_is_made() {
    let mut bench = fresh();
    let first = bench.remember("run the e2e tests before a push");
    let answer = bench.ok("remember", json!({"text": "never run the e2e tests before a push"}));
    assert_eq!(
        answer["contradicts"],
        json!([{"id": first, "text": "run the e2e tests before a push", "stated_by": "the person, in shop"}])
    );
    assert_eq!(bench.holds().len(), 2, "the person decides which of them holds");
    let agents = bench.as_agent(|bench| bench.ok("remember", json!({"text": "don't run the e2e tests"})));
    assert_eq!(agents["contradicts"].as_array().map(Vec::len), Some(1));
    let other = bench.ok("remember", json!({"text": "use tabs"}));
    assert_eq!(other["contradicts"], Value::Null);
}

/// @statements_agents: if an agent repeats the user's words, they stay the user's.
#[test]
fn an_agents_echo_is_no_statement_of_its_own() {
    let mut bench = fresh();
    let said = crate::statements::setup::id(bench.say("s1", "we use pnpm here"));
    let echo = bench.as_agent(|bench| bench.ok("remember", json!({"text": "We use pnpm here."})));
    assert_eq!((&echo["created"], &echo["statement"]["id"]), (&json!(false), &json!(said)));
    assert_eq!(bench.holds(), []);
    let stated = bench.remember("we use pnpm here");
    assert_eq!(bench.waiting(), Vec::<Value>::new(), "what the person states needs no review");
    assert_eq!(crate::statements::setup::id(bench.say("s2", "we use pnpm here")), stated);
    assert_eq!(bench.texts(), ["we use pnpm here"]);
}

/// @statements_agents
#[test]
fn an_agent_brings_nothing_back_and_states_only_so_much() {
    let mut bench = fresh();
    let own = bench.as_agent(|bench| bench.remember("the cache is slow"));
    bench.as_agent(|bench| bench.ok("forget", json!({"id": own})));
    assert_eq!(bench.as_agent(|bench| bench.remember("the cache is slow")), own, "its own it may");
    bench.ok("forget", json!({"id": own}));
    let fault = bench.as_agent(|bench| bench.fault("remember", json!({"text": "The cache is slow."})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Forbidden, "given_up"));
    let said = crate::statements::setup::id(bench.say("s1", "always rebase"));
    bench.ok("drop_proposal", json!({"id": said}));
    let fault = bench.as_agent(|bench| bench.fault("remember", json!({"text": "always rebase"})));
    assert_eq!(fault.reason, "given_up");
    for n in 0..200 {
        bench.as_agent(|bench| bench.remember(&format!("finding number {n}")));
    }
    let fault = bench.as_agent(|bench| bench.fault("remember", json!({"text": "one more"})));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Quota, "statements"));
    assert!(bench.remember("the person has no such limit") > 0);
}

/// @statements_place: a directory that does not exist is rejected, with a next step.
#[test]
fn a_directory_has_to_be_there() {
    let mut bench = fresh();
    let dir = tempfile::TempDir::new().expect("a directory");
    std::fs::create_dir(dir.path().join("web")).expect("made");
    stand(&mut bench, dir.path().to_str().expect("a path"));
    let fault = bench.fault("remember", json!({"text": "vue only", "directory": "wbe"}));
    assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "no_directory"));
    assert_eq!(
        fault.next.as_deref(),
        Some("create it first, or remove it to state it for the whole project")
    );
    assert_eq!(bench.holds(), []);
    let made = bench.ok("remember", json!({"text": "vue only", "directory": "web"}));
    assert_eq!(made["statement"]["directory"], "web/");
}

/// @injection_ledger: a statement that is not injected is in the ledger with the reason.
#[test]
fn what_was_stated_and_is_not_reported_has_a_reason() {
    let mut bench = fresh();
    let old = id(bench.say("s0", "never use tabs"));
    bench.later(MINUTE * 60 * 24 * 40);
    let texts =
        ["never amend commits", "no emojis in the docs", "always sign your tags", "never mock the clock"];
    let said: Vec<i64> = texts.iter().map(|text| id(bench.say("s1", text))).collect();
    for n in 0..22 {
        let meta = json!({"ttl": "forever"});
        bench.ok(
            "set_hint",
            json!({"component": "build", "key": format!("k{n}"), "value": "v", "meta": meta}),
        );
    }
    let left_out = bench.ok("preview_context", json!({"tokens": 20_000}))["left_out"].clone();
    let why = |id: &Value| {
        let found = left_out.as_array().into_iter().flatten().find(|one| one["id"] == *id);
        found.map(|one| one["why"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(why(&json!(old)).as_deref(), Some("said once, more than 30 days ago"));
    assert_eq!(why(&json!(said[0])).as_deref(), Some("enough others of its kind rank higher"));
    assert_eq!(why(&json!(said[1])), None);
    let others = |one: &&Value| one["why"] == "enough others of its kind rank higher";
    assert_eq!(left_out.as_array().into_iter().flatten().filter(others).count(), 3);
}

/// @injection_ledger: so is a statement for a directory that the agent is not in.
#[test]
fn a_statement_for_another_directory_has_a_reason() {
    let mut bench = fresh();
    let dir = tempfile::TempDir::new().expect("a directory");
    for made in [".git/refs", ".git/objects", "frontend", "backend"] {
        std::fs::create_dir_all(dir.path().join(made)).expect("made");
    }
    std::fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
    stand(&mut bench, dir.path().to_str().expect("a path"));
    let made = bench.ok("remember", json!({"text": "vue only", "directory": "frontend"}));
    stand(&mut bench, dir.path().join("backend").to_str().expect("a path"));
    let left_out = bench.ok("preview_context", json!({}))["left_out"].clone();
    assert_eq!(left_out, json!([{"id": made["statement"]["id"], "why": "it is for another directory"}]));
}
